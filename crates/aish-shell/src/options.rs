//! How a live shell is started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use aish_process::{Detached, Environment};

use crate::told::Wanted;

/// How a live shell is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program and what comes before bash's own arguments: `["bash"]`, or a launcher with its arguments and bash.
    pub program: Vec<OsString>,
    /// Whether the user's start-up file is read.
    pub rc: Rc,
    /// The folder that the shell starts in; ours when `None`.
    pub cwd: Option<PathBuf>,
    /// The environment that the shell starts with.
    pub environment: Environment,
    /// Whether what runs goes into the user's history file.
    pub history: bool,
    /// The size of the terminal until a user's terminal says otherwise.
    pub size: Size,
    /// How long the start-up files may take before the shell is started again without them.
    pub start_limit: Duration,
    /// Bytes of each command's output that are kept, head and tail together.
    pub output_cap: usize,
    /// The variables whose values are told with each result.
    pub wanted: Wanted,
    /// What becomes of descendants that left the shell's session when the shell is ended.
    pub detached: Detached,
}

impl Options {
    /// The shell that a person works in: `bash` with their rc file; what they detach lives on.
    pub fn interactive() -> Self {
        Self {
            program: vec!["bash".into()],
            rc: Rc::User,
            cwd: None,
            environment: Environment::inherited(),
            history: true,
            size: Size::default(),
            start_limit: Duration::from_secs(15),
            output_cap: 256 * 1024,
            wanted: Wanted::none(),
            detached: Detached::Leave,
        }
    }

    /// A shell for commands that nobody watches: no rc file, no history file, and nothing that it started outlives it.
    pub fn headless() -> Self {
        Self { rc: Rc::Skip, history: false, detached: Detached::End, ..Self::interactive() }
    }
}

/// Whether the user's start-up file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rc {
    /// `~/.bashrc`, after the system's own.
    User,
    /// This file in the place of `~/.bashrc`.
    File(PathBuf),
    /// None at all, as with `bash --norc`.
    Skip,
}

/// The size of a terminal in character cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines, at least 1.
    pub rows: u16,
    /// Characters a line, at least 1.
    pub columns: u16,
}

impl Default for Size {
    /// 24 lines of 80 characters.
    fn default() -> Self {
        Self { rows: 24, columns: 80 }
    }
}
