//! What a layer changed, as facts.
//!
//! A layer is compared with the tree below it: marks for "deleted", new paths, files that differ, folders whose mode or
//! owner do. A new or deleted folder is one fact with the number of its files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::attributes::{Attributes, FileKind};
use crate::beneath::real;
use crate::beneath::within;
use crate::cache;
use crate::contents::{Count, count, is_same_content};
use crate::extended::{self, Known};
use crate::layer::{Layer, LayerError, at};
use crate::modes::Modes;
use crate::readable::Readables;
use crate::walk::names;
use crate::{links, parts, several};

/// How a path changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It is gone.
    Deleted,
    /// It is another.
    Changed,
    /// It was not there.
    New,
}

impl ChangeKind {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Changed => "changed",
            Self::New => "new",
        }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The number of the root in the layer.
    pub root: usize,
    /// The path below the root.
    pub path: PathBuf,
    /// How it changed.
    pub kind: ChangeKind,
    /// What was there.
    pub before: Option<FileKind>,
    /// What is there.
    pub after: Option<FileKind>,
    /// Files in it, itself included, where it is a folder that came or went as a whole; else 1.
    pub files: u64,
    /// Bytes of those that came, or of those that went.
    pub bytes: u64,
    /// Files and bytes that are not there any more, or not as they were.
    pub gone: (u64, u64),
    /// Whether there are more of those, in folders that cannot be looked into.
    pub is_more_gone: bool,
    /// Mode before and after, where both are there and differ.
    pub mode: Option<(u32, u32)>,
    /// Whether only attributes differ and the content does not.
    pub attributes_only: bool,
    /// Whether the folder takes the place of one, of which nothing is left.
    pub replaces: bool,
    /// Attributes of what was there, as it was compared.
    pub(crate) old: Option<Attributes>,
    /// Attributes of what is there.
    pub(crate) new: Option<Attributes>,
    /// Whether a new file with the same content is in the place of one that has several names.
    pub(crate) is_other_file: bool,
    /// Whether it is the last name of such a file: the run took all others away.
    pub(crate) is_last_name: bool,
    /// Extended attributes of a file that was there.
    pub(crate) old_extended: Option<Known>,
    /// Those of a file that is there.
    pub(crate) new_extended: Option<Known>,
}

impl Change {
    /// Says whether it is a file with several names that stays the same but for its attributes.
    pub(crate) fn keeps_file(&self) -> bool {
        let is_file = self.after == Some(FileKind::File);
        self.attributes_only
            && !self.is_other_file
            && !self.is_last_name
            && is_file
            && self.old.as_ref().is_some_and(Attributes::has_names)
    }

    /// Says whether a file had extended attributes or an access list, and has none any more: a list that names other users
    /// cannot be copied in a name space that knows one.
    pub fn loses_attributes(&self) -> bool {
        let has = |known: Option<Known>| known.is_some_and(|known| known.print != 0);
        self.new_extended.is_some() && has(self.old_extended) && !has(self.new_extended)
    }

    fn is_gone(&mut self, count: Count) {
        (self.gone, self.is_more_gone) = (count.of, !count.is_whole);
    }

    /// Says whether it is a folder that was there before and stays.
    pub(crate) fn is_merged(&self) -> bool {
        let both = self.before == Some(FileKind::Folder) && self.after == Some(FileKind::Folder);
        both && !self.replaces
    }

    /// Says whether attributes that are called like notes of overlayfs would be lost: given by the command, or of a file that it
    /// wrote to.
    fn loses_notes(&self, is_same: bool) -> bool {
        let may_be_copy = self.is_copied() || self.old.as_ref().is_some_and(|old| old.links > 1);
        self.new_extended.is_some_and(|known| known.escaped)
            || !is_same && may_be_copy && self.old_extended.is_some_and(|known| known.noted)
    }

    /// Says whether overlayfs copied it from a file with one name.
    pub(crate) fn is_copied(&self) -> bool {
        self.new_extended.is_some_and(|known| known.copied)
    }
}

/// A path that is not kept, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The number of the root.
    pub root: usize,
    /// The path below it.
    pub path: PathBuf,
    /// Why, in words.
    pub why: &'static str,
}

