//! Attributes of a file as they are compared, put back and copied.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, StatxFlags, StatxTimestamp, Timespec, Timestamps, Uid, XattrFlags, statx,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// Overlayfs keeps notes of its own under these names.
const OVERLAY: &[u8] = b"user.overlay.";

/// Bytes of one extended attribute; the kernel allows no more.
const LONGEST_VALUE: usize = 65_536;

/// Opens a file for reading and leaves its time of access alone where it is the caller's own: by that a layer tells a file
/// that was written where it is from a new one in its place.
///
/// Nothing is waited for: a FIFO, which a command may have put there, is open at once and empty.
pub(crate) fn open(path: &Path) -> io::Result<fs::File> {
    let plain = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let opened = match rustix::fs::open(path, plain | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => rustix::fs::open(path, plain, Mode::empty()),
        opened => opened,
    };
    Ok(opened?.into())
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// Overlayfs's mark for "deleted".
    Whiteout,
    /// A device, a socket or a FIFO.
    Special,
}

impl FileKind {
    fn of(mode: u32, is_zero_device: bool) -> Self {
        match mode & 0o170_000 {
            0o100_000 => Self::File,
            0o040_000 => Self::Folder,
            0o120_000 => Self::Link,
            0o020_000 if is_zero_device => Self::Whiteout,
            _ => Self::Special,
        }
    }
}

/// Attributes of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attributes {
    pub(crate) kind: FileKind,
    pub(crate) inode: u64,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) size: u64,
    pub(crate) links: u64,
    pub(crate) modified: (i64, i64),
    pub(crate) changed: (i64, i64),
}

