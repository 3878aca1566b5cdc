//! What is known of programs: their names, options, output, what they run and change, and the rules about them.
//!
//! `programs/NAME.toml` says it, once for each program; `shared/*.toml` holds rules that programs of several files have.
//! `words/*.toml` holds what is known of languages, variables and places. They are read when this crate is compiled and laid
//! out in static tables; what is wrong in them ends the build with file and line.
#![no_std]

extern crate alloc;

use aish_program_format::{Program, Tables};

mod built_in;
pub mod words;

/// Returns what is known without a person's own files.
pub fn built_in() -> &'static Tables {
    &built_in::TABLES
}

/// Finds a program in [`built_in`] by its name.
pub fn find(name: &str) -> Option<Program<'static>> {
    built_in().find(name)
}

#[cfg(test)]
mod tests {
    use aish_program_format::pattern::{Check, Question, Step};
    use aish_program_format::{Act, Rule, Verdict};
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn every_file_can_be_found_by_its_names_and_by_no_other() {
        let mut found = 0;
        for program in built_in().programs() {
            assert_eq!(find(program.name()).map(Program::name), Some(program.name()));
            found += 1;
        }
        assert!(found >= 1000, "{found} programs");
        assert!(find("rsync").is_some_and(|program| program.rules().count() > 0));
        assert!(find("no-such-program").is_none() && find("").is_none());
    }

    #[test]
    fn a_program_stands_for_every_act() {
        for (name, act) in Act::ALL {
            let program = built_in().stand_in(*act).next();
            assert!(program.is_some_and(|program| find(program).is_some()), "{name}");
        }
    }

    #[test]
    fn every_rule_has_a_file_a_reason_and_tests() {
        for rule in built_in().rules() {
            let file = rule.file();
            assert!(!file.is_empty(), "{}", rule.id());
            assert!(!rule.reason().is_empty(), "{}", rule.id());
        }
    }

    /// Rules that allow, in front of whose word a name stands that nobody can list.
    const NAMED_FIRST: &[&str] = &["services.read-sub", "shown.aws-help", "shown.aws-command-help", "read.options"];

    /// Rules that allow though they name no word, of programs whose first word may be none: letters of modes (`tar tf`,
    /// `ps axo`), commands that are all checked alike (`nft -c`), objects that are only shown (`getent`).
    const WITHOUT_WORDS: &[&str] = &[
        "read.archive-list",
        "read.archive-print",
        "read.archive-compare",
        "read.machine",
        "dry-runs.nft",
        "read.system-named",
    ];

    fn rules_that_allow() -> impl Iterator<Item = (Program<'static>, Rule<'static>)> {
        let rules = built_in().programs().flat_map(|program| program.rules().map(move |rule| (program, rule)));
        rules.filter(|(_, rule)| rule.row().verdict == Verdict::Allow)
    }

    /// Says whether it is known of a program that it has sub-commands, and something of it may be allowed.
    fn has_sub_commands(program: Program<'_>) -> bool {
        let mut local = program.tables().texts(program.facts().local).peekable();
        let begins_with_a_word = |path: &str| !path.is_empty() && path != "*" && !path.starts_with('-');
        let steps = |rule: Rule<'_>| rule.row().verdict == Verdict::Allow && !rule.steps().is_empty();
        local.peek().is_some() && (local.any(begins_with_a_word) || program.rules().any(steps))
    }

    #[test]
    fn a_rule_that_allows_names_the_words_in_their_places() {
        for (program, rule) in rules_that_allow() {
            let (tables, id) = (rule.tables(), rule.id());
            for step in rule.steps() {
                let Step::Word(globs) = step else { panic!("{id} of {} skips words", program.name()) };
                let any = tables.texts(*globs).any(|glob| glob == "*");
                assert!(!any || NAMED_FIRST.contains(&id), "{id} of {} takes any word", program.name());
            }
        }
    }

    #[test]
    fn a_rule_that_allows_holds_for_no_word_wherever_it_stands() {
        for (program, rule) in rules_that_allow() {
            let mixed = |check: &Check| matches!(check, Check::Operand(_));
            let found = rule.tests().iter().any(|test| !test.negated && mixed(&test.check));
            assert!(!found, "{} of {} has a word among its options", rule.id(), program.name());
        }
    }

    #[test]
    fn a_rule_that_allows_names_the_sub_commands_of_a_program_that_has_some() {
        let mut open = Vec::new();
        for (program, rule) in rules_that_allow().filter(|(program, _)| has_sub_commands(*program)) {
            let closed = |check: Check| {
                matches!(check, Check::Ask(Question::Empty | Question::Alone | Question::Few) | Check::Only(_))
            };
            let bound = rule.tests().iter().any(|test| !test.negated && closed(test.check));
            if !bound && rule.steps().is_empty() && !WITHOUT_WORDS.contains(&rule.id()) {
                open.push((rule.id(), program.name()));
            }
        }
        assert!(open.is_empty(), "hold beside any sub-command: {open:?}");
    }
}
