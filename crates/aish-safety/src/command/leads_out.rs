//! Whether a word leads out of this machine, or to another command, for a program that may take it so.

use aish_program_format::{Program, Trait};

use super::arguments::{Arguments, Role};
use super::path::glob_match;
use super::word::HOLE;

/// Says whether no word looks like an address, a coder or a command to a program that may take it for one.
pub(super) fn is_plain(program: Program<'_>, arguments: &Arguments<'_>) -> bool {
    let (tables, facts) = (program.tables(), program.facts());
    let (mut before, mut operands) = ("", 0_usize);
    let opens_places = program.is(Trait::CopiesRemote) || program.is(Trait::TarOptions);
    tables.holds(facts.plain, "*")
        || arguments.iter().all(|(word, role)| {
            let text = word.text.as_str();
            let before = core::mem::replace(&mut before, text);
            operands += usize::from(matches!(role, Role::Operand { .. }));
            let value = match role {
                // Statements are judged by themselves.
                Role::Value if tables.holds(facts.statements, before) => return true,
                Role::Operand { .. } if operands > 1 && !facts.statements.is_empty() => return true,
                Role::Value | Role::Operand { .. } => text,
                Role::Option => {
                    text.split_once('=').map_or(text.get(2..), |(_, value)| Some(value)).unwrap_or_default()
                }
            };
            if opens_places && is_place(value) {
                return false;
            }
            // A file may have the name of a place on another machine.
            if program.is(Trait::CopiesRemote)
                && !word.is_fixed()
                && value.split(['*', '?', '[']).next().is_some_and(|known| !known.contains('/'))
            {
                return false;
            }
            !leads_out(value) || tables.texts(facts.plain).any(|glob| glob_match(glob, value))
        })
}

/// Says whether a text is a place on another machine to what takes it for one: `host:x`, where no `/` stands in front of the
/// colon; the name of the host may have any letters.
fn is_place(text: &str) -> bool {
    text.find([':', '/']).is_some_and(|at| text.get(at..).is_some_and(|rest| rest.starts_with(':')))
}

/// Says whether a text looks like an address, a coder, a place on another machine, a command or a list of names.
fn leads_out(text: &str) -> bool {
    // Names of hosts may have any letters but such. A colon alone separates fields (`-t:`).
    let scheme = text.find([':', '/', '%', '{', '}', '(', ')', '\'', '"', '\\']);
    scheme.is_some_and(|at| text.len() > 1 && text.get(at..).is_some_and(|rest| rest.starts_with(':')))
        || text.starts_with(['|', '<', '>', '!', '[', '{', '('])
        || text.starts_with("^/")
        || text.contains(['@', '=', HOLE])
        || text.contains("://")
}
