//! No two packages have examples of one name: cargo builds them into one file, and a test of one package starts the
//! example of another.

use std::collections::BTreeMap;

use crate::finding::Finding;
use crate::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for file in tree.rust() {
        let Some(name) = example(&file.path) else { continue };
        match first.get(name) {
            Some(other) => findings.push(Finding::new(&file.path, format!("{other} is an example of the same name"))),
            None => drop(first.insert(name, &file.path)),
        }
    }
    findings
}

/// Returns the name of the example that a file is the root of.
fn example(path: &str) -> Option<&str> {
    let (_, file) = path.split_once("/examples/")?;
    let name = file.strip_suffix("/main.rs").or_else(|| file.strip_suffix(".rs"))?;
    (!name.contains('/')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn two_examples_of_one_name_are_found() {
        let files = [
            ("crates/a/examples/server.rs", ""),
            ("crates/a/examples/client/main.rs", ""),
            ("crates/a/examples/client/parts.rs", ""),
            ("crates/b/examples/client.rs", ""),
            ("crates/b/examples/parts.rs", ""),
            ("crates/b/src/server.rs", ""),
            ("crates/c/examples/server/main.rs", ""),
        ];
        assert_eq!(places(&check(&tree(&files))), ["crates/b/examples/client.rs", "crates/c/examples/server/main.rs"]);
    }
}
