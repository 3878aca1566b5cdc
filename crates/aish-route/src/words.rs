//! Data: words of language, and what is known of programs.

pub mod english;
pub mod language;
pub mod programs;
pub mod topics;
