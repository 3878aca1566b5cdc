//! Does a step still say anything? Only looks, where [`super::restore::differing`] makes way for what it is to bring back.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use super::attributes;
use super::entry::{Attributes, Entry, Kind};
use super::place::Place;
use super::restore::same_content;

/// Bytes of contents that are compared; a step with more of them counts as one that changed something.
const COMPARED: u64 = 64 * 1024 * 1024;

/// Returns whether everything is as it was put aside. What cannot be looked at is not.
pub(super) fn is_as_it_was(folder: &Path, entries: &[Entry]) -> bool {
    let known: HashSet<&Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    let mut left = COMPARED;
    entries.iter().all(|entry| {
        let (place, meta) = match Place::of(&entry.path).and_then(|place| place.look().map(|meta| (place, meta))) {
            Ok(found) => found,
            Err(error) => return entry.kind == Kind::Absent && error.kind() == io::ErrorKind::NotFound,
        };
        if attributes::kind(&meta) != entry.kind || !Attributes::of(&meta).looks_like(&entry.attributes) {
            return false;
        }
        match entry.kind {
            Kind::Absent => false,
            Kind::File => entry.content.as_ref().is_none_or(|content| {
                let rest = left.checked_sub(u64::try_from(meta.st_size).unwrap_or(u64::MAX));
                left = rest.unwrap_or(0);
                rest.is_some() && same_content(&place, &folder.join(content))
            }),
            Kind::Link => place.target().ok() == entry.target,
            Kind::Folder if entry.whole => place
                .names()
                .is_ok_and(|names| names.into_iter().all(|name| known.contains(entry.path.join(name).as_path()))),
            Kind::Folder | Kind::Other => true,
        }
    })
}
