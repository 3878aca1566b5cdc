//! Keeping and taking back where a rename cannot reach from the layer into the tree: contents are copied into a folder in
//! the tree, exchanged from there, and what comes out is copied into the layer.
//!
//! A note beside the layer says which copies were made. A copy that is still in the staging folder was not moved yet.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::attributes::Attributes;
use crate::deep::{remove_any, remove_tree, rename_any};
use crate::extended::Which;
use crate::journal::{Move, MoveKind};
use crate::layer::{Layer, LayerError, State, at, replace};
use crate::linked::Linked;
use crate::mover::{Sides, Stopped};
use crate::outcome::OnConflict;
use crate::several;
use crate::transfer::{self, Before, Seen};

/// Which contents are moved into the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coming {
    /// What the run made.
    New,
    /// What was there before.
    Old,
}

/// What was made in trees for the time of moving.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// Roots with a staging folder, and their attributes before it came.
    roots: Vec<(usize, Attributes)>,
    /// Numbers of moves, and the inodes of their copies.
    copies: Vec<(usize, u64)>,
    /// What the layer is when staging folders are away: all moves are made, or taken back, and what came out is copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) arrived: Option<State>,
}

impl Note {
    fn of_roots(&self) -> impl Iterator<Item = usize> {
        self.roots.iter().map(|(root, _)| *root)
    }

    fn inode(&self, one: &Move) -> Option<u64> {
        self.copies.iter().find(|(number, _)| *number == one.number).map(|(_, inode)| *inode)
    }
}

impl Layer {
    fn note_path(&self) -> PathBuf {
        self.folder.join("staged")
    }

    pub(crate) fn stage_folder(&self, root: usize) -> PathBuf {
        self.tree(root).join(format!(".aish-keep-{}", self.id()))
    }

