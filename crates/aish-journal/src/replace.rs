//! A file that is replaced as a whole: readers see the old one or the new one, never a part.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
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

/// Puts a new content in the place of a file, with mode 0600 for a new file and the old mode and owner for an old one.
///
/// The new file is on the disk before it gets the name. A symbolic link stays one: what it leads to is replaced, or made.
///
/// # Errors
/// When the folder or the file cannot be written; the old file is then as it was.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    try_replace(path, content, Whose::Ours).map_err(|source| ReplaceError { path: path.to_owned(), source })
}

/// Replaces a file of another program's, as [`replace`] does.
///
/// # Errors
/// Also when nobody may write to it, or it belongs to another user who would lose it: a rename would go through all the
/// same.
pub fn replace_others(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    try_replace(path, content, Whose::Others).map_err(|source| ReplaceError { path: path.to_owned(), source })
}

/// Replaces a file of another program's that whoever works on a project reads, as [`replace_others`] does; a new one, and the folders
/// that are made for it, get the modes of any new file.
///
/// # Errors
/// As [`replace_others`].
pub fn replace_shared(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    try_replace(path, content, Whose::Everybodys).map_err(|source| ReplaceError { path: path.to_owned(), source })
}

/// Removes a file of another program's. A symbolic link stays: what it leads to goes.
///
/// # Errors
/// When it cannot be removed, or nobody may write to it.
pub fn remove_others(path: &Path) -> Result<(), ReplaceError> {
    let target = led_to(path);
    let removed =
        std::fs::metadata(&target).and_then(|old| may_be_written(&old)).and_then(|()| std::fs::remove_file(&target));
    removed.map_err(|source| ReplaceError { path: path.to_owned(), source })
}

/// Whose file is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Others,
    Everybodys,
}

fn try_replace(path: &Path, content: &[u8], whose: Whose) -> io::Result<()> {
    let target = led_to(path);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mode = match whose {
        Whose::Ours | Whose::Others => {
            make_folder(&target)?;
            0o600
        }
        Whose::Everybodys => {
            std::fs::create_dir_all(folder)?;
            0o666
        }
    };
    // Less what the process lets nobody do.
    let mode = Permissions::from_mode(mode);
    let mut new = tempfile::Builder::new().prefix(".aish-").permissions(mode).tempfile_in(folder)?;
    if let Ok(old) = std::fs::metadata(&target) {
        if whose != Whose::Ours {
            may_be_written(&old)?;
        }
        let made = new.as_file().metadata()?;
        if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
            let kept = fchown(new.as_file(), Some(old.uid()), Some(old.gid()));
            if whose != Whose::Ours && made.uid() != old.uid() {
                kept?;
            }
        }
        new.as_file().set_permissions(old.permissions())?;
    }
    new.write_all(content)?;
    new.as_file().sync_all()?;
    new.persist(&target).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

fn may_be_written(file: &Metadata) -> io::Result<()> {
    if file.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    Ok(())
}

/// How many links are followed, as the kernel has it.
const MAX_LINKS: usize = 40;

/// Returns the file that a path leads to through symbolic links, also where the last of them leads to nothing yet.
pub fn led_to(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = std::fs::read_link(&target) else { break };
        target = target.parent().map_or_else(|| link.clone(), |folder| folder.join(&link));
    }
    target
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
    try_replace(path, &new, Whose::Ours)?;
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
