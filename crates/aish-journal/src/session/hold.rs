//! Who writes a session: one process at a time, told by a lock that its death gives up.
//!
//! The lock is an open file's, and a child that is just being started still has that file: killed in the middle of a start, a
//! process leaves its lock behind for as long as the child takes to run its program. So the file says whose lock it is, and
//! the lock of one who is gone is waited for.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use aish_types::SessionId;

use crate::lines::make_folder;
use crate::session::{SessionError, path_of};

/// How long the lock of a process that is gone is waited for: many times what a program's start takes.
const PATIENCE: Duration = Duration::from_secs(5);

/// The right to write a session, until it is dropped.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    _file: File,
}

impl Hold {
    /// Takes the right to write a session; none when another process has it. Blocks while the lock is that of a process that
    /// is gone, five seconds at the most.
    ///
    /// # Errors
    /// When the id is no file's name or the lock's file cannot be made.
    pub fn take(folder: &Path, id: &SessionId) -> Result<Option<Self>, HoldError> {
        let path = path_of(folder, id)?.with_extension("lock");
        make_folder(&path)?;
        let start = Instant::now();
        loop {
            let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if is_of_the_gone(&mut file) && start.elapsed() < PATIENCE => {
                    sleep(Duration::from_millis(2));
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // The previous holder removes the file, and a lock on a removed file holds nothing.
            let named = std::fs::metadata(&path).is_ok_and(|named| {
                file.metadata().is_ok_and(|open| open.ino() == named.ino() && open.dev() == named.dev())
            });
            if named {
                // A file that was cut to nothing is written to the disk when it is closed, on ext4, so a new one is not cut. On
                // a full disk the lock holds all the same.
                let has_number = file.metadata().is_ok_and(|open| open.len() > 0);
                let emptied = if has_number { file.set_len(0) } else { Ok(()) };
                let _ = emptied.and_then(|()| write!(file, "{}", std::process::id()));
                return Ok(Some(Self { path, _file: file }));
            }
        }
    }
}

/// Returns whether the process that wrote its number into a lock's file has ended or is about to.
fn is_of_the_gone(file: &mut File) -> bool {
    let mut number = String::new();
    let read = file.take(10).read_to_string(&mut number);
    read.is_ok() && number.parse().is_ok_and(is_gone)
}

/// Returns whether a process has given up its memory, which comes before its files, or is not there at all; no where the system
/// does not list processes.
fn is_gone(process: u32) -> bool {
    let memory = |process: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name in brackets may hold anything; the size of its memory is the 23rd field (proc_pid_stat(5)).
        stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(20)?.parse::<u64>().ok()
    };
    memory("self").is_some() && memory(&process.to_string()).is_none_or(|bytes| bytes == 0)
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Removed while it is still locked.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Why nobody can say who writes a session.
#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// The id is no file's name.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The lock's file cannot be used.
    #[error("the session's lock cannot be used")]
    Io(#[from] io::Error),
}
