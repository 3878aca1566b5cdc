//! Through which mounts a file is visible: what is hidden under one path is hidden under each.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::sys;
use crate::view::unescape;

/// A mount: a folder of a file system, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    device: Vec<u8>,
    folder: PathBuf,
    place: PathBuf,
}

/// The mounts that this process sees.
#[derive(Debug, Default)]
pub(crate) struct Mounts {
    all: Vec<Mount>,
    /// Whether some file system is mounted more than once.
    any_twice: bool,
}

impl Mounts {
    /// Reads the table of mounts; where there is none, every file has one path.
    pub(crate) fn read() -> Self {
        Self::parse(&sys::read_table(Path::new("/proc/self/mountinfo")).unwrap_or_default())
    }

    fn parse(table: &[u8]) -> Self {
        let mount = |line: &[u8]| {
            let mut fields = line.split(|byte| *byte == b' ').skip(2);
            Some(Mount {
                device: fields.next()?.to_vec(),
                folder: unescape(fields.next()?),
                place: unescape(fields.next()?),
            })
        };
        let all: Vec<Mount> = table.split(|byte| *byte == b'\n').filter_map(mount).collect();
        let mut devices: Vec<&[u8]> = all.iter().map(|mount| mount.device.as_slice()).collect();
        devices.sort_unstable();
        let any_twice = devices.windows(2).any(|pair| matches!(pair, [one, other] if one == other));
        Self { all, any_twice }
    }

    /// Adds the other paths of files and folders, which have no links in theirs, and those below which a part of such a folder is;
    /// but none that is around a folder that is worked in.
    pub(crate) fn add_others(&self, paths: &mut Vec<PathBuf>, open: &[PathBuf]) {
        if !self.any_twice {
            return;
        }
        let mut found: Vec<PathBuf> = paths.iter().flat_map(|path| self.others(path)).collect();
        found.retain(|path| !open.iter().any(|inside| inside.starts_with(path)));
        paths.append(&mut found);
        paths.sort();
        paths.dedup();
    }

    fn others(&self, path: &Path) -> Vec<PathBuf> {
        let around = self.all.iter().filter(|mount| path.starts_with(&mount.place));
        // Of several at one place the last lies over the others.
        let Some(own) = around.max_by_key(|mount| mount.place.as_os_str().len()) else { return Vec::new() };
        let Ok(below) = path.strip_prefix(&own.place) else { return Vec::new() };
        let inner = join(&own.folder, below);
        let others = self.all.iter().filter(|mount| mount.device == own.device && *mount != own);
        let paths = others.filter_map(|mount| {
            if let Ok(below) = inner.strip_prefix(&mount.folder) {
                let other = join(&mount.place, below);
                return is_same(path, &other).then_some(other);
            }
            let below = mount.folder.strip_prefix(&inner).ok()?;
            let part = join(path, below);
            // Behind a folder that cannot be entered nobody can tell; it seems empty then, too.
            (is_same(&part, &mount.place) || part.symlink_metadata().is_err()).then(|| mount.place.clone())
        });
        paths.filter(|other| other != path).collect()
    }
}

/// Joins paths, without a slash behind one that nothing follows.
fn join(folder: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(below) }
}

/// Says whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| fs::symlink_metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    file(one).is_some_and(|found| file(other) == Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_with_one_mount_has_no_other_paths() {
        let table = b"27 1 254:0 / / rw - ext4 /dev/vda rw\n22 27 0:21 / /proc rw - proc proc rw\n";
        let mounts = Mounts::parse(table);
        assert!(!mounts.any_twice);
        let mut paths = vec![PathBuf::from("/etc/passwd")];
        mounts.add_others(&mut paths, &[]);
        assert_eq!(paths, [PathBuf::from("/etc/passwd")]);
    }

    #[test]
    fn what_the_table_claims_is_looked_at() {
        let table = b"27 1 254:0 / / rw - ext4 /dev/vda rw\n28 27 254:0 /etc /nowhere rw - ext4 /dev/vda rw\n";
        let mounts = Mounts::parse(table);
        assert!(mounts.any_twice);
        assert!(mounts.others(Path::new("/etc/passwd")).is_empty());
    }
}
