//! What programs print that is secret.

use aish_program_format::Program;

use crate::command::{Word, glob_match};

/// Says whether a command prints secrets.
pub(crate) fn prints_secrets(program: Option<Program<'_>>, arguments: &[Word]) -> bool {
    program.is_some_and(|program| {
        let tables = program.tables();
        program.secrets().any(|mut parts| {
            parts.all(|globs| arguments.iter().any(|word| tables.texts(globs).any(|glob| glob_match(glob, &word.text))))
        })
    })
}
