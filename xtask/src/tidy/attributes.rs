//! No silenced lint without a reason, no switched-off test, and every source file says what it is.

use crate::finding::Finding;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        let line = line.trim_start();
        let Some(attribute) = line.strip_prefix("#[").or_else(|| line.strip_prefix("#![")) else { continue };
        let place = format!("{}:{number}", file.path);
        let conditional = attribute.starts_with("cfg_attr(");
        if attribute.starts_with("allow(") || conditional && attribute.contains(", allow(") {
            findings.push(Finding::new(place, "say #[expect(lint, reason = \"…\")]"));
        } else if attribute.starts_with("ignore") || conditional && attribute.contains(", ignore") {
            findings.push(Finding::new(place, "a test runs or says in its own words why it cannot"));
        }
    }
    if file.path.contains("/src/") && !file.text.starts_with("//! ") {
        findings.push(Finding::new(&file.path, "open the file with a `//!` line that says what it is"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn silenced_lints_and_tests_are_found() {
        let files = [
            ("a/tests/it/one.rs", concat!("#[allow(dead_code)]\nfn a() {}\n  #[", "ignore = \"slow\"]\nfn b() {}")),
            ("a/tests/it/two.rs", "#[cfg_attr(test, allow(dead_code))]\nlet text = \"#[allow(x)]\";"),
            ("a/tests/it/four.rs", "#[arg(long, ignore_case = true)]"),
            ("a/tests/it/three.rs", "#[expect(dead_code, reason = \"the other half is to come\")]"),
        ];
        assert_eq!(
            places(&check(&tree(&files))),
            ["a/tests/it/one.rs:1", "a/tests/it/one.rs:3", "a/tests/it/two.rs:1"]
        );
    }

    #[test]
    fn a_source_file_opens_with_its_purpose() {
        let files = [("a/src/one.rs", "//! One.\n"), ("a/src/two.rs", "use std::fmt;\n")];
        assert_eq!(places(&check(&tree(&files))), ["a/src/two.rs"]);
    }
}
