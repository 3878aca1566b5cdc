//! No name that says nothing, and no `mod.rs`.

use crate::finding::Finding;
use crate::tree::Tree;

/// Names under which anything could stand.
const EMPTY_NAMES: [&str; 10] =
    ["util", "utils", "common", "helper", "helpers", "misc", "enums", "manager", "managers", "prelude"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        if file.name() == "mod.rs" {
            findings.push(Finding::new(&file.path, "put the module into a file beside its folder, not into mod.rs"));
        }
        for part in file.path.split('/') {
            let part = part.strip_suffix(".rs").unwrap_or(part);
            if EMPTY_NAMES.contains(&part) {
                findings.push(Finding::new(&file.path, format!("`{part}` says nothing: name it after its concept")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn empty_names_are_found_in_files_and_folders() {
        let files = [
            ("a/src/util.rs", ""),
            ("a/src/helpers/pin.rs", ""),
            ("a/src/pin/mod.rs", ""),
            ("a/src/utility_bill.rs", ""),
            ("docs/common/page.md", ""),
        ];
        assert_eq!(places(&check(&tree(&files))), ["a/src/util.rs", "a/src/helpers/pin.rs", "a/src/pin/mod.rs"]);
    }
}
