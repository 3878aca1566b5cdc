//! A crate that does something has tests.

use std::collections::BTreeMap;

use crate::finding::Finding;
use crate::tree::Tree;

/// A crate of fewer lines declares and does not yet do anything.
const LINES: usize = 100;

#[derive(Default)]
struct Crate {
    lines: usize,
    tests: usize,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Crate> = BTreeMap::new();
    for file in tree.rust() {
        let Some(name) = file.path.strip_prefix("crates/").and_then(|path| path.split('/').next()) else { continue };
        let entry = crates.entry(name).or_default();
        entry.lines += file.text.lines().count();
        entry.tests += file.text.lines().filter(|line| is_test(line.trim())).count();
    }
    crates
        .iter()
        .filter(|(_, entry)| entry.lines > LINES && entry.tests == 0)
        .map(|(name, entry)| Finding::new(format!("crates/{name}"), format!("{} lines and no test", entry.lines)))
        .collect()
}

fn is_test(line: &str) -> bool {
    ["#[test]", "#[tokio::test", "proptest! {"].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn a_crate_without_tests_is_found() {
        let code = "fn f() {}\n".repeat(101);
        let tested = format!("{code}#[test]\nfn t() {{}}\n");
        let files = [("crates/a/src/lib.rs", code.as_str()), ("crates/b/src/lib.rs", tested.as_str())];
        assert_eq!(places(&check(&tree(&files))), ["crates/a"]);
    }
}
