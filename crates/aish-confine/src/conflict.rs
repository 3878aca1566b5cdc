//! Paths of the tree that changed while a layer was open, or since it was kept.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::attributes::{self, Attributes, FileKind};
use crate::journal::{Move, MoveKind};
use crate::layer::{Layer, LayerError, at};
use crate::{parts, sys};

/// Why a path is a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was changed by another program.
    Changed,
    /// Another program has it open for writing.
    Open,
    /// It has other names, which would keep the old content.
    Linked,
}

impl Why {
    /// Returns the reason in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "was changed by another program",
            Self::Open => "is open for writing in another program",
            Self::Linked => "has other names, which would keep the old content",
        }
    }
}

/// A path that cannot be moved without a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path in the tree.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

/// Looks for what changed since the layer was made.
pub(crate) fn of_keeping(layer: &Layer, moves: &[Move]) -> Result<Vec<Conflict>, LayerError> {
    let found = parts::of(moves, |part| of_part(layer, part, moves));
    Ok(found.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

fn of_part(layer: &Layer, part: &[Move], moves: &[Move]) -> Result<Vec<Conflict>, LayerError> {
    let mut found = Vec::new();
    for one in part {
        let path = layer.tree(one.root).join(&one.path);
        let why = match (one.kind, &one.old) {
            (MoveKind::Folder, Some(old)) if old.changed > layer.about.start => {
                // Something coming into it is no conflict. What differs is this run's, or another's doing.
                is_other_folder(layer, one, old)?.then_some(Why::Changed)
            }
            (MoveKind::Create, None) => was_taken_away(layer, one)?.then_some(Why::Changed),
            (MoveKind::Folder, _) | (_, None) => None,
            (_, Some(old)) if newest(&path, old)? > layer.about.start => Some(Why::Changed),
            (_, Some(old)) if old.kind == FileKind::File && is_written(&path) => Some(Why::Open),
            (MoveKind::Exchange, Some(old))
                if old.kind == FileKind::File && old.links > 1 && is_copy(layer, one, &path)? =>
            {
                let moved = moves.iter().filter(|other| other.old.as_ref().is_some_and(|o| o.inode == old.inode));
                ((moved.count() as u64) < old.links).then_some(Why::Linked)
            }
            (MoveKind::Create | MoveKind::Exchange | MoveKind::Delete | MoveKind::Attributes, Some(_)) => None,
        };
        found.extend(why.map(|why| Conflict { path, why }));
    }
    Ok(found)
}

/// Says whether a path that is in the layer and not in the tree may have been there at the start: overlayfs copied it from the
/// tree, under this name or another, and names came or went since where it lay.
fn was_taken_away(layer: &Layer, one: &Move) -> Result<bool, LayerError> {
    let upper = layer.upper(one.root).join(&one.path);
    if !at(&upper, attributes::is_copied(&upper))? {
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

/// Says whether mode, owner or extended attributes of a folder differ between layer and tree.
fn is_other_folder(layer: &Layer, one: &Move, old: &Attributes) -> Result<bool, LayerError> {
    let (tree, upper) = (layer.tree(one.root).join(&one.path), layer.upper(one.root).join(&one.path));
    let differs = one.new.as_ref().is_some_and(|new| new.permissions() != old.permissions());
    Ok(differs || one.new.is_some() && !at(&upper, attributes::has_same_extended(&tree, &upper))?)
}

/// Says whether a file of the layer was written where it is, and not put in the place of the old one, whose other names stay
/// as they are then: overlayfs copies a file with its time of access, and nothing in the layer changes that.
fn is_copy(layer: &Layer, one: &Move, tree: &Path) -> Result<bool, LayerError> {
    use std::os::unix::fs::MetadataExt as _;
    let upper = layer.upper(one.root).join(&one.path);
    let accessed = |path: &Path| at(path, fs::symlink_metadata(path)).map(|meta| (meta.atime(), meta.atime_nsec()));
    let above = accessed(&upper)?;
    Ok(above < layer.about.start || above == accessed(tree)?)
}

/// Looks for what changed since the layer was kept.
pub(crate) fn of_taking_back(layer: &Layer, moves: &[Move]) -> Result<Vec<Conflict>, LayerError> {
    let mut found = Vec::new();
    for one in moves {
        let path = layer.tree(one.root).join(&one.path);
        let now = at(&path, Attributes::of(&path))?;
        let is_changed = match (one.kind, &now, &one.new) {
            (MoveKind::Folder, Some(now), Some(new)) => {
                let was_changed = one.old.as_ref().is_some_and(|old| old.mode != new.mode);
                was_changed && now.mode != new.mode
            }
            (MoveKind::Folder, ..) => false,
            (MoveKind::Delete, now, _) => now.is_some(),
            (MoveKind::Attributes, Some(now), Some(new)) => (now.modified, now.mode) != (new.modified, new.mode),
            (MoveKind::Attributes, None, _) => true,
            (MoveKind::Create | MoveKind::Exchange, Some(now), Some(new)) => {
                let version = |of: &Attributes| (of.size, of.modified, of.kind, of.mode);
                let same = version(now) == version(new);
                !same || one.print.is_some_and(|print| print != fingerprint(&path))
            }
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

/// Returns the latest change of a path and of all below it.
fn newest(path: &Path, attributes: &Attributes) -> Result<(i64, i64), LayerError> {
    let mut latest = attributes.changed;
    if attributes.kind != FileKind::Folder {
        return Ok(latest);
    }
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let attributes = Attributes::from_metadata(&meta);
            latest = latest.max(attributes.changed);
            if attributes.kind == FileKind::Folder {
                folders.push(entry.path());
            }
        }
    }
    Ok(latest)
}

/// Returns a number that tells versions of a folder's whole content apart: names, kinds, modes, sizes and times.
pub(crate) fn fingerprint(path: &Path) -> u64 {
    let mut sum = 0_u64;
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let attributes = Attributes::from_metadata(&meta);
            let entry = entry.path();
            let mut hasher = DefaultHasher::new();
            entry.strip_prefix(path).unwrap_or(&entry).hash(&mut hasher);
            (attributes.mode, attributes.size, attributes.modified).hash(&mut hasher);
            // A sum, as folders give their entries in any order.
            sum = sum.wrapping_add(hasher.finish());
            if attributes.kind == FileKind::Folder {
                folders.push(entry);
            }
        }
    }
    sum
}

fn is_written(path: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).is_ok_and(sys::is_written)
}
