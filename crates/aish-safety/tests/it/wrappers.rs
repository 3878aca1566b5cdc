//! Every wrapper is needed: with it taken out of the table, a verdict changes.

use std::collections::BTreeSet;

use aish_program_format::Program;
use aish_safety::command::{FALLBACK, analyse_without};
use aish_safety::{PolicyRules, Surroundings, Verdict};

use crate::analysed::explain;

#[test]
fn every_wrapper_finds_what_it_runs() {
    let mut wrong = Vec::new();
    for wrapper in aish_programs::built_in().wrappers() {
        let verdict = explain(wrapper.example(), &Surroundings::default()).judgement;
        if verdict.verdict != Verdict::Halt {
            wrong.push(format!("{}: {} is {} ({})", wrapper.id(), wrapper.example(), verdict.verdict, verdict.rule));
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
    let examples: BTreeSet<&str> = aish_programs::built_in().wrappers().map(|wrapper| wrapper.example()).collect();
    let mut unmissed = Vec::new();
    for wrapper in aish_programs::built_in().wrappers() {
        let named = |program: &Program<'_>| program.wrappers().any(|(one, _)| one.id() == wrapper.id());
        let names: Vec<&str> =
            aish_programs::built_in().programs().filter(named).map(|program| program.name()).collect();
        let missed = cases.iter().any(|(line, verdict)| {
            !examples.contains(line)
                && names.iter().any(|name| line.contains(name))
                && analyse_without(Some(wrapper.id()), &line.replace("\\n", "\n"), &around, &PolicyRules::default())
                    .judgement
                    .verdict
                    != *verdict
        });
        if !missed {
            unmissed.push(wrapper.id());
        }
    }
    assert!(unmissed.is_empty(), "{} wrappers can be dropped unnoticed: {unmissed:?}", unmissed.len());
}

/// Lines whose tools no wrapper is about, or whose words no shell would take for a command.
const FALLBACK_CASES: &[&str] = &[
    "boxctl run --command 'mkfs.ext4 /dev/sdb1'",
    "boxctl --pre-hook='mkfs.ext4 /dev/sdb1' up",
    "boxctl exec web 'mkfs.ext4 /dev/sdb1'",
    "virsh console web mkfs.ext4 /dev/sdb1",
    "oci remote web mkfs.ext4 /dev/sdb1",
    "certbot renew --deploy-hook 'mkfs.ext4 /dev/sdb1'",
    "sudo 'mkfs.ext4 /dev/sdb1'",
    "nice 'mkfs.ext4 /dev/sdb1'",
    "find . -exec 'mkfs.ext4 /dev/sdb1' \\;",
];

#[test]
fn the_fallback_that_is_dropped_is_missed() {
    let around = Surroundings::default();
    for line in FALLBACK_CASES {
        assert_eq!(explain(line, &around).judgement.verdict, Verdict::Halt, "{line}");
        let without = analyse_without(Some(FALLBACK), line, &around, &PolicyRules::default()).judgement;
        assert_eq!(without.verdict, Verdict::Ask, "{line} is {} ({}) without", without.verdict, without.rule);
    }
}

#[test]
fn there_are_enough_wrappers_with_ids_of_their_own() {
    let ids: BTreeSet<_> = aish_programs::built_in().wrappers().map(|wrapper| wrapper.id()).collect();
    assert_eq!(ids.len(), aish_programs::built_in().wrappers().count(), "an id is given twice");
    assert!(ids.len() >= 60, "{} wrappers", ids.len());
}
