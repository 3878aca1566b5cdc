//! The shell's own crate: arguments, configuration, wiring, the driver of turns, the commands.
//!
//! Reading order: [`arguments`], [`config`], [`paths`]; [`models`], [`asker`], [`driver`], [`surface`]; [`command`].

pub mod arguments;
pub mod asker;
pub mod cli_tools;
pub mod command;
pub mod completion;
pub mod config;
pub mod counting;
pub mod discovery;
pub mod driver;
pub mod elicitation;
pub mod exit;
pub mod export;
pub mod failure;
pub mod interrupts;
pub mod kept;
pub mod ledger;
pub mod line_history;
pub mod lines;
pub mod live;
pub mod memory;
pub mod meta;
pub mod models;
pub mod names;
pub mod paths;
pub mod plugins;
pub mod project;
pub mod prompt;
pub mod repl;
pub mod run;
pub mod sandbox;
pub mod search;
pub mod secrets;
pub mod servers;
pub mod session;
pub mod shell_tool;
pub mod surface;
pub mod system_prompt;
pub mod termination;
pub mod tool_server;
pub mod undo;
pub mod wiring;
