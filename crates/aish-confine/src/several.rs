//! Files with several names. Overlayfs copies one name of such a file, and the others stay the file of before; without a layer
//! all of them would be what became of the one.
//!
//! A copy is told from a new file by its time of access, which overlayfs copies and nothing in the layer changes, and by the mark
//! of the folder that it was made in. What is told is the end: that a name was written to before it went leaves nothing behind, and
//! a program that copies a file with its times and deletes the old one leaves the same behind as one that moves it.

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

/// A file by its root and inode.
type File = (usize, u64);

/// A name of a file with several that the run took away, or gave to another file.
#[derive(Debug)]
pub(crate) struct Name {
    root: usize,
    inode: u64,
    links: u64,
    accessed: Time,
    version: Version,
    path: PathBuf,
}

impl Name {
    pub(crate) fn new(root: usize, path: &Path, meta: &fs::Metadata) -> Self {
        let (accessed, version) = (accessed(meta), version(meta));
        Self { root, inode: meta.ino(), links: meta.nlink(), accessed, version, path: path.to_owned() }
    }

    fn file(&self) -> File {
        (self.root, self.inode)
    }

    /// Says whether overlayfs may have copied it: it marks folders in which it copied something.
    fn may_be_copied(&self, layer: &Layer) -> Result<bool, LayerError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let below = folder.strip_prefix(layer.tree(self.root)).unwrap_or(Path::new(""));
        let upper = layer.upper(self.root).join(below);
        // Of a folder that is gone, or is another, nothing is known.
        let is_same = fs::symlink_metadata(&upper).is_ok_and(|meta| meta.is_dir()) && !extended::is_opaque(&upper);
        Ok(!is_same || at(&upper, extended::has_copies(&upper))?)
    }
}

fn accessed(meta: &fs::Metadata) -> Time {
    (meta.atime(), meta.atime_nsec())
}

/// Size and time of modification.
type Version = (u64, Time);

fn version(meta: &fs::Metadata) -> Version {
    (meta.size(), (meta.mtime(), meta.mtime_nsec()))
}

/// A file of the layer under a name that is another one's in the tree, or nobody's.
struct Came {
    root: usize,
    inode: u64,
    accessed: Time,
    version: Version,
    /// In the tree.
    path: PathBuf,
    /// In the layer.
    upper: PathBuf,
}

/// Notes of which files the run took all names away but one: what is left is one file, in the layer and without one.
pub(crate) fn find_last_names(layer: &Layer, changes: &mut Changes) -> Result<(), LayerError> {
    let mut left: BTreeMap<File, u64> = BTreeMap::new();
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

/// Lists what parts the names of a file, as what is there at the end shows it. `names` are those that are lost.
pub(crate) fn parted(layer: &Layer, changes: &Changes, names: &[Name]) -> Result<Vec<Conflict>, LayerError> {
    let path = |one: &&Change| layer.tree(one.root).join(&one.path);
    let staying = staying(changes);
    let differ = staying.values().filter(|all| !are_alike(all));
    let mut found: BTreeSet<PathBuf> = differ.flatten().map(path).collect();
    let noted = noted(layer, changes)?;
    if names.is_empty() && staying.is_empty() && noted.is_empty() {
        return Ok(conflicts(found));
    }
    let came = came(layer, changes)?;
    let last: Vec<&Change> = changes.all().filter(|one| one.is_last_name).collect();
    let mut left = Names::default();
    for one in &last {
        if let (Some(old), Some(new)) = (&one.old, &one.new) {
            left.last.insert((one.root, new.inode), (one.root, old.inode));
        }
    }
    let last: BTreeSet<PathBuf> = last.iter().map(path).collect();
    let mut lost: BTreeMap<File, Vec<&Name>> = BTreeMap::new();
    for name in names {
        lost.entry(name.file()).or_default().push(name);
    }
    for name in names.iter().filter(|name| !last.contains(&name.path)) {
        // Where overlayfs copied nothing, no copy comes from.
        if name.may_be_copied(layer)? {
            left.insert(name);
        }
    }
    // A new file with the same content may be in the place of one that was moved.
    let touched = touched(layer, &staying)?;
    for name in &touched {
        left.insert(name);
    }
    let are_all_lost =
        |file: &File| lost.get(file).and_then(|all| Some((all.len() as u64) >= all.first()?.links)) == Some(true);
    let mut copies: BTreeMap<File, Vec<&Came>> = BTreeMap::new();
    for one in &came {
        let files = left.of(layer, one)?;
        // Of which file it is a copy is not certain: it parts names only where it does so for each of them.
        if files.len() > 1 {
            found.extend((!files.iter().any(are_all_lost)).then(|| one.path.clone()));
        } else if let Some(file) = files.into_iter().next() {
            copies.entry(file).or_default().push(one);
        }
    }
    for (file, copies) in &copies {
        // Where no other name is left, it may be one file still, but not two.
        if !are_all_lost(file) || copies.iter().map(|one| one.inode).collect::<BTreeSet<_>>().len() > 1 {
            found.extend(copies.iter().map(|one| one.path.clone()));
            found.extend(staying.get(file).into_iter().flatten().map(path));
        }
    }
    for name in &noted {
        let same = came.iter().filter(|one| (one.root, one.accessed) == (name.root, name.accessed));
        found.extend(same.map(|one| one.path.clone()));
    }
    Ok(conflicts(found))
}

/// Names that are lost, by what tells their copies.
#[derive(Default)]
struct Names<'a> {
    /// Copies of files of which a name is left: which file each is.
    last: BTreeMap<File, File>,
    by_path: BTreeMap<&'a Path, &'a Name>,
    by_time: BTreeMap<(usize, Time), Vec<&'a Name>>,
}

