//! Keeping a layer and taking it back.
//!
//! Order of keeping: list the moves; look for conflicts; take overlayfs's notes off what comes; write the journal; sync
//! the file system once, so that both versions and the journal are on the disk; move by exchange; note that it is done.
//! A cut at any moment leaves the journal, from which the rest is done (or all taken back) at the next start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::attributes::{self, Attributes, FileKind};
use crate::beneath::Beneath;
use crate::changes::{Changes, names};
use crate::conflict::{self, Conflict};
use crate::journal::{self, Header, Move, MoveKind};
use crate::layer::{Layer, LayerError, State, at, remove_tree};
use crate::mover::{Sides, Stopped};
use crate::transfer;

/// What is done with paths that changed in the tree in the meantime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing is moved, and they are listed.
    Stop,
    /// They are moved like the others; what was there is in the layer.
    Replace,
}

/// Why nothing was kept or taken back. The tree is as it was.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// Some paths changed in the meantime.
    #[error("{} changed while the command ran", conflicts(.0))]
    Conflicts(Vec<Conflict>),
    /// It is not open, or not kept.
    #[error("the layer is {}", .0.as_str())]
    State(State),
    /// A file cannot be moved.
    #[error("{} cannot be moved", path.display())]
    Move {
        /// The path in the tree.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The layer cannot be used.
    #[error("the layer cannot be used")]
    Layer(#[from] LayerError),
}

fn conflicts(all: &[Conflict]) -> String {
    match all {
        [one] => one.path.display().to_string(),
        [one, rest @ ..] => format!("{} and {} more", one.path.display(), rest.len()),
        [] => "nothing".to_owned(),
    }
}

impl Layer {
    /// Moves the changes into the tree. What is refused is left out and stays in the layer.
    ///
    /// # Errors
    /// Then the tree is as it was.
    pub fn keep(&self, caches: bool, on_conflict: OnConflict) -> Result<Changes, KeepError> {
        match self.state()? {
            State::Open => {}
            state => return Err(KeepError::State(state)),
        }
        let changes = self.changes(caches)?;
        self.take_out(&changes)?;
        let mut moves = self.moves(&changes)?;
        if on_conflict == OnConflict::Stop {
            let found = conflict::of_keeping(self, &moves)?;
            if !found.is_empty() {
                return Err(KeepError::Conflicts(found));
            }
        }
        let staged = self.is_elsewhere()?;
        let aside = self.folder.join("old");
        at(&aside, fs::create_dir_all(&aside))?;
        for one in &mut moves {
            self.prepare(one)?;
        }
        let path = self.journal_path();
        at(&path, journal::write(&path, &Header { staged }, &moves))?;
        if staged {
            self.stage(&moves)?;
        }
        self.set_state(State::Keeping)?;
        self.sync()?;
        if let Err(error) = self.all_forward(&moves, staged) {
            self.all_back(&moves, staged, false)?;
            self.unstage(&moves, staged, false)?;
            self.set_state(State::Open)?;
            return Err(error);
        }
        self.unstage(&moves, staged, true)?;
        self.set_state(State::Kept)?;
        Ok(changes)
    }

    /// Moves what was there before into the tree again, and what was kept into the layer.
    ///
    /// # Errors
    /// Then the tree is as it was.
    pub fn take_back(&self, on_conflict: OnConflict) -> Result<usize, KeepError> {
        match self.state()? {
            State::Kept => {}
            state => return Err(KeepError::State(state)),
        }
        let (_, moves) = self.journal()?;
        if on_conflict == OnConflict::Stop {
            let found = conflict::of_taking_back(self, &moves)?;
            if !found.is_empty() {
                return Err(KeepError::Conflicts(found));
            }
        }
        let staged = self.is_elsewhere()?;
        if staged {
            self.stage_old(&moves)?;
        }
        self.set_state(State::TakingBack)?;
        self.sync()?;
        self.all_back(&moves, staged, true)?;
        self.unstage(&moves, staged, false)?;
        self.set_state(State::TakenBack)?;
        Ok(moves.iter().filter(|one| one.kind != MoveKind::Folder).count())
    }

    /// Brings a layer whose keeping or taking back was cut to an end: completed where that is possible, else undone.
    /// Returns what it is now.
    ///
    /// # Errors
    /// When neither can be done; then it can be tried again.
    pub fn recover(&self) -> Result<State, KeepError> {
        let state = self.state()?;
        match state {
            State::Keeping => {
                let (header, moves) = self.journal()?;
                if self.all_forward(&moves, header.staged).is_ok() {
                    self.unstage(&moves, header.staged, true)?;
                    self.set_state(State::Kept)?;
                } else {
                    self.all_back(&moves, header.staged, false)?;
                    self.unstage(&moves, header.staged, false)?;
                    self.set_state(State::Open)?;
                }
            }
            State::TakingBack => {
                let (_, moves) = self.journal()?;
                let staged = self.is_elsewhere()?;
                self.all_back(&moves, staged, true)?;
                self.unstage(&moves, staged, false)?;
                self.set_state(State::TakenBack)?;
            }
            State::Open | State::Kept | State::TakenBack => return Ok(state),
        }
        Ok(self.state()?)
    }

    fn journal_path(&self) -> PathBuf {
        self.folder.join("journal")
    }

    pub(crate) fn journal(&self) -> Result<(Header, Vec<Move>), LayerError> {
        let path = self.journal_path();
        at(&path, journal::read(&path))
    }

    /// Lists the moves of changes, in the order in which they are made: contents, then folders from below.
    fn moves(&self, changes: &Changes) -> Result<Vec<Move>, LayerError> {
        let mut moves = Vec::new();
        let mut folders: BTreeSet<(usize, PathBuf)> = BTreeSet::new();
        for change in &changes.changes {
            let tree = self.tree(change.root).join(&change.path);
            let upper = self.upper(change.root).join(&change.path);
            let (old, above) = (at(&tree, Attributes::of(&tree))?, at(&upper, Attributes::of(&upper))?);
            let new = above.filter(|new| new.kind != FileKind::Whiteout);
            let both_folders = change.before == Some(FileKind::Folder) && change.after == Some(FileKind::Folder);
            if both_folders && !change.replaces {
                folders.insert((change.root, change.path.clone()));
                continue;
            }
            let kind = match (&old, &new) {
                (None, Some(_)) => MoveKind::Create,
                (Some(_), Some(_)) => MoveKind::Exchange,
                (Some(_), None) => MoveKind::Delete,
                (None, None) => continue,
            };
            if let Some(parent) = change.path.parent() {
                folders.insert((change.root, parent.to_owned()));
            }
            moves.push(Move { kind, root: change.root, path: change.path.clone(), new, old, print: None, number: 0 });
        }
        for (root, path) in folders.into_iter().rev() {
            let (tree, upper) = (self.tree(root).join(&path), self.upper(root).join(&path));
            let (old, new) = (at(&tree, Attributes::of(&tree))?, at(&upper, Attributes::of(&upper))?);
            moves.push(Move { kind: MoveKind::Folder, root, path, new, old, print: None, number: 0 });
        }
        for (number, one) in moves.iter_mut().enumerate() {
            one.number = number;
        }
        Ok(moves)
    }

    pub(crate) fn tree(&self, root: usize) -> PathBuf {
        self.about.covered.get(root).map(|covered| covered.path.clone()).unwrap_or_default()
    }

    /// Takes what is refused out of folders that are moved as a whole.
    fn take_out(&self, changes: &Changes) -> Result<(), LayerError> {
        for refused in &changes.refused {
            let whole = changes.changes.iter().any(|change| {
                change.root == refused.root && refused.path != change.path && refused.path.starts_with(&change.path)
            });
            let path = self.upper(refused.root).join(&refused.path);
            if whole {
                at(&path, fs::remove_file(&path))?;
            }
        }
        Ok(())
    }

    /// Makes one side of a move fit to be in the tree, and notes what a folder's extended attributes were.
    fn prepare(&self, one: &mut Move) -> Result<(), LayerError> {
        let upper = self.upper(one.root).join(&one.path);
        match one.kind {
            MoveKind::Create | MoveKind::Exchange => {
                clean(&upper)?;
                let is_folder = one.new.as_ref().is_some_and(|new| new.kind == FileKind::Folder);
                one.print = is_folder.then(|| conflict::fingerprint(&upper));
                Ok(())
            }
            MoveKind::Delete => Ok(()),
            MoveKind::Folder => {
                let tree = self.tree(one.root).join(&one.path);
                if at(&upper, attributes::has_same_extended(&tree, &upper))? {
                    return Ok(());
                }
                let note = self.folder.join("old").join(one.number.to_string());
                at(&note, fs::create_dir(&note))?;
                at(&note, attributes::copy_extended(&tree, &note))
            }
        }
    }

    /// Says whether some root is where a rename from the layer cannot reach.
    fn is_elsewhere(&self) -> Result<bool, LayerError> {
        for (root, covered) in self.about.covered.iter().enumerate() {
            let upper = self.upper(root);
            if !at(&upper, transfer::is_same_mount(&upper, &covered.path))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn stage_folder(&self, root: usize) -> PathBuf {
        self.tree(root).join(format!(".aish-keep-{}", self.id()))
    }

    fn roots_of(moves: &[Move]) -> BTreeSet<usize> {
        moves.iter().map(|one| one.root).collect()
    }

    /// Copies what comes into a folder in the tree, from which it can be exchanged.
    fn stage(&self, moves: &[Move]) -> Result<(), LayerError> {
        self.stage_from(moves, |one| {
            matches!(one.kind, MoveKind::Create | MoveKind::Exchange).then(|| self.upper(one.root).join(&one.path))
        })
    }

    /// Copies what was there into a folder in the tree, from which it can be exchanged.
    fn stage_old(&self, moves: &[Move]) -> Result<(), LayerError> {
        self.stage_from(moves, |one| match one.kind {
            MoveKind::Exchange => Some(self.upper(one.root).join(&one.path)),
            MoveKind::Delete => Some(self.folder.join("old").join(one.number.to_string())),
            MoveKind::Create | MoveKind::Folder => None,
        })
    }

    fn stage_from(&self, moves: &[Move], source: impl Fn(&Move) -> Option<PathBuf>) -> Result<(), LayerError> {
        for root in Self::roots_of(moves) {
            let folder = self.stage_folder(root);
            at(&folder, remove_tree(&folder))?;
            at(&folder, fs::create_dir(&folder))?;
        }
        let mut seen = transfer::Seen::new();
        for one in moves {
            if let Some(from) = source(one) {
                let to = self.stage_folder(one.root).join(one.number.to_string());
                at(&to, transfer::copy(&from, &to, &mut seen))?;
            }
        }
        Ok(())
    }

    /// Copies what is in the staging folders to the layer, and takes them away.
    fn unstage(&self, moves: &[Move], staged: bool, kept: bool) -> Result<(), LayerError> {
        if !staged {
            return Ok(());
        }
        let mut seen = transfer::Seen::new();
        for one in moves.iter().filter(|_| kept) {
            let from = self.stage_folder(one.root).join(one.number.to_string());
            let to = match one.kind {
                MoveKind::Exchange => self.upper(one.root).join(&one.path),
                MoveKind::Delete => self.folder.join("old").join(one.number.to_string()),
                MoveKind::Create | MoveKind::Folder => continue,
            };
            if at(&from, Attributes::of(&from))?.is_some() {
                at(&to, remove_any(&to))?;
                at(&to, transfer::copy(&from, &to, &mut seen))?;
            }
        }
        for root in Self::roots_of(moves) {
            let folder = self.stage_folder(root);
            at(&folder, remove_tree(&folder))?;
            // Its coming and going is no change of the tree.
            for one in moves.iter().filter(|one| one.kind == MoveKind::Folder && one.root == root) {
                let wanted = if kept { one.new.as_ref() } else { one.old.as_ref() };
                if let Some(wanted) = wanted.filter(|_| one.path.as_os_str().is_empty()) {
                    let tree = self.tree(root);
                    at(&tree, wanted.apply(rustix::fs::CWD, &tree))?;
                }
            }
        }
        Ok(())
    }

    /// Opens both sides of every root that moves.
    fn sides(&self, moves: &[Move], staged: bool) -> Result<BTreeMap<usize, Sides>, LayerError> {
        let mut all = BTreeMap::new();
        for root in Self::roots_of(moves) {
            let tree_path = self.tree(root);
            let layer_path = if staged { self.stage_folder(root) } else { self.upper(root) };
            let aside_path = if staged { layer_path.clone() } else { self.folder.join("old") };
            let sides = Sides {
                tree: at(&tree_path, Beneath::open(&tree_path))?,
                layer: at(&layer_path, open_own(&layer_path))?,
                aside: at(&aside_path, open_own(&aside_path))?,
                tree_path,
                layer_path,
                aside_path,
                staged,
            };
            all.insert(root, sides);
        }
        Ok(all)
    }

    fn all_forward(&self, moves: &[Move], staged: bool) -> Result<(), KeepError> {
        let mut sides = self.sides(moves, staged)?;
        for one in moves {
            let Some(side) = sides.get_mut(&one.root) else { continue };
            if staged && one.kind == MoveKind::Exchange {
                // A copy has another inode than the one that the journal names.
                forward_copied(side, one)
            } else if staged && one.kind == MoveKind::Create {
                forward_created(side, one)
            } else {
                side.forward(one)
            }
            .map_err(|stopped| self.stopped(one, stopped))?;
        }
        Ok(())
    }

    fn all_back(&self, moves: &[Move], staged: bool, force: bool) -> Result<(), KeepError> {
        let mut sides = self.sides(moves, staged)?;
        let (folders, contents): (Vec<&Move>, Vec<&Move>) = moves.iter().partition(|one| one.kind == MoveKind::Folder);
        // Folders last here too, so that their times stay as they are put back.
        for one in contents.into_iter().rev().chain(folders) {
            let Some(side) = sides.get_mut(&one.root) else { continue };
            let done =
                if staged && one.kind != MoveKind::Folder { back_copied(side, one) } else { side.back(one, force) };
            match done {
                // Not forced, it is a move that had not been made.
                Err(Stopped::Changed) if !force => {}
                done => done.map_err(|stopped| self.stopped(one, stopped))?,
            }
        }
        Ok(())
    }

    fn stopped(&self, one: &Move, stopped: Stopped) -> KeepError {
        let path = self.tree(one.root).join(&one.path);
        match stopped {
            Stopped::Changed => KeepError::Conflicts(vec![Conflict { path, why: conflict::Why::Changed }]),
            Stopped::Refused(source) => KeepError::Move { path, source },
        }
    }

    fn sync(&self) -> Result<(), LayerError> {
        let folder = at(&self.folder, fs::File::open(&self.folder))?;
        at(&self.folder, rustix::fs::syncfs(&folder).map_err(io::Error::from))
    }
}

/// Opens a folder of our own, whose path may have links in it (as a state folder below `/home` may).
fn open_own(path: &Path) -> io::Result<Beneath> {
    Beneath::open(&fs::canonicalize(path)?)
}

fn forward_copied(side: &mut Sides, one: &Move) -> Result<(), Stopped> {
    let staged = Attributes::of(&side.layer_path.join(one.number.to_string()))?;
    // The old one is in the staging folder already: it is done.
    if staged.as_ref().map(|now| now.inode) == one.old.as_ref().map(|old| old.inode) {
        return Ok(());
    }
    side.forward(&Move { new: staged, ..one.clone() })
}

fn forward_created(side: &mut Sides, one: &Move) -> Result<(), Stopped> {
    let staged = Attributes::of(&side.layer_path.join(one.number.to_string()))?;
    if staged.is_none() {
        return Ok(());
    }
    side.forward(&Move { new: staged, ..one.clone() })
}

/// Takes a move back from a staging folder: what is there and what is staged change places, once.
fn back_copied(side: &mut Sides, one: &Move) -> Result<(), Stopped> {
    let staged = Attributes::of(&side.layer_path.join(one.number.to_string()))?;
    let there = Attributes::of(&side.tree_path.join(&one.path))?;
    match (one.kind, staged, there) {
        (MoveKind::Create, None, Some(there)) => side.back(&Move { new: Some(there), ..one.clone() }, true),
        (MoveKind::Exchange, Some(staged), Some(there))
            if staged.size == one.old.as_ref().map_or(0, |old| old.size) =>
        {
            side.back(&Move { new: Some(there), old: Some(staged), ..one.clone() }, true)
        }
        (MoveKind::Delete, Some(staged), None) => side.back(&Move { old: Some(staged), ..one.clone() }, true),
        _ => Ok(()),
    }
}

/// Takes overlayfs's notes and marks off everything at a path.
fn clean(path: &Path) -> Result<(), LayerError> {
    let Some(attributes) = at(path, Attributes::of(path))? else { return Ok(()) };
    match attributes.kind {
        FileKind::Whiteout => return at(path, fs::remove_file(path)),
        FileKind::Folder => {
            for name in names(path)? {
                clean(&path.join(name))?;
            }
            // Taking a mark away is no change of the folder.
            at(path, attributes.apply(rustix::fs::CWD, path))?;
        }
        FileKind::File | FileKind::Link | FileKind::Special => {}
    }
    if attributes.kind == FileKind::Link { Ok(()) } else { at(path, attributes::strip(path)) }
}

fn remove_any(path: &Path) -> io::Result<()> {
    match Attributes::of(path)? {
        None => Ok(()),
        Some(attributes) if attributes.kind == FileKind::Folder => remove_tree(path),
        Some(_) => fs::remove_file(path),
    }
}
