//! Paths of the tree that changed while a layer was open, or since it was kept.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::attributes::{Attributes, FileKind};
use crate::changes::Changes;
use crate::extended;
use crate::index_state;
use crate::journal::{Move, MoveKind};
use crate::layer::{Layer, LayerError, at};
use crate::modes::Modes;
use crate::outcome::{Conflict, Why};
use crate::several::{self, Name};
use crate::walk::{self, Below};
use crate::{parents, parts, sys};

/// What was found out about some moves.
#[derive(Default)]
struct Found {
    conflicts: Vec<Conflict>,
    /// Names of files with several that they take away.
    names: Vec<Name>,
    /// Prints of folders that they take away, by their numbers.
    prints: Vec<(usize, u64)>,
}

/// Looks for what changed since the layer was made, and for what would part the names of a file. Notes what folders that go were.
pub(crate) fn of_keeping(layer: &Layer, moves: &mut [Move], changes: &Changes) -> Result<Vec<Conflict>, LayerError> {
    let (mut found, mut names) = (Vec::new(), Vec::new());
    let given = given(moves);
    for part in parts::of(moves, |part| of_part(layer, part, &given)) {
        let part = part?;
        found.extend(part.conflicts);
        names.extend(part.names);
        for (number, print) in part.prints {
            if let Some(one) = moves.get_mut(number) {
                one.old_print = Some(print);
            }
        }
    }
    let mut parted = several::parted(layer, changes, &names)?;
    let known: BTreeSet<_> = found.iter().map(|one| one.path.as_path()).collect();
    parted.retain(|one| !known.contains(one.path.as_path()));
    found.extend(parted);
    Ok(found)
}

/// Files that get other attributes under one of their names, by root and inode.
pub(crate) type Given = BTreeSet<(usize, u64)>;

/// Lists those that moves give attributes to: under their other names they have them too.
pub(crate) fn given(moves: &[Move]) -> Given {
    let given = moves.iter().filter(|one| one.kind == MoveKind::Attributes);
    given.filter_map(|one| Some((one.root, one.old.as_ref()?.inode))).collect()
}

fn of_part(layer: &Layer, part: &[Move], given: &Given) -> Result<Found, LayerError> {
    let mut found = Found::default();
    let veiled = layer.veiled()?;
    for one in part {
        let path = layer.tree(one.root).join(&one.path);
        let why = match (one.kind, &one.old) {
            (MoveKind::Folder, Some(old)) if old.changed > layer.about.start => {
                // Something coming into it is no conflict. What differs is this run's, or another's doing.
                is_other_folder(layer, one, old)?.then_some(Why::Changed)
            }
            (MoveKind::Create, None) => was_taken_away(layer, one, &veiled)?.then_some(Why::Changed),
            (MoveKind::Folder, _) | (_, None) => None,
            (kind, Some(old)) => {
                let known = Known::of(one.root, &path, old, given)?;
                if kind != MoveKind::Attributes {
                    found.names.extend(known.names);
                }
                found.prints.extend(known.print.map(|print| (one.number, print)));
                if known.newest > layer.about.start {
                    Some(Why::Changed)
                } else if known.is_written {
                    Some(Why::Open)
                } else {
                    (!known.is_whole).then_some(Why::Unread)
                }
            }
        };
        found.conflicts.extend(why.map(|why| Conflict { path, why }));
    }
    Ok(found)
}

/// Says whether a path that is in the layer and not in the tree may have been there at the start: overlayfs copied it from the
/// tree, under this name or another, or the folder that it takes the place of, and names came or went since where it lay. What is
/// `veiled` was put there without a note.
fn was_taken_away(layer: &Layer, one: &Move, veiled: &[(usize, PathBuf)]) -> Result<bool, LayerError> {
    let upper = layer.upper(one.root).join(&one.path);
    let was_put = veiled.iter().any(|(root, path)| *root == one.root && path.starts_with(&one.path));
    if !was_put && !at(&upper, extended::is_copied(&upper))? && !may_replace(&upper)? {
        return Ok(false);
    }
    for folder in one.path.ancestors().skip(1) {
        let folder = layer.tree(one.root).join(folder);
        if let Some(there) = at(&folder, Attributes::of(&folder))? {
            return Ok(there.changed > layer.about.start);
        }
    }
    Ok(true)
}

