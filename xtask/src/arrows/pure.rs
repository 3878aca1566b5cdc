//! The pure crates are `no_std`, and do not bring std back in.

use crate::finding::Finding;
use crate::tree::Tree;

use super::table;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in table::PURE {
        let source = format!("crates/{name}/src/");
        let lib = format!("{source}lib.rs");
        if !tree.find(&lib).is_some_and(|file| file.text.lines().any(|line| line.trim() == "#![no_std]")) {
            findings.push(Finding::new(&lib, "is a pure crate: #![no_std]"));
        }
        for file in tree.rust().filter(|file| file.path.starts_with(&source)) {
            let mut before = "";
            for line in file.text.lines().map(str::trim) {
                if line.starts_with("extern crate std") && before != "#[cfg(test)]" {
                    findings.push(Finding::new(&file.path, "brings std into a pure crate outside its tests"));
                }
                before = line;
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::File;

    /// Gives every pure crate the same text, and one of them another.
    fn places(all: &str, crate_name: &str, text: &str) -> Vec<String> {
        let files = table::PURE
            .iter()
            .map(|name| File {
                path: format!("crates/{name}/src/lib.rs"),
                text: if *name == crate_name { text.into() } else { all.into() },
                executable: false,
            })
            .collect();
        check(&Tree { files }).into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn a_pure_crate_without_no_std_fails() {
        let pure = "//! Pure.\n#![no_std]\n";
        assert_eq!(places(pure, "aish-route", "//! Not.\n// #![no_std]"), ["crates/aish-route/src/lib.rs"]);
    }

    #[test]
    fn std_may_come_back_for_tests_alone() {
        let tests = "#![no_std]\n#[cfg(test)]\nextern crate std;";
        let back = "#![no_std]\nextern crate std;";
        assert_eq!(places(tests, "aish-safety", back), ["crates/aish-safety/src/lib.rs"]);
    }
}
