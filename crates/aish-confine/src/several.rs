//! Files with several names. Overlayfs copies one name of such a file, and the others stay the file of before; without a layer
//! all of them would be what became of the one.
//!
//! A copy is told from a new file by its time of access, which overlayfs copies and nothing in the layer changes, and by the mark
//! of the folder that it was made in. What may be either is asked about: a program that copies a file with its times and deletes
//! the old one leaves the same behind as one that moves it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::attributes::{Attributes, FileKind};
use crate::changes::{Change, Changes};
use crate::conflict::{Conflict, Why};
use crate::extended;
use crate::layer::{Layer, LayerError, at};

type Time = (i64, i64);

/// A name of a file with several that the run took away, or gave to another file.
#[derive(Debug)]
pub(crate) struct Name {
    root: usize,
    inode: u64,
    links: u64,
    accessed: Time,
    path: PathBuf,
}

impl Name {
    pub(crate) fn new(root: usize, path: &Path, meta: &fs::Metadata) -> Self {
        Self { root, inode: meta.ino(), links: meta.nlink(), accessed: accessed(meta), path: path.to_owned() }
    }
}

fn accessed(meta: &fs::Metadata) -> Time {
    (meta.atime(), meta.atime_nsec())
}

/// A file of the layer under a name that is another one's in the tree, or nobody's.
struct Came {
    root: usize,
    inode: u64,
    accessed: Time,
    /// In the tree.
    path: PathBuf,
    /// In the layer.
    upper: PathBuf,
}

/// Notes of which files the run took all names away but one: what is left is one file, in the layer and without one.
pub(crate) fn find_last_names(layer: &Layer, changes: &mut Changes) -> Result<(), LayerError> {
    let mut left: BTreeMap<(usize, u64), u64> = BTreeMap::new();
    for (file, all) in staying(changes) {
        if let [Change { old: Some(old), .. }] = all.as_slice() {
            left.insert(file, old.links.saturating_sub(1));
        }
    }
    if left.is_empty() {
        return Ok(());
    }
    for change in changes.changes.iter().filter(|one| one.new.is_none()) {
        let mut deleted = vec![layer.tree(change.root).join(&change.path)];
        while let Some(path) = deleted.pop() {
            let Some(attributes) = at(&path, Attributes::of(&path))? else { continue };
            if attributes.kind == FileKind::Folder {
                deleted.extend(crate::changes::names(&path)?.into_iter().map(|name| path.join(name)));
            } else if let Some(others) = left.get_mut(&(change.root, attributes.inode)) {
                *others = others.saturating_sub(1);
            }
        }
    }
    for change in changes.changes.iter_mut().chain(&mut changes.linked) {
        let file = change.old.as_ref().map(|old| (change.root, old.inode));
        change.is_last_name = change.keeps_file() && file.is_some_and(|file| left.get(&file) == Some(&0));
    }
    Ok(())
}

