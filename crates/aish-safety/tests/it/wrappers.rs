//! Every wrapper is needed: with it taken out of the table, a verdict changes.

use std::collections::BTreeSet;

use aish_safety::command::explain_without;
use aish_safety::rules::wrappers;
use aish_safety::{Surroundings, Verdict, explain};

#[test]
fn every_wrapper_finds_what_it_runs() {
    let mut wrong = Vec::new();
    for wrapper in wrappers::all() {
        let verdict = explain(wrapper.example, &Surroundings::default()).judgement;
        if verdict.verdict != Verdict::Halt {
            wrong.push(format!("{}: {} is {} ({})", wrapper.id, wrapper.example, verdict.verdict, verdict.rule));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// Lines apart from the wrappers' own examples: for each wrapper at least one needs it.
const CASES: &str = include_str!("wrapper_cases.txt");

#[test]
fn a_wrapper_that_is_dropped_is_missed() {
    let around = Surroundings::default();
    let cases: Vec<(&str, Verdict)> = CASES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .map(|line| (line, explain(&line.replace("\\n", "\n"), &around).judgement.verdict))
        .collect();
    let examples: BTreeSet<&str> = wrappers::all().map(|wrapper| wrapper.example).collect();
    let mut unmissed = Vec::new();
    for wrapper in wrappers::all() {
        let names: BTreeSet<&str> = wrapper.names.split(' ').filter_map(|name| name.split('/').next()).collect();
        let missed = cases.iter().any(|(line, verdict)| {
            !examples.contains(line)
                && names.iter().any(|name| line.contains(name))
                && explain_without(Some(wrapper.id), &line.replace("\\n", "\n"), &around).judgement.verdict != *verdict
        });
        if !missed {
            unmissed.push(wrapper.id);
        }
    }
    assert!(unmissed.is_empty(), "{} wrappers can be dropped unnoticed: {unmissed:?}", unmissed.len());
}

#[test]
fn there_are_enough_wrappers_with_ids_of_their_own() {
    let ids: BTreeSet<_> = wrappers::all().map(|wrapper| wrapper.id).collect();
    assert_eq!(ids.len(), wrappers::all().count(), "an id is given twice");
    assert!(ids.len() >= 60, "{} wrappers", ids.len());
}
