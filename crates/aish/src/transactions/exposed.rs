//! Whether a line that nothing holds may read what is hidden from one that a layer holds.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use aish_safety::Reads;

use crate::confinement::Confinement;
use crate::failure::Failure;

/// What may be read of `/proc`, `/sys` and `/dev`, where processes and the kernel show more than files.
const SHOWN_BY_THE_KERNEL: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/version",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/mounts",
    "/proc/self/mounts",
    "/proc/filesystems",
    "/proc/swaps",
    "/proc/partitions",
    "/proc/stat",
];

/// Folders in which files are more than what was written into them.
const KERNELS: &[&str] = &["/proc", "/sys", "/dev"];

/// Returns why a line that was judged to be harmless may read what is hidden; none where it does not.
pub(super) fn why(reads: &Reads, folder: &Path, confinement: Result<Confinement, Failure>) -> Option<String> {
    if !reads.known {
        let why = "nothing keeps it from hidden files here, and which files it reads is not known from its text";
        return Some(why.to_owned());
    }
    if reads.named.is_empty() {
        return None;
    }
    let confinement = match confinement {
        Ok(confinement) => confinement,
        Err(why) => return Some(format!("what is to be hidden from it is not known: {why}")),
    };
    reads.named.iter().find_map(|path| {
        let path = folder.join(path.folder.as_deref().unwrap_or_default()).join(&path.text);
        what_is_hidden(&path, &confinement).map(|what| format!("{} {what}", path.display()))
    })
}

/// Returns what of a file is hidden, in words that go on after its name; none where nothing is.
fn what_is_hidden(path: &Path, confinement: &Confinement) -> Option<&'static str> {
    if SHOWN_BY_THE_KERNEL.iter().any(|known| path == Path::new(known)) {
        return None;
    }
    let real: PathBuf = match fs::canonicalize(path) {
        Ok(real) => real,
        // It may be no name of a file; as one it cannot be opened.
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return None;
        }
        Err(_) => return Some("cannot be looked at, and nothing keeps it from hidden files here"),
    };
    if confinement.hides(&real) {
        return Some("is hidden from commands");
    }
    if KERNELS.iter().any(|folder| real.starts_with(folder)) {
        return Some("shows more than a file, and nothing keeps it from that here");
    }
    let kind = fs::metadata(&real).ok()?.file_type();
    match () {
        () if kind.is_dir() => Some("is a folder, and nothing keeps it from hidden files in it here"),
        () if kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device() => {
            Some("is no plain file")
        }
        () => None,
    }
}
