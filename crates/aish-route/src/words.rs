//! Data: names of commands, what they take, and words of language.

pub mod commands;
pub mod english;
pub mod language;
pub mod operands;
pub mod subcommands;
pub mod topics;
pub mod well_known;
