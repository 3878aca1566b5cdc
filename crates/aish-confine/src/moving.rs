//! The moves of a journal made, taken back, or made again: each list is gone through to its end where something of it is to be
//! undone, so that one path that is refused leaves no other one where it does not belong.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::beneath::{Beneath, real};
use crate::journal::{Move, MoveKind};
use crate::layer::{Layer, LayerError, at};
use crate::modes::{Modes, OpenTrees};
use crate::mover::{Sides, Stopped};
use crate::outcome::{Conflict, KeepError, OnConflict, Why};
use crate::staging::{self, Coming, Note};
use crate::{parents, parts};

/// The moves of a layer, with what they are made from.
pub(crate) struct Moving<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) moves: &'a [Move],
    /// What was staged, where a rename cannot reach.
    pub(crate) note: Option<&'a Note>,
    /// Folders that were made for what is taken back.
    made: Mutex<Vec<PathBuf>>,
}

impl<'a> Moving<'a> {
    pub(crate) fn new(layer: &'a Layer, moves: &'a [Move], note: Option<&'a Note>) -> Self {
        Self { layer, moves, note, made: Mutex::default() }
    }

    /// Makes all moves: contents, a second look at them, then the folders that hold them, whose mode may close them.
    pub(crate) fn forward(&self) -> Result<(), KeepError> {
        let open = self.open()?;
        let mut sides = self.sides(self.moves, &open.modes)?;
        let (folders, contents): (Vec<&Move>, Vec<&Move>) = split(self.moves);
        for one in contents {
            self.forward_one(&mut sides, one)?;
        }
        let settle = |part: &[Move]| -> Result<(), KeepError> {
            let mut sides = self.sides(part, &open.modes)?;
            for one in part {
                let Some(side) = sides.get_mut(&one.root) else { continue };
                side.settle(one).map_err(|stopped| self.stopped(one, stopped))?;
            }
            Ok(())
        };
        parts::of(self.moves, settle).into_iter().collect::<Result<(), _>>()?;
        folders.into_iter().try_for_each(|one| self.forward_one(&mut sides, one))
    }

    fn forward_one(&self, sides: &mut BTreeMap<usize, Sides<'_>>, one: &Move) -> Result<(), KeepError> {
        let Some(side) = sides.get_mut(&one.root) else { return Ok(()) };
        let done = match self.note {
            Some(note) => staging::forward(side, one, note),
            None => side.forward(one),
        };
        done.map_err(|stopped| self.stopped(one, stopped))
    }

    /// Takes all moves back. `coming` says whether that gives keeping up, where a move may not have been made, or takes back
    /// what was kept.
    ///
    /// # Errors
    /// The first of what was refused; all others are taken back.
    pub(crate) fn back(&self, coming: Coming) -> Result<(), KeepError> {
        let open = self.open()?;
        if coming == Coming::Old {
            parents::make(self.layer, self.moves, &open.modes, &mut self.made())?;
        }
        self.all(&open, |side, one| match (self.note, coming) {
            (Some(note), _) => staging::back(side, one, note, coming),
            (None, Coming::Old) => side.back(one, OnConflict::Replace),
            (None, Coming::New) => side.back(one, OnConflict::Stop),
        })
    }

    /// Makes those moves again that were taken back.
    ///
    /// # Errors
    /// The first of what was refused; all others are made.
    pub(crate) fn again(&self) -> Result<(), KeepError> {
        let open = self.open()?;
        self.all(&open, |side, one| match self.note {
            Some(note) => staging::again(side, one, note),
            None => side.again(one, one.old.as_ref().map(|old| old.inode)),
        })?;
        // Where another program has put something there meanwhile, they stay.
        std::mem::take(&mut *self.made()).iter().rev().for_each(|folder| _ = fs::remove_dir(folder));
        Ok(())
    }

    /// Does something with every move, the last one first, folders after what is in them.
    fn all(
        &self,
        open: &OpenTrees<'_>,
        work: impl Fn(&mut Sides<'_>, &Move) -> Result<(), Stopped>,
    ) -> Result<(), KeepError> {
        let mut sides = self.sides(self.moves, &open.modes)?;
        let (folders, contents): (Vec<&Move>, Vec<&Move>) = split(self.moves);
        let mut first = Ok(());
        // Folders last, so that their times stay as they are put back.
        for one in contents.into_iter().rev().chain(folders) {
            let Some(side) = sides.get_mut(&one.root) else { continue };
            let done = work(side, one).map_err(|stopped| self.stopped(one, stopped));
            first = first.and(done);
        }
        first
    }

    fn made(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens up the folders of trees that their owner cannot enter.
    fn open(&self) -> Result<OpenTrees<'_>, KeepError> {
        let roots = self.note.into_iter().flat_map(|_| self.moves).map(|one| (one.root, PathBuf::new()));
        let folders: BTreeSet<_> = parents::of(self.moves).into_iter().chain(roots).collect();
        Ok(OpenTrees::of(self.layer, folders)?)
    }

    /// Opens both sides of every root that moves.
    fn sides<'m>(&self, moves: &[Move], open: &'m Modes) -> Result<BTreeMap<usize, Sides<'m>>, LayerError> {
        let (layer, staged) = (self.layer, self.note.is_some());
        let moved = Rc::default();
        let mut all = BTreeMap::new();
        for root in moves.iter().map(|one| one.root).collect::<BTreeSet<usize>>() {
            let tree_path = layer.tree(root);
            let layer_path = if staged { layer.stage_folder(root) } else { layer.upper(root) };
            let aside_path = if staged { layer_path.clone() } else { layer.olds() };
            let sides = Sides {
                tree: at(&tree_path, Beneath::open(&tree_path))?,
                layer: at(&layer_path, open_own(&layer_path))?,
                aside: at(&aside_path, open_own(&aside_path))?,
                layer_path,
                new_folders: layer.upper(root),
                old_folders: layer.olds(),
                staged,
                moved: Rc::clone(&moved),
                device: at(&tree_path, fs::symlink_metadata(&tree_path))?.dev(),
                root,
                open,
                tree_path,
            };
            all.insert(root, sides);
        }
        Ok(all)
    }

    fn stopped(&self, one: &Move, stopped: Stopped) -> KeepError {
        let path = self.layer.tree(one.root).join(&one.path);
        match stopped {
            Stopped::Changed => KeepError::Conflicts(vec![Conflict { path, why: Why::Changed }]),
            Stopped::Refused(source) => KeepError::Move { path, source },
        }
    }
}

/// Parts folders that are on both sides from all others.
fn split(moves: &[Move]) -> (Vec<&Move>, Vec<&Move>) {
    moves.iter().partition(|one| one.kind == MoveKind::Folder)
}

/// Opens a folder of our own, whose path may have links in it (as a state folder below `/home` may).
fn open_own(path: &Path) -> io::Result<Beneath> {
    Beneath::open(&real(path)?)
}
