//! Mode, owner and times of a path: read and put back. A link is never followed.

use std::io;

use rustix::fs::{FileType, Stat};

use super::entry::{Attributes, Entry, Kind};
use super::place::Place;

impl Attributes {
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            seconds: stat.st_mtime,
            nanoseconds: i64::try_from(stat.st_mtime_nsec).unwrap_or_default(),
            device: stat.st_dev,
            inode: stat.st_ino,
            links: stat.st_nlink,
        }
    }

    /// Returns whether a person would see the same.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        let seen = |a: &Self| (a.mode, a.uid, a.gid, a.seconds, a.nanoseconds);
        seen(self) == seen(other)
    }
}

pub(super) fn kind(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => Kind::Link,
        FileType::Directory => Kind::Folder,
        FileType::RegularFile => Kind::File,
        _ => Kind::Other,
    }
}

/// Returns the bytes of a file's content.
pub(super) fn length(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or_default()
}

/// Puts the attributes of an entry back on what is at its path. An owner that cannot be set is left: only root may.
pub(super) fn put_back(entry: &Entry) -> io::Result<()> {
    let wanted = &entry.attributes;
    let place = Place::of(&entry.path)?;
    let now = Attributes::of(&place.look()?);
    if now.looks_like(wanted) {
        return Ok(());
    }
    if (now.uid, now.gid) != (wanted.uid, wanted.gid) {
        // The owner first: setting it takes set-user-id away.
        let _ = place.set_owner(wanted.uid, wanted.gid);
    }
    if entry.kind != Kind::Link {
        place.set_mode(wanted.mode)?;
    }
    place.set_time(wanted.seconds, wanted.nanoseconds)
}
