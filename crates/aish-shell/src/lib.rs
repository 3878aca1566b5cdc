//! The live shell: a persistent interactive bash in a pseudo-terminal.
//!
//! A command never travels through the terminal, where lines are cut at 4,095 bytes and control bytes edit them. At
//! its prompt the shell reports its state, prints an end mark, and reads the next command from a FIFO; a fixed line
//! typed unseen then runs it at the shell's top level. While a command runs, the user's own terminal is in raw mode
//! and bytes pass both ways, so that full-screen programs, password prompts and job control work.
//!
//! This crate judges nothing and never decides what is run.

pub mod apart;
pub mod attendance;
pub mod changed_modes;
pub mod command_result;
pub mod completion;
pub mod event;
pub mod options;
pub mod shell;
pub mod snapshot;
pub mod state;
pub mod stops;
pub mod surroundings;
pub mod told;
pub mod user_terminal;

mod alias;
mod alternate_screen;
mod command;
mod declarations;
mod delivery;
mod exchange;
mod fold;
mod left_modes;
mod line;
mod mark;
mod only_shown;
mod passage;
mod pieces;
mod report;
mod running;
mod session;
mod waiting;

pub use apart::{Apart, ApartResult, StateFile};
pub use attendance::Attending;
pub use changed_modes::{ChangedModes, reapply_all, restore_all};
pub use command_result::{CommandResult, Ending, ends_in_line};
pub use completion::Completion;
pub use event::{RestartCause, ShellEvent};
pub use options::{Options, Rc, Size};
pub use shell::{Shell, ShellError};
pub use snapshot::Snapshot;
pub use state::{Function, ShellState, Variable};
pub use stops::follow_stops;
pub use surroundings::{AtExit, Surroundings};
pub use told::{Told, Wanted};
pub use user_terminal::UserTerminal;
pub use waiting::Waiting;