/// Says whether a folder of a layer may be in the place of one that was there: what is in that is deleted name by name, for which
/// overlayfs copies it. A new folder has the same mark beside a folder that was copied; it is asked about as well.
fn may_replace(upper: &Path) -> Result<bool, LayerError> {
    let around = upper.parent().unwrap_or(upper);
    Ok(extended::is_opaque(upper) && at(around, extended::has_copies(around))?)
}

/// Says whether mode, owner or extended attributes of a folder differ between layer and tree.
fn is_other_folder(layer: &Layer, one: &Move, old: &Attributes) -> Result<bool, LayerError> {
    let (tree, upper) = (layer.tree(one.root).join(&one.path), layer.upper(one.root).join(&one.path));
    let differs = one.new.as_ref().is_some_and(|new| new.permissions() != old.permissions());
    Ok(differs || one.new.is_some() && !at(&upper, extended::is_same(&tree, &upper))?)
}

/// Looks for what changed since the layer was kept.
pub(crate) fn of_taking_back(layer: &Layer, moves: &[Move], open: &Modes) -> Result<Vec<Conflict>, LayerError> {
    let missing = parents::missing(layer, moves)?;
    let mut found: Vec<Conflict> = missing.values().cloned().collect();
    found.dedup();
    for one in moves {
        // What is behind a link is nobody's here.
        let folder = one.path.parent().unwrap_or(Path::new("")).to_owned();
        if !missing.is_empty() && (one.kind == MoveKind::Folder || missing.contains_key(&(one.root, folder))) {
            continue;
        }
        let path = layer.tree(one.root).join(&one.path);
        let now = at(&path, open.attributes(one.root, &one.path, &path))?;
        let is_changed = match (one.kind, &now, &one.new) {
            (MoveKind::Folder, Some(now), Some(new)) => {
                let was_changed = one.old.as_ref().is_some_and(|old| old.mode != new.mode);
                was_changed && now.mode != new.mode || has_other_folder_attributes(layer, one, &path, open)?
            }
            (MoveKind::Folder, ..) => false,
            (MoveKind::Delete, now, _) => now.is_some(),
            (MoveKind::Attributes, Some(now), Some(new)) => {
                // By another inode it is another file, whose other names are others.
                let is_it = one.old.as_ref().is_none_or(|old| old.inode == now.inode);
                !is_it
                    || (now.modified, now.mode) != (new.modified, new.mode)
                    || has_other_attributes(layer, one, &path)?
            }
            (MoveKind::Attributes, None, _) => true,
            (MoveKind::Create | MoveKind::Exchange, Some(now), Some(new)) => is_other_version(one, (now, new), &path)?,
            (MoveKind::Create | MoveKind::Exchange, None, _) => true,
            (MoveKind::Create | MoveKind::Exchange | MoveKind::Attributes, Some(_), None) => false,
        };
        if is_changed {
            found.push(Conflict { path, why: Why::Changed });
        } else if now.is_some_and(|now| now.kind == FileKind::File) && is_written(&path) {
            found.push(Conflict { path, why: Why::Open });
        }
    }
    Ok(found)
}

/// Says whether what is there is another version than what came. An index of git is none where it says the same.
pub(crate) fn is_other_version(
    one: &Move,
    (now, new): (&Attributes, &Attributes),
    path: &Path,
) -> Result<bool, LayerError> {
    let version = |of: &Attributes| (of.size, of.modified, of.kind, of.mode);
    let same = version(now) == version(new);
    let says_the_same = || {
        let is_index = (now.kind, now.mode) == (new.kind, new.mode) && new.kind == FileKind::File;
        is_index && one.print.is_some() && index_state::print(path) == one.print
    };
    if !same && !says_the_same() {
        return Ok(true);
    }
    let print = match one.after.map(|_| extended::known(path)).transpose() {
        // What its owner may not read cannot be told, and goes into the layer as it is.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => one.after,
        known => at(path, known)?.map(|known| known.print),
    };
    if print != one.after {
        return Ok(true);
    }
    let is_folder = new.kind == FileKind::Folder;
    Ok(is_folder && one.print.is_some_and(|print| print != fingerprint(path)))
}

