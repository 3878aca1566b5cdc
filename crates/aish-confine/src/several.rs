//! Files with several names. Overlayfs copies one name of such a file, and the others stay the file of before; without a layer
//! all of them would be what became of the one.
//!
//! A copy is told from a new file by its time of access, which overlayfs copies and nothing in the layer changes, and by the mark
//! of the folder that it was made in. What is told is the end: that a name was written to before it went leaves nothing behind. A
//! copy that is as the file was is a file of its own and no conflict: compilers move and link such names from one build to the next.
//! Where another name of the file is changed as well, it would have changed with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::attributes::{Attributes, FileKind};
use crate::changes::{Change, Changes};
use crate::extended;
use crate::layer::{Layer, LayerError, at};
use crate::outcome::{Conflict, Why};

type Time = (i64, i64);

/// A file by its root and inode.
type FileId = (usize, u64);

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

    fn file(&self) -> FileId {
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

/// Size, mode and time of modification.
type Version = (u64, u32, Time);

fn version(meta: &fs::Metadata) -> Version {
    (meta.size(), meta.mode(), (meta.mtime(), meta.mtime_nsec()))
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

/// Lets names that are one file in the layer be one when they are kept: all of them stay the file that they were where one is a copy of
/// that, or are another one.
pub(crate) fn join_names(layer: &Layer, changes: &mut Changes) -> Result<(), LayerError> {
    let is_one = |one: &Change| {
        let are_several =
            one.old.as_ref().is_some_and(Attributes::has_names) && one.new.as_ref().is_some_and(Attributes::has_names);
        are_several && one.attributes_only && one.after == Some(FileKind::File)
    };
    // Of which file one of the layer is a copy.
    let mut copies: BTreeMap<FileId, Option<u64>> = BTreeMap::new();
    for one in changes.all().filter(|one| is_one(one)) {
        let (Some(old), Some(new)) = (&one.old, &one.new) else { continue };
        let copy = copies.entry((one.root, new.inode)).or_default();
        if !one.is_other_file && is_untouched(layer, one)? {
            *copy = Some(old.inode);
        }
    }
    let others: BTreeSet<FileId> = changes
        .all()
        .filter(|one| is_one(one) && one.is_other_file)
        .filter_map(|one| Some((one.root, one.new.as_ref()?.inode)))
        .collect();
    for one in changes.changes.iter_mut().chain(&mut changes.linked).filter(|one| is_one(one)) {
        let (Some(old), Some(new)) = (&one.old, &one.new) else { continue };
        let file = (one.root, new.inode);
        if others.contains(&file) {
            one.is_other_file = copies.get(&file).copied().flatten() != Some(old.inode);
        }
    }
    Ok(())
}

/// Says whether a file has the time of access in the layer that it has in the tree.
fn is_untouched(layer: &Layer, one: &Change) -> Result<bool, LayerError> {
    let (path, upper) = (layer.tree(one.root).join(&one.path), layer.upper(one.root).join(&one.path));
    let (below, above) = (at(&path, fs::symlink_metadata(&path))?, at(&upper, fs::symlink_metadata(&upper))?);
    Ok(accessed(&above) == accessed(&below))
}

/// Notes of which files the run took all names away but one: what is left is one file, in the layer and without one.
pub(crate) fn find_last_names(layer: &Layer, changes: &mut Changes) -> Result<(), LayerError> {
    let mut left: BTreeMap<FileId, u64> = BTreeMap::new();
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
                // Of one that cannot be looked into its modes stay, and what is in it counts as names that are left.
                deleted.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
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
    let mut lost: BTreeMap<FileId, Vec<&Name>> = BTreeMap::new();
    for name in names {
        lost.entry(name.file()).or_default().push(name);
    }
    let are_all_lost =
        |file: &FileId| lost.get(file).and_then(|all| Some((all.len() as u64) >= all.first()?.links)) == Some(true);
    let mut left = Names::default();
    let mut last = BTreeSet::new();
    for one in changes.all().filter(|one| one.is_last_name) {
        last.insert(path(&one));
        if let (Some(old), Some(new)) = (&one.old, &one.new) {
            left.last.insert((one.root, new.inode), (one.root, old.inode));
        }
    }
    for name in names.iter().filter(|name| !last.contains(&name.path)) {
        // Where overlayfs copied nothing, no copy comes from.
        if name.may_be_copied(layer)? {
            left.insert(name, are_all_lost(&name.file()));
        }
    }
    // A new file with the same content may be in the place of one that was moved.
    let touched = touched(layer, &staying)?;
    for name in &touched {
        left.insert(name, false);
    }
    let mut copies: BTreeMap<FileId, Vec<&Came>> = BTreeMap::new();
    for one in &came {
        let Some(source) = left.source(layer, one)? else { continue };
        if source.is_certain {
            copies.entry(source.file).or_default().push(one);
        } else if source.all_have_names {
            // It parts names of whichever it is a copy of.
            found.insert(one.path.clone());
        }
    }
    for (file, copies) in &copies {
        // Where no other name is left, it may be one file still, but not two.
        if !are_all_lost(file) || copies.iter().map(|one| one.inode).collect::<BTreeSet<_>>().len() > 1 {
            found.extend(copies.iter().map(|one| one.path.clone()));
            found.extend(staying.get(file).into_iter().flatten().map(path));
        }
    }
    left.add_unchanged(layer, &came, changes, &copies, &mut found)?;
    let noted: BTreeSet<_> = noted.iter().map(|name| (name.root, name.accessed)).collect();
    let same = came.iter().filter(|one| noted.contains(&(one.root, one.accessed)));
    found.extend(same.map(|one| one.path.clone()));
    Ok(conflicts(found))
}

/// Which file one of the layer is a copy of.
#[derive(Debug, Clone, Copy)]
struct Source {
    file: FileId,
    /// Whether it can be no other one.
    is_certain: bool,
    /// Whether each that it may be has a name left.
    all_have_names: bool,
}

impl Source {
    fn new(file: FileId) -> Self {
        Self { file, is_certain: true, all_have_names: true }
    }
}

/// Names that are lost, by what tells their copies.
#[derive(Default)]
struct Names<'a> {
    /// Copies of files of which a name is left: which file each is.
    last: BTreeMap<FileId, FileId>,
    by_path: BTreeMap<&'a Path, &'a Name>,
    by_time: BTreeMap<(usize, Time), Source>,
    by_version: BTreeMap<(usize, Time, Version), BTreeSet<FileId>>,
}

impl<'a> Names<'a> {
    fn insert(&mut self, name: &'a Name, are_all_lost: bool) {
        self.by_path.insert(&name.path, name);
        let new = Source { all_have_names: !are_all_lost, ..Source::new(name.file()) };
        let add = |source: &mut Source| {
            source.is_certain &= source.file == new.file;
            source.all_have_names &= new.all_have_names;
        };
        self.by_time.entry((name.root, name.accessed)).and_modify(add).or_insert(new);
        self.by_version.entry((name.root, name.accessed, name.version)).or_default().insert(name.file());
    }

    /// Returns what one of the layer is a changed copy of: the file in whose place it is, else one with its time of access.
    fn source(&self, layer: &Layer, one: &Came) -> Result<Option<Source>, LayerError> {
        if let Some(file) = self.last.get(&(one.root, one.inode)) {
            return Ok(Some(Source::new(*file)));
        }
        let in_place = match self.by_path.get(one.path.as_path()) {
            Some(name) if one.accessed < layer.about.start || one.accessed == name.accessed => Some(name),
            // Where no name came or went, nothing else can be in its place.
            Some(name) if is_as_full(one)? => Some(name),
            Some(_) | None => None,
        };
        let found = match in_place {
            Some(name) => Some(Source::new(name.file())),
            None if self.by_version.contains_key(&(one.root, one.accessed, one.version)) => None,
            None => self.by_time.get(&(one.root, one.accessed)).copied(),
        };
        // Of one that overlayfs noted as a copy it was the only name.
        Ok(if found.is_some() && at(&one.upper, extended::is_copied(&one.upper))? { None } else { found })
    }
}

impl Names<'_> {
    /// Adds copies of files that are as those were, where another name of the file is changed: both, for without a layer the one
    /// would be as the other. `copies` are changed ones.
    fn add_unchanged(
        &self,
        layer: &Layer,
        came: &[Came],
        changes: &Changes,
        copies: &BTreeMap<FileId, Vec<&Came>>,
        found: &mut BTreeSet<PathBuf>,
    ) -> Result<(), LayerError> {
        // What they are called at the end, with the files that they are in the layer.
        let mut changed: BTreeMap<FileId, Vec<(u64, PathBuf)>> = BTreeMap::new();
        for (file, copies) in copies {
            changed.entry(*file).or_default().extend(copies.iter().map(|one| (one.inode, one.path.clone())));
        }
        for one in changes.changes.iter().filter(|one| one.keeps_file()) {
            // With another time of access it may be a new file with the same content.
            if let (Some(old), Some(new)) = (&one.old, &one.new)
                && is_untouched(layer, one)?
            {
                let name = (new.inode, layer.tree(one.root).join(&one.path));
                changed.entry((one.root, old.inode)).or_default().push(name);
            }
        }
        for one in came {
            let files = self.by_version.get(&(one.root, one.accessed, one.version)).into_iter().flatten();
            for names in files.filter_map(|file| changed.get(file)) {
                let is_another = names.iter().all(|(inode, _)| *inode != one.inode);
                // Of one that overlayfs noted as a copy it was the only name.
                if is_another && !at(&one.upper, extended::is_copied(&one.upper))? {
                    found.insert(one.path.clone());
                    found.extend(names.iter().map(|(_, path)| path.clone()));
                }
            }
        }
        Ok(())
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
fn staying(changes: &Changes) -> BTreeMap<FileId, Vec<&Change>> {
    let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for one in changes.all().filter(|one| one.keeps_file()) {
        if let Some(old) = &one.old {
            files.entry((one.root, old.inode)).or_default().push(one);
        }
    }
    files
}

/// Lists names of such changes under which the time of access is another.
fn touched(layer: &Layer, staying: &BTreeMap<FileId, Vec<&Change>>) -> Result<Vec<Name>, LayerError> {
    let mut found = Vec::new();
    for one in staying.values().flatten().filter(|one| !one.is_last_name) {
        if !is_untouched(layer, one)? {
            let path = layer.tree(one.root).join(&one.path);
            found.push(Name::new(one.root, &path, &at(&path, fs::symlink_metadata(&path))?));
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
                    let names = crate::walk::names(&above)?;
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

/// Finds a name of each of some files, by inode, in a tree. What is on another mount or cannot be looked into is passed over.
pub(crate) fn names_of(tree: &Path, mut inodes: BTreeSet<u64>) -> BTreeMap<u64, PathBuf> {
    let mut found = BTreeMap::new();
    let Ok(device) = fs::symlink_metadata(tree).map(|meta| meta.dev()) else { return found };
    let mut folders = vec![tree.to_owned()];
    while let Some(folder) = folders.pop().filter(|_| !inodes.is_empty()) {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && entry.metadata().is_ok_and(|meta| meta.dev() == device) {
                folders.push(entry.path());
            } else if !is_folder && inodes.remove(&entry.ino()) {
                found.insert(entry.ino(), entry.path());
            }
        }
    }
    found
}
