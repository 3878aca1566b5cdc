//! What is at the wanted paths, found by looking: one entry a path, however often it is named.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use aish_safety::change::{How, Reach, matches_pattern};
use rustix::fs::{FileType, Stat};

use super::Wanted;
use super::attributes;
use super::entry::{Attributes, Entry, Kind};
use super::place::Place;

/// The most entries of one step.
const MAX_ENTRIES: usize = 200_000;

/// One entry and how it will be changed.
#[derive(Debug, Clone)]
pub(super) struct FoundEntry {
    pub(super) entry: Entry,
    pub(super) how: How,
    pub(super) length: u64,
}

/// All entries of a step.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) entries: BTreeMap<PathBuf, FoundEntry>,
    /// Bytes of the contents; what is only renamed counts nothing.
    pub(super) bytes: u64,
    /// Bytes that must be copied, as far as is known.
    pub(super) copied: u64,
    pub(super) missed: Vec<(PathBuf, String)>,
    /// True where something is written or has its attributes changed beside what is renamed: the renamed may be the one.
    pub(super) mixed: bool,
}

/// Looks at every wanted path. What is too large, or cannot be read, is missed as a whole.
pub(super) fn collect(wanted: &[Wanted], own: &Path, max_bytes: u64) -> Collected {
    let device = fs::metadata(own).map(|meta| meta.dev()).unwrap_or_default();
    let mut all = Collected {
        mixed: wanted.iter().any(|wanted| matches!(wanted.how, How::Write | How::Attributes)),
        ..Collected::default()
    };
    for one in wanted {
        let path = settled(&one.path);
        if path.starts_with(own) || own.starts_with(&path) && one.reach == Reach::Tree {
            all.missed.push((path, "it holds what is put aside for undo".to_owned()));
            continue;
        }
        let mut part = Part { entries: BTreeMap::new(), own, wanted: one, top: &path };
        match part.walk(&path).map(|()| part.entries) {
            Ok(entries) => all.take(path, entries, device, max_bytes),
            Err(error) => all.missed.push((path, error.to_string())),
        }
    }
    all
}

impl Collected {
    fn take(&mut self, path: PathBuf, part: BTreeMap<PathBuf, FoundEntry>, device: u64, max_bytes: u64) {
        let new = |found: &&FoundEntry| match self.entries.get(&found.entry.path) {
            Some(known) => found.how > known.how && known.how <= How::Move,
            None => true,
        };
        let bytes: u64 =
            part.values().filter(new).filter(|found| found.how > How::Move).map(|found| found.length).sum();
        if self.bytes.saturating_add(bytes) > max_bytes {
            let why = format!("it is too large: {bytes} bytes, and undo.max_bytes is {max_bytes}");
            self.missed.push((path, why));
            return;
        }
        self.bytes += bytes;
        for (path, found) in part {
            let copied =
                found.how == How::Write || found.entry.attributes.device != device && found.how > How::Attributes;
            if copied && found.entry.kind == Kind::File {
                self.copied = self.copied.saturating_add(found.length);
            }
            match self.entries.get_mut(&path) {
                Some(known) => {
                    known.how = known.how.max(found.how);
                    known.entry.whole |= found.entry.whole;
                }
                None => {
                    self.entries.insert(path, found);
                }
            }
        }
    }
}

struct Part<'a> {
    entries: BTreeMap<PathBuf, FoundEntry>,
    own: &'a Path,
    wanted: &'a Wanted,
    /// Where the walk begins: that is wanted whatever its name is.
    top: &'a Path,
}

impl Part<'_> {
    fn walk(&mut self, path: &Path) -> io::Result<()> {
        let (place, meta) = match Place::of(path).and_then(|place| place.look().map(|meta| (place, meta))) {
            Ok(found) => found,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                self.absent(path);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if path.starts_with(self.own) {
            return Err(io::Error::other("it holds what is put aside for undo"));
        }
        if self.entries.len() >= MAX_ENTRIES {
            return Err(io::Error::other(format!("it holds more than {MAX_ENTRIES} files")));
        }
        let kind = attributes::kind(&meta);
        let how = self.wanted.how;
        if kind == Kind::Other && how == How::Write {
            // Nothing of a pipe or a terminal is lost; of a disk everything may be.
            if FileType::from_raw_mode(meta.st_mode) == FileType::BlockDevice {
                return Err(io::Error::other("it is a device"));
            }
            return Ok(());
        }
        if path == self.top || self.is_wanted(path.file_name().unwrap_or_default()) {
            self.add(path, &place, &meta, how)?;
        }
        if kind == Kind::Link && matches!(how, How::Write | How::Attributes) {
            self.behind(path)?;
        }
        if kind == Kind::Folder && self.wanted.reach == Reach::Tree {
            for name in place.names()? {
                self.walk(&path.join(name))?;
            }
        }
        Ok(())
    }

    fn is_wanted(&self, name: &OsStr) -> bool {
        let names = &self.wanted.names;
        names.is_empty() || names.iter().any(|pattern| matches_pattern(pattern, &name.to_string_lossy()))
    }

    fn add(&mut self, path: &Path, place: &Place, meta: &Stat, how: How) -> io::Result<()> {
        let kind = attributes::kind(meta);
        let target = if kind == Kind::Link { Some(place.target()?) } else { None };
        let entry = Entry {
            path: path.to_owned(),
            kind,
            attributes: Attributes::of(meta),
            content: None,
            target,
            whole: kind == Kind::Folder && how == How::Write && self.wanted.reach == Reach::Tree,
            missing: 0,
        };
        let length = if kind == Kind::File { attributes::length(meta) } else { 0 };
        self.entries.insert(path.to_owned(), FoundEntry { entry, how, length });
        Ok(())
    }

    /// What a link leads to is what is written or changed.
    fn behind(&mut self, path: &Path) -> io::Result<()> {
        let Ok(target) = fs::canonicalize(path) else { return Ok(()) };
        let place = Place::of(&target)?;
        let meta = place.look()?;
        match attributes::kind(&meta) {
            Kind::File => self.add(&target, &place, &meta, self.wanted.how),
            Kind::Folder if self.wanted.how == How::Attributes => self.add(&target, &place, &meta, How::Attributes),
            Kind::Folder | Kind::Absent | Kind::Link | Kind::Other => Ok(()),
        }
    }

    fn absent(&mut self, path: &Path) {
        let entry = Entry {
            path: path.to_owned(),
            kind: Kind::Absent,
            attributes: Attributes::default(),
            content: None,
            target: None,
            whole: false,
            missing: path.ancestors().skip(1).take_while(|folder| is_missing(folder)).count(),
        };
        self.entries.insert(path.to_owned(), FoundEntry { entry, how: self.wanted.how, length: 0 });
    }
}

fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Returns the one path of a file however it is named: its folder without links, `.` or `..`, and its name.
fn settled(path: &Path) -> PathBuf {
    match (path.file_name(), path.parent()) {
        (Some(name), Some(folder)) if !path.as_os_str().to_string_lossy().ends_with("/.") => {
            fs::canonicalize(folder).map_or_else(|_| path.to_owned(), |folder| folder.join(name))
        }
        _ => fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
    }
}
