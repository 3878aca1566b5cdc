//! Decides whether a line is a shell command, a question to the model, or a meta command.
//!
//! Reading order: [`line`] (prefixes), [`environment`] (what is known of the machine, as a value), [`token`],
//! [`words`] (data), [`evidence`], [`decide`], [`reply`] (a line behind a question of the model). Where words begin and end,
//! and what bash would take, `aish-syntax` says.
//! This crate never runs, opens or looks anything up itself.
#![no_std]

extern crate alloc;

pub mod decide;
pub mod environment;
pub mod evidence;
mod fit;
pub mod line;
pub mod reply;
pub mod token;
mod typo;
pub mod words;

pub use decide::{Decision, Route, corrected, decide};
pub use environment::{Environment, Names};
pub use line::{Line, parse_line};
pub use reply::{PriorTurn, decide_after};