/// All changes of a layer, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// What would be kept.
    pub changes: Vec<Change>,
    /// What would not.
    pub refused: Vec<Refused>,
    /// Folders, by root and path, of which the time of modification alone differs: something came in them and went. No
    /// facts, and kept with the rest.
    pub times: Vec<(usize, PathBuf)>,
    /// Files that are as they were, and have other names in the layer or in the tree. No facts, and kept with the rest.
    pub(crate) linked: Vec<Change>,
    /// Whether one of these times was set, and is not only that of what came and went.
    pub(crate) sets_times: bool,
}

impl Changes {
    /// Says whether nothing changed but times of folders in which something came and went.
    pub fn is_empty(&self) -> bool {
        self.keeps_nothing() && self.refused.is_empty()
    }

    /// Says whether the command set times of folders and did nothing else.
    pub fn are_times(&self) -> bool {
        self.changes.is_empty() && self.refused.is_empty() && self.sets_times
    }

    /// Says whether nothing of it can be kept.
    pub fn keeps_nothing(&self) -> bool {
        self.changes.is_empty() && !self.sets_times
    }

    /// Returns those that are facts, and those that are none.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().chain(&self.linked)
    }
}

/// What becomes of the caches of package managers that a layer covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caches {
    /// Their changes are not looked at, and stay in the layer.
    LeftOut,
    /// Their changes count like those of the tree.
    Included,
}

impl Layer {
    /// Says what changed in the roots.
    ///
    /// # Errors
    /// When the layer or the tree cannot be read.
    pub fn changes(&self, caches: Caches) -> Result<Changes, LayerError> {
        // A keeping may have been cut while it copied.
        let readable = self.readables()?;
        let modes = self.modes()?;
        self.open_veiled(&modes)?;
        self.unveil()?;
        let as_put = self.as_put()?;
        let mut out = Changes::default();
        for (root, covered) in self.about.covered.iter().enumerate() {
            if caches == Caches::Included || !covered.cache {
                let is_shared = covered.cache && cache::is_shared(&covered.path);
                let upper = self.upper(root);
                let upper = at(&upper, real(&upper))?;
                let (tree, as_put, start) = (&covered.path, &as_put, self.about.start);
                let walk = Walk { root, tree, upper, is_shared, modes: &modes, readable: &readable, as_put, start };
                walk.folder(Path::new(""), &mut out)?;
            }
        }
        if !out.linked.is_empty() {
            // Those were made by hand, and none of them is another's name.
            let veiled = self.veiled()?;
            out.linked.retain(|one| !veiled.iter().any(|(root, path)| (*root, path) == (one.root, &one.path)));
        }
        several::join_names(self, &mut out)?;
        several::find_last_names(self, &mut out)?;
        Ok(out)
    }
}

/// Why what only a layer's own notes are called like is not kept.
const NOTED: &str = "its attributes called user.overlay.… do not come through a layer";

/// Folders in one another.
const DEEPEST: usize = 500;

struct Walk<'a> {
    root: usize,
    tree: &'a Path,
    upper: PathBuf,
    /// Whether it is a folder of caches of which not each holds downloads alone.
    is_shared: bool,
    /// Modes of folders of the layer that were opened up.
    modes: &'a Modes,
    /// Where modes are noted of what is let be read.
    readable: &'a Readables,
    /// What the layer had from the start and still has, by root and path.
    as_put: &'a [(usize, PathBuf)],
    /// When the run began.
    start: (i64, i64),
}

