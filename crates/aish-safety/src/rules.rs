//! What is looked up while a command is judged: words of languages and places. What is known of programs is data, in
//! `aish-programs`.

pub(crate) mod calls;
pub(crate) mod code_marks;
pub(crate) mod disposable;
pub(crate) mod feeding;
pub(crate) mod globs;
pub(crate) mod help;
pub(crate) mod hints;
pub(crate) mod kernel_places;
pub(crate) mod places;
pub(crate) mod programs;
pub(crate) mod questions;
mod secret_names;
pub(crate) mod secret_places;
pub(crate) mod secret_words;
pub(crate) mod settings;
pub(crate) mod sources;
pub(crate) mod special;
pub(crate) mod sql_functions;
pub(crate) mod sql_types;
pub(crate) mod statements;
pub(crate) mod tool;
pub(crate) mod variables;

pub use aish_program_format::Effect;
