//! Every rule against the examples that it carries.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aish_program_format::file::{ProgramFile, Reference, SharedFile, Written};
use aish_safety::{Part, Surroundings};

use crate::analysed::explain;

fn around() -> Surroundings {
    Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() }
}

fn ids(parts: &[Part], out: &mut BTreeSet<String>) {
    for part in parts {
        out.insert(part.rule.to_string());
        ids(&part.parts, out);
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aish-programs").join(folder);
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Reads the rules from their files: their examples are not part of the tables.
fn rules() -> Vec<Written> {
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
    let shared = files("shared");
    let shared = shared.iter().flat_map(|path| toml::from_str::<SharedFile>(&read(path)).unwrap().rule);
    let programs = files("programs");
    let programs = programs.iter().flat_map(|path| toml::from_str::<ProgramFile>(&read(path)).unwrap().rule);
    let own = |rule| match rule {
        Reference::Own(written) => Some(written),
        Reference::Use(_) => None,
    };
    shared.chain(programs).filter_map(|rule| own(rule.rule)).collect()
}

#[test]
fn every_rule_matches_its_examples_and_no_others() {
    let mut wrong = Vec::new();
    for rule in rules() {
        for (lines, expected) in [(&rule.examples, true), (&rule.counters, false)] {
            for line in lines {
                let explanation = explain(line, &around());
                let mut found = BTreeSet::new();
                ids(&explanation.parts, &mut found);
                if found.contains(&rule.id) != expected {
                    wrong.push(format!("{} expected={expected}: {line}\n    {found:?}", rule.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_of_the_files_is_in_the_tables() {
    let written: BTreeSet<String> = rules().into_iter().map(|rule| rule.id).collect();
    let built: BTreeSet<String> = aish_programs::built_in().rules().map(|rule| rule.id().to_string()).collect();
    assert_eq!(written, built);
    assert!(built.len() >= 350, "{} rules", built.len());
}
