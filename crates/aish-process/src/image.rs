//! A command made ready for `execve`: everything that allocates or looks something up happens here, before the child exists.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::command::{Command, lookup};

/// Where a program is looked for when the child has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// Why a command could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// No such program.
    #[error("{program}: command not found")]
    NotFound {
        /// The program as it was named.
        program: String,
    },
    /// The program is there but must not or cannot be run.
    #[error("{program}: cannot be run")]
    NotRunnable {
        /// The program as it was named.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The working directory cannot be entered.
    #[error("{}: cannot enter the working directory", path.display())]
    WorkingDirectory {
        /// The directory that was asked for.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A NUL byte in the program, an argument, a variable or the directory.
    #[error("a NUL byte in {what}")]
    Nul {
        /// Where it was.
        what: &'static str,
    },
    /// The system refused a pipe, a process or a terminal.
    #[error("the system refused to start {program}")]
    System {
        /// The program as it was named.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// The arguments of `execve`, owned.
pub(crate) struct Image {
    pub(crate) program: CString,
    pub(crate) argv: Vec<CString>,
    pub(crate) envp: Vec<CString>,
    pub(crate) cwd: Option<CString>,
}

impl Image {
    /// Resolves a command's program and environment; a tag is set in the environment under [`crate::tree::TAG`].
    pub(crate) fn prepare(command: &Command, tag: Option<&str>) -> Result<Self, SpawnError> {
        let mut variables = command.environment.resolve();
        let program = find_program(&command.program, lookup(&variables, "PATH"), command.cwd.as_deref())?;
        variables.retain(|(name, _)| name != crate::tree::TAG);
        variables.extend(tag.map(|tag| (crate::tree::TAG.into(), tag.into())));
        let argv = std::iter::once(&command.program)
            .chain(&command.args)
            .map(|arg| c_string(arg.as_bytes().to_vec(), "an argument"))
            .collect::<Result<_, _>>()?;
        let envp = variables
            .into_iter()
            .map(|(name, value)| {
                let mut entry = name.into_vec();
                entry.push(b'=');
                entry.extend_from_slice(value.as_bytes());
                c_string(entry, "the environment")
            })
            .collect::<Result<_, _>>()?;
        let cwd = match &command.cwd {
            Some(path) => Some(c_string(path.as_os_str().as_bytes().to_vec(), "the working directory")?),
            None => None,
        };
        Ok(Self { program: c_string(program.into_vec(), "the program's name")?, argv, envp, cwd })
    }
}

fn c_string(bytes: Vec<u8>, what: &'static str) -> Result<CString, SpawnError> {
    CString::new(bytes).map_err(|_| SpawnError::Nul { what })
}

/// Finds a program as `execvp` does: a name with a slash stands for itself (in the child's directory), another is
/// looked up in `PATH`; a file that is there but may not be run is remembered for the message.
fn find_program(program: &OsStr, path: Option<&OsStr>, cwd: Option<&Path>) -> Result<OsString, SpawnError> {
    let named = || program.to_string_lossy().into_owned();
    if program.is_empty() {
        return Err(SpawnError::NotFound { program: named() });
    }
    if program.as_bytes().contains(&b'/') {
        return Ok(program.to_owned());
    }
    let path = path.map_or_else(|| OsString::from(DEFAULT_PATH), OsStr::to_owned);
    let mut refused = None;
    for folder in std::env::split_paths(&path) {
        let candidate = match folder.as_os_str().is_empty() {
            true => Path::new(".").join(program),
            false => folder.join(program),
        };
        let seen_from_here = match cwd {
            Some(cwd) => cwd.join(&candidate),
            None => candidate.clone(),
        };
        match access(&seen_from_here, Access::EXEC_OK) {
            Ok(()) if seen_from_here.is_file() => return Ok(candidate.into_os_string()),
            Ok(()) => {}
            Err(rustix::io::Errno::ACCESS) if seen_from_here.is_file() => refused = Some(rustix::io::Errno::ACCESS),
            Err(_) => {}
        }
    }
    Err(match refused {
        Some(errno) => SpawnError::NotRunnable { program: named(), source: errno.into() },
        None => SpawnError::NotFound { program: named() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_and_a_path_is_not() {
        let find = |program: &str, path: &str| find_program(program.as_ref(), Some(path.as_ref()), None);
        assert_eq!(find("sh", "/nowhere:/bin").unwrap(), "/bin/sh");
        assert_eq!(find("./sh", "/bin").unwrap(), "./sh");
        assert!(matches!(find("sh", "/nowhere"), Err(SpawnError::NotFound { .. })));
        assert!(matches!(find("", "/bin"), Err(SpawnError::NotFound { .. })));
        assert!(matches!(find("bin", "/"), Err(SpawnError::NotFound { .. })), "a folder is no program");
    }

    #[test]
    fn a_nul_byte_is_refused_with_its_place() {
        let nul = |command: Command| match Image::prepare(&command, Some("t")) {
            Err(SpawnError::Nul { what }) => what,
            _ => "none",
        };
        assert_eq!(nul(Command::new("sh").arg("a\0b")), "an argument");
        assert_eq!(nul(Command::new("sh").env("A", "a\0b")), "the environment");
        assert_eq!(nul(Command::new("sh").cwd("/\0")), "the working directory");
        assert_eq!(nul(Command::new("/bin/s\0h")), "an argument");
    }
}
