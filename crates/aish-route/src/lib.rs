//! Decides whether a line is a shell command, a question to the model, or a meta command.
//!
//! Reading order: [`line`] (prefixes), [`environment`] (what is known of the machine, as a value), [`token`],
//! [`words`] (data).
//! This crate never runs, opens or looks anything up itself.
#![no_std]

extern crate alloc;

pub mod environment;
pub mod line;
pub mod token;
pub mod words;

pub use environment::{Environment, Names};
pub use line::{Line, parse_line};
