//! Files with several names. Overlayfs copies one name of such a file, and the others stay the file of before; without a layer
//! all of them would be what became of the one.
//!
//! A copy is told from a new file by its time of access, which overlayfs copies and nothing in the layer changes. A program that
//! copies a file with its times and deletes the old one does the same to all that can be seen, so that it is asked about too.

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

/// Lists what would part the names of a file. `names` are those that are lost.
pub(crate) fn parted(layer: &Layer, changes: &Changes, names: &[Name]) -> Result<Vec<Conflict>, LayerError> {
    let (differ, copies) = in_place(changes);
    let mut found: BTreeSet<PathBuf> = differ.iter().map(|one| layer.tree(one.root).join(&one.path)).collect();
    let moved: Vec<&Change> = changes.changes.iter().filter(|one| one.old.is_none() && one.is_copied()).collect();
    if names.is_empty() && copies.is_empty() && moved.is_empty() {
        return Ok(conflicts(found));
    }
    let came = came(layer, changes)?;
    found.extend(came.iter().filter(|one| copies.contains(&(one.root, one.inode))).map(|one| one.path.clone()));
    let mut files: BTreeMap<(usize, u64), Vec<&Name>> = BTreeMap::new();
    for name in names {
        files.entry((name.root, name.inode)).or_default().push(name);
    }
    for lost in files.values() {
        let mut copies = Vec::new();
        for one in &came {
            if lost.iter().any(|name| is_copy(layer, one, name)) && !at(&one.upper, extended::is_copied(&one.upper))? {
                copies.push(one);
            }
        }
        let is_whole = lost.first().is_some_and(|name| lost.len() as u64 >= name.links);
        let files: BTreeSet<u64> = copies.iter().map(|one| one.inode).collect();
        if !is_whole || files.len() > 1 {
            found.extend(copies.iter().map(|one| one.path.clone()));
        }
    }
    if !moved.is_empty() {
        found.extend(without_notes(layer, changes, &came)?);
    }
    Ok(conflicts(found))
}

fn conflicts(paths: BTreeSet<PathBuf>) -> Vec<Conflict> {
    paths.into_iter().map(|path| Conflict { path, why: Why::Linked }).collect()
}

/// Returns changes that give names of one file different attributes, and the copies in the layer that are under their own
/// names: by root and inode.
fn in_place(changes: &Changes) -> (Vec<&Change>, BTreeSet<(usize, u64)>) {
    let mut files: BTreeMap<(usize, u64), Vec<&Change>> = BTreeMap::new();
    let mut copies = BTreeSet::new();
    for one in changes.changes.iter().chain(&changes.linked) {
        let (Some(old), Some(new)) = (&one.old, &one.new) else { continue };
        if one.keeps_file() {
            copies.extend((new.links > 1).then_some((one.root, new.inode)));
            files.entry((one.root, old.inode)).or_default().push(one);
        }
    }
    let wanted = |one: &Change| {
        let extended = one.new_extended.map(|known| known.print);
        one.new.as_ref().map(|new| (new.permissions(), new.modified, extended))
    };
    let differ = files.into_values().filter(|all| {
        all.windows(2).any(|two| match two {
            [one, other] => wanted(one) != wanted(other),
            _ => false,
        })
    });
    (differ.flatten().collect(), copies)
}

/// Says whether a file of the layer may be the copy of a name that is lost.
fn is_copy(layer: &Layer, one: &Came, name: &Name) -> bool {
    let is_old = one.accessed < layer.about.start;
    let was_read = name.accessed >= layer.about.start;
    one.root == name.root && (one.accessed == name.accessed || is_old && (was_read || one.path == name.path))
}

/// Lists the files of the layer that come into the tree.
fn came(layer: &Layer, changes: &Changes) -> Result<Vec<Came>, LayerError> {
    let mut found = Vec::new();
    for change in changes.changes.iter().filter(|one| !one.keeps_file() && !one.is_merged()) {
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

/// Lists files that came under another name and left attributes behind that the layer did not show.
fn without_notes(layer: &Layer, changes: &Changes, came: &[Came]) -> Result<Vec<PathBuf>, LayerError> {
    let mut found = Vec::new();
    for change in changes.changes.iter().filter(|one| one.new.is_none() && one.before == Some(FileKind::File)) {
        let path = layer.tree(change.root).join(&change.path);
        if at(&path, extended::known(&path))?.noted {
            let meta = at(&path, fs::symlink_metadata(&path))?;
            let name = Name::new(change.root, &path, &meta);
            found.extend(came.iter().filter(|one| is_copy(layer, one, &name)).map(|one| one.path.clone()));
        }
    }
    Ok(found)
}
