//! What came of a command in the live shell.

use std::path::PathBuf;
use std::time::Duration;

use aish_process::{Captured, Exit};

use crate::told::Told;

/// What came of a command in the live shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandResult {
    /// The shell's `$?` after it, 0 to 255.
    pub status: i32,
    /// The shell's folder after it.
    pub cwd: PathBuf,
    /// What it showed on the terminal, as bytes of a terminal (lines end in CR LF); see [`Captured::clean_text`].
    /// What it drew on the alternate screen is left out.
    pub output: Captured,
    /// Whether it used the alternate screen, as editors and pagers do.
    pub full_screen: bool,
    /// From before the command was sent to after its end mark.
    pub duration: Duration,
    /// Exported variables that are new or different (`Some`) or gone (`None`), by name.
    pub changed: Vec<(String, Option<String>)>,
    /// The values of the variables that [`Options::wanted`](crate::Options::wanted) names, exported or not.
    pub told: Told,
    /// Whether the shell put it into its history, as `HISTCONTROL` and `HISTIGNORE` say; a command that begins with a
    /// blank is never kept.
    pub kept: bool,
    /// How many jobs run or are stopped after it.
    pub jobs: usize,
    /// What the user typed that the command did not read, for the editor.
    pub type_ahead: Vec<u8>,
    /// Lines that were not shown, as [`Surroundings::rows`](crate::Surroundings::rows) wants it.
    pub folded: usize,
    /// How it ended.
    pub ending: Ending,
}

/// Says whether the last line of an output that was shown has no end, so that what is shown next would stand behind it.
pub fn ends_in_line(output: &Captured, full_screen: bool) -> bool {
    let text = if full_screen { String::new() } else { output.clean_text() };
    !text.is_empty() && !text.ends_with('\n')
}

/// How a command in the live shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The shell is at its prompt again.
    Completed,
    /// It was cancelled; the shell is at its prompt again, or was started anew.
    Cancelled,
    /// It ran longer than it might; the shell is at its prompt again, or was started anew.
    TimedOut,
    /// It asked the shell to exit, and the shell is gone.
    Exited,
    /// The shell died of it and is started again.
    Died(Exit),
}
