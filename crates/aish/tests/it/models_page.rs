//! `docs/models.md` names a test in each cell of its table, and those tests are there.

use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = include_str!("../../../../docs/models.md");

/// Collects the names of all tests of the workspace.
fn tests(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            tests(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let mut is_test = false;
            for line in text.lines().map(str::trim) {
                let name =
                    line.trim_start_matches("async ").strip_prefix("fn ").and_then(|rest| rest.split('(').next());
                match name {
                    Some(name) if is_test => drop(names.insert(name.to_owned())),
                    _ => {}
                }
                is_test = line == "#[test]" || line.starts_with("#[tokio::test") || is_test && line.starts_with("#[");
            }
        }
    }
}

/// The rows of the table of tests, as cells.
fn rows() -> Vec<Vec<&'static str>> {
    let section = PAGE.split("## What is tested").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| family"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// What a text names between backticks.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_cell_of_the_table_has_its_test() {
    let mut names = BTreeSet::new();
    tests(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut names);
    assert!(names.len() > 1000, "{} tests were found", names.len());
    let rows = rows();
    assert_eq!(rows.len(), 15);
    for row in &rows {
        let [family, wire, cells @ ..] = row.as_slice() else { panic!("{row:?}") };
        assert!(["chat", "Responses", "Messages"].contains(wire), "{family}");
        assert_eq!(cells.len(), 5, "{family}");
        for cell in cells {
            assert!(named(cell).count() > 0, "{family}: an empty cell");
            for name in named(cell) {
                assert!(names.contains(name), "{family}: there is no test {name}");
            }
        }
    }
    // Names of tests elsewhere on the page too: in parentheses, words that are joined by underscores.
    let is_name = |name: &&str| {
        name.matches('_').count() > 3 && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    for name in named(PAGE).filter(is_name) {
        assert!(names.contains(name), "there is no test {name}");
    }
}

#[test]
fn every_vendor_that_is_scripted_is_in_the_table() {
    let vendors = include_str!("../../src/session/vendors.rs");
    let mut played = 0;
    let mut is_test = false;
    for line in vendors.lines() {
        if let Some(rest) = line.strip_prefix("async fn ").filter(|_| is_test) {
            let name = rest.split('(').next().unwrap();
            assert!(
                rows().iter().flatten().any(|cell| named(cell).any(|named| named == name)),
                "{name} is not in the table"
            );
            played += 1;
        }
        is_test = line.starts_with("#[tokio::test");
    }
    assert!(played > 12, "{played}");
}
