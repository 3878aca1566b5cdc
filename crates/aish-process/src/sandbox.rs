//! A sandbox for a whole tree of processes: what it may write, and whether it reaches the network.
//!
//! Order: [`works`] finds out by trying which [`Kind`] there is; a launcher (a process of its own, started by whoever
//! wants the sandbox) calls [`enter`], which never returns: it becomes the program, in the sandbox. What it starts is in
//! it too, and nothing gets out. Everything may be read; what may be written is [`Bounds`].

mod bubblewrap;
mod landlocked;
mod no_sockets;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

/// How a sandbox is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Name spaces of its own, through bubblewrap: other processes are out of sight, the network is another one.
    Bubblewrap,
    /// Rules of the kernel for this process and all its descendants, and a filter on system calls.
    Landlock,
}

impl Kind {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
        }
    }
}

/// What is allowed inside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Folders that may be written, with everything below; absolute. What is missing is left out.
    pub writable: Vec<PathBuf>,
    /// Files and folders that may not, though they lie in one that may.
    pub protected: Vec<PathBuf>,
    /// The folder of a live shell's FIFOs, which it must reach.
    pub exchange: Option<PathBuf>,
    /// Whether other machines can be reached.
    pub network: bool,
}

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Bubblewrap is missing, or may not do here what it must.
    #[error("bubblewrap does not work here: {0}")]
    Bubblewrap(String),
    /// The kernel has no Landlock, or an old one.
    #[error("landlock does not work here: {0}")]
    Landlock(String),
    /// The filter on system calls could not be set.
    #[error("the network cannot be switched off: {0}")]
    Filter(String),
    /// The program could not be started.
    #[error("{program} cannot be started")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// Finds out whether a kind works here, by running it where that is the only way to know.
///
/// # Errors
/// Why it does not.
pub fn works(kind: Kind) -> Result<(), SandboxError> {
    match kind {
        Kind::Bubblewrap => bubblewrap::probe(),
        Kind::Landlock => landlocked::probe(),
    }
}

/// Turns this process into the program, in the sandbox. Returns only when that failed; the program did not run then.
pub fn enter(kind: Kind, bounds: &Bounds, program: &[OsString]) -> SandboxError {
    let entered = match kind {
        Kind::Bubblewrap => Ok(()),
        Kind::Landlock => landlocked::restrict(bounds).and_then(|()| match bounds.network {
            true => Ok(()),
            false => no_sockets::apply(),
        }),
    };
    if let Err(error) = entered {
        return error;
    }
    let mut words: Vec<OsString> = match kind {
        Kind::Bubblewrap => bubblewrap::words(bounds),
        Kind::Landlock => Vec::new(),
    };
    words.extend_from_slice(program);
    let Some((first, rest)) = words.split_first() else {
        return SandboxError::Start { program: String::new(), source: io::ErrorKind::NotFound.into() };
    };
    let source = std::process::Command::new(first).args(rest).exec();
    SandboxError::Start { program: first.to_string_lossy().into_owned(), source }
}

/// Says whether one path lies in the other.
fn is_below(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder)
}

/// Returns real paths, without those that are missing.
fn real(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter_map(|path| std::fs::canonicalize(path).ok()).collect()
}
