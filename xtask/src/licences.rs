//! `licences`: the licences of everything that our programs and their tests are built from.
//!
//! `deny.toml` says the same to `cargo deny`, where an advisory database can be reached.

mod expression;

use crate::finding::{self, Finding};
use crate::workspace::Workspace;

/// Allowed for every package.
const ALLOWED: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// Allowed for one package alone.
const EXCEPTIONS: [(&str, &str); 1] = [("nucleo-matcher", "MPL-2.0")];

/// Checks the licences of all packages.
pub(crate) fn run() -> anyhow::Result<()> {
    finding::close("licences", check(&Workspace::load()?))
}

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in workspace.packages.values() {
        let place = format!("{} {}", package.name, package.version);
        let Some(licence) = &package.licence else {
            findings.push(Finding::new(place, "names no licence"));
            continue;
        };
        let allowed = |term: &str| ALLOWED.contains(&term) || EXCEPTIONS.contains(&(package.name.as_str(), term));
        match expression::holds(licence, &allowed) {
            Ok(true) => {}
            Ok(false) => findings.push(Finding::new(place, format!("{licence} is not allowed"))),
            Err(error) => findings.push(Finding::new(place, format!("{licence} cannot be read: {error}"))),
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree;
    use crate::workspace::Package;

    fn found(name: &str, licence: Option<&str>) -> usize {
        let package = Package { name: name.into(), licence: licence.map(Into::into), ..Package::default() };
        let mut workspace = Workspace::default();
        workspace.packages.insert(name.into(), package);
        check(&workspace).len()
    }

    #[test]
    fn a_licence_outside_the_list_fails() {
        assert_eq!(found("serde", Some("MIT OR Apache-2.0")), 0);
        assert_eq!(found("evalexpr", Some("AGPL-3.0-only")), 1);
        assert_eq!(found("nucleo-matcher", Some("MPL-2.0")), 0);
        assert_eq!(found("other", Some("MPL-2.0")), 1);
        assert_eq!(found("silent", None), 1);
    }

    #[test]
    fn deny_toml_says_the_same() {
        let text = std::fs::read_to_string(tree::root().join("deny.toml")).unwrap();
        let allowed: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.starts_with("allow = ["))
            .skip(1)
            .take_while(|line| !line.starts_with(']'))
            .map(|line| line.trim().trim_matches(|c| c == '"' || c == ','))
            .collect();
        assert_eq!(allowed, ALLOWED);
        for (name, licence) in EXCEPTIONS {
            assert!(text.contains(&format!("{{ crate = \"{name}\", allow = [\"{licence}\"] }}")), "{name}");
        }
    }
}
