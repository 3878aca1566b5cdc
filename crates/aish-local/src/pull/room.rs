//! Whether there is room for a model, on the disk and in the memory.

use std::fs;
use std::path::Path;

use super::{Progress, PullError};

/// What stays free on the disk: 256 MB.
const SPARE: u64 = 256_000_000;

/// What a model of a size takes of the memory when it answers: itself, and an eighth for its context.
const fn needed(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / 8)
}

/// The room on this machine, in bytes; none where it cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// Free on the disk of the models' folder.
    pub disk: Option<u64>,
    /// All memory that this process may have.
    pub memory: Option<u64>,
    /// What of it is free.
    pub free_memory: Option<u64>,
}

impl Room {
    /// Looks at this machine; `folder` is where the models are.
    pub fn here(folder: &Path) -> Self {
        let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
        Self {
            disk: free_on_disk(folder),
            memory: least(kilobytes(&meminfo, "MemTotal:"), limit),
            free_memory: least(kilobytes(&meminfo, "MemAvailable:"), limit),
        }
    }

    /// Refuses a download of so many bytes, `here` of which are here already, that has no room; says so where the memory is short
    /// now, which may pass.
    pub(crate) fn check(
        self,
        bytes: u64,
        here: u64,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), PullError> {
        let wanted = bytes.saturating_sub(here).saturating_add(SPARE);
        if let Some(free) = self.disk.filter(|free| *free < wanted) {
            return Err(PullError::NoDisk { needed: wanted, free });
        }
        if let Some(memory) = self.memory.filter(|memory| *memory < needed(bytes)) {
            return Err(PullError::NoMemory { needed: needed(bytes), memory });
        }
        if let Some(free) = self.free_memory.filter(|free| *free < needed(bytes)) {
            progress(Progress::ShortOfMemory { needed: needed(bytes), free });
        }
        Ok(())
    }
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// Reads a line of `/proc/meminfo`: `MemTotal:  24615572 kB`.
fn kilobytes(meminfo: &str, key: &str) -> Option<u64> {
    let rest = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns what is free for this person on the disk of a folder, or of the nearest one above that is there.
fn free_on_disk(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let found = rustix::fs::statvfs(there).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(room: Room, bytes: u64, here: u64) -> (Result<(), PullError>, Vec<Progress>) {
        let mut seen = Vec::new();
        let checked = room.check(bytes, here, &mut |progress| seen.push(progress));
        (checked, seen)
    }

    #[test]
    fn what_has_no_room_is_not_begun() {
        let room = Room { disk: Some(1_000_000_000), memory: Some(8_000_000_000), free_memory: Some(500_000_000) };
        assert!(matches!(check(room, 800_000_000, 0).0, Err(PullError::NoDisk { free: 1_000_000_000, .. })));
        assert!(check(room, 800_000_000, 100_000_000).0.is_ok(), "what is here needs no room");
        let large = Room { disk: None, ..room };
        assert!(matches!(check(large, 7_500_000_000, 0).0, Err(PullError::NoMemory { .. })));
        let (checked, seen) = check(large, 800_000_000, 0);
        assert!(checked.is_ok());
        assert_eq!(seen, [Progress::ShortOfMemory { needed: 900_000_000, free: 500_000_000 }]);
        assert!(check(Room::default(), u64::MAX, 0).0.is_ok(), "where nothing is known nothing is refused");
    }

    #[test]
    fn this_machine_has_some_room() {
        let folder = tempfile::tempdir().unwrap();
        let room = Room::here(&folder.path().join("not/made/yet"));
        assert!(room.disk.is_some_and(|bytes| bytes > 0), "{room:?}");
        assert!(room.memory.is_some_and(|bytes| bytes > 100_000_000), "{room:?}");
        assert_eq!(kilobytes("MemTotal:       24 kB\n", "MemTotal:"), Some(24 * 1024));
    }
}
