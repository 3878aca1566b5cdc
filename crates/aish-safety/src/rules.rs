//! What is looked up while a command is judged, where that takes more than a list: names, places and statements. What is
//! known of programs, and the lists of words, are data, in `aish-programs`.

pub(crate) mod globs;
pub(crate) mod kernel_places;
pub(crate) mod programs;
pub(crate) mod secret_names;
pub(crate) mod statements;
pub(crate) mod tool;
pub(crate) mod variables;

pub use aish_program_format::Effect;
