//! Attributes of a file as they are compared, put back and copied.

use std::fs;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, Stat, Statx, StatxFlags, StatxTimestamp, Timespec, Timestamps, Uid, statx,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::beneath::opened;

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
        match statx(folder, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS) {
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            stat => Ok(Some(Self::from_stat(&stat?))),
        }
    }

    /// The same of what is open.
    pub(crate) fn of_open(opened: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self::from_stat(&statx(opened, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)?))
    }

    fn from_stat(stat: &Statx) -> Self {
        let mode = u32::from(stat.stx_mode);
        let kind = FileKind::of(mode, stat.stx_rdev_major == 0 && stat.stx_rdev_minor == 0);
        let time = |time: StatxTimestamp| (time.tv_sec, i64::from(time.tv_nsec));
        Self {
            kind,
            inode: stat.stx_ino,
            mode: mode & 0o7777,
            uid: stat.stx_uid,
            gid: stat.stx_gid,
            size: if kind == FileKind::Folder { 0 } else { stat.stx_size },
            links: u64::from(stat.stx_nlink),
            modified: time(stat.stx_mtime),
            changed: time(stat.stx_ctime),
        }
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

    /// Says whether it is a file with several names.
    pub(crate) fn has_names(&self) -> bool {
        self.kind == FileKind::File && self.links > 1
    }

    /// Says whether mode, owner and time of a folder are equal.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        self.permissions() == other.permissions() && self.modified == other.modified
    }

    /// Mode and owner.
    pub(crate) fn permissions(&self) -> (u32, u32, u32) {
        (self.mode, self.uid, self.gid)
    }

    /// Returns what attributes are to become: these where they differ from others, and else what they are now. What is the
    /// same in both was not changed by whoever changed the one to the other, and may be another's by now. The time of
    /// modification is these' own for folders, whose entries change it. None where something that differs is as in neither.
    pub(crate) fn in_place_of(&self, other: &Self, now: &Self) -> Option<Self> {
        fn merge<T: PartialEq + Copy>(own: T, other: T, now: T) -> Option<T> {
            if own == other { Some(now) } else { (now == own || now == other).then_some(own) }
        }
        let modified = match self.kind {
            FileKind::Folder => Some(self.modified),
            _ => merge(self.modified, other.modified, now.modified),
        };
        Some(Self {
            mode: merge(self.mode, other.mode, now.mode)?,
            uid: merge(self.uid, other.uid, now.uid)?,
            gid: merge(self.gid, other.gid, now.gid)?,
            modified: modified?,
            ..self.clone()
        })
    }

    /// Puts mode, owner where the system allows it, and time of modification back.
    pub(crate) fn apply(&self, folder: impl std::os::fd::AsFd, name: &Path) -> io::Result<()> {
        let folder = folder.as_fd();
        let now = self.give_owner(folder, name)?;
        if self.kind != FileKind::Link && (now.st_mode & 0o7777) != self.mode {
            rustix::fs::chmodat(folder, name, Mode::from_raw_mode(self.mode), AtFlags::empty())?;
        }
        rustix::fs::utimensat(folder, name, &self.times(), AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(())
    }

    /// Puts the owner back where the system allows it, and returns what was there.
    pub(crate) fn give_owner(&self, folder: BorrowedFd<'_>, name: &Path) -> io::Result<Stat> {
        let now = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if (now.st_uid, now.st_gid) != (self.uid, self.gid) {
            let (uid, gid) = (Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid)));
            let done = rustix::fs::chownat(folder, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW);
            if done.is_err() {
                // Another's name cannot be given; the group may be one's own.
                let _ = rustix::fs::chownat(folder, name, None, gid, AtFlags::SYMLINK_NOFOLLOW);
            }
        }
        Ok(now)
    }

    /// Puts all that back of an open folder, which may be one that its owner cannot enter.
    pub(crate) fn apply_to_open(&self, folder: BorrowedFd<'_>) -> io::Result<()> {
        let now = Self::of_open(folder)?;
        if (now.uid, now.gid) != (self.uid, self.gid) {
            let (uid, gid) = (Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid)));
            if rustix::fs::chownat(folder, "", uid, gid, AtFlags::EMPTY_PATH).is_err() {
                let _ = rustix::fs::chownat(folder, "", None, gid, AtFlags::EMPTY_PATH);
            }
        }
        let path = opened(folder);
        rustix::fs::utimensat(rustix::fs::CWD, &path, &self.times(), AtFlags::empty())?;
        if Self::of_open(folder)?.mode != self.mode {
            rustix::fs::chmod(&path, Mode::from_raw_mode(self.mode))?;
        }
        Ok(())
    }

    fn times(&self) -> Timestamps {
        let omit = Timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT };
        let modified = Timespec { tv_sec: self.modified.0, tv_nsec: self.modified.1 };
        Timestamps { last_access: omit, last_modification: modified }
    }
}
