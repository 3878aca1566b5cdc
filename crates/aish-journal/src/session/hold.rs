//! Who writes a session: one process at a time, told by a lock that its death gives up.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use aish_types::SessionId;

use crate::lines::make_folder;
use crate::session::{SessionError, path_of};

/// The right to write a session, until it is dropped.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    _file: File,
}

impl Hold {
    /// Takes the right to write a session; none when another process has it.
    ///
    /// # Errors
    /// When the id is no file's name or the lock's file cannot be made.
    pub fn take(folder: &Path, id: &SessionId) -> Result<Option<Self>, HoldError> {
        let path = path_of(folder, id)?.with_extension("lock");
        make_folder(&path)?;
        loop {
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // Whoever had it before removes the file: a lock on a removed file is none.
            let named = std::fs::metadata(&path).is_ok_and(|named| {
                file.metadata().is_ok_and(|open| open.ino() == named.ino() && open.dev() == named.dev())
            });
            if named {
                return Ok(Some(Self { path, _file: file }));
            }
        }
    }
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
