//! `tidy`: the rules for files that neither rustc nor clippy knows.

mod attributes;
mod declared;
mod examples;
mod names;
mod pages;
mod required;
mod size;
mod tests_exist;
mod words;

use crate::finding::{self, Finding};
use crate::tree::Tree;

/// Checks the files of the repository.
pub(crate) fn run() -> anyhow::Result<()> {
    finding::close("tidy", check(&Tree::load()?))
}

/// Returns what breaks a rule.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let rules = [
        size::check,
        names::check,
        declared::check,
        attributes::check,
        pages::check,
        tests_exist::check,
        required::check,
        examples::check,
        words::check,
    ];
    rules.iter().flat_map(|rule| rule(tree)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::File;

    /// Makes a tree that breaks nothing but what `files` break.
    pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
        let files = files
            .iter()
            .map(|(path, text)| File { path: (*path).into(), text: (*text).into(), executable: true })
            .collect();
        Tree { files }
    }

    pub(crate) fn places(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.place.as_str()).collect()
    }

    #[test]
    fn a_copy_of_the_repository_that_is_broken_on_purpose_is_not() {
        let whole = Tree::load().unwrap();
        let break_it = |path: &str, text: &str| {
            let mut broken = whole.clone();
            broken.files.retain(|file| file.path != path);
            broken.files.push(File { path: path.into(), text: text.into(), executable: true });
            check(&broken)
        };
        let long = format!("//! Long.\n{}", "// line\n".repeat(500));
        for (path, text) in [
            ("crates/aish-types/src/money.rs", long.as_str()),
            ("crates/aish-types/src/util.rs", "//! Things.\n"),
            ("crates/aish-types/src/cut/mod.rs", "//! A cut.\n"),
            ("crates/aish-types/src/forgotten.rs", "//! Nobody declares this.\n"),
            ("crates/aish-types/tests/it/forgotten.rs", "//! Nobody declares this.\n"),
        ] {
            assert!(break_it(path, text).iter().any(|finding| finding.place == path), "{path}");
        }
    }
}
