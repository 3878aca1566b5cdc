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
use crate::step::GaveWay;
use crate::{conflict, parents, parts};

/// Why moves are taken back, and what becomes of what others did in their places since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taking<'a> {
    /// Keeping is given up: it is put aside.
    Up,
    /// What was kept is taken back as it was looked at: it stays, and nothing is taken back.
    Stop,
    /// The same where some paths are to be replaced, which whoever wants that has put aside: all other is put aside.
    Replace(&'a [Conflict]),
    /// A taking back that was cut is brought to its end: it is put aside.
    Again,
}

impl Taking<'_> {
    fn coming(self) -> Coming {
        if self == Self::Up { Coming::New } else { Coming::Old }
    }
}

/// The moves of a layer, with what they are made from.
pub(crate) struct Moving<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) moves: &'a [Move],
    /// What was staged, where a rename cannot reach.
    pub(crate) note: Option<&'a Note>,
    /// Folders that were made for what is taken back.
    made: Mutex<Vec<PathBuf>>,
    /// What came out of the tree and is not what was kept.
    gave_way: Mutex<Vec<GaveWay<'a>>>,
    /// Whether some may have been taken back before a cut.
    resumes: bool,
}

impl<'a> Moving<'a> {
    pub(crate) fn new(layer: &'a Layer, moves: &'a [Move], note: Option<&'a Note>) -> Self {
        Self { layer, moves, note, made: Mutex::default(), gave_way: Mutex::default(), resumes: false }
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

    /// Takes all moves back, and looks at what came out for each.
    ///
    /// # Errors
    /// The first of what was refused; all others are taken back.
    pub(crate) fn back(&mut self, taking: Taking<'_>) -> Result<(), KeepError> {
        self.resumes = taking == Taking::Again;
        let this = &*self;
        let (open, coming) = (this.open()?, taking.coming());
        if coming == Coming::Old {
            parents::make(this.layer, this.moves, &open.modes, &mut locked(&this.made))?;
        }
        this.all(&open, |side, one| {
            match (this.note, coming) {
                (Some(note), _) => staging::back(side, one, note, coming),
                (None, Coming::Old) if taking == Taking::Stop && one.keeps_place() => side.attributes_back(one),
                (None, Coming::Old) => side.back(one, OnConflict::Replace),
                (None, Coming::New) => side.back(one, OnConflict::Stop),
            }?;
            let Some(from) = side.gave_way(one)? else { return Ok(()) };
            let is_at = |known: &Conflict| known.path == this.layer.tree(one.root).join(&one.path);
            match taking {
                // It changed after it was looked at.
                Taking::Stop => this.again_one(side, one).and(Err(Stopped::Changed)),
                Taking::Replace(known) if known.iter().any(is_at) => Ok(()),
                Taking::Replace(_) | Taking::Up | Taking::Again => {
                    locked(&this.gave_way).push(GaveWay { one, from });
                    Ok(())
                }
            }
        })
    }

    /// Puts aside what came out of the tree and is not what was kept, as a step that can be taken back itself. Returns its name;
    /// none where there is nothing of the kind.
    pub(crate) fn put_aside(&self, what: &str) -> Result<Option<String>, LayerError> {
        let gave_way = std::mem::take(&mut *locked(&self.gave_way));
        self.layer.put_aside(&gave_way, self.note.is_some(), what)
    }

    /// Makes those moves again that were taken back.
    ///
    /// # Errors
    /// The first of what was refused; all others are made.
    pub(crate) fn again(&self) -> Result<(), KeepError> {
        let open = self.open()?;
        self.all(&open, |side, one| self.again_one(side, one))?;
        // Where another program has put something there meanwhile, they stay.
        std::mem::take(&mut *locked(&self.made)).iter().rev().for_each(|folder| _ = fs::remove_dir(folder));
        Ok(())
    }

    fn again_one(&self, side: &mut Sides<'_>, one: &Move) -> Result<(), Stopped> {
        match self.note {
            Some(note) => staging::again(side, one, note),
            None => side.again(one, one.old.as_ref().map(|old| old.inode)),
        }
    }

    /// Does something with every move, the last one first, folders after what is in them.
    fn all(
        &self,
        open: &OpenTrees<'_>,
        work: impl Fn(&mut Sides<'_>, &'a Move) -> Result<(), Stopped>,
    ) -> Result<(), KeepError> {
        let mut sides = self.sides(self.moves, &open.modes)?;
        let (folders, contents): (Vec<&'a Move>, Vec<&'a Move>) = split(self.moves);
        let mut first = Ok(());
        // Folders last, so that their times stay as they are put back.
        for one in contents.into_iter().rev().chain(folders) {
            let Some(side) = sides.get_mut(&one.root) else { continue };
            let done = work(side, one).map_err(|stopped| self.stopped(one, stopped));
            first = first.and(done);
        }
        first
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
        let (moved, given) = (Rc::default(), Rc::new(conflict::given(self.moves)));
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
                given: Rc::clone(&given),
                device: at(&tree_path, fs::symlink_metadata(&tree_path))?.dev(),
                root,
                resumes: self.resumes,
                open,
                writable: layer.writable_path(),
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

fn locked<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parts folders that are on both sides from all others.
fn split(moves: &[Move]) -> (Vec<&Move>, Vec<&Move>) {
    moves.iter().partition(|one| one.kind == MoveKind::Folder)
}

/// Opens a folder of our own, whose path may have links in it (as a state folder below `/home` may).
fn open_own(path: &Path) -> io::Result<Beneath> {
    Beneath::open(&real(path)?)
}
