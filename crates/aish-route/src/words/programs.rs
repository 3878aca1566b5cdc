//! What is known of programs: how their operands look, their sub-commands, which names are well known.
//!
//! It stands in `aish-programs`, one file a program.

use aish_program_format::{Change, Form, Program, Trait, Wrapper};
use aish_programs::{built_in, find};

/// Says whether something is true of a command.
pub(crate) fn is(command: &str, one: Trait) -> bool {
    find(command).is_some_and(|program| program.is(one))
}

/// Says whether a name counts as a command although it is not installed.
pub(crate) fn is_well_known(name: &str) -> bool {
    find(name).is_some_and(|program| program.is(Trait::WellKnown) || program.is(Trait::Builtin))
}

/// Goes through the names that count as commands although they are not installed.
pub(crate) fn well_known() -> impl Iterator<Item = Program<'static>> {
    built_in().programs().filter(|program| program.is(Trait::WellKnown) || program.is(Trait::Builtin))
}

/// Returns how many plain words a command takes at most; nothing when any number is usual. Flags, numbers, paths, quoted
/// words and those that it always takes do not count.
pub(crate) fn limit(command: &str) -> Option<usize> {
    let words = find(command)?.facts().words;
    words.checked_sub(1).map(usize::from)
}

/// Says whether a command that takes few plain words always takes this one.
pub(crate) fn always_takes(command: &str, word: &str) -> bool {
    find(command).is_some_and(|program| program.tables().holds(program.facts().taken, word))
}

/// Returns the number of operands that a command cannot do without.
pub(crate) fn least(command: &str) -> usize {
    find(command).map_or(0, |program| usize::from(program.facts().least))
}

/// Says of a command whose first operand has a shape that no plain word has, such as a mode, a pattern in quotes or a file
/// with an ending, whether it may be this word for all that; nothing for other commands.
pub(crate) fn has_shape(command: &str, word: &str) -> Option<bool> {
    let program = find(command)?;
    let facts = program.facts();
    facts.shaped.then(|| program.tables().holds(facts.shape, word))
}

/// Says whether an option of a command that runs another takes the next argument.
pub(crate) fn takes_value(command: &str, option: &str) -> bool {
    wrappers(command).any(|wrapper| wrapper.takes().any(|known| known == option))
}

/// Says whether an operand of a command that runs another stands before that, as the time of timeout(1).
pub(crate) fn skips_operand(command: &str) -> bool {
    wrappers(command).any(|wrapper| {
        wrapper.forms().iter().any(|form| matches!(form, Form::Program { skip } | Form::Text { skip } if *skip > 0))
    })
}

fn wrappers(command: &str) -> impl Iterator<Item = Wrapper<'static>> {
    find(command).into_iter().flat_map(|program| program.wrappers().map(|(wrapper, _)| wrapper))
}

/// Says whether the operands of a command are names of files, so that any word may be one.
pub(crate) fn takes_files(command: &str) -> bool {
    is(command, Trait::Files) || is(command, Trait::Editor)
}

/// Says whether a command removes the files that it is given.
pub(crate) fn removes(command: &str) -> bool {
    find(command).is_some_and(|program| program.facts().change == Change::Removes)
}

/// Goes through the sub-commands of a command.
pub fn subcommands(command: &str) -> impl Iterator<Item = &'static str> {
    find(command).into_iter().flat_map(|program| program.tables().texts(program.facts().subcommands))
}

/// Goes through the options of a command that are known by name.
pub fn options(command: &str) -> impl Iterator<Item = &'static str> {
    find(command).into_iter().flat_map(|program| {
        let (tables, facts) = (program.tables(), program.facts());
        let all = [facts.flags, facts.values, facts.takes].into_iter().flat_map(|list| tables.texts(list));
        all.filter(|option| option.starts_with('-'))
    })
}

/// Says whether a word is a sub-command of a command that has some.
pub(crate) fn has_subcommand(command: &str, word: &str) -> bool {
    let mut known = subcommands(command).peekable();
    let has_some = known.peek().is_some();
    known.any(|known| known == word) || has_some && matches!(word, "help" | "version")
}

/// Says whether a command has sub-commands.
pub(crate) fn has_subcommands(command: &str) -> bool {
    subcommands(command).next().is_some()
}

/// Says whether a word is the plural of a sub-command: `git submodules`.
pub(crate) fn is_plural(command: &str, word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|one| one.len() > 2 && has_subcommand(command, one))
}
