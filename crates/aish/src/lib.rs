//! The shell's own crate: arguments, configuration, the driver of turns, the commands.
//!
//! Reading order: [`arguments`], [`config`], [`paths`], [`base`]; [`models`], [`asker`], [`driver`], [`surface`];
//! [`conversation`], [`command`].

#![expect(unreachable_pub, reason = "the modules are private; pub means all of this crate")]

mod aichat;
mod arguments;
mod as_shell;
mod asker;
mod base;
mod briefed;
mod calibration;
mod caught;
mod cli_tools;
mod command;
mod completion;
mod config;
mod confinement;
mod context_size;
mod conversation;
mod counting;
mod discovery;
mod display;
mod driver;
mod exit;
mod explained;
mod export;
mod failure;
mod file_places;
mod here;
mod history_import;
mod image;
mod installation;
mod interrupts;
mod kept;
mod key_command;
mod ledger;
mod line_history;
mod lines;
mod live;
mod memory;
mod mentions;
mod meta;
mod models;
mod names;
mod norris;
mod output;
mod paths;
mod plugins;
mod project;
mod prompt;
mod prompts;
mod question;
mod repl;
mod run;
mod sandbox;
mod search;
mod secrets;
mod sent;
mod servers;
mod session;
mod settling;
mod shell_switch;
mod shell_tool;
mod structured;
mod surface;
mod system_prompt;
#[cfg(test)]
mod texts;
mod tool_server;
mod toolset;
mod transactions;
mod undo;
mod zone;

pub use run::run;
