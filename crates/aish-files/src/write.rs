//! Writing: beside the file and then in its place by one exchange, or into the file itself where its links, owner or
//! attributes would not survive that. Nothing is written where the file is not what it was.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, Stat, XattrFlags, chmodat, fchmod, fchown, fgetxattr, flistxattr, fsetxattr,
    fstat, ftruncate, mkdirat, openat, openat2, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use crate::located::Located;
use crate::tree::{FileError, STRICT, Tree, content, or_dot};

/// The most bytes of an extended attribute that is taken along.
const LONGEST_ATTRIBUTE: usize = 64 * 1024;

/// What is done to a file.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    /// It is made, with these bytes; its folders too.
    Create(&'a [u8]),
    /// It is made, with these bytes, and with the mode, owner and attributes of another file as far as they can be given.
    CreateLike {
        /// The other file.
        file: &'a Located,
        /// What it gets.
        bytes: &'a [u8],
    },
    /// Its bytes become these, where they are still those of the hash.
    Replace {
        /// SHA-256 of what it holds.
        expected: &'a [u8; 32],
        /// What it gets.
        bytes: &'a [u8],
    },
    /// It is taken away, where its bytes are still those of the hash.
    Delete {
        /// SHA-256 of what it holds.
        expected: &'a [u8; 32],
    },
}

/// Numbers the files that are written beside others.
static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Tree {
    /// Changes a file.
    ///
    /// # Errors
    /// When it is not what it was, may not be written, or cannot be; it is as it was then.
    pub fn replace(&self, located: &Located, change: Change<'_>) -> Result<(), FileError> {
        let shown = located.name.clone();
        let fail = |error: io::Error| FileError::Io(shown.clone(), error);
        let name = located.below.file_name().map(PathBuf::from).ok_or_else(|| FileError::Path(shown.clone()))?;
        let above = located.below.parent().unwrap_or(Path::new(""));
        match change {
            Change::Create(bytes) => self.create(located, above, &name, bytes, None),
            Change::CreateLike { file, bytes } => self.create(located, above, &name, bytes, Some(file)),
            Change::Replace { expected, bytes } => {
                let (folder, stat) = self.checked(located, above, expected)?;
                let way = if stat.st_nlink > 1 { None } else { self.beside(located, &folder, bytes, &stat) };
                match way {
                    Some(written) => exchange(&folder, &written, &name, &stat)
                        .map_err(|error| error.map_or_else(|| FileError::Changed(shown.clone()), fail)),
                    None => self.in_place(located, bytes),
                }
            }
            Change::Delete { expected } => {
                let (folder, _) = self.checked(located, above, expected)?;
                unlinkat(&folder, &name, AtFlags::empty()).map_err(|error| fail(error.into()))
            }
        }
    }

    /// Checks that a file is still what it was and may be written.
    ///
    /// # Errors
    /// When it is not, or may not.
    pub fn check(&self, located: &Located, expected: &[u8; 32]) -> Result<(), FileError> {
        self.checked(located, located.below.parent().unwrap_or(Path::new("")), expected).map(drop)
    }

    /// Makes a file, and the folders that it is in.
    fn create(
        &self,
        located: &Located,
        above: &Path,
        name: &Path,
        bytes: &[u8],
        like: Option<&Located>,
    ) -> Result<(), FileError> {
        let fail = |error: io::Error| FileError::Io(located.name.clone(), error);
        let folder = self.made_folder(above).map_err(|error| fail(error.into()))?;
        let written = match like {
            Some(file) => {
                let stat = fstat(self.open_file(file)?).map_err(|error| fail(error.into()))?;
                match self.beside(file, &folder, bytes, &stat) {
                    Some(written) => Ok(written),
                    // Without its owner, what the file may do for its owner goes too.
                    None => beside(folder.as_fd(), bytes, None).inspect(|written| {
                        let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
                        let _ = chmodat(&folder, written, mode, AtFlags::empty());
                    }),
                }
            }
            None => beside(folder.as_fd(), bytes, None),
        };
        let written = written.map_err(fail)?;
        match renameat_with(&folder, &written, &folder, name, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(error) => {
                let _ = unlinkat(&folder, &written, AtFlags::empty());
                let is_there = error == Errno::EXIST;
                Err(if is_there { FileError::Changed(located.name.clone()) } else { fail(error.into()) })
            }
        }
    }

    /// Opens a folder, and makes those that are missing.
    fn made_folder(&self, path: &Path) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = openat2(&self.fd, ".", flags, Mode::empty(), STRICT)?;
        for part in path.components() {
            match mkdirat(&folder, part.as_os_str(), Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            folder = openat2(&folder, part.as_os_str(), flags, Mode::empty(), STRICT)?;
        }
        Ok(folder)
    }

    /// Opens the folder of a file that is still what it was and may be written.
    fn checked(&self, located: &Located, above: &Path, expected: &[u8; 32]) -> Result<(OwnedFd, Stat), FileError> {
        let shown = || located.name.clone();
        let fail = |error: Errno| FileError::Io(shown(), error.into());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat2(&self.fd, or_dot(above), flags, Mode::empty(), STRICT).map_err(fail)?;
        let file = self.open_file(located)?;
        let stat = fstat(&file).map_err(fail)?;
        if content(file, located)?.hash != *expected {
            return Err(FileError::Changed(shown()));
        }
        // Root may write any file; a file that nobody may write is left alone all the same.
        let writable = OFlags::WRONLY | OFlags::CLOEXEC;
        let refused = openat2(&self.fd, &located.below, writable, Mode::empty(), STRICT).err();
        if stat.st_mode & 0o222 == 0 || matches!(refused, Some(Errno::ACCESS | Errno::PERM | Errno::ROFS)) {
            return Err(FileError::ReadOnly(shown()));
        }
        refused.map_or(Ok((folder, stat)), |error| Err(fail(error)))
    }

    /// Writes a file beside another, with its mode, owner and attributes; none where that is not possible.
    fn beside(&self, located: &Located, folder: &OwnedFd, bytes: &[u8], stat: &Stat) -> Option<PathBuf> {
        let old = self.open_file(located).ok()?;
        beside(folder.as_fd(), bytes, Some((&old, stat))).ok()
    }

    /// Writes into the file itself; what it held is written back where that fails.
    fn in_place(&self, located: &Located, bytes: &[u8]) -> Result<(), FileError> {
        let fail = |error: io::Error| FileError::Io(located.name.clone(), error);
        let old = self.read(located)?.bytes;
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let file =
            openat2(&self.fd, &located.below, flags, Mode::empty(), STRICT).map_err(|error| fail(error.into()))?;
        let mut file = File::from(file);
        let written = overwrite(&mut file, bytes);
        if written.is_err() {
            use std::io::Seek as _;
            let _ = file.rewind();
            let _ = overwrite(&mut file, &old);
        }
        written.map_err(fail)
    }
}

fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    ftruncate(&*file, bytes.len() as u64)?;
    file.sync_all()
}

/// Writes a new file into a folder and returns its name; with the mode, owner and attributes of another where one is given.
fn beside(folder: BorrowedFd<'_>, bytes: &[u8], like: Option<(&File, &Stat)>) -> io::Result<PathBuf> {
    let name = format!(".aish-{}-{}.tmp", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(if like.is_some() { 0o600 } else { 0o666 });
    let mut file = File::from(openat(folder, &name, flags, mode)?);
    let written = file.write_all(bytes).and_then(|()| match like {
        Some((old, stat)) => alike(&file, old, stat),
        None => Ok(()),
    });
    let written = written.and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = unlinkat(folder, &name, AtFlags::empty());
        return Err(error);
    }
    Ok(PathBuf::from(name))
}

/// Gives a new file the owner, the attributes and the mode of an old one.
fn alike(new: &File, old: &File, stat: &Stat) -> io::Result<()> {
    let own = fstat(new)?;
    if (own.st_uid, own.st_gid) != (stat.st_uid, stat.st_gid) {
        let (user, group) = (rustix::fs::Uid::from_raw(stat.st_uid), rustix::fs::Gid::from_raw(stat.st_gid));
        fchown(new, Some(user), Some(group))?;
    }
    let mut names = vec![0; LONGEST_ATTRIBUTE];
    let length = match flistxattr(old, &mut names) {
        Err(Errno::NOTSUP) => 0,
        length => length?,
    };
    for name in names.get(..length).unwrap_or_default().split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; LONGEST_ATTRIBUTE];
        let length = fgetxattr(old, name, &mut value)?;
        fsetxattr(new, name, value.get(..length).unwrap_or_default(), XattrFlags::empty())?;
    }
    fchmod(new, Mode::from_raw_mode(stat.st_mode & 0o7777))?;
    Ok(())
}

/// Puts a written file in the place of another, and takes it back where that was not the expected one any more. No cause
/// in the error means that.
fn exchange(folder: &OwnedFd, written: &Path, name: &Path, expected: &Stat) -> Result<(), Option<io::Error>> {
    let remove = || unlinkat(folder, written, AtFlags::empty());
    match renameat_with(folder, written, folder, name, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        // Some file systems know no exchange.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            return renameat(folder, written, folder, name).map_err(|error| {
                let _ = remove();
                Some(error.into())
            });
        }
        Err(error) => {
            let _ = remove();
            return Err(if error == Errno::NOENT { None } else { Some(error.into()) });
        }
    }
    let stamp = |stat: &Stat| (stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
    let old = statat(folder, written, AtFlags::SYMLINK_NOFOLLOW).map_err(|error| Some(error.into()))?;
    if stamp(&old) != stamp(expected) {
        renameat_with(folder, written, folder, name, RenameFlags::EXCHANGE).map_err(|error| Some(error.into()))?;
        remove().map_err(|error| Some(error.into()))?;
        return Err(None);
    }
    remove().map_err(|error| Some(error.into()))
}
