//! Folders of any depth, counted and deleted: a path to what lies in them may be longer than the system takes.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, fstat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

/// Bytes of a path behind which it begins anew at an open folder.
const LONG: usize = 512;

/// Folders in one another that are deleted where they are; deeper ones are moved up before.
const DEEP: usize = 32;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// Counts bytes on the disk and entries below a folder.
pub(crate) fn size(folder: &Path) -> (u64, u64) {
    let (mut bytes, mut entries) = (0_u64, 0_u64);
    let mut folders: Vec<(Option<Rc<OwnedFd>>, PathBuf)> = vec![(None, folder.to_owned())];
    while let Some((base, folder)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            entries += 1;
            bytes = bytes.saturating_add(meta.blocks().saturating_mul(512) / meta.nlink().max(1));
            if meta.is_dir() {
                folders.push(nearer(base.clone(), entry.path()));
            }
        }
    }
    (bytes, entries)
}

/// Returns a short path to a folder, with what must stay open for that.
pub(crate) fn nearer(base: Option<Rc<OwnedFd>>, folder: PathBuf) -> (Option<Rc<OwnedFd>>, PathBuf) {
    if folder.as_os_str().len() <= LONG {
        return (base, folder);
    }
    match openat(CWD, &folder, FOLDER, Mode::empty()) {
        Ok(opened) => {
            let path = format!("/proc/self/fd/{}", opened.as_raw_fd());
            (Some(Rc::new(opened)), path.into())
        }
        Err(_) => (base, folder),
    }
}

/// Deletes what is at a path, whatever it is, also in a folder that may not be written; where nothing is, nothing is done.
pub(crate) fn remove_any(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => in_its_folder(path, || remove_tree(path)),
        Ok(_) => in_its_folder(path, || fs::remove_file(path)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Renames what is at a path, also a folder that may not be written, into one that may not be either.
pub(crate) fn rename_any(from: &Path, to: &Path) -> io::Result<()> {
    let meta = fs::symlink_metadata(from)?;
    let mode = meta.mode() & 0o7777;
    let is_shut = meta.is_dir() && mode & 0o300 != 0o300;
    if is_shut {
        chmodat(CWD, from, Mode::from_raw_mode(mode | 0o700), AtFlags::empty())?;
    }
    in_its_folder(to, || fs::rename(from, to))?;
    if is_shut { Ok(chmodat(CWD, to, Mode::from_raw_mode(mode), AtFlags::empty())?) } else { Ok(()) }
}

/// Does something with a name in a folder, which may be one that its owner may not write to: it may for that moment.
pub(crate) fn in_its_folder(path: &Path, work: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let done = work();
    let (Err(error), Some(folder)) = (&done, path.parent()) else { return done };
    if error.kind() != io::ErrorKind::PermissionDenied {
        return done;
    }
    let mode = fs::symlink_metadata(folder)?.mode() & 0o7777;
    if mode & 0o300 == 0o300 {
        return done;
    }
    chmodat(CWD, folder, Mode::from_raw_mode(mode | 0o700), AtFlags::empty())?;
    let done = work();
    chmodat(CWD, folder, Mode::from_raw_mode(mode), AtFlags::empty())?;
    done
}

/// Deletes a folder with all in it, also folders that forbid it (overlayfs's own has no mode at all). Links are not followed.
///
/// # Errors
/// When something of it cannot be deleted.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    let top = match open(CWD, folder) {
        Err(Errno::NOENT) => return Ok(()),
        opened => opened?,
    };
    let mut removal = Removal { top: &top, waiting: Vec::new(), number: 0 };
    removal.clear(top.as_fd(), 0)?;
    while let Some(name) = removal.waiting.pop() {
        removal.clear(open(&top, &name)?.as_fd(), 1)?;
        unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
    }
    Ok(unlinkat(CWD, folder, AtFlags::REMOVEDIR)?)
}

/// Opens a folder, and makes it one that can be changed.
fn open(at: impl std::os::fd::AsFd, name: impl rustix::path::Arg + Copy) -> rustix::io::Result<OwnedFd> {
    let at = at.as_fd();
    let opened = match openat(at, name, FOLDER, Mode::empty()) {
        Err(Errno::ACCESS) => {
            chmodat(at, name, Mode::RWXU, AtFlags::empty())?;
            openat(at, name, FOLDER, Mode::empty())?
        }
        opened => opened?,
    };
    if fstat(&opened)?.st_mode & 0o700 != 0o700 {
        fchmod(&opened, Mode::RWXU)?;
    }
    Ok(opened)
}

struct Removal<'a> {
    top: &'a OwnedFd,
    /// Folders that were moved to the top.
    waiting: Vec<String>,
    number: usize,
}

impl Removal<'_> {
    /// Empties a folder that lies so deep below the top.
    fn clear(&mut self, folder: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
        // Read before anything is changed in it.
        let entries = Dir::read_from(folder)?.collect::<rustix::io::Result<Vec<_>>>()?;
        let entries = entries.iter().map(|entry| (entry.file_name(), entry.file_type()));
        for (name, kind) in entries.filter(|(name, _)| !matches!(name.to_bytes(), b"." | b"..")) {
            let is_folder = kind == FileType::Directory
                || match unlinkat(folder, name, AtFlags::empty()) {
                    Err(Errno::ISDIR) => true,
                    done => done.map(|()| false)?,
                };
            if !is_folder {
                continue;
            }
            let inner = open(folder, name)?;
            if depth < DEEP {
                self.clear(inner.as_fd(), depth + 1)?;
                unlinkat(folder, name, AtFlags::REMOVEDIR)?;
            } else {
                self.wait(folder, &name.to_owned())?;
            }
        }
        Ok(())
    }

    /// Moves a folder to the top, under a name that is free there.
    fn wait(&mut self, folder: BorrowedFd<'_>, name: &CString) -> io::Result<()> {
        loop {
            self.number += 1;
            let free = format!("deep-{}", self.number);
            // An empty folder of that name would be replaced, and then be emptied twice.
            match statat(self.top, &free, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => {}
                Err(Errno::NOENT) => {
                    renameat(folder, name, self.top, &free)?;
                    self.waiting.push(free);
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn folders_of_any_depth_are_counted_and_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        fs::create_dir_all(top.join("closed/in")).unwrap();
        fs::write(top.join("closed/in/file"), "x").unwrap();
        // Names that it would take, in whatever order the folder tells them.
        (1..40).for_each(|number| fs::create_dir(top.join(format!("deep-{number}"))).unwrap());
        fs::set_permissions(top.join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
        let mut at = open(CWD, &top).unwrap();
        for _ in 0..2500 {
            rustix::fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
            at = open(&at, "d").unwrap();
        }
        let file = openat(&at, "large", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
        rustix::io::write(&file, &[1; 100_000]).unwrap();
        let (bytes, entries) = size(&top);
        assert!(bytes >= 100_000 && entries > 2500, "{bytes} {entries}");
        remove_tree(&top).unwrap();
        assert!(!top.exists());
        remove_tree(&top).unwrap();
    }
}
