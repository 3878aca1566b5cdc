//! Mode, owner and times of a path: read and put back. A link is never followed.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};

use super::entry::{Attributes, Entry, Kind};

impl Attributes {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self {
            mode: meta.mode() & 0o7777,
            uid: meta.uid(),
            gid: meta.gid(),
            seconds: meta.mtime(),
            nanoseconds: meta.mtime_nsec(),
            device: meta.dev(),
            inode: meta.ino(),
            links: meta.nlink(),
        }
    }

    /// Says whether a person would see the same.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        let seen = |a: &Self| (a.mode, a.uid, a.gid, a.seconds, a.nanoseconds);
        seen(self) == seen(other)
    }
}

pub(super) fn kind(meta: &Metadata) -> Kind {
    match meta.file_type() {
        kind if kind.is_symlink() => Kind::Link,
        kind if kind.is_dir() => Kind::Folder,
        kind if kind.is_file() => Kind::File,
        _ => Kind::Other,
    }
}

/// Puts the attributes of an entry back on what is at its path. An owner that cannot be set is left: only root may.
pub(super) fn put_back(path: &Path, entry: &Entry) -> io::Result<()> {
    let wanted = &entry.attributes;
    let now = Attributes::of(&fs::symlink_metadata(path)?);
    if now.looks_like(wanted) {
        return Ok(());
    }
    if (now.uid, now.gid) != (wanted.uid, wanted.gid) {
        // The owner first: setting it takes set-user-id away.
        let _ = lchown(path, Some(wanted.uid), Some(wanted.gid));
    }
    if entry.kind != Kind::Link {
        fs::set_permissions(path, Permissions::from_mode(wanted.mode))?;
    }
    let time = |tv_sec, tv_nsec| Timespec { tv_sec, tv_nsec };
    let times =
        Timestamps { last_access: time(0, UTIME_OMIT), last_modification: time(wanted.seconds, wanted.nanoseconds) };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(())
}
