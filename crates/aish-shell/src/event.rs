//! What the live shell tells its owner outside a command.

use std::path::PathBuf;

use aish_process::Exit;

/// What the live shell tells its owner outside a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellEvent {
    /// Bytes that came while no command was running: from the rc file, or from a job in the background.
    Output(Vec<u8>),
    /// The shell was started again, in the same folder and with the same exports; other variables, functions and jobs of the
    /// old one are gone.
    Restarted {
        /// Why.
        cause: RestartCause,
        /// The folder that the new shell is in.
        folder: Option<PathBuf>,
    },
}

/// Why a live shell was started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartCause {
    /// The start-up files ended the shell, put another program in its place or took too long: they are left out now.
    StartUpFiles,
    /// The shell died.
    Died(Exit),
    /// The shell did not come back from a command that was cancelled.
    Stuck,
    /// The shell tells no more when a command has ended: something that its hook needs was taken away.
    Dumb,
}

impl std::fmt::Display for RestartCause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::StartUpFiles => f.write_str("the start-up files did not lead to a prompt; they were left out"),
            Self::Died(Exit::Code(code)) => write!(f, "the shell ended with code {code}"),
            Self::Died(Exit::Signal(signal)) => write!(f, "the shell was ended by signal {signal}"),
            Self::Died(Exit::TimedOut | Exit::Cancelled) => f.write_str("the shell was ended"),
            Self::Stuck => f.write_str("the shell did not come back from a cancelled command"),
            Self::Dumb => f.write_str(
                "the shell could not tell any more when a command ends, because a built-in command that aish needs was \
                 taken away in it",
            ),
        }
    }
}
