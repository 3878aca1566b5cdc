//! Folders of the tree that what is taken back lies in: they may be gone since, or be something else by now.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, mkdirat};

use crate::attributes::Attributes;
use crate::beneath::{name, within};
use crate::journal::{Move, MoveKind};
use crate::layer::{Layer, LayerError, at};
use crate::modes::{Modes, is_replaced};
use crate::outcome::{Conflict, Why};

/// Lists the folders that moves are made in, by root and path: also those that hold a folder which gets attributes.
pub(crate) fn of(moves: &[Move]) -> BTreeSet<(usize, PathBuf)> {
    holding(moves, |_| true)
}

/// The same of what comes, goes or is another file.
fn of_contents(moves: &[Move]) -> BTreeSet<(usize, PathBuf)> {
    holding(moves, |one| one.kind != MoveKind::Folder)
}

fn holding(moves: &[Move], which: impl Fn(&&Move) -> bool) -> BTreeSet<(usize, PathBuf)> {
    let mut all = BTreeSet::new();
    let mut last = None;
    for one in moves.iter().filter(which) {
        let folder = (one.root, one.path.parent().unwrap_or(Path::new("")));
        if last != Some(folder) {
            all.insert((folder.0, folder.1.to_owned()));
            last = Some(folder);
        }
    }
    all
}

/// Those of moves that put something back that was there.
fn needed(moves: &[Move]) -> BTreeSet<(usize, PathBuf)> {
    let moves = moves.iter().filter(|one| matches!(one.kind, MoveKind::Exchange | MoveKind::Delete));
    moves.map(|one| (one.root, one.path.parent().unwrap_or(Path::new("")).to_owned())).collect()
}

/// Where the way to a folder ends.
pub(crate) enum Way {
    /// It is there.
    Whole,
    /// This folder on the way is gone.
    Gone(PathBuf),
    /// A link or a file is where this folder was.
    Replaced(PathBuf),
}

/// Looks at the way to a folder of a tree.
pub(crate) fn way(tree: &Path, path: &Path) -> io::Result<Way> {
    if within(tree, path).is_ok() {
        return Ok(Way::Whole);
    }
    let mut parts: Vec<&Path> = path.ancestors().collect();
    while let Some(part) = parts.pop() {
        match within(tree, part) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Way::Gone(part.to_owned())),
            Err(error) if is_replaced(&error) => return Ok(Way::Replaced(part.to_owned())),
            Err(error) => return Err(error),
        }
    }
    Ok(Way::Whole)
}

/// Ways that do not lead to where something is to be taken back, by root and folder: each as a conflict.
pub(crate) fn missing(layer: &Layer, moves: &[Move]) -> Result<BTreeMap<(usize, PathBuf), Conflict>, LayerError> {
    let needed = needed(moves);
    let mut found = BTreeMap::new();
    for folder in of_contents(moves) {
        let tree = layer.tree(folder.0);
        let place = tree.join(&folder.1);
        let (path, why) = match at(&place, way(&tree, &folder.1))? {
            Way::Gone(path) if needed.contains(&folder) => (path, Why::Gone),
            Way::Replaced(path) => (path, Why::Replaced),
            Way::Gone(_) | Way::Whole => continue,
        };
        found.insert(folder, Conflict { path: tree.join(path), why });
    }
    Ok(found)
}

/// Makes folders that are gone and that something is put back into, with the modes that they had as far as those are known.
/// `made` gets their paths.
pub(crate) fn make(layer: &Layer, moves: &[Move], open: &Modes, made: &mut Vec<PathBuf>) -> Result<(), LayerError> {
    for (root, folder) in needed(moves) {
        let tree = layer.tree(root);
        while let Way::Gone(path) = at(&tree.join(&folder), way(&tree, &folder))? {
            let place = tree.join(&path);
            let had = moves.iter().find(|one| one.kind == MoveKind::Folder && one.root == root && one.path == path);
            at(&place, make_one(&tree, &path, had.and_then(|one| one.old.as_ref())))?;
            at(&place, open.open_to(root, &tree, &path))?;
            made.push(place);
        }
    }
    Ok(())
}

fn make_one(tree: &Path, path: &Path, had: Option<&Attributes>) -> io::Result<()> {
    let parent = within(tree, path.parent().unwrap_or(Path::new("")))?;
    mkdirat(&parent, name(path), Mode::from_raw_mode(0o777))?;
    had.map_or(Ok(()), |had| had.apply(parent.as_fd(), name(path)))
}
