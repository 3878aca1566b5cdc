//! A tree, and paths of it that are opened so that no link leads out of it.
//!
//! A path is first taken apart as text, then looked up by the kernel beneath the root (`openat2` with `RESOLVE_BENEATH`),
//! which gives the path without links. Everything after that is opened with no link followed at all.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::located::Located;

/// The most bytes of a file that is read whole.
pub const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The most bytes of a path.
const LONGEST_PATH: usize = 4_096;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path leads out of the tree.
    #[error("{0} is outside of {1}, and the file tools stay inside it; use a command for files elsewhere")]
    Outside(String, PathBuf),
    /// There is nothing at the path.
    #[error("there is no {0}")]
    Missing(String),
    /// It is no ordinary file.
    #[error("{0} is {1}, not a file")]
    Kind(String, &'static str),
    /// It is longer than [`MOST_BYTES`].
    #[error("{0} has {1} bytes; the file tools take {MOST_BYTES} at most")]
    TooLong(String, u64),
    /// Nobody may write it.
    #[error("{0} is read-only; it was left as it is")]
    ReadOnly(String),
    /// It is not what it was.
    #[error("{0} has changed in the meantime; it was left as it is: read it again")]
    Changed(String),
    /// The path cannot be used.
    #[error("{0} is no path that can be used")]
    Path(String),
    /// The system refused.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// SHA-256 of the bytes.
    pub hash: [u8; 32],
    /// The permission bits.
    pub mode: u32,
}

/// A folder and all below it, with the folder that relative paths begin at.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    folder: PathBuf,
    pub(crate) fd: OwnedFd,
}

/// Follows no link and never leaves the root.
pub(crate) const STRICT: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

impl Tree {
    /// Opens the tree at `root`; relative paths begin at `folder`, which lies in it. Both are absolute and hold no link.
    ///
    /// # Errors
    /// When the root cannot be opened, or the folder does not lie in it.
    pub fn open(root: &Path, folder: &Path) -> Result<Self, FileError> {
        let shown = || root.display().to_string();
        let below =
            folder.strip_prefix(root).map_err(|_| FileError::Outside(folder.display().to_string(), root.to_owned()))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = openat2(CWD, root, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
            .map_err(|error| FileError::Io(shown(), error.into()))?;
        Ok(Self { root: root.to_owned(), folder: below.to_owned(), fd })
    }

    /// Returns the root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Finds where a path leads, which need not be there yet.
    ///
    /// # Errors
    /// When it leads out of the tree, or cannot be a path.
    pub fn locate(&self, text: &str) -> Result<Located, FileError> {
        let asked = self.below(text)?;
        let mut above = asked.clone();
        let mut rest = Vec::new();
        loop {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            match openat2(&self.fd, or_dot(&above), flags, Mode::empty(), how) {
                Ok(fd) => return self.located(text, asked, &fd, &rest),
                Err(Errno::NOENT) => {
                    // A link that leads to nothing is no place for a new file.
                    if openat2(&self.fd, or_dot(&above), flags | OFlags::NOFOLLOW, Mode::empty(), how).is_ok() {
                        return Err(FileError::Kind(text.to_owned(), "a link that leads to nothing"));
                    }
                    let Some(name) = above.file_name().map(ToOwned::to_owned) else {
                        return Err(FileError::Missing(text.to_owned()));
                    };
                    rest.push(name);
                    above.pop();
                }
                Err(Errno::XDEV | Errno::LOOP) => {
                    return Err(FileError::Outside(text.to_owned(), self.root.clone()));
                }
                Err(error) => return Err(FileError::Io(text.to_owned(), error.into())),
            }
        }
    }

    /// Names what was opened by where it really is.
    fn located(
        &self,
        text: &str,
        asked: PathBuf,
        fd: &OwnedFd,
        rest: &[std::ffi::OsString],
    ) -> Result<Located, FileError> {
        let fail = |error: io::Error| FileError::Io(text.to_owned(), error);
        let real = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).map_err(fail)?;
        let outside = || FileError::Outside(text.to_owned(), self.root.clone());
        let mut below = real.strip_prefix(&self.root).map_err(|_| outside())?.to_owned();
        let stat = fstat(fd).map_err(|error| fail(error.into()))?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if !rest.is_empty() && kind != FileType::Directory {
            return Err(FileError::Kind(self.name(&below), "a file, so that nothing can be below it"));
        }
        below.extend(rest.iter().rev());
        let (absolute, name) = (self.root.join(&below), self.name(&below));
        let exists = rest.is_empty();
        Ok(Located {
            below,
            absolute,
            name,
            asked,
            exists,
            is_folder: exists && kind == FileType::Directory,
            has_other_names: exists && kind == FileType::RegularFile && stat.st_nlink > 1,
        })
    }

