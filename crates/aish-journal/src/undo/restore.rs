//! Bringing a step back, entry by entry: folders from above, contents into their places, attributes last and from below.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use aish_safety::change::{How, Reach};
use rustix::fs::Stat;

use super::attributes;
use super::entry::{Attributes, Entry, Kind};
use super::place::{Place, is_through_a_link};
use super::{Restored, Wanted};

/// What is not as it was.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// Entries that something must be done for.
    pub(super) entries: Vec<Entry>,
    /// Paths in whole folders that were not there.
    pub(super) extras: Vec<PathBuf>,
    /// What is there instead, to be put aside first.
    pub(super) present: Vec<Wanted>,
}

/// Compares what is there with what was.
pub(super) fn differing(folder: &Path, entries: &[Entry]) -> Changed {
    let known: HashSet<&Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    let mut changed = Changed::default();
    for entry in entries {
        let path = &entry.path;
        let (place, meta) = match Place::of(path).and_then(|place| place.look().map(|meta| (place, meta))) {
            Ok(found) => found,
            Err(error) => {
                // What lies behind a link is not what was there; bringing it back fails, and says so.
                let hidden = is_through_a_link(&error);
                let can_come_back = entry.kind != Kind::Absent
                    && (entry.content.is_some() || matches!(entry.kind, Kind::Folder | Kind::Link));
                if hidden || can_come_back {
                    changed.entries.push(entry.clone());
                }
                continue;
            }
        };
        let now = attributes::kind(&meta);
        let alike = Attributes::of(&meta).looks_like(&entry.attributes);
        if now == Kind::Folder && entry.kind == Kind::Folder && meta.st_mode & 0o700 != 0o700 {
            // What is in it cannot be looked at otherwise; its mode is put back at the end.
            let _ = place.set_mode(Attributes::of(&meta).mode | 0o700);
        }
        let same = now == entry.kind
            && match entry.kind {
                Kind::Absent => false,
                Kind::File => match &entry.content {
                    Some(content) => same_content(&place, &folder.join(content)),
                    None => true,
                },
                Kind::Link => place.target().ok() == entry.target,
                Kind::Folder | Kind::Other => true,
            };
        if !same {
            let how = if in_place(entry, &meta) { How::Write } else { How::Remove };
            changed.present.push(Wanted::new(path, how, Reach::Tree));
        } else if !alike && entry.kind != Kind::Folder {
            changed.present.push(Wanted::new(path, How::Attributes, Reach::Itself));
        }
        if !same || !alike {
            changed.entries.push(entry.clone());
        }
        if entry.whole && now == Kind::Folder {
            let names = place.names().unwrap_or_default().into_iter();
            for extra in names.map(|name| path.join(name)).filter(|extra| !known.contains(extra.as_path())) {
                changed.present.push(Wanted::new(&extra, How::Remove, Reach::Tree));
                changed.extras.push(extra);
            }
        }
    }
    changed
}

/// Brings everything back that differs.
pub(super) fn restore(folder: &Path, entries: &[Entry], changed: &Changed, result: &mut Restored) {
    result.same = entries.len().saturating_sub(changed.entries.len());
    for path in &changed.extras {
        note(take_away(path), path, result);
    }
    for entry in changed.entries.iter().rev().filter(|entry| entry.kind == Kind::Absent) {
        let done = take_away(&entry.path);
        if done.is_ok() {
            take_folders_away(entry);
        }
        note(done, &entry.path, result);
    }
    let present: Vec<&Entry> = changed.entries.iter().filter(|entry| entry.kind != Kind::Absent).collect();
    for entry in &present {
        let done = put(folder, entry);
        note(done, &entry.path, result);
    }
    // From below, so that a folder that may not be written is so again only when all in it is done.
    for entry in entries.iter().rev().filter(|entry| entry.kind != Kind::Absent) {
        let was_asked = present.iter().any(|one| one.path == entry.path)
            || entry.kind == Kind::Folder && present.iter().any(|one| one.path.starts_with(&entry.path));
        if was_asked
            && let Err(error) = attributes::put_back(entry)
            && !result.failed.iter().any(|(path, _)| *path == entry.path)
        {
            result.failed.push((entry.path.clone(), error.to_string()));
        }
    }
    let failed: HashSet<PathBuf> = result.failed.iter().map(|(path, _)| path.clone()).collect();
    result.restored.retain(|path| !failed.contains(path));
}

