//! Paths through which a process outside takes orders: unix sockets and FIFOs. A read-only mount stops neither.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::sys;

/// Descriptors of other processes that are looked at for FIFOs.
const MOST_DESCRIPTORS: usize = 65_536;
/// Names that are looked at for sockets that got another one.
const MOST_NAMES: usize = 65_536;

/// Lists the paths that unix sockets are bound to, those without a path left out.
///
/// Bound datagram sockets take messages without listening, so that all that are bound are listed. A table has those of one
/// network name space, by the words that each was bound with: a path may be relative to a folder that its process was in, and
/// the socket may have got another name in its folder since.
pub(crate) fn bound() -> Vec<PathBuf> {
    let mut words = table(Path::new("/proc/self/net/unix"));
    let own = fs::read_link("/proc/self/ns/net").ok();
    let (mut spaces, mut folders) = (BTreeSet::new(), BTreeSet::new());
    for process in processes() {
        // Of the processes of others this is not told; neither may they be connected to, as a rule.
        let Ok(space) = fs::read_link(process.join("ns/net")) else { continue };
        if own.as_ref() != Some(&space) && spaces.insert(space) {
            words.extend(table(&process.join("net/unix")));
        }
    }
    let (absolute, relative): (Vec<PathBuf>, Vec<PathBuf>) = words.into_iter().partition(|path| path.is_absolute());
    if !relative.is_empty() {
        folders.extend(processes().filter_map(|process| fs::read_link(process.join("cwd")).ok()));
    }
    let placed = folders.iter().flat_map(|folder| relative.iter().map(|path| folder.join(path)));
    let mut found: BTreeSet<PathBuf> = absolute.into_iter().chain(placed.filter(|path| takes_orders(path))).collect();
    // Where one is not there any more it may have another name; many of them may have lain in one folder.
    let gone = found.iter().filter(|path| path.symlink_metadata().is_err());
    let folders: BTreeSet<PathBuf> = gone.filter_map(|path| path.parent()).map(Path::to_owned).collect();
    let beside = folders.into_iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let sockets = beside.take(MOST_NAMES).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket()));
    found.extend(sockets.map(|entry| entry.path()));
    found.into_iter().collect()
}

/// Lists the paths of a table of unix sockets.
fn table(file: &Path) -> BTreeSet<PathBuf> {
    let table = sys::read_table(file).unwrap_or_default();
    table.split(|byte| *byte == b'\n').skip(1).filter_map(path_of).collect()
}

fn processes() -> impl Iterator<Item = PathBuf> {
    let is_number =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_bytes().iter().all(u8::is_ascii_digit));
    entries(Path::new("/proc")).filter(is_number)
}

/// Returns the path of one line of `/proc/net/unix`: the eighth field, which may have blanks in it.
fn path_of(line: &[u8]) -> Option<PathBuf> {
    let mut rest = line;
    for _ in 0..7 {
        rest = rest.trim_ascii_start();
        let end = rest.iter().position(u8::is_ascii_whitespace)?;
        rest = rest.get(end..)?;
    }
    let path = rest.trim_ascii();
    // An abstract name begins with `@`, which stands for a NUL.
    (!path.is_empty() && !path.starts_with(b"@")).then(|| PathBuf::from(OsStr::from_bytes(path)))
}

/// Lists the FIFOs that processes of this person have open by a path.
///
/// Only where Landlock cannot refuse writing outside the roots: it looks at every descriptor that it may.
pub(crate) fn open_fifos() -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let mut left = MOST_DESCRIPTORS;
    for process in processes() {
        for descriptor in entries(&process.join("fd")) {
            left = left.saturating_sub(1);
            if left == 0 {
                return found.into_iter().collect();
            }
            if let Ok(target) = fs::read_link(&descriptor)
                && target.is_absolute()
                && fs::symlink_metadata(&target).is_ok_and(|meta| meta.file_type().is_fifo())
            {
                found.insert(target);
            }
        }
    }
    found.into_iter().collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Says whether a path is a socket or FIFO now, and not one with several names, which could be reached by another.
pub(crate) fn takes_orders(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| {
        let kind = meta.file_type();
        (kind.is_socket() || kind.is_fifo()) && meta.nlink() > 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_end_of_its_line() {
        let line = b"0000000000000000: 00000002 00000000 00010000 0001 01 12345 /tmp/a b.sock";
        assert_eq!(path_of(line), Some("/tmp/a b.sock".into()));
        assert_eq!(path_of(b"0000000000000000: 00000002 00000000 00010000 0001 01 12345 @abstract"), None);
        assert_eq!(path_of(b"0000000000000000: 00000002 00000000 00010000 0001 01 12345"), None);
        assert_eq!(path_of(b""), None);
    }

    #[test]
    fn what_listens_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.sock");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(bound().contains(&path));
        assert!(takes_orders(&path));
        let fifo = folder.path().join("orders");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
        assert!(!open_fifos().contains(&fifo));
        let _open = fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
        assert!(open_fifos().contains(&fifo));
    }

    #[test]
    fn a_socket_that_got_another_name_is_found_beside_its_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let (first, later) = (folder.path().join("first"), folder.path().join("later"));
        let _listener = std::os::unix::net::UnixListener::bind(&first).unwrap();
        fs::rename(&first, &later).unwrap();
        assert!(bound().contains(&later));
    }
}
