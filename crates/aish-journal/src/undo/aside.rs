//! Contents put aside: by a hard link where only the name goes, else by a shared copy of the file system, else by a copy.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use aish_safety::change::How;

use super::collect::{Collected, FoundEntry};
use super::entry::{self, Kind};
use super::place::Place;

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct AsideReport {
    pub(super) files: u64,
    pub(super) missed: Vec<(PathBuf, String)>,
}

/// Puts everything that was found aside and writes the list of it.
///
/// A content that cannot be read is missed; one that cannot be written fails the whole, for then nothing can be relied on.
pub(super) fn keep(folder: &Path, found: &Collected) -> io::Result<AsideReport> {
    let mut kept = AsideReport::default();
    let mut entries = Vec::with_capacity(found.entries.len());
    for (number, one) in found.entries.values().enumerate() {
        let mut entry = one.entry.clone();
        if needs_content(one) {
            let name = number.to_string();
            match content(&entry.path, &folder.join(&name), one, found.mixed) {
                Ok(()) => entry.content = Some(name),
                Err(Fault::Read(error)) => {
                    kept.missed.push((entry.path.clone(), error.to_string()));
                    continue;
                }
                Err(Fault::Write(error)) => return Err(error),
            }
        }
        kept.files += u64::from(entry.kind != Kind::Absent);
        entries.push(entry);
    }
    entry::store(folder, &entries)?;
    Ok(kept)
}

fn needs_content(found: &FoundEntry) -> bool {
    match found.entry.kind {
        Kind::File => found.how != How::Attributes,
        Kind::Other => matches!(found.how, How::Move | How::Remove),
        Kind::Absent | Kind::Folder | Kind::Link => false,
    }
}

enum Fault {
    Read(io::Error),
    Write(io::Error),
}

fn content(from: &Path, to: &Path, found: &FoundEntry, mixed: bool) -> Result<(), Fault> {
    let link = match found.how {
        How::Remove => found.entry.attributes.links == 1,
        // What is renamed lives on, and what is written to in the same line may be it.
        How::Move => !mixed,
        How::Write | How::Attributes => false,
    };
    let from = Place::of(from).map_err(Fault::Read)?;
    if link && from.link_to(to).is_ok() {
        return Ok(());
    }
    if found.entry.kind != Kind::File {
        return from.link_to(to).map_err(Fault::Read);
    }
    copy(&from, to)
}

fn copy(from: &Place, to: &Path) -> Result<(), Fault> {
    let mut source = from.read().map_err(Fault::Read)?;
    let new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to);
    let mut copy = new.map_err(Fault::Write)?;
    if rustix::fs::ioctl_ficlone(&copy, &source).is_ok() {
        return Ok(());
    }
    io::copy(&mut source, &mut copy).map_err(Fault::Write)?;
    Ok(())
}

/// Returns the bytes that are free for us on a folder's disk.
pub(super) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
