//! A file that is replaced as a whole: readers see the old one or the new one, never a part.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::lines::{lock, make_folder};

/// Why a file could not be replaced; it is as it was.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be replaced")]
pub struct ReplaceError {
    /// The file that was to be replaced.
    pub path: PathBuf,
    /// What the system says.
    #[source]
    pub source: io::Error,
}

/// Puts a new content in the place of a file, with mode 0600 for a new file and the old mode for an old one.
///
/// The new file is on the disk before it gets the name. A symbolic link stays one: what it leads to is replaced.
///
/// # Errors
/// When the folder or the file cannot be written; the old file is then as it was.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    try_replace(path, content).map_err(|source| ReplaceError { path: path.to_owned(), source })
}

fn try_replace(path: &Path, content: &[u8]) -> io::Result<()> {
    make_folder(path)?;
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".aish-").tempfile_in(folder)?;
    if let Ok(old) = std::fs::metadata(&target) {
        new.as_file().set_permissions(old.permissions())?;
    }
    new.write_all(content)?;
    new.as_file().sync_all()?;
    new.persist(&target).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// Keeps other processes of ours from changing a file until it is dropped.
#[derive(Debug)]
pub struct Held {
    /// Closed, it gives the lock up.
    _lock: File,
}

/// Waits until no other process of ours changes a file, for ten seconds at the most: for what is read, changed and
/// [`replace`]d. The lock is a file of its own (`NAME.lock`), because the file itself is replaced.
///
/// # Errors
/// When the lock cannot be made, or another process holds it for longer.
pub fn hold(path: &Path) -> io::Result<Held> {
    make_folder(path)?;
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let lock = OpenOptions::new().append(true).create(true).mode(0o600).open(PathBuf::from(name))?;
    lock::wait(&lock)?;
    Ok(Held { _lock: lock })
}

/// Reads a file, changes what it holds and replaces it, while no other process of ours does the same.
///
/// `change` gets the old content, none for a missing file, and returns the new one.
///
/// # Errors
/// When the file cannot be read or replaced, or `change` says so; the old file is then as it was.
pub(crate) fn update<E: From<io::Error>>(
    path: &Path,
    change: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, E>,
) -> Result<(), E> {
    let _held = hold(path)?;
    let old = read_if_there(path)?;
    let new = change(old.as_deref())?;
    try_replace(path, &new)?;
    Ok(())
}

/// Reads a file; none when there is none.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
