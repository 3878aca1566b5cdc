//! A name in a folder that is held open. Nothing on the way to the folder is a link, and nothing here follows one.
//!
//! A path is looked up once, from the root, by a kernel that refuses links (`openat2` with `RESOLVE_NO_SYMLINKS`); all that
//! is done then is done to a name in that very folder. A folder that is replaced by a link, before or meanwhile, so leads
//! nothing elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, ResolveFlags, Stat, Timespec, Timestamps, UTIME_OMIT, Uid, chmod,
    chownat, fstat, linkat, mkdirat, openat, openat2, readlinkat, renameat, statat, symlinkat, unlinkat, utimensat,
};
use rustix::io::Errno;

/// How a folder is opened to look names up in it.
const HOLD: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The name in its folder.
#[derive(Debug)]
pub(super) struct Place {
    folder: OwnedFd,
    name: OsString,
}

impl Place {
    /// Finds the folder of an absolute path.
    ///
    /// # Errors
    /// When there is none, or a part of the way to it is a link.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let (above, name) = split(path)?;
        Ok(Self { folder: hold(above)?, name: name.to_owned() })
    }

    /// Finds the folder of an absolute path, and makes what of it is missing.
    ///
    /// # Errors
    /// When a part cannot be made, or is a link.
    pub(super) fn making(path: &Path) -> io::Result<Self> {
        let (above, _) = split(path)?;
        match hold(above) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let missing = Self::making(above)?;
                match mkdirat(&missing.folder, &missing.name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                Self::of(path)
            }
            Err(error) => Err(error),
            Ok(_) => Self::of(path),
        }
    }

    /// Returns what is there.
    pub(super) fn look(&self) -> io::Result<Stat> {
        Ok(statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Opens a file for reading; anything but a regular file is refused without waiting for it.
    pub(super) fn read(&self) -> io::Result<File> {
        self.open(OFlags::RDONLY)
    }

    /// Opens a file for writing; its content stays.
    pub(super) fn write(&self) -> io::Result<File> {
        self.open(OFlags::WRONLY)
    }

    fn open(&self, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&self.folder, &self.name, flags, Mode::empty())?;
        if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("it is no file any more"));
        }
        Ok(File::from(file))
    }

    /// Makes a file that was not there, for its owner alone.
    fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.folder, name, flags, Mode::from_raw_mode(0o600))?))
    }

    /// Returns where a link leads.
    pub(super) fn target(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from(OsStr::from_bytes(readlinkat(&self.folder, &self.name, Vec::new())?.as_bytes())))
    }

    /// Lists the names in a folder.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        names(&openat(
            &self.folder,
            &self.name,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )?)
    }

    /// Makes a folder.
    pub(super) fn make_folder(&self) -> io::Result<()> {
        Ok(mkdirat(&self.folder, &self.name, Mode::from_raw_mode(0o777))?)
    }

    /// Gives the file a second name, elsewhere.
    pub(super) fn link_to(&self, elsewhere: &Path) -> io::Result<()> {
        Ok(linkat(&self.folder, &self.name, CWD, elsewhere, AtFlags::empty())?)
    }

    /// Puts a link to a target there; what is there goes only when the new one is whole.
    pub(super) fn put_link(&self, target: &Path) -> io::Result<()> {
        self.replace(|fresh| Ok(symlinkat(target, &self.folder, fresh)?))
    }

    /// Puts a file from elsewhere there, as a second name or as a copy. Anything but a regular file can only get a name.
    pub(super) fn put_file(&self, from: &Path, is_file: bool) -> io::Result<()> {
        self.replace(|fresh| match linkat(CWD, from, &self.folder, fresh, AtFlags::empty()) {
            Ok(()) => Ok(()),
            Err(_) if is_file => io::copy(&mut File::open(from)?, &mut self.create(fresh)?).map(drop),
            Err(error) => Err(error.into()),
        })
    }

    /// Makes something under a name of ours, then gives it the name.
    fn replace(&self, make: impl Fn(&OsStr) -> io::Result<()>) -> io::Result<()> {
        for number in 0u16.. {
            let fresh = OsString::from(format!(".aish-undo-{}-{number}", std::process::id()));
            match make(&fresh) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => {
                    // A copy that broke off; what was not made cannot be taken away.
                    let _ = unlinkat(&self.folder, &fresh, AtFlags::empty());
                    return Err(error);
                }
                Ok(()) => {}
            }
            let renamed = renameat(&self.folder, &fresh, &self.folder, &self.name);
            // Two names of one file stay two when one is renamed to the other.
            let _ = unlinkat(&self.folder, &fresh, AtFlags::empty());
            return Ok(renamed?);
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    /// Takes away what is there, all that is in it too; nothing is no error.
    pub(super) fn take_away(&self) -> io::Result<()> {
        take_away(&self.folder, &self.name)
    }

    /// Takes a folder away in which nothing is.
    pub(super) fn take_empty_away(&self) -> io::Result<()> {
        Ok(unlinkat(&self.folder, &self.name, AtFlags::REMOVEDIR)?)
    }

    /// Sets the mode of anything but a link.
    pub(super) fn set_mode(&self, mode: u32) -> io::Result<()> {
        let held = openat(&self.folder, &self.name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        if FileType::from_raw_mode(fstat(&held)?.st_mode) == FileType::Symlink {
            return Err(io::Error::other("it is a link by now"));
        }
        // The kernel takes no such handle for a change of the mode, but its name there.
        Ok(chmod(format!("/proc/self/fd/{}", held.as_raw_fd()), Mode::from_raw_mode(mode))?)
    }

    /// Sets the owner.
    pub(super) fn set_owner(&self, uid: u32, gid: u32) -> io::Result<()> {
        let (uid, gid) = (Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
        Ok(chownat(&self.folder, &self.name, uid, gid, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Sets the time of the last change, in seconds and nanoseconds since 1970.
    pub(super) fn set_time(&self, seconds: i64, nanoseconds: i64) -> io::Result<()> {
        let time = |tv_sec, tv_nsec| Timespec { tv_sec, tv_nsec };
        let times = Timestamps { last_access: time(0, UTIME_OMIT), last_modification: time(seconds, nanoseconds) };
        Ok(utimensat(&self.folder, &self.name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }
}

/// Parts a path into its folder and its name; the root is a name in itself.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    let is_plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    if !path.is_absolute() || !path.components().all(is_plain) {
        return Err(io::Error::other("its path is not one from the root"));
    }
    Ok(match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => (above, name),
        _ => (path, OsStr::new(".")),
    })
}

/// Opens a folder by its path from the root, through no link.
fn hold(path: &Path) -> io::Result<OwnedFd> {
    let root = openat(CWD, "/", HOLD, Mode::empty())?;
    let below = path.strip_prefix("/").unwrap_or(path);
    if below.as_os_str().is_empty() {
        return Ok(root);
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(&root, below, HOLD, Mode::empty(), resolve) {
        Err(Errno::NOSYS) => part_by_part(root, below),
        Err(Errno::LOOP) => Err(through_a_link()),
        result => Ok(result?),
    }
}

/// Does the same where the kernel, or what stands before it, has no `openat2`.
fn part_by_part(root: OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    let mut folder = root;
    for part in path {
        folder = match openat(&folder, part, HOLD | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(next) => next,
            Err(Errno::NOTDIR | Errno::LOOP) if is_link(&folder, part) => return Err(through_a_link()),
            Err(error) => return Err(error.into()),
        };
    }
    Ok(folder)
}

fn is_link(folder: &OwnedFd, name: &OsStr) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Why a folder is not opened.
#[derive(Debug, thiserror::Error)]
#[error("a folder on the way to it is a link by now")]
struct ThroughLink;

fn through_a_link() -> io::Error {
    io::Error::other(ThroughLink)
}

/// Returns whether a place was not found because a part of the way to it is a link.
pub(super) fn is_through_a_link(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|cause| cause.is::<ThroughLink>())
}

fn names(folder: &OwnedFd) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    Ok(names)
}

fn take_away(folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let inside = openat(folder, name, flags, Mode::empty())?;
    for name in names(&inside)? {
        take_away(&inside, &name)?;
    }
    match unlinkat(folder.as_fd(), name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_part_of_the_way_is_a_link_with_or_without_openat2() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("a/b/c")).unwrap();
        fs::write(root.join("a/b/c/file"), "text").unwrap();
        symlink(root.join("a/b"), root.join("a/link")).unwrap();
        let held = || openat(CWD, "/", HOLD, Mode::empty()).unwrap();
        let below = |path: &str| root.join(path).strip_prefix("/").unwrap().to_owned();
        for (path, leads) in [("a/b/c", true), ("a/link/c", false), ("a/link", false), ("a/none", false)] {
            assert_eq!(hold(&root.join(path)).is_ok(), leads, "{path}");
            assert_eq!(part_by_part(held(), &below(path)).is_ok(), leads, "{path}");
        }
        for error in [hold(&root.join("a/link/c")).unwrap_err(), part_by_part(held(), &below("a/link/c")).unwrap_err()]
        {
            assert_eq!(error.to_string(), "a folder on the way to it is a link by now");
        }
        assert!(Place::of(&root.join("a/../a/b")).is_err(), "a way back is none from the root");
        assert!(Place::making(&root.join("a/link/new/file")).is_err());
        Place::making(&root.join("a/new/deep/file")).unwrap();
        assert!(root.join("a/new/deep").is_dir() && !root.join("a/b/new").exists());
    }

    #[test]
    fn a_link_at_the_end_is_the_thing_itself() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("kept")).unwrap();
        fs::write(root.join("kept/file"), "text").unwrap();
        symlink("kept", root.join("link")).unwrap();
        let place = Place::of(&root.join("link")).unwrap();
        assert!(place.read().is_err() && place.write().is_err() && place.names().is_err());
        assert!(place.set_mode(0o777).is_err());
        place.take_away().unwrap();
        assert!(fs::read_to_string(root.join("kept/file")).is_ok(), "what it led to stays");
        Place::of(&root.join("kept")).unwrap().take_away().unwrap();
        assert!(!root.join("kept").exists());
    }
}
