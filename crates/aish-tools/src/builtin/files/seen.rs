//! What the model of a session has read: a file is only changed as it was read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aish_types::SessionId;

/// The most files that are remembered; then all are forgotten, and have to be read again.
const MOST: usize = 8_192;

/// The hashes of the contents that were read or written last, by session and path.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    files: Mutex<HashMap<(SessionId, PathBuf), [u8; 32]>>,
}

impl Seen {
    /// Remembers the content of a file.
    pub(crate) fn put(&self, session: &SessionId, path: &Path, hash: [u8; 32]) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MOST {
            files.clear();
        }
        files.insert((session.clone(), path.to_owned()), hash);
    }

    /// Says what stands against a change of a file that holds this now.
    pub(crate) fn check(&self, session: &SessionId, path: &Path, hash: &[u8; 32]) -> Result<(), &'static str> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        match files.get(&(session.clone(), path.to_owned())) {
            None => Err("has not been read yet; call read_file first"),
            Some(known) if known != hash => Err("has changed since it was read; call read_file again"),
            Some(_) => Ok(()),
        }
    }
}
