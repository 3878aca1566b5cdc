//! What is known of programs: their names, options, output, what they run and change, and the rules about them.
//!
//! `programs/NAME.toml` says it, once for each program; `shared/*.toml` holds rules that programs of several files have.
//! They are read when this crate is compiled and laid out in static tables; what is wrong in them ends the build with
//! file and line.
#![no_std]

extern crate alloc;

use aish_program_format::{Program, Tables};

mod built_in;

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
    use aish_program_format::Act;

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
}