/// Says whether the extended attributes that the run changed of a file or folder that stayed are others by now.
fn has_other_attributes(layer: &Layer, one: &Move, tree: &Path) -> Result<bool, LayerError> {
    let (before, upper) = (layer.old(one.number), layer.upper(one.root).join(&one.path));
    Ok(before.exists() && !at(tree, extended::is_changed(&before, &upper, tree))?)
}

/// The same of a folder, which may be one whose mode keeps its owner from reading them.
fn has_other_folder_attributes(layer: &Layer, one: &Move, tree: &Path, open: &Modes) -> Result<bool, LayerError> {
    match has_other_attributes(layer, one, tree) {
        Err(error) if error.source.kind() == io::ErrorKind::PermissionDenied => {
            at(tree, open.open_to(one.root, &layer.tree(one.root), &one.path))?;
            has_other_attributes(layer, one, tree)
        }
        done => done,
    }
}

/// What is known of a path and of all below it.
struct Known {
    /// The latest change.
    newest: (i64, i64),
    /// Names of files with several.
    names: Vec<Name>,
    /// Tells versions of what is below a folder apart.
    print: Option<u64>,
    /// Whether another program has a file of it open for writing.
    is_written: bool,
    /// Whether all of it could be looked at.
    is_whole: bool,
}

impl Known {
    fn of(root: usize, path: &Path, attributes: &Attributes, given: &Given) -> Result<Self, LayerError> {
        let mut known =
            Self { newest: attributes.changed, names: Vec::new(), print: None, is_written: false, is_whole: true };
        if attributes.has_names() {
            let meta = at(path, fs::symlink_metadata(path))?;
            known.names.push(Name::new(root, path, &meta));
        }
        match attributes.kind {
            FileKind::Folder => {
                let mut print = 0;
                known.is_whole = walk::all(path, |below| {
                    let attributes = Attributes::from_metadata(below.meta);
                    known.newest = known.newest.max(attributes.changed);
                    if attributes.has_names() {
                        known.names.push(Name::new(root, &path.join(below.path), below.meta));
                    }
                    known.is_written |= attributes.kind == FileKind::File && is_written(below.place);
                    add(&mut print, below, |inode| given.contains(&(root, inode)));
                });
                known.print = Some(print);
            }
            FileKind::File => known.is_written = is_written(path),
            FileKind::Link | FileKind::Whiteout | FileKind::Special => {}
        }
        Ok(known)
    }
}

/// Returns a number that tells versions of a folder's whole content apart: names, kinds, modes, sizes and times.
pub(crate) fn fingerprint(path: &Path) -> u64 {
    fingerprint_but(path, |_| false)
}

/// The same without mode and time of files of some inodes.
pub(crate) fn fingerprint_but(path: &Path, is_given: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    walk::all(path, |below| add(&mut sum, below, &is_given));
    sum
}

/// Adds something to such a number.
fn add(sum: &mut u64, below: &Below<'_>, is_given: impl Fn(u64) -> bool) {
    let attributes = Attributes::from_metadata(below.meta);
    let mut hasher = DefaultHasher::new();
    below.path.hash(&mut hasher);
    attributes.size.hash(&mut hasher);
    if !is_given(attributes.inode) {
        (attributes.mode, attributes.modified).hash(&mut hasher);
    }
    // A sum, as folders give their entries in any order.
    *sum = sum.wrapping_add(hasher.finish());
}

fn is_written(path: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).is_ok_and(sys::is_written)
}