    /// Returns a path below the root as its text says, without looking.
    fn below(&self, text: &str) -> Result<PathBuf, FileError> {
        if text.is_empty() || text.len() > LONGEST_PATH || text.contains('\0') {
            return Err(FileError::Path(text.chars().take(80).collect()));
        }
        let outside = || FileError::Outside(text.to_owned(), self.root.clone());
        let path = Path::new(text);
        let whole = match path.is_absolute() {
            true => path.strip_prefix(&self.root).map_err(|_| outside())?.to_owned(),
            false => self.folder.join(path),
        };
        let mut below = PathBuf::new();
        for part in whole.components() {
            match part {
                Component::Normal(name) => below.push(name),
                Component::CurDir => {}
                Component::ParentDir if below.pop() => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        Ok(below)
    }

    /// Writes a path below the root as it is named from the folder that relative paths begin at.
    pub fn name(&self, below: &Path) -> String {
        let mut folder = self.folder.as_path();
        let mut name = PathBuf::new();
        let rest = loop {
            match (below.strip_prefix(folder), folder.parent()) {
                (Ok(rest), _) => break rest,
                (Err(_), above) => {
                    name.push("..");
                    folder = above.unwrap_or(Path::new(""));
                }
            }
        };
        name.extend(rest);
        or_dot(&name).display().to_string()
    }

    /// Says whether a path, as it was asked for, is a link.
    pub fn is_link(&self, located: &Located) -> bool {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let fd = openat2(&self.fd, or_dot(&located.asked), flags, Mode::empty(), how);
        let stat = fd.and_then(fstat);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    }

    /// Lists the names beside a path, 2,000 at most; nothing where its folder is not there.
    pub fn neighbours(&self, located: &Located) -> Vec<String> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let above = located.below.parent().unwrap_or(Path::new(""));
        let folder = openat2(&self.fd, or_dot(above), flags, Mode::empty(), STRICT).and_then(rustix::fs::Dir::new);
        let entries = folder.into_iter().flatten().flatten().take(2_000);
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "." && name != "..").collect()
    }

    /// Opens a file for reading; no link is followed, and a pipe or a device is refused.
    ///
    /// # Errors
    /// When it is no ordinary file, or cannot be read.
    pub fn open_file(&self, located: &Located) -> Result<File, FileError> {
        let shown = located.name.clone();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = match openat2(&self.fd, or_dot(&located.below), flags, Mode::empty(), STRICT) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Err(FileError::Missing(shown)),
            Err(Errno::NXIO) => return Err(FileError::Kind(shown, "a socket or a device")),
            Err(error) => return Err(FileError::Io(shown, error.into())),
        };
        let stat = fstat(fd.as_fd()).map_err(|error| FileError::Io(shown.clone(), error.into()))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(File::from(fd)),
            FileType::Directory => Err(FileError::Kind(shown, "a folder")),
            _ => Err(FileError::Kind(shown, "a pipe, a socket or a device")),
        }
    }

    /// Reads a file whole.
    ///
    /// # Errors
    /// As [`Tree::open_file`], and when it is longer than [`MOST_BYTES`].
    pub fn read(&self, located: &Located) -> Result<Content, FileError> {
        content(self.open_file(located)?, located)
    }
}

/// Returns a folder's path without links.
///
/// # Errors
/// When it is not there.
pub fn real(folder: &Path) -> Result<PathBuf, FileError> {
    folder.canonicalize().map_err(|error| FileError::Io(folder.display().to_string(), error))
}

/// Reads an open file whole.
pub(crate) fn content(file: File, located: &Located) -> Result<Content, FileError> {
    let shown = || located.name.clone();
    let stat = fstat(&file).map_err(|error| FileError::Io(shown(), error.into()))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| FileError::Io(shown(), error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(FileError::TooLong(shown(), u64::try_from(stat.st_size).unwrap_or_default()));
    }
    Ok(Content { hash: Sha256::digest(&bytes).into(), bytes, mode: stat.st_mode & 0o7777 })
}

/// Names the root itself, which has no path below itself.
pub(crate) fn or_dot(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}