/// Takes the folders away that were made for what was not there, as far as nothing else is in them by now.
fn take_folders_away(entry: &Entry) {
    for folder in entry.path.ancestors().skip(1).take(entry.missing) {
        if Place::of(folder).and_then(|place| place.take_empty_away()).is_err() {
            break;
        }
    }
}

fn note(done: io::Result<()>, path: &Path, result: &mut Restored) {
    match done {
        Ok(()) => result.restored.push(path.to_owned()),
        Err(error) => result.failed.push((path.to_owned(), error.to_string())),
    }
}

fn put(folder: &Path, entry: &Entry) -> io::Result<()> {
    let place = Place::making(&entry.path)?;
    let now = match place.look() {
        Ok(now) => Some(now),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let kind_now = now.as_ref().map_or(Kind::Absent, attributes::kind);
    match entry.kind {
        Kind::Absent => Ok(()),
        Kind::Folder => {
            if kind_now != Kind::Folder {
                place.take_away()?;
                place.make_folder()?;
            }
            place.set_mode(entry.attributes.mode | 0o700)
        }
        Kind::Link => {
            let Some(target) = &entry.target else { return Ok(()) };
            if kind_now == Kind::Link && place.target().ok().as_ref() == Some(target) {
                return Ok(());
            }
            if kind_now == Kind::Folder {
                place.take_away()?;
            }
            place.put_link(target)
        }
        Kind::File | Kind::Other => {
            let Some(content) = &entry.content else { return Ok(()) };
            let content = folder.join(content);
            if kind_now == Kind::File && entry.kind == Kind::File {
                if same_content(&place, &content) {
                    return Ok(());
                }
                if now.as_ref().is_some_and(|now| in_place(entry, now)) {
                    return write_into(&place, entry, &content);
                }
            }
            if kind_now == Kind::Folder {
                place.take_away()?;
            }
            place.put_file(&content, entry.kind == Kind::File)
        }
    }
}

/// Writes a content into the file that is there, if it is still the one that was looked at.
fn write_into(place: &Place, entry: &Entry, content: &Path) -> io::Result<()> {
    let mut file = place.write()?;
    if !in_place(entry, &rustix::fs::fstat(&file)?) {
        return Err(io::Error::other("another file has come into its place meanwhile"));
    }
    file.set_len(0)?;
    io::copy(&mut File::open(content)?, &mut file).map(drop)
}

/// Returns whether a file that has other names too is still the same inode: then it is written, so that those follow.
fn in_place(entry: &Entry, now: &Stat) -> bool {
    let current = Attributes::of(now);
    entry.kind == Kind::File
        && attributes::kind(now) == Kind::File
        && current.links > 1
        && entry.attributes.links > 1
        && (current.device, current.inode) == (entry.attributes.device, entry.attributes.inode)
}

fn take_away(path: &Path) -> io::Result<()> {
    match Place::of(path) {
        Ok(place) => place.take_away(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        Err(error) => Err(error),
    }
}

pub(super) fn same_content(place: &Place, content: &Path) -> bool {
    let compare = || -> io::Result<bool> {
        let (mut a, mut b) = (place.read()?, File::open(content)?);
        if a.metadata()?.len() != b.metadata()?.len() {
            return Ok(false);
        }
        let (mut left, mut right) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
        loop {
            let read = a.read(&mut left)?;
            if read == 0 {
                return Ok(true);
            }
            let (Some(left), Some(right)) = (left.get(..read), right.get_mut(..read)) else { return Ok(false) };
            b.read_exact(right)?;
            if left != right {
                return Ok(false);
            }
        }
    };
    compare().unwrap_or(false)
}