impl Walk<'_> {
    /// Returns the attributes of a path of the layer.
    fn above(&self, path: &Path) -> Result<Option<Attributes>, LayerError> {
        let above = self.upper.join(path);
        at(&above, self.modes.attributes(self.root, path, &above))
    }

    /// Says whether the time of a folder was set: what comes and goes in it gives it one during the run, and leaves its time of
    /// access alone.
    fn is_set(&self, above: &Path, new: &Attributes) -> io::Result<bool> {
        let meta = fs::symlink_metadata(above)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_later = u64::try_from(new.modified.0).is_ok_and(|seconds| seconds > now.as_secs());
        Ok(new.modified <= self.start || is_later || (meta.atime(), meta.atime_nsec()) == new.modified)
    }

    /// Opens a folder of the layer up whose mode keeps its owner from what is in it.
    fn open(&self, path: &Path, attributes: &Attributes) -> Result<(), LayerError> {
        if attributes.mode & 0o500 == 0o500 {
            return Ok(());
        }
        let open = within(&self.upper, path).and_then(|folder| self.modes.open(self.root, path, folder.as_fd()));
        at(&self.upper.join(path), open)
    }

    /// Compares a folder that is both in the layer and below it.
    fn folder(&self, path: &Path, out: &mut Changes) -> Result<(), LayerError> {
        self.is_too_deep(path)?;
        let (above, below) = (self.upper.join(path), self.tree.join(path));
        let new = self.above(path)?;
        new.iter().try_for_each(|new| self.open(path, new))?;
        if at(&above, extended::is_escaped(&above))? {
            self.refuse(path, NOTED, out);
        }
        if let (Some(old), Some(new)) = (at(&below, Attributes::of(&below))?, new) {
            let alike = old.permissions() == new.permissions();
            if !alike || !at(&above, extended::is_same(&below, &above))? {
                let change = self.change(path, Some(&old), Some(&new));
                out.changes.push(Change { attributes_only: true, ..change });
            } else if old.modified != new.modified {
                out.times.push((self.root, path.to_owned()));
                out.sets_times |= at(&above, self.is_set(&above, &new))?;
            }
        }
        for part in parts::of(&names(&above)?, |names| self.entries(path, names)) {
            let part = part?;
            out.changes.extend(part.changes);
            out.refused.extend(part.refused);
            out.times.extend(part.times);
            out.sets_times |= part.sets_times;
            out.linked.extend(part.linked);
        }
        Ok(())
    }

    /// Compares entries of a folder of the layer with those below it.
    fn entries(&self, folder: &Path, names: &[OsString]) -> Result<Changes, LayerError> {
        let mut out = Changes::default();
        for path in names.iter().map(|name| folder.join(name)) {
            if self.is_shared && !cache::is_fetched(&path) {
                continue;
            }
            let below = self.tree.join(&path);
            let Some(new) = self.above(&path)? else { continue };
            let old = at(&below, Attributes::of(&below))?;
            self.entry(&path, old, &new, &mut out)?;
        }
        Ok(out)
    }

    fn entry(
        &self,
        path: &Path,
        old: Option<Attributes>,
        new: &Attributes,
        out: &mut Changes,
    ) -> Result<(), LayerError> {
        let (above, below) = (self.upper.join(path), self.tree.join(path));
        let is_below = new.kind == FileKind::Folder && old.as_ref().is_some_and(|old| old.kind == FileKind::Folder);
        if !is_below && self.as_put.iter().any(|(root, put)| *root == self.root && put == path) {
            // Whatever became of the one in the tree is a person's doing.
            return Ok(());
        }
        if new.kind == FileKind::Folder {
            self.open(path, new)?;
        }
        match (new.kind, &old) {
            (FileKind::Whiteout, None) => {}
            (FileKind::Whiteout, Some(old)) => {
                let mut change = self.change(path, Some(old), None);
                change.is_gone(count(&below, old));
                (change.files, change.bytes) = change.gone;
                out.changes.push(change);
            }
            (FileKind::Special, _) => self.refuse(path, "it is a device, a socket or a FIFO", out),
            (FileKind::Folder, Some(old)) if old.kind == FileKind::Folder && !extended::is_opaque(&above) => {
                self.folder(path, out)?;
            }
            (FileKind::Folder, _) if at(&above, extended::is_escaped(&above))? => self.refuse(path, NOTED, out),
            (FileKind::Folder, old) => {
                let mut change = self.change(path, old.as_ref(), Some(new));
                change.replaces = old.is_some();
                if let Some(old) = &old {
                    change.is_gone(count(&below, old));
                }
                self.refuse_inside(path, new, out)?;
                (change.files, change.bytes) = count(&above, new).of;
                out.changes.push(change);
            }
            (FileKind::File | FileKind::Link, old) => self.file(path, old.as_ref(), new, out)?,
        }
        Ok(())
    }

    /// Compares a file or a link with what the tree has in its place.
    fn file(
        &self,
        path: &Path,
        old: Option<&Attributes>,
        new: &Attributes,
        out: &mut Changes,
    ) -> Result<(), LayerError> {
        let (above, below) = (self.upper.join(path), self.tree.join(path));
        if let Some(why) = at(&above, self.fault(path, new))? {
            self.refuse(path, why, out);
            return Ok(());
        }
        let is_file = |of: &Attributes| of.kind == FileKind::File;
        let known = || at(&above, self.readable.read(&above, || extended::known(&above)));
        let new_extended = is_file(new).then(known).transpose()?;
        // One of the tree stays as it is: its mode is not changed before it is known what is kept.
        let old_extended = old.filter(|old| is_file(old)).map(|_| at(&below, extended::known(&below))).transpose()?;
        let same_content = match old {
            Some(old) => at(&above, is_same_content(&below, old, &above, new))?,
            None => false,
        };
        let is_one_of_several = old.is_some_and(|old| old.links > 1);
        let mut change = Change {
            attributes_only: same_content,
            is_other_file: same_content && is_one_of_several && !several::has_copies(&self.upper, path)?,
            bytes: new.size,
            old_extended,
            new_extended,
            ..self.change(path, old, Some(new))
        };
        if let Some(old) = old.filter(|_| !same_content) {
            change.is_gone(count(&below, old));
        }
        let is_alike = same_content && old.is_some_and(|old| old.is_alike(new));
        let is_same = is_alike && at(&above, self.readable.read(&above, || extended::is_same(&below, &above)))?;
        if change.loses_notes(is_same) {
            self.refuse(path, NOTED, out);
        } else if is_same {
            out.linked.extend((new.links > 1 || is_one_of_several).then_some(change));
        } else {
            out.changes.push(change);
        }
        Ok(())
    }

    fn change(&self, path: &Path, old: Option<&Attributes>, new: Option<&Attributes>) -> Change {
        let kind = match (old, new) {
            (None, _) => ChangeKind::New,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Changed,
        };
        let mode = old.zip(new).map(|(old, new)| (old.mode, new.mode)).filter(|(old, new)| old != new);
        Change {
            root: self.root,
            path: path.to_owned(),
            kind,
            before: old.map(|old| old.kind),
            after: new.map(|new| new.kind),
            files: 1,
            bytes: 0,
            gone: (0, 0),
            is_more_gone: false,
            mode,
            attributes_only: false,
            replaces: false,
            old: old.cloned(),
            new: new.cloned(),
            is_other_file: false,
            is_last_name: false,
            old_extended: None,
            new_extended: None,
        }
    }

    fn refuse(&self, path: &Path, why: &'static str, out: &mut Changes) {
        out.refused.push(Refused { root: self.root, path: path.to_owned(), why });
    }

    /// Says why a file or link of a layer must not come into the tree.
    fn fault(&self, path: &Path, new: &Attributes) -> io::Result<Option<&'static str>> {
        if new.kind == FileKind::File && new.mode & 0o6000 != 0 {
            return Ok(Some("it would run with the rights of its owner (setuid)"));
        }
        if new.kind == FileKind::Link {
            let target = fs::read_link(self.upper.join(path))?;
            if links::leads_out(path, target, self.tree, &self.upper)? {
                return Ok(Some("it is a link that leads out of the tree"));
            }
        }
        Ok(None)
    }

    /// Gives up where folders lie so deep in one another that the system soon takes no path to them any more.
    fn is_too_deep(&self, path: &Path) -> Result<(), LayerError> {
        let mut parts = path.components();
        let first = parts.next().map(|first| self.tree.join(first.as_os_str()));
        let source = || io::Error::other(format!("folders lie more than {DEEPEST} deep in one another"));
        match first.filter(|_| parts.count() >= DEEPEST) {
            Some(path) => Err(LayerError { path, source: source() }),
            None => Ok(()),
        }
    }

    /// Lists what must not be kept in a folder that is new as a whole.
    fn refuse_inside(&self, path: &Path, attributes: &Attributes, out: &mut Changes) -> Result<(), LayerError> {
        self.is_too_deep(path)?;
        self.open(path, attributes)?;
        let above = self.upper.join(path);
        for name in names(&above)? {
            let path = path.join(name);
            let above = self.upper.join(&path);
            let Some(new) = self.above(&path)? else { continue };
            match new.kind {
                FileKind::File | FileKind::Folder if at(&above, extended::is_escaped(&above))? => {
                    self.refuse(&path, NOTED, out);
                }
                FileKind::Folder => self.refuse_inside(&path, &new, out)?,
                FileKind::Special => self.refuse(&path, "it is a device, a socket or a FIFO", out),
                FileKind::File | FileKind::Link => {
                    if let Some(why) = at(&above, self.fault(&path, &new))? {
                        self.refuse(&path, why, out);
                    }
                }
                FileKind::Whiteout => {}
            }
        }
        Ok(())
    }
}
