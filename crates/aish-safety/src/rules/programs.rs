//! Which programs the tables know.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::{Act, Program, Trait, Verdict};
pub(crate) use aish_programs::find;

use crate::command::{Word, glob_match};

/// Says whether something is true of a program.
pub(crate) fn is(name: &str, one: Trait) -> bool {
    find(name).is_some_and(|program| program.is(one))
}

/// Returns the program that stands for an act, with its first arguments.
pub(crate) fn stand_in<'a>(act: Act) -> impl Iterator<Item = &'a str> {
    aish_programs::built_in().stand_in(act).map(|text| -> &'a str { text })
}

/// The same as one text.
pub(crate) fn stand_in_text(act: Act) -> String {
    stand_in(act).collect::<Vec<_>>().join(" ")
}

/// Says whether any rule or wrapper is about a program.
pub(crate) fn is_known(name: &str) -> bool {
    !name.is_empty() && find(name).is_some_and(|program| program.is_judged())
}

/// Says whether a rule that halts, or a wrapper, is about a program.
pub(crate) fn is_destructive(name: &str) -> bool {
    !matches!(name, "" | "*" | "?")
        && find(name).is_some_and(|program| {
            program.rules().any(|rule| rule.row().verdict == Verdict::Halt) || program.wrappers().next().is_some()
        })
}

/// Returns the file about a program in which a built-in rule stands: `programs/rsync.toml`, or `shared/files.toml`.
pub fn file_of_rule(id: &str) -> Option<String> {
    let rule = aish_programs::built_in().rules().find(|rule| rule.id() == id)?;
    let folder = if rule.is_shared() { "shared" } else { "programs" };
    Some(alloc::format!("{folder}/{}.toml", rule.file()))
}

/// Says whether what a built-in rule is about looks at the machine around the tree.
pub(crate) fn looks_around(id: &str) -> bool {
    aish_programs::built_in().rules().any(|rule| rule.row().looks && rule.id() == id)
}

/// Goes through the names of all programs with rules or wrappers.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    let judged = aish_programs::built_in().programs().filter(|program| program.is_judged());
    judged.map(|program| program.name()).filter(|name| !matches!(*name, "*" | "?"))
}

/// Says whether a command prints secrets.
pub(crate) fn prints_secrets(program: Option<Program<'_>>, arguments: &[Word]) -> bool {
    program.is_some_and(|program| {
        let tables = program.tables();
        program.secrets().any(|mut parts| {
            parts.all(|globs| arguments.iter().any(|word| tables.texts(globs).any(|glob| glob_match(glob, &word.text))))
        })
    })
}
