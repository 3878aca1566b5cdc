//! Archives that hold nothing of the machine: sorted, owned by root, with one time for all.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Context;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::entry::Entry;

/// Packs files and the folders above them; `clock` is seconds since 1970.
pub(super) fn gz(entries: &[Entry], clock: u64) -> anyhow::Result<Vec<u8>> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|left, right| left.path.cmp(&right.path));
    let mut archive = Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    for entry in sorted {
        let above = entry.path.match_indices('/').filter_map(|(at, _)| entry.path.get(..=at));
        for folder in above.filter(|folder| *folder != "./") {
            if folders.insert(folder.to_owned()) {
                let mut header = header(EntryType::Directory, 0o755, 0, clock);
                archive.append_data(&mut header, folder, std::io::empty()).with_context(|| folder.to_owned())?;
            }
        }
        let size = u64::try_from(entry.bytes.len())?;
        let mut header = header(EntryType::Regular, entry.mode(), size, clock);
        archive.append_data(&mut header, &entry.path, entry.bytes.as_slice()).with_context(|| entry.path.clone())?;
    }
    compress(&archive.into_inner()?)
}

/// Compresses without a name and a time.
pub(super) fn compress(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

fn header(kind: EntryType, mode: u32, size: u64, clock: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(clock);
    header.set_uid(0);
    header.set_gid(0);
    header
}
