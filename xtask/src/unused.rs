//! `unused`: dependencies that a manifest names and no source of its package does.
//!
//! A package that is needed for what its presence does (a feature of another, a version that is held) is named in its
//! manifest under `[package.metadata.unused] except = ["…"]`.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::finding::{self, Finding};
use crate::imports::code;
use crate::tree::{File, Tree};

/// Checks all manifests.
pub(crate) fn run() -> anyhow::Result<()> {
    finding::close("unused", check(&Tree::load()?))
}

/// The tables of a manifest, and where below the package's folder their names may be used.
const TABLES: &[(&str, &[&str])] = &[
    ("dependencies", &["src/", "build.rs", "fuzz_targets/"]),
    ("dev-dependencies", &["src/", "tests/", "benches/", "examples/"]),
    ("build-dependencies", &["build.rs", "build/"]),
];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for file in tree.files.iter().filter(|file| file.name() == "Cargo.toml") {
        let Ok(manifest) = file.text.parse::<Table>() else {
            findings.push(Finding::new(&file.path, "is no TOML"));
            continue;
        };
        let excepted = strings(&manifest, "except");
        for (table, places) in TABLES {
            for name in names(manifest.get(*table)) {
                let sources = sources(tree, file.folder(), places);
                if !sources.iter().any(|source| is_used(source, &name)) && !excepted.contains(&name) {
                    findings.push(Finding::new(&file.path, format!("{table} names {name}, and no source does")));
                }
                named.insert(name);
            }
        }
    }
    let root = tree.find("Cargo.toml").and_then(|file| file.text.parse::<Table>().ok());
    let shared = root.as_ref().and_then(|manifest| manifest.get("workspace")?.get("dependencies"));
    for name in names(shared).difference(&named) {
        findings.push(Finding::new("Cargo.toml", format!("workspace.dependencies names {name}, and no package does")));
    }
    findings
}

fn names(table: Option<&Value>) -> BTreeSet<String> {
    table.and_then(Value::as_table).into_iter().flat_map(Table::keys).cloned().collect()
}

/// Returns the words of a list in `[package.metadata.unused]`.
fn strings(manifest: &Table, list: &str) -> BTreeSet<String> {
    let found =
        manifest.get("package").and_then(|package| package.get("metadata")?.get("unused")?.get(list)?.as_array());
    found.into_iter().flatten().filter_map(|value| Some(value.as_str()?.to_owned())).collect()
}

/// Returns the code of a package's files at some places, its unit tests with it.
fn sources(tree: &Tree, folder: &str, places: &[&str]) -> Vec<String> {
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let is_there = |file: &&File| {
        let below = file.path.strip_prefix(&folder);
        below.is_some_and(|path| places.iter().any(|place| path.starts_with(place)))
    };
    tree.rust().filter(is_there).map(|file| file.text.split("mod tests {").map(code).collect()).collect()
}

/// Says whether code has a path that begins with a package's name, or imports it as a whole.
fn is_used(code: &str, package: &str) -> bool {
    let name = package.replace('-', "_");
    code.match_indices(&name).any(|(at, _)| {
        let (before, from) = code.split_at(at);
        let after = from.get(name.len()..).unwrap_or_default();
        let begins = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        let whole = before.ends_with("use ") && after.starts_with([';', ' ']);
        begins && (after.starts_with("::") || whole)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files =
            files.iter().map(|(path, text)| File { path: (*path).into(), text: (*text).into(), executable: false });
        check(&Tree { files: files.collect() }).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_that_no_source_has_is_found() {
        let root =
            "[workspace.dependencies]\nserde = \"1\"\nserde-json = \"1\"\ninsta = \"1\"\ngone = \"1\"\nlibc = \"1\"";
        let package = "[dependencies]\nserde.workspace = true\nserde-json.workspace = true\nlibc.workspace = true\n\
            [dev-dependencies]\ninsta = { workspace = true }\n[package.metadata.unused]\nexcept = [\"libc\"]";
        let lib = "// serde_json::Value is not used\n#[derive(serde::Serialize)]\nstruct A;\nmy_serde_json::f();\n\
            #[cfg(test)]\nmod tests {\n    insta::assert_snapshot!();\n}\n";
        assert_eq!(
            found(&[("Cargo.toml", root), ("crates/a/Cargo.toml", package), ("crates/a/src/lib.rs", lib)]),
            [
                "crates/a/Cargo.toml: dependencies names serde-json, and no source does",
                "Cargo.toml: workspace.dependencies names gone, and no package does"
            ]
        );
    }

    #[test]
    fn the_tests_of_a_package_may_use_what_is_for_tests_alone() {
        let manifest = |table: &str| format!("[{table}]\ntempfile = \"3\"");
        let files = |manifest: &'static str| [("x/Cargo.toml", manifest), ("x/tests/it/main.rs", "use tempfile;")];
        assert_eq!(found(&files(manifest("dev-dependencies").leak())), [""; 0]);
        assert_eq!(found(&files(manifest("dependencies").leak())).len(), 1);
    }
}