impl<'a> Names<'a> {
    fn insert(&mut self, name: &'a Name) {
        self.by_path.insert(&name.path, name);
        self.by_time.entry((name.root, name.accessed)).or_default().push(name);
    }

    /// Returns the files that one of the layer may be a copy of: the one in whose place it is, else those that it is like, else
    /// those with its time of access.
    fn of(&self, layer: &Layer, one: &Came) -> Result<BTreeSet<File>, LayerError> {
        if let Some(file) = self.last.get(&(one.root, one.inode)) {
            return Ok(BTreeSet::from([*file]));
        }
        let in_place = match self.by_path.get(one.path.as_path()) {
            Some(name) if one.accessed < layer.about.start || one.accessed == name.accessed => Some(name),
            // Where no name came or went, nothing else can be in its place.
            Some(name) if is_as_full(one)? => Some(name),
            Some(_) | None => None,
        };
        let same = self.by_time.get(&(one.root, one.accessed)).map(Vec::as_slice).unwrap_or_default();
        if in_place.is_none() && same.is_empty() || at(&one.upper, extended::is_copied(&one.upper))? {
            return Ok(BTreeSet::new());
        }
        let alike = || same.iter().filter(|name| name.version == one.version);
        Ok(match in_place {
            Some(name) => BTreeSet::from([name.file()]),
            None if alike().next().is_some() => alike().map(|name| name.file()).collect(),
            None => same.iter().map(|name| name.file()).collect(),
        })
    }
}

/// Says whether no name came or went in the folder of a file of a layer.
fn is_as_full(one: &Came) -> Result<bool, LayerError> {
    let modified = |path: &Path| {
        let folder = path.parent().unwrap_or(path);
        at(folder, Attributes::of(folder)).map(|found| found.map(|folder| folder.modified))
    };
    Ok(modified(&one.upper)? == modified(&one.path)?)
}

fn conflicts(paths: BTreeSet<PathBuf>) -> Vec<Conflict> {
    paths.into_iter().map(|path| Conflict { path, why: Why::Linked }).collect()
}

/// Returns the changes that leave names of a file with several what they are, but for attributes: by its root and inode.
fn staying(changes: &Changes) -> BTreeMap<File, Vec<&Change>> {
    let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for one in changes.all().filter(|one| one.keeps_file()) {
        if let Some(old) = &one.old {
            files.entry((one.root, old.inode)).or_default().push(one);
        }
    }
    files
}

/// Lists names of such changes under which the time of access is another.
fn touched(layer: &Layer, staying: &BTreeMap<File, Vec<&Change>>) -> Result<Vec<Name>, LayerError> {
    let mut found = Vec::new();
    for one in staying.values().flatten().filter(|one| !one.is_last_name) {
        let (path, upper) = (layer.tree(one.root).join(&one.path), layer.upper(one.root).join(&one.path));
        let (below, above) = (at(&path, fs::symlink_metadata(&path))?, at(&upper, fs::symlink_metadata(&upper))?);
        if accessed(&above) != accessed(&below) {
            found.push(Name::new(one.root, &path, &below));
        }
    }
    Ok(found)
}

/// Says whether such changes of one file give it the same attributes.
fn are_alike(all: &[&Change]) -> bool {
    let wanted = |one: &Change| {
        let extended = one.new_extended.map(|known| known.print);
        one.new.as_ref().map(|new| (new.permissions(), new.modified, extended))
    };
    all.windows(2).all(|two| two.first().map(|one| wanted(one)) == two.last().map(|one| wanted(one)))
}

/// Says whether overlayfs copied something in the folder of a path of a layer.
pub(crate) fn has_copies(upper: &Path, path: &Path) -> Result<bool, LayerError> {
    let folder = upper.join(path.parent().unwrap_or(Path::new("")));
    at(&folder, extended::has_copies(&folder))
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
                        version: version(&meta),
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
