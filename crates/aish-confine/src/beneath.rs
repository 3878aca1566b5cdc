//! Paths below a folder, opened without following a link at any step.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

/// A folder, and the one below it that was used last.
pub(crate) struct Beneath {
    root: OwnedFd,
    last: Option<(PathBuf, OwnedFd)>,
}

/// Flags to open a folder with: it need not be one that may be listed.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

impl Beneath {
    /// Opens a folder; no part of its own path may be a link.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self { root: openat2(CWD, folder, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS)?, last: None })
    }

    /// Returns the folder that a path below lies in.
    pub(crate) fn parent(&mut self, path: &Path) -> io::Result<BorrowedFd<'_>> {
        self.folder(path.parent().unwrap_or(Path::new("")))
    }

    /// Returns a folder below, which can be entered.
    pub(crate) fn folder(&mut self, path: &Path) -> io::Result<BorrowedFd<'_>> {
        if path.as_os_str().is_empty() {
            return Ok(self.root.as_fd());
        }
        if self.last.as_ref().is_none_or(|(known, _)| known != path) {
            let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
            // The dot fails where what is in the folder cannot be reached.
            let folder = openat2(&self.root, path.join("."), FOLDER, Mode::empty(), how)?;
            self.last = Some((path.to_owned(), folder));
        }
        Ok(self.last.as_ref().map_or(self.root.as_fd(), |(_, folder)| folder.as_fd()))
    }
}

/// Opens a folder below another one, whether or not it may be listed or entered.
pub(crate) fn within(root: &Path, path: &Path) -> io::Result<OwnedFd> {
    let root = Beneath::open(root)?.root;
    if path.as_os_str().is_empty() {
        return Ok(root);
    }
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    Ok(openat2(&root, path, FOLDER, Mode::empty(), how)?)
}

/// Returns a path to what is open, whatever becomes of the names that led to it.
pub(crate) fn opened(folder: BorrowedFd<'_>) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

/// Returns the last component of a path, by which it is named in its parent.
pub(crate) fn name(path: &Path) -> &Path {
    path.file_name().map_or(Path::new("."), Path::new)
}

/// Returns the path of a folder of our own without links in it.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_is_followed_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let real = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(real.join("a/b")).unwrap();
        std::os::unix::fs::symlink("a", real.join("link")).unwrap();
        let mut beneath = Beneath::open(&real).unwrap();
        assert!(beneath.parent(Path::new("a/b/file")).is_ok());
        assert!(beneath.parent(Path::new("link/b/file")).is_err());
        assert!(beneath.parent(Path::new("../x/file")).is_err());
        assert!(Beneath::open(&real.join("link/b")).is_err());
    }
}
