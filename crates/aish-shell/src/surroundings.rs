//! What a command in the live shell runs with.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::user_terminal::UserTerminal;

/// What a command in the live shell runs with.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The terminal whose keys go to the command and which shows its output; without one the output is only kept.
    pub terminal: Option<Arc<UserTerminal>>,
    /// Ends the command early.
    pub cancel: CancellationToken,
    /// How long the command may run; for ever when `None`.
    pub timeout: Option<Duration>,
    /// How many rows of the terminal its output may take; what comes behind them is only kept. All of them when `None`.
    pub rows: Option<usize>,
    /// What an `exit` at the person's terminal does.
    pub at_exit: AtExit,
    /// Keys that were typed for the command before it began, as its terminal gets them; only where there is a terminal.
    pub keys: Vec<u8>,
}

/// What becomes of the shell when a command at the person's terminal tells it to exit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AtExit {
    /// It is gone for good: the person left it.
    #[default]
    Leaves,
    /// It is started again, as a shell that died.
    StartsAgain,
}

impl Surroundings {
    /// A command that nobody watches: its output is kept, and what it reads from the terminal is at its end.
    pub fn unwatched() -> Self {
        Self::default()
    }

    /// A command of a person at their terminal.
    pub fn at(terminal: Arc<UserTerminal>) -> Self {
        Self { terminal: Some(terminal), ..Self::default() }
    }
}
