//! Every rule against the examples that it carries.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aish_program_format::Verdict;
use aish_program_format::file::{FormText, ProgramFile, Reference, SharedFile, Written};
use aish_program_format::form::Language;
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

/// Says whether it reads code of a language that is not judged word by word.
fn is_code(form: &FormText) -> bool {
    let language = match form {
        FormText::Code(text) | FormText::ScriptOption(text) | FormText::StdinWith(text) => text.language,
        FormText::Operand(text) | FormText::Script(text) => text.language,
        FormText::Operands(text)
        | FormText::Stdin(text)
        | FormText::StdinAlways(text)
        | FormText::PlusCommands(text) => text.language,
        FormText::PrefixedOperands(text) => text.language,
        _ => return false,
    };
    language != Language::Shell
}

#[test]
fn what_runs_code_is_asked_about_where_no_rule_holds() {
    let read = |path: &PathBuf| toml::from_str::<ProgramFile>(&fs::read_to_string(path).unwrap()).unwrap();
    let programs: Vec<ProgramFile> = files("programs").iter().map(read).collect();
    let shared = |path: &PathBuf| toml::from_str::<SharedFile>(&fs::read_to_string(path).unwrap()).unwrap();
    let shared: Vec<SharedFile> = files("shared").iter().map(shared).collect();
    let all = programs.iter().flat_map(|program| &program.wraps).chain(shared.iter().flat_map(|file| &file.wraps));
    let mut unasked = BTreeSet::new();
    for wraps in all {
        if let Reference::Own(wraps) = &wraps.wraps
            && !wraps.asked
            && wraps.forms.iter().any(is_code)
        {
            unasked.insert(wraps.id.clone());
        }
    }
    let rules = rules();
    let catches = rules.iter().filter(|rule| rule.on.is_empty() && rule.verdict != Verdict::Allow);
    let catches: BTreeSet<&str> = catches.map(|rule| rule.id.as_str()).collect();
    let mut wrong = Vec::new();
    for program in &programs {
        for name in &program.names {
            let about = |names: &[String]| names.is_empty() || names.contains(name);
            let runs = program.wraps.iter().filter(|wraps| about(&wraps.names)).any(|wraps| match &wraps.wraps {
                Reference::Own(wraps) => unasked.contains(&wraps.id),
                Reference::Use(id) => unasked.contains(id),
            });
            let caught = program.rule.iter().filter(|rule| about(&rule.names)).any(|rule| match &rule.rule {
                Reference::Own(rule) => catches.contains(rule.id.as_str()),
                Reference::Use(id) => catches.contains(id.as_str()),
            });
            if runs && !caught {
                wrong.push(name.clone());
            }
        }
    }
    assert!(unasked.len() >= 3, "{unasked:?}");
    assert!(wrong.is_empty(), "{wrong:?} run code, and no rule asks about the rest");
}
