//! What is looked up while a command is judged, where that takes more than a list: programs and their options, names of files
//! and of variables. What is known of them is data, in `aish-programs`.

pub(crate) mod programs;
pub(crate) mod secret_names;
pub(crate) mod tool;
pub(crate) mod variables;

pub use aish_program_format::Effect;
