//! What is known of programs: their names, options, output, what they run and change, and the rules about them.
//!
//! `programs/NAME.toml` says it, once for each program; `shared/*.toml` holds rules that programs of several files have.
//! They are read when this crate is compiled and laid out in static tables; what is wrong in them ends the build with
//! file and line.
#![no_std]

extern crate alloc;

use aish_program_format::{Program, Tables};

mod built_in;

/// Returns what is known without a person's own files.
pub fn built_in() -> &'static Tables {
    &built_in::TABLES
}

/// Finds a program in [`built_in`] by its name.
pub fn find(name: &str) -> Option<Program<'static>> {
    built_in().find(name)
}
