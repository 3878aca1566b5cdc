//! File systems whose folders tell by their time of change whether they are as they were.

use std::os::fd::AsFd;

use rustix::fs::fstatfs;

/// Those that note each change of a folder in its time of change, which no program sets: ext, XFS, Btrfs, F2FS, ZFS, bcachefs and
/// tmpfs, by their numbers in linux/magic.h and in the sources of the last two.
const NOTING: &[u32] = &[0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E, 0x0102_1994];

/// Says whether a folder is on such a file system; one of a server or of a program of the person may keep no such time.
pub(crate) fn notes_changes(folder: impl AsFd) -> bool {
    // The numbers have 32 bits; some architectures give them a sign.
    fstatfs(folder).is_ok_and(|system| NOTING.iter().any(|known| i64::from(*known) == system.f_type & 0xFFFF_FFFF))
}
