//! A sandbox for a whole tree of processes: what it may write, and whether it reaches the network.
//!
//! Order: [`works`] finds out whether the kernel has what it takes; a launcher (a process of its own, started by whoever
//! wants the sandbox) calls [`enter`], which never returns: it becomes the program, in the sandbox. What it starts is in
//! it too, and nothing gets out. Everything may be read; what may be written is [`Bounds`].

mod landlocked;
mod no_sockets;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

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
    /// The kernel has no Landlock, or an old one.
    #[error("landlock does not work here: {0}")]
    Landlock(String),
    /// The filter on system calls could not be set.
    #[error("the network cannot be switched off: {0}")]
    Filter(String),
    /// The program could not be started.
    #[error("{program} cannot be started")]
    Start {
        /// The launcher that was to be started.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// Finds out whether it works here.
///
/// # Errors
/// Why it does not.
pub fn works() -> Result<(), SandboxError> {
    landlocked::probe()
}

/// Turns this process into the program, in the sandbox. Returns only when that failed; the program did not run then.
pub fn enter(bounds: &Bounds, program: &[OsString]) -> SandboxError {
    let entered = landlocked::restrict(bounds).and_then(|()| match bounds.network {
        true => Ok(()),
        false => no_sockets::apply(),
    });
    if let Err(error) = entered {
        return error;
    }
    let Some((first, rest)) = program.split_first() else {
        return SandboxError::Start { program: String::new(), source: io::ErrorKind::NotFound.into() };
    };
    let source = std::process::Command::new(first).args(rest).exec();
    SandboxError::Start { program: first.to_string_lossy().into_owned(), source }
}

/// Returns whether one path lies in the other.
fn is_below(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder)
}

/// Returns real paths, without those that are missing.
fn real(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter_map(|path| std::fs::canonicalize(path).ok()).collect()
}
