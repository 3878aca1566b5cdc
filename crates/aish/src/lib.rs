//! The shell's own crate: arguments, configuration, wiring, the driver of turns, the commands.
//!
//! Reading order: [`arguments`], [`config`], [`paths`]; [`models`], [`asker`], [`driver`], [`surface`]; [`command`].

pub mod arguments;
pub mod asker;
pub mod command;
pub mod config;
pub mod counting;
pub mod driver;
pub mod exit;
pub mod ledger;
pub mod lines;
pub mod models;
pub mod names;
pub mod paths;
pub mod surface;
pub mod system_prompt;
