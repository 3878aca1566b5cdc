//! The files that a stranger looks for are there, and every crate of the workspace takes its lints.

use crate::finding::Finding;
use crate::tree::Tree;

const FILES: [&str; 5] = ["Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "clippy.toml", "deny.toml"];
const COMMANDS: [&str; 3] = [".ci/run", "run", "test"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in FILES.iter().chain(&COMMANDS) {
        if tree.find(path).is_none() {
            findings.push(Finding::new(*path, "is missing"));
        }
    }
    for path in COMMANDS {
        if tree.find(path).is_some_and(|file| !file.executable) {
            findings.push(Finding::new(path, "cannot be executed: chmod +x"));
        }
    }
    // A manifest with a workspace of its own, as the fuzz targets have, has no lints to take.
    let manifests = tree.files.iter().filter(|file| {
        file.name() == "Cargo.toml" && file.folder() != "" && !file.text.lines().any(|line| line == "[workspace]")
    });
    for manifest in manifests.filter(|file| !file.text.contains("[lints]\nworkspace = true")) {
        findings.push(Finding::new(&manifest.path, "takes no lints from the workspace: [lints] workspace = true"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn missing_files_are_found() {
        let files = [
            ("Cargo.lock", ""),
            ("LICENSE-APACHE", ""),
            ("clippy.toml", ""),
            ("deny.toml", ""),
            (".ci/run", ""),
            ("run", ""),
            ("test", ""),
            ("crates/a/Cargo.toml", "[package]"),
            ("crates/b/Cargo.toml", "[lints]\nworkspace = true\n"),
            ("fuzz/Cargo.toml", "[package]\n\n[workspace]\n"),
        ];
        assert_eq!(places(&check(&tree(&files))), ["LICENSE-MIT", "crates/a/Cargo.toml"]);
    }
}