/// Lists what would part the names of a file. `names` are those that are lost.
pub(crate) fn parted(layer: &Layer, changes: &Changes, names: &[Name]) -> Result<Vec<Conflict>, LayerError> {
    let path = |one: &&Change| layer.tree(one.root).join(&one.path);
    let staying = staying(changes);
    let differ = staying.values().filter(|all| !are_alike(all));
    let mut found: BTreeSet<PathBuf> = differ.flatten().map(path).collect();
    let mut traces = Traces { layer, folders: BTreeMap::new() };
    for one in staying.values().flatten() {
        if traces.of(one.root, &path(one))? == Trace::Some {
            found.insert(path(one));
        }
    }
    let noted = noted(layer, changes)?;
    if names.is_empty() && staying.is_empty() && noted.is_empty() {
        return Ok(conflicts(found));
    }
    let came = came(layer, changes)?;
    let copies = Copies::of(layer, &came);
    let staying_copies = staying.values().flatten().filter_map(|one| Some((one.root, one.new.as_ref()?.inode)));
    let staying_copies: BTreeSet<(usize, u64)> = staying_copies.collect();
    found.extend(came.iter().filter(|one| staying_copies.contains(&(one.root, one.inode))).map(|one| one.path.clone()));
    let last: Vec<&Change> = changes.all().filter(|one| one.is_last_name).collect();
    // Times of access are the same for files that were made at the same moment: what is the copy of one is none of another.
    let mut owners: BTreeMap<(usize, u64), (usize, u64)> = BTreeMap::new();
    for one in &last {
        if let (Some(old), Some(new)) = (&one.old, &one.new) {
            owners.insert((one.root, new.inode), (one.root, old.inode));
        }
    }
    let last: BTreeSet<PathBuf> = last.iter().map(path).collect();
    let mut files: BTreeMap<(usize, u64), Vec<&Name>> = BTreeMap::new();
    for name in names {
        files.entry((name.root, name.inode)).or_default().push(name);
    }
    for (file, lost) in &files {
        let (mut written, mut may_be) = (Vec::new(), BTreeMap::new());
        let (mut is_without_trace, mut is_over_own) = (true, false);
        for name in lost.iter().filter(|name| !last.contains(&name.path)) {
            let trace = traces.of(name.root, &name.path)?;
            is_without_trace &= trace == Trace::Missing;
            let is_another = |one: &&Came| owners.get(&(one.root, one.inode)).is_some_and(|owner| owner != file);
            for one in copies.of_name(name).filter(|one| !is_another(one)) {
                if !at(&one.upper, extended::is_copied(&one.upper))? {
                    is_over_own |= trace == Trace::Missing && one.path == name.path;
                    may_be.insert(&one.path, one.inode);
                }
            }
            // What is in its place is a new file, by its time.
            let is_replaced = copies.by_path.contains_key(name.path.as_path());
            if trace == Trace::Own || trace == Trace::Some && !is_replaced {
                written.push(name);
            }
        }
        if is_without_trace {
            continue;
        }
        // A copy that was moved over another name is as if nothing had been done to that.
        found.extend(staying.get(file).into_iter().flatten().map(path));
        // Where one name is left, another may have been written to before it went: then it is not what it would be.
        let is_certain = written.is_empty() || !lost.iter().any(|name| last.contains(&name.path));
        if is_certain && lost.first().is_some_and(|name| lost.len() as u64 >= name.links) {
            // No other name is left: it may be one file still, but not two, and none that was moved over a name of its own.
            let in_place = written.iter().filter_map(|name| copies.by_path.get(name.path.as_path()));
            may_be.extend(in_place.map(|one| (&one.path, one.inode)));
            if is_over_own || may_be.values().collect::<BTreeSet<_>>().len() > 1 {
                found.extend(may_be.into_keys().cloned());
            }
        } else if may_be.is_empty() {
            // It may have been written to before it went.
            found.extend(written.into_iter().map(|name| name.path.clone()));
        } else {
            found.extend(may_be.into_keys().cloned());
        }
    }
    for name in &noted {
        found.extend(copies.of_name(name).map(|one| one.path.clone()));
    }
    Ok(conflicts(found))
}

fn conflicts(paths: BTreeSet<PathBuf>) -> Vec<Conflict> {
    paths.into_iter().map(|path| Conflict { path, why: Why::Linked }).collect()
}

/// Returns the changes that leave names of a file with several what they are, but for attributes: by its root and inode.
fn staying(changes: &Changes) -> BTreeMap<(usize, u64), Vec<&Change>> {
    let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for one in changes.all().filter(|one| one.keeps_file()) {
        if let Some(old) = &one.old {
            files.entry((one.root, old.inode)).or_default().push(one);
        }
    }
    files
}

/// Says whether such changes of one file give it the same attributes, and are of a copy for each name: one that has two of them
/// was moved or linked from the one to the other.
fn are_alike(all: &[&Change]) -> bool {
    let wanted = |one: &Change| {
        let extended = one.new_extended.map(|known| known.print);
        one.new.as_ref().map(|new| (new.permissions(), new.modified, extended))
    };
    let copies: BTreeSet<_> = all.iter().map(|one| one.new.as_ref().map(|new| new.inode)).collect();
    all.windows(2).all(|two| two.first().map(|one| wanted(one)) == two.last().map(|one| wanted(one)))
        && copies.len() == all.len()
}

/// Files of the layer by what tells that they may be copies of names that are lost.
struct Copies<'a> {
    start: Time,
    by_path: BTreeMap<&'a Path, &'a Came>,
    by_time: BTreeMap<(usize, Time), Vec<&'a Came>>,
}

impl<'a> Copies<'a> {
    fn of(layer: &Layer, came: &'a [Came]) -> Self {
        let mut by_time: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for one in came {
            by_time.entry((one.root, one.accessed)).or_default().push(one);
        }
        let by_path = came.iter().map(|one| (one.path.as_path(), one)).collect();
        Self { start: layer.about.start, by_path, by_time }
    }

    /// Lists those that may be the copy of a file under a name.
    fn of_name(&self, name: &Name) -> impl Iterator<Item = &'a Came> {
        let is_old = |one: &&&'a Came| one.root == name.root && one.accessed < self.start;
        let same = self.by_time.get(&(name.root, name.accessed)).into_iter().flatten();
        let in_place = self.by_path.get(name.path.as_path()).into_iter().filter(is_old);
        // Who read it since made its time another.
        let was_read = name.accessed >= self.start;
        let old = was_read.then(|| self.by_time.range(..).flat_map(|(_, all)| all).filter(is_old));
        same.chain(in_place).chain(old.into_iter().flatten()).copied().collect::<Vec<_>>().into_iter()
    }
}

