//! No Rust file over 500 lines.

use crate::finding::Finding;
use crate::tree::Tree;

/// The most lines a file may have, its unit tests included.
const LIMIT: usize = 500;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter_map(|file| {
            let lines = file.text.lines().count();
            (lines > LIMIT)
                .then(|| Finding::new(&file.path, format!("{lines} lines, {LIMIT} at most: split it by concept")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn the_limit_is_five_hundred_lines() {
        let (fits, long) = ("//x\n".repeat(500), "//x\n".repeat(501));
        assert_eq!(places(&check(&tree(&[("a/src/fits.rs", &fits), ("a/src/long.rs", &long)]))), ["a/src/long.rs"]);
    }
}