    /// Reads what was staged; none where nothing is. What a cut left readable of it has its mode again then.
    pub(crate) fn staged(&self) -> Result<Option<Note>, LayerError> {
        self.put_modes_back()?;
        let path = self.note_path();
        match fs::read(&path) {
            Ok(text) => at(&path, serde_json::from_slice(&text).map(Some).map_err(io::Error::from)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(LayerError { path, source }),
        }
    }

    fn write_note(&self, note: &Note) -> Result<(), LayerError> {
        let path = self.note_path();
        let text = serde_json::to_vec(note).map_err(io::Error::from);
        at(&path, text.and_then(|text| replace(&path, text)))
    }

    /// Copies what comes into a folder in each tree, from which it can be exchanged.
    ///
    /// # Errors
    /// Then nothing of it is left.
    pub(crate) fn stage(&self, moves: &[Move], coming: Coming) -> Result<Note, LayerError> {
        let staged = self.copy_in(moves, coming);
        if staged.is_err() {
            self.clear_staging()?;
        }
        staged
    }

    fn copy_in(&self, moves: &[Move], coming: Coming) -> Result<Note, LayerError> {
        let mut note = Note::default();
        let roots: BTreeSet<usize> = moves.iter().map(|one| one.root).collect();
        for root in &roots {
            let tree = self.tree(*root);
            note.roots.extend(at(&tree, Attributes::of(&tree))?.map(|attributes| (*root, attributes)));
        }
        self.write_note(&note)?;
        let _open = self.open_roots(roots.iter().copied())?;
        for root in &roots {
            let folder = self.stage_folder(*root);
            at(&folder, remove_tree(&folder))?;
            at(&folder, fs::create_dir(&folder))?;
        }
        let readable = self.readables()?;
        let mut seen = if coming == Coming::Old { self.names_left(moves)? } else { Seen::default() };
        let which = if coming == Coming::New { Which::Seen } else { Which::All };
        for one in moves {
            let from = match (coming, one.kind) {
                (Coming::New, MoveKind::Create | MoveKind::Exchange) | (Coming::Old, MoveKind::Exchange) => {
                    self.upper(one.root).join(&one.path)
                }
                (Coming::Old, MoveKind::Delete) => self.old(one.number),
                (Coming::New, MoveKind::Delete)
                | (Coming::Old, MoveKind::Create)
                | (_, MoveKind::Attributes | MoveKind::Folder) => {
                    continue;
                }
            };
            let to = self.stage_folder(one.root).join(one.number.to_string());
            at(&to, transfer::copy(&from, &to, &mut seen, &readable, which))?;
            let copied = at(&to, Attributes::of(&to))?.map(|attributes| (one.number, attributes.inode));
            note.copies.extend(copied);
        }
        self.write_note(&note)?;
        Ok(note)
    }

    /// Copies what came out of the trees to the layer. What is to be kept in place of what the layer has goes beside it first,
    /// and to its place when all is there: until then the layer has what came, and the moves can be taken back.
    pub(crate) fn copy_out(&self, moves: &[Move], note: &Note, coming: Coming) -> Result<(), LayerError> {
        let _open = self.open_roots(note.of_roots())?;
        let readable = self.readables()?;
        let mut seen = self.as_before(moves)?;
        let beside = self.folder.join("out");
        at(&beside, remove_tree(&beside))?;
        at(&beside, fs::create_dir(&beside))?;
        let mut waiting = Vec::new();
        for one in moves {
            let number = one.number.to_string();
            let from = self.stage_folder(one.root).join(&number);
            let to = match (coming, one.kind) {
                (Coming::New, MoveKind::Exchange) | (Coming::Old, MoveKind::Exchange | MoveKind::Create) => {
                    self.upper(one.root).join(&one.path)
                }
                (Coming::New, MoveKind::Delete) => self.old(one.number),
                (Coming::Old, MoveKind::Delete)
                | (Coming::New, MoveKind::Create)
                | (_, MoveKind::Attributes | MoveKind::Folder) => {
                    continue;
                }
            };
            let out = at(&from, Attributes::of(&from))?.filter(|out| note.inode(one) != Some(out.inode));
            if out.is_none() {
                continue;
            }
            let copy = beside.join(number);
            if coming == Coming::Old {
                // What was there is in the tree again, and its room may be needed.
                at(&to, remove_any(&to))?;
            }
            at(&copy, transfer::copy(&from, &copy, &mut seen, &readable, Which::All))?;
            waiting.push((copy, to, one.root));
        }
        if coming == Coming::New {
            self.note_linked(&seen, &waiting)?;
        }
        for (copy, to, _) in waiting {
            at(&to, remove_any(&to))?;
            at(&to, rename_any(&copy, &to))?;
        }
        at(&beside, remove_tree(&beside))
    }

    /// Lists names of files in trees for what is to come back as one more name of the same file: a copy would be another one.
    fn names_left(&self, moves: &[Move]) -> Result<Seen, LayerError> {
        let mut seen = Seen::default();
        // Where what comes back is, by the root and the attributes that it had.
        let mut coming: Vec<(usize, Attributes, PathBuf)> = Vec::new();
        for one in moves.iter().filter(|one| matches!(one.kind, MoveKind::Exchange | MoveKind::Delete)) {
            let Some(old) = one.old.as_ref().filter(|old| old.has_names()) else { continue };
            let deleted = one.kind == MoveKind::Delete;
            let from = if deleted { self.old(one.number) } else { self.upper(one.root).join(&one.path) };
            coming.push((one.root, old.clone(), from));
        }
        for Linked { root, inode, path } in self.linked()? {
            let from = self.folder.join(path);
            let copy = at(&from, Attributes::of(&from))?;
            coming.extend(copy.map(|copy| (root, Attributes { inode, ..copy }, from)));
        }
        let mut wanted: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for (root, old, _) in &coming {
            wanted.entry(*root).or_default().insert(old.inode);
        }
        for (root, inodes) in wanted {
            let found = several::names_of(&self.tree(root), inodes);
            for (_, old, from) in coming.iter().filter(|(of, ..)| *of == root) {
                let Some(name) = found.get(&old.inode) else { continue };
                // What the run gave it under another name is taken back after this.
                let given = moves.iter().filter(|one| is_given(one, root, old)).filter_map(|one| one.new.as_ref());
                let known = [old].into_iter().chain(given);
                let now = at(name, Attributes::of(name))?;
                if now.is_some_and(|now| known.into_iter().any(|known| is_version(&now, known, old))) {
                    seen.add(at(from, transfer::file_id(from))?, name);
                }
            }
        }
        Ok(seen)
    }

    /// Returns what files with several names were before the run's attributes came to another name of them.
    fn as_before(&self, moves: &[Move]) -> Result<Seen, LayerError> {
        let mut seen = Seen::default();
        for one in moves.iter().filter(|one| one.kind == MoveKind::Attributes) {
            let Some(old) = one.old.as_ref().filter(|old| old.has_names()) else { continue };
            let tree = self.tree(one.root);
            let device = at(&tree, transfer::file_id(&tree))?.0;
            let noted = self.old(one.number);
            let extended = at(&noted, Attributes::of(&noted))?.map(|_| noted);
            seen.was((device, old.inode), Before { attributes: old.clone(), extended });
        }
        Ok(seen)
    }

    /// Notes what the layer is when its staging folders are away. From here on it is completed, never undone.
    pub(crate) fn note_arrived(&self, note: &Note, state: State) -> Result<(), LayerError> {
        self.write_note(&Note { arrived: Some(state), ..note.clone() })
    }

    /// Takes staging folders away after that. A cut leaves the note, from which this is done again.
    pub(crate) fn finish(&self, moves: &[Move], note: &Note, state: State) -> Result<(), LayerError> {
        let _open = self.open_roots(note.of_roots())?;
        for (root, before) in &note.roots {
            let (folder, tree) = (self.stage_folder(*root), self.tree(*root));
            at(&folder, remove_tree(&folder))?;
            // The coming and going of a staging folder is no change of the tree.
            let of_root =
                |one: &&Move| one.root == *root && one.kind == MoveKind::Folder && one.path.as_os_str().is_empty();
            let moved = moves.iter().find(of_root);
            let wanted = match (state, moved) {
                (State::Kept, Some(one)) => one.new.as_ref(),
                (State::TakenBack, Some(one)) => one.old.as_ref(),
                _ => None,
            };
            at(&tree, wanted.unwrap_or(before).apply(rustix::fs::CWD, &tree))?;
        }
        self.set_state(state)?;
        let path = self.note_path();
        at(&path, fs::remove_file(&path))
    }

    /// Takes away what was staged and not moved; trees get back the time that they had.
    pub(crate) fn clear_staging(&self) -> Result<(), LayerError> {
        let Some(note) = self.staged()? else { return Ok(()) };
        let _open = self.open_roots(note.of_roots())?;
        for (root, before) in &note.roots {
            let (folder, tree) = (self.stage_folder(*root), self.tree(*root));
            if at(&folder, Attributes::of(&folder))?.is_some() {
                at(&folder, remove_tree(&folder))?;
                at(&tree, before.apply(rustix::fs::CWD, &tree))?;
            }
        }
        let path = self.note_path();
        at(&path, fs::remove_file(&path))
    }
}

/// Says whether a move gives attributes to a file of a root.
fn is_given(one: &Move, root: usize, file: &Attributes) -> bool {
    one.kind == MoveKind::Attributes && one.root == root && one.old.as_ref().is_some_and(|old| old.inode == file.inode)
}

/// Says whether a file is the one of before, as it was or with the attributes that it was given.
fn is_version(now: &Attributes, known: &Attributes, old: &Attributes) -> bool {
    let of = |one: &Attributes| (one.kind, one.size, one.modified);
    now.inode == old.inode && of(now) == of(known) && now.size == old.size
}

/// Makes a move from a staging folder; one that is made already is left alone.
pub(crate) fn forward(side: &mut Sides<'_>, one: &Move, note: &Note) -> Result<(), Stopped> {
    let staged = Attributes::of(&side.layer_path.join(one.number.to_string()))?;
    let waits = staged.as_ref().map(|staged| staged.inode) == note.inode(one);
    match one.kind {
        // It is made: what was open for that may have been left so.
        MoveKind::Create | MoveKind::Exchange if !waits => side.shut(one, one.old.as_ref()),
        // A copy has another inode than the one that the journal names.
        MoveKind::Create | MoveKind::Exchange => side.forward(&Move { new: staged, ..one.clone() }),
        MoveKind::Delete | MoveKind::Attributes | MoveKind::Folder => side.forward(one),
    }
}

/// Takes a move back that was made from a staging folder, or makes the way back from copies of what was there.
pub(crate) fn back(side: &mut Sides<'_>, one: &Move, note: &Note, coming: Coming) -> Result<(), Stopped> {
    if matches!(one.kind, MoveKind::Attributes | MoveKind::Folder) {
        let on_conflict = if coming == Coming::New { OnConflict::Stop } else { OnConflict::Replace };
        return side.back(one, on_conflict);
    }
    let staged = Attributes::of(&side.layer_path.join(one.number.to_string()))?;
    let waits = staged.is_some() && staged.as_ref().map(|staged| staged.inode) == note.inode(one);
    let was_not_made = match (one.kind, coming) {
        (MoveKind::Create, _) => staged.is_some(),
        // What waits is a new one that never came, or an old one that is to come.
        (_, Coming::New) => waits || staged.is_none(),
        (_, Coming::Old) => !waits,
    };
    if was_not_made {
        return Ok(());
    }
    let there = side.look(&one.path)?;
    let is_ours = there.as_ref().map(|there| there.inode) == note.inode(one);
    match (one.kind, coming, &there) {
        (MoveKind::Create, _, None) => Ok(()),
        // Another program's own, in the place of what came.
        (MoveKind::Create | MoveKind::Exchange, Coming::New, Some(_)) if !is_ours => Ok(()),
        (MoveKind::Delete, Coming::New, Some(_)) => Err(Stopped::Changed),
        (MoveKind::Create, ..) => side.back(&Move { new: there, ..one.clone() }, OnConflict::Replace),
        _ => side.back(&Move { new: there, old: staged, ..one.clone() }, OnConflict::Replace),
    }
}

/// Makes a move again that was taken back from copies of what was there.
pub(crate) fn again(side: &mut Sides<'_>, one: &Move, note: &Note) -> Result<(), Stopped> {
    side.again(one, note.inode(one))
}