impl Attributes {
    /// Reads a path's own attributes, not those of what a link leads to; none where nothing is there.
    pub(crate) fn of(path: &Path) -> io::Result<Option<Self>> {
        match fs::symlink_metadata(path) {
            Ok(meta) => Ok(Some(Self::from_metadata(&meta))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The same of a name in an open folder.
    pub(crate) fn within(folder: impl std::os::fd::AsFd, name: &Path) -> io::Result<Option<Self>> {
        let stat = match statx(folder, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
            stat => stat?,
        };
        let mode = u32::from(stat.stx_mode);
        let kind = FileKind::of(mode, stat.stx_rdev_major == 0 && stat.stx_rdev_minor == 0);
        let time = |time: StatxTimestamp| (time.tv_sec, i64::from(time.tv_nsec));
        Ok(Some(Self {
            kind,
            inode: stat.stx_ino,
            mode: mode & 0o7777,
            uid: stat.stx_uid,
            gid: stat.stx_gid,
            size: if kind == FileKind::Folder { 0 } else { stat.stx_size },
            links: u64::from(stat.stx_nlink),
            modified: time(stat.stx_mtime),
            changed: time(stat.stx_ctime),
        }))
    }

    pub(crate) fn from_metadata(meta: &fs::Metadata) -> Self {
        let kind = FileKind::of(meta.mode(), meta.rdev() == 0);
        Self {
            kind,
            inode: meta.ino(),
            mode: meta.mode() & 0o7777,
            uid: meta.uid(),
            gid: meta.gid(),
            size: if kind == FileKind::Folder { 0 } else { meta.size() },
            links: meta.nlink(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Says whether the file is still the same one with the same content, as far as its attributes tell.
    pub(crate) fn is_same_version(&self, other: &Self) -> bool {
        self.inode == other.inode
            && self.size == other.size
            && self.modified == other.modified
            && self.kind == other.kind
    }

    /// Says whether mode, owner and time of a folder are equal.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.permissions() == other.permissions() && self.modified == other.modified
    }

    /// Mode and owner.
    pub(crate) fn permissions(&self) -> (u32, u32, u32) {
        (self.mode, self.uid, self.gid)
    }

    /// Puts the time of modification back, and mode and owner where they differ from others: what is the same in both was
    /// not changed by whoever changed the one to the other, and may be another's by now.
    pub(crate) fn apply_changed(&self, other: &Self, folder: impl std::os::fd::AsFd, name: &Path) -> io::Result<()> {
        let folder = folder.as_fd();
        let now = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let keep = |same: bool, now: u32, own: u32| if same { now } else { own };
        let wanted = Self {
            mode: keep(self.mode == other.mode, now.st_mode & 0o7777, self.mode),
            uid: keep(self.uid == other.uid, now.st_uid, self.uid),
            gid: keep(self.gid == other.gid, now.st_gid, self.gid),
            ..self.clone()
        };
        wanted.apply(folder, name)
    }

    /// Puts mode, owner where the system allows it, and time of modification back.
    pub(crate) fn apply(&self, folder: impl std::os::fd::AsFd, name: &Path) -> io::Result<()> {
        let folder = folder.as_fd();
        let now = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if (now.st_uid, now.st_gid) != (self.uid, self.gid) {
            let (uid, gid) = (Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid)));
            let done = rustix::fs::chownat(folder, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW);
            if done.is_err() {
                // Another's name cannot be given; the group may be one's own.
                let _ = rustix::fs::chownat(folder, name, None, gid, AtFlags::SYMLINK_NOFOLLOW);
            }
        }
        if self.kind != FileKind::Link && (now.st_mode & 0o7777) != self.mode {
            rustix::fs::chmodat(folder, name, Mode::from_raw_mode(self.mode), AtFlags::empty())?;
        }
        let omit = Timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT };
        let modified = Timespec { tv_sec: self.modified.0, tv_nsec: self.modified.1 };
        let times = Timestamps { last_access: omit, last_modification: modified };
        rustix::fs::utimensat(folder, name, &times, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(())
    }
}

/// Bytes of names and values that are read without a buffer of the greatest length, which takes time to be made.
const USUAL: usize = 1024;

/// Reads into a buffer of the usual length, or of the greatest where that is too short.
fn read(fill: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    let mut usual = [0; USUAL];
    match fill(&mut usual) {
        Ok(length) => Ok(usual.get(..length).unwrap_or_default().to_vec()),
        Err(Errno::RANGE) => {
            let mut longest = vec![0; LONGEST_VALUE];
            let length = fill(&mut longest)?;
            longest.truncate(length);
            Ok(longest)
        }
        Err(error) => Err(error),
    }
}

/// Lists the names of a path's extended attributes.
fn names(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    match read(|buffer| rustix::fs::llistxattr(path, buffer)) {
        Ok(listed) => Ok(listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()),
        Err(Errno::NOTSUP) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Reads the value of an extended attribute.
fn value(path: &Path, name: &[u8]) -> rustix::io::Result<Vec<u8>> {
    read(|buffer| rustix::fs::lgetxattr(path, OsStr::from_bytes(name), buffer))
}

/// Says whether a folder of a layer takes the place of the one below and shows nothing of it.
pub(crate) fn is_opaque(path: &Path) -> bool {
    let mut value = [0; 8];
    rustix::fs::lgetxattr(path, "user.overlay.opaque", &mut value[..])
        .is_ok_and(|length| value.get(..length) == Some(b"y"))
}

/// Says whether overlayfs copied a path of a layer from the one below, as far as it noted where it has it from.
pub(crate) fn is_copied(path: &Path) -> io::Result<bool> {
    Ok(names(path)?.iter().any(|name| name == b"user.overlay.origin"))
}

/// Says whether a path has overlayfs's own notes.
pub(crate) fn has_notes(path: &Path) -> io::Result<bool> {
    Ok(names(path)?.iter().any(|name| name.starts_with(OVERLAY)))
}

/// Takes overlayfs's own notes off a path, and says whether there were any. Time of modification stays.
pub(crate) fn strip(path: &Path) -> io::Result<bool> {
    let mut names = names(path)?;
    names.retain(|name| name.starts_with(OVERLAY));
    for name in &names {
        even_read_only(path, || rustix::fs::lremovexattr(path, OsStr::from_bytes(name)))?;
    }
    Ok(!names.is_empty())
}

/// Changes extended attributes of a path, also where its mode forbids its owner to write (as git's objects do): the mode is
/// another one for that moment.
fn even_read_only(path: &Path, change: impl Fn() -> rustix::io::Result<()>) -> rustix::io::Result<()> {
    let done = change();
    if done != Err(Errno::ACCESS) {
        return done;
    }
    let stat = rustix::fs::lstat(path)?;
    let mode = stat.st_mode & 0o7777;
    if stat.st_mode & 0o170_000 == 0o120_000 || mode & 0o200 != 0 {
        return done;
    }
    rustix::fs::chmod(path, Mode::from_raw_mode(mode | 0o200))?;
    let done = change();
    rustix::fs::chmod(path, Mode::from_raw_mode(mode))?;
    done
}

/// Makes a path's extended attributes, access control lists among them, those of another.
pub(crate) fn copy_extended(from: &Path, to: &Path) -> io::Result<()> {
    let wanted: Vec<Vec<u8>> = names(from)?.into_iter().filter(|name| !name.starts_with(OVERLAY)).collect();
    for name in names(to)?.iter().filter(|name| !wanted.contains(name)) {
        if !name.starts_with(OVERLAY) {
            let _ = even_read_only(to, || rustix::fs::lremovexattr(to, OsStr::from_bytes(name)));
        }
    }
    for name in wanted {
        let value = value(from, &name)?;
        let name = OsStr::from_bytes(&name);
        match even_read_only(to, || rustix::fs::lsetxattr(to, name, &value, XattrFlags::empty())) {
            // What the system keeps for itself (labels, capabilities) is not ours to set.
            Ok(()) | Err(Errno::PERM | Errno::NOTSUP | Errno::ACCESS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Says whether two paths have the same extended attributes but for overlayfs's own.
pub(crate) fn has_same_extended(a: &Path, b: &Path) -> io::Result<bool> {
    let own = |path: &Path| -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut all = Vec::new();
        for name in names(path)?.into_iter().filter(|name| !name.starts_with(OVERLAY)) {
            let value = value(path, &name).unwrap_or_default();
            all.push((name, value));
        }
        all.sort();
        Ok(all)
    };
    Ok(own(a)? == own(b)?)
}
