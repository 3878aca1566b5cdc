//! Word lists: what commands there are, and what only language uses.

pub mod commands;
pub mod language;
pub mod subcommands;