/// What overlayfs left of copying a file, in the folder that it was in: it marks folders in which it copied something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trace {
    /// Nothing was copied in the folder.
    Missing,
    /// What was copied is that file: nothing else can have been.
    Own,
    /// It may be that file, or something else.
    Some,
    /// The folder is gone.
    Gone,
}

/// Says whether overlayfs copied something in the folder of a path of a layer.
pub(crate) fn has_copies(upper: &Path, path: &Path) -> Result<bool, LayerError> {
    let folder = upper.join(path.parent().unwrap_or(Path::new("")));
    at(&folder, extended::has_copies(&folder))
}

/// What was copied in folders of a layer.
struct Traces<'a> {
    layer: &'a Layer,
    /// By path in the tree. Of the paths that may be why a folder has its mark, two are enough.
    folders: BTreeMap<PathBuf, (Trace, Vec<PathBuf>)>,
}

impl Traces<'_> {
    fn of(&mut self, root: usize, path: &Path) -> Result<Trace, LayerError> {
        let folder = path.parent().unwrap_or(path);
        if !self.folders.contains_key(folder) {
            let found = self.look(root, folder)?;
            self.folders.insert(folder.to_owned(), found);
        }
        Ok(match self.folders.get(folder) {
            Some((Trace::Own, others)) if others.iter().any(|other| other != path) => Trace::Some,
            Some((trace, _)) => *trace,
            None => Trace::Some,
        })
    }

    fn look(&self, root: usize, folder: &Path) -> Result<(Trace, Vec<PathBuf>), LayerError> {
        let below = folder.strip_prefix(self.layer.tree(root)).unwrap_or(Path::new(""));
        let upper = self.layer.upper(root).join(below);
        if !upper.is_dir() {
            return Ok((Trace::Gone, Vec::new()));
        }
        if !at(&upper, extended::has_copies(&upper))? {
            return Ok((Trace::Missing, Vec::new()));
        }
        let mut others = Vec::new();
        let modified = |path: &Path| at(path, Attributes::of(path)).map(|found| found.map(|of| of.modified));
        if modified(&upper)? == modified(folder)? {
            // No name came or went: whatever is in the place of a file is the copy of it.
            return Ok((Trace::Own, others));
        }
        for name in crate::changes::names(&upper)? {
            let (path, above) = (folder.join(&name), upper.join(&name));
            if path.symlink_metadata().is_ok() || at(&above, extended::is_copied(&above))? {
                others.push(path);
            }
            if others.len() > 1 {
                break;
            }
        }
        Ok((Trace::Own, others))
    }
}

/// Lists the files of the layer that come into the tree.
fn came(layer: &Layer, changes: &Changes) -> Result<Vec<Came>, LayerError> {
    let mut found = Vec::new();
    for change in changes.all().filter(|one| !one.keeps_file() && !one.is_merged()) {
        let (tree, upper) = (layer.tree(change.root), layer.upper(change.root));
        let mut left = vec![change.path.clone()];
        while let Some(path) = left.pop() {
            let above = upper.join(&path);
            let Some(attributes) = at(&above, Attributes::of(&above))? else { continue };
            match attributes.kind {
                FileKind::Folder => {
                    let names = crate::changes::names(&above)?;
                    left.extend(names.into_iter().map(|name| path.join(name)));
                }
                FileKind::File => {
                    let meta = at(&above, fs::symlink_metadata(&above))?;
                    found.push(Came {
                        root: change.root,
                        inode: attributes.inode,
                        accessed: accessed(&meta),
                        path: tree.join(&path),
                        upper: above,
                    });
                }
                FileKind::Link | FileKind::Whiteout | FileKind::Special => {}
            }
        }
    }
    Ok(found)
}

/// Lists names of files that are gone and had attributes that a layer does not show, where some file got another name.
fn noted(layer: &Layer, changes: &Changes) -> Result<Vec<Name>, LayerError> {
    let mut found = Vec::new();
    if !changes.changes.iter().any(|one| one.old.is_none() && one.is_copied()) {
        return Ok(found);
    }
    for change in changes.changes.iter().filter(|one| one.new.is_none() && one.before == Some(FileKind::File)) {
        let path = layer.tree(change.root).join(&change.path);
        if at(&path, extended::known(&path))?.noted {
            let meta = at(&path, fs::symlink_metadata(&path))?;
            found.push(Name::new(change.root, &path, &meta));
        }
    }
    Ok(found)
}
