//! What keeping a layer moves: its changes as a list of moves, and what is written in the layer before the first of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::attributes::{Attributes, FileKind};
use crate::beneath::real;
use crate::changes::{Change, Changes};
use crate::conflict;
use crate::deep::remove_any;
use crate::extended::{self, Which};
use crate::index_state;
use crate::journal::{Move, MoveKind};
use crate::layer::{Layer, LayerError, at};
use crate::modes::{Forgets, Modes};
use crate::walk::names;

impl Layer {
    /// Lists the moves of changes, in the order in which they are made: contents, then folders from below.
    pub(crate) fn moves(&self, changes: &Changes) -> Result<Vec<Move>, LayerError> {
        let modes = self.modes()?;
        let mut moves = Vec::new();
        let mut folders: BTreeSet<(usize, PathBuf)> = changes.times.iter().cloned().collect();
        let mut files = BTreeSet::new();
        // A file that got another name is moved under its own too: they are one file in the layer.
        let is_alone = |change: &&Change| !change.keeps_file();
        for change in changes.changes.iter().chain(changes.linked.iter().filter(is_alone)) {
            if change.is_merged() {
                folders.insert((change.root, change.path.clone()));
                continue;
            }
            // A folder may have changed since it was compared: what is refused was taken out of it.
            let upper = self.upper(change.root).join(&change.path);
            let new = match &change.new {
                Some(new) if new.kind == FileKind::Folder => {
                    at(&upper, modes.attributes(change.root, &change.path, &upper))?
                }
                new => new.clone(),
            };
            let kind = match (&change.old, &new) {
                (None, Some(_)) => MoveKind::Create,
                (Some(_), Some(_)) if change.keeps_file() => MoveKind::Attributes,
                (Some(_), Some(_)) => MoveKind::Exchange,
                (Some(_), None) => MoveKind::Delete,
                (None, None) => continue,
            };
            if kind == MoveKind::Attributes {
                // All its names get them at once.
                let inode = change.old.as_ref().map(|old| old.inode);
                if !files.insert((change.root, inode)) {
                    continue;
                }
            } else if let Some(parent) = change.path.parent() {
                folders.insert((change.root, parent.to_owned()));
            }
            let is_open = new.as_ref().is_some_and(|new| new.mode & 0o200 != 0);
            moves.push(Move {
                kind,
                root: change.root,
                path: change.path.clone(),
                new,
                old: change.old.clone(),
                print: None,
                old_print: None,
                before: change.old_extended.map(|known| known.print),
                after: change.new_extended.map(|known| known.print),
                noted: is_open && change.new_extended.is_some_and(|known| known.noted),
                number: moves.len(),
            });
        }
        for (root, path) in folders.into_iter().rev() {
            moves.push(self.folder_move(root, path, moves.len(), &modes)?);
        }
        Ok(moves)
    }

    /// Says what becomes of a folder that both sides have.
    fn folder_move(&self, root: usize, path: PathBuf, number: usize, modes: &Modes) -> Result<Move, LayerError> {
        let (tree, upper) = (self.tree(root).join(&path), self.upper(root).join(&path));
        Ok(Move {
            kind: MoveKind::Folder,
            root,
            new: at(&upper, modes.attributes(root, &path, &upper))?,
            path,
            old: at(&tree, Attributes::of(&tree))?,
            print: None,
            old_print: None,
            before: None,
            after: None,
            noted: false,
            number,
        })
    }

    /// Takes what is refused out of folders that are moved as a whole.
    pub(crate) fn take_out(&self, changes: &Changes) -> Result<(), LayerError> {
        if changes.refused.is_empty() {
            return Ok(());
        }
        let moved: BTreeSet<(usize, &Path)> =
            changes.changes.iter().map(|one| (one.root, one.path.as_path())).collect();
        for refused in &changes.refused {
            let whole = refused.path.ancestors().skip(1).any(|folder| moved.contains(&(refused.root, folder)));
            let path = self.upper(refused.root).join(&refused.path);
            if whole {
                at(&path, remove_any(&path))?;
            }
        }
        Ok(())
    }

    /// Makes one side of a move fit to be in the tree, and notes what a folder's extended attributes were. Says whether
    /// anything was written for that.
    pub(crate) fn prepare(&self, one: &mut Move, modes: &Modes) -> Result<bool, LayerError> {
        let upper = self.upper(one.root).join(&one.path);
        match one.kind {
            MoveKind::Create | MoveKind::Exchange => match &one.new {
                // Notes are taken off when it is in the tree: what is written here must be on the disk before the first move.
                Some(new) if new.kind == FileKind::File && new.mode & 0o200 != 0 => {
                    one.print = index_state::print(&upper);
                    Ok(false)
                }
                Some(new) if new.kind == FileKind::Folder => {
                    let wrote = clean(&upper)?;
                    // As a whole it comes with the modes that it was left with.
                    let place = at(&upper, real(&self.upper(one.root)))?;
                    at(&upper, modes.put_back(one.root, &place, &one.path, Forgets::Nothing))?;
                    one.print = Some(conflict::fingerprint(&upper));
                    Ok(wrote)
                }
                Some(_) | None => clean(&upper),
            },
            MoveKind::Delete => Ok(false),
            MoveKind::Attributes | MoveKind::Folder => {
                let tree = self.tree(one.root).join(&one.path);
                if at(&upper, extended::is_same(&tree, &upper))? {
                    return Ok(false);
                }
                let note = self.old(one.number);
                let made = if one.kind == MoveKind::Folder { fs::create_dir(&note) } else { fs::write(&note, "") };
                at(&note, made)?;
                at(&note, extended::copy(&tree, &note, Which::Seen))?;
                Ok(true)
            }
        }
    }
}

/// Takes overlayfs's notes and marks off everything at a path, and says whether there were any.
fn clean(path: &Path) -> Result<bool, LayerError> {
    let Some(attributes) = at(path, Attributes::of(path))? else { return Ok(false) };
    let mut wrote = false;
    match attributes.kind {
        FileKind::Whiteout => return at(path, remove_any(path).map(|()| true)),
        FileKind::Folder => {
            for name in names(path)? {
                wrote |= clean(&path.join(name))?;
            }
            if wrote {
                // Taking a mark away is no change of the folder.
                at(path, attributes.apply(rustix::fs::CWD, path))?;
            }
        }
        FileKind::File | FileKind::Link | FileKind::Special => {}
    }
    Ok(wrote | (attributes.kind != FileKind::Link && at(path, extended::strip(path))?))
}
