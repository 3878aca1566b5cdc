//! Keeping a layer and taking it back.
//!
//! Order of keeping: begin to sync what the command wrote; list the moves; look for conflicts; take overlayfs's marks off
//! folders that come; write the journal; sync the rest (the journal alone, where nothing else was written since), so that both
//! versions and the journal are on the disk; move by exchange, and take overlayfs's notes off each file that came; note that it
//! is done.
//! A cut at any moment leaves the journal, from which the rest is done (or all taken back) at the next start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::attributes::{self, Attributes, FileKind};
use crate::beneath::Beneath;
use crate::changes::{Caches, Changes, names};
use crate::conflict::{self, Conflict};
use crate::journal::{self, Header, Move, MoveKind};
use crate::layer::{Layer, LayerError, State, at};
use crate::mover::{Sides, Stopped};
use crate::staging::{self, Coming, Note};
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
    pub fn keep(&self, caches: Caches, on_conflict: OnConflict) -> Result<Changes, KeepError> {
        match self.state()? {
            State::Open => {}
            state => return Err(KeepError::State(state)),
        }
        // Written before the sync begins.
        self.unveil()?;
        let disk = Disk::begin(&self.folder)?;
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
        let mut wrote = false;
        for one in &mut moves {
            wrote |= self.prepare(one)?;
        }
        let path = self.journal_path();
        at(&path, journal::write(&path, &Header { staged, moves: moves.len() }, &moves))?;
        let note = staged.then(|| self.stage(&moves, Coming::New)).transpose()?;
        let journal_alone = !wrote && !staged;
        if let Err(error) = self.set_state(State::Keeping) {
            self.clear_staging()?;
            return Err(error.into());
        }
        let synced = if journal_alone { disk.sync_files(&[path, self.state_path()]) } else { disk.sync() };
        let synced = at(&self.folder, synced).map_err(KeepError::from);
        // What is told to have failed must not be completed at the next start.
        if let Err(error) = synced.and_then(|()| self.all_forward(&moves, note.as_ref())) {
            self.give_up(&moves, note)?;
            return Err(error);
        }
        self.arrive(&moves, note, Coming::New, State::Kept)?;
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
        let note = staged.then(|| self.stage(&moves, Coming::Old)).transpose()?;
        let begun = self.set_state(State::TakingBack).and_then(|()| {
            let folder = at(&self.folder, File::open(&self.folder))?;
            at(&self.folder, sync(&folder))
        });
        if let Err(error) = begun {
            self.clear_staging()?;
            self.set_state(State::Kept)?;
            return Err(error.into());
        }
        self.all_back(&moves, note.as_ref(), Coming::Old)?;
        self.arrive(&moves, note, Coming::Old, State::TakenBack)?;
        Ok(moves.iter().filter(|one| one.kind != MoveKind::Folder).count())
    }

    /// Brings a layer whose keeping or taking back was cut to an end: completed where that is possible, else undone.
    /// Returns what it is now.
    ///
    /// # Errors
    /// When neither can be done; then it can be tried again.
    pub fn recover(&self) -> Result<State, KeepError> {
        let state = self.state()?;
        if matches!(state, State::Keeping | State::TakingBack)
            && let Some(note) = self.staged()?
            && let Some(arrived) = note.arrived
        {
            self.finish(&self.journal()?.1, note, arrived)?;
            return Ok(arrived);
        }
        match state {
            // It was on the disk before the first move.
            State::Keeping if self.is_without_journal()? => {
                self.clear_staging()?;
                self.set_state(State::Open)?;
            }
            State::Keeping => {
                let (moves, note) = (self.journal()?.1, self.staged()?);
                match self.all_forward(&moves, note.as_ref()) {
                    Ok(()) => self.arrive(&moves, note, Coming::New, State::Kept)?,
                    Err(_) => self.give_up(&moves, note)?,
                }
            }
            State::TakingBack => {
                let (moves, note) = (self.journal()?.1, self.staged()?);
                self.all_back(&moves, note.as_ref(), Coming::Old)?;
                self.arrive(&moves, note, Coming::Old, State::TakenBack)?;
            }
            State::Open | State::Kept | State::TakenBack => return Ok(state),
        }
        Ok(self.state()?)
    }

    /// Notes that all moves are made, and takes away what was made for that alone.
    fn arrive(&self, moves: &[Move], note: Option<Note>, coming: Coming, state: State) -> Result<(), LayerError> {
        match note {
            Some(note) => {
                self.copy_out(moves, &note, coming)?;
                self.finish(moves, note, state)
            }
            None => self.set_state(state),
        }
    }

    /// Takes back those moves of keeping that were made.
    fn give_up(&self, moves: &[Move], note: Option<Note>) -> Result<(), KeepError> {
        self.all_back(moves, note.as_ref(), Coming::New)?;
        match note {
            Some(note) => Ok(self.finish(moves, note, State::Open)?),
            None => Ok(self.set_state(State::Open)?),
        }
    }

    fn journal_path(&self) -> PathBuf {
        self.folder.join("journal")
    }

    pub(crate) fn journal(&self) -> Result<(Header, Vec<Move>), LayerError> {
        let path = self.journal_path();
        at(&path, journal::read(&path))
    }

    fn is_without_journal(&self) -> Result<bool, LayerError> {
        match self.journal() {
            Ok(_) => Ok(false),
            Err(error) => match error.source.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => Ok(true),
                _ => Err(error),
            },
        }
    }

    /// Lists the moves of changes, in the order in which they are made: contents, then folders from below.
    fn moves(&self, changes: &Changes) -> Result<Vec<Move>, LayerError> {
        let mut moves = Vec::new();
        let mut folders: BTreeSet<(usize, PathBuf)> = changes.times.iter().cloned().collect();
        for change in &changes.changes {
            // A folder may have changed since it was compared: what is refused was taken out of it.
            let upper = self.upper(change.root).join(&change.path);
            let new = match &change.new {
                Some(new) if new.kind == FileKind::Folder => at(&upper, Attributes::of(&upper))?,
                new => new.clone(),
            };
            let old = change.old.clone();
            let both_folders = change.before == Some(FileKind::Folder) && change.after == Some(FileKind::Folder);
            if both_folders && !change.replaces {
                folders.insert((change.root, change.path.clone()));
                continue;
            }
            let kind = match (&old, &new) {
                (None, Some(_)) => MoveKind::Create,
                (Some(old), Some(new)) if change.attributes_only && is_linked_file(old, new) => MoveKind::Attributes,
                (Some(_), Some(_)) => MoveKind::Exchange,
                (Some(_), None) => MoveKind::Delete,
                (None, None) => continue,
            };
            if let Some(parent) = change.path.parent().filter(|_| kind != MoveKind::Attributes) {
                folders.insert((change.root, parent.to_owned()));
            }
            moves.push(Move {
                kind,
                root: change.root,
                path: change.path.clone(),
                new,
                old,
                print: None,
                noted: false,
                number: 0,
            });
        }
        for (root, path) in folders.into_iter().rev() {
            let (tree, upper) = (self.tree(root).join(&path), self.upper(root).join(&path));
            let (old, new) = (at(&tree, Attributes::of(&tree))?, at(&upper, Attributes::of(&upper))?);
            moves.push(Move { kind: MoveKind::Folder, root, path, new, old, print: None, noted: false, number: 0 });
        }
        for (number, one) in moves.iter_mut().enumerate() {
            one.number = number;
        }
        Ok(moves)
    }

    /// Returns the folder that a root lies over; empty where there is no root of this number.
    pub fn tree(&self, root: usize) -> PathBuf {
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

    /// Makes one side of a move fit to be in the tree, and notes what a folder's extended attributes were. Says whether
    /// anything was written for that.
    fn prepare(&self, one: &mut Move) -> Result<bool, LayerError> {
        let upper = self.upper(one.root).join(&one.path);
        match one.kind {
            MoveKind::Create | MoveKind::Exchange => match &one.new {
                // Notes are taken off when it is in the tree: what is written here must be on the disk before the first move.
                Some(new) if new.kind == FileKind::File && new.mode & 0o200 != 0 => {
                    one.noted = at(&upper, attributes::has_notes(&upper))?;
                    Ok(false)
                }
                Some(new) if new.kind == FileKind::Folder => {
                    let wrote = clean(&upper)?;
                    one.print = Some(conflict::fingerprint(&upper));
                    Ok(wrote)
                }
                Some(_) | None => clean(&upper),
            },
            MoveKind::Delete => Ok(false),
            MoveKind::Attributes | MoveKind::Folder => {
                let tree = self.tree(one.root).join(&one.path);
                if at(&upper, attributes::has_same_extended(&tree, &upper))? {
                    return Ok(false);
                }
                let note = self.folder.join("old").join(one.number.to_string());
                let made = if one.kind == MoveKind::Folder { fs::create_dir(&note) } else { fs::write(&note, "") };
                at(&note, made)?;
                at(&note, attributes::copy_extended(&tree, &note))?;
                Ok(true)
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

    /// Opens both sides of every root that moves.
    fn sides(&self, moves: &[Move], staged: bool) -> Result<BTreeMap<usize, Sides>, LayerError> {
        let mut all = BTreeMap::new();
        for root in moves.iter().map(|one| one.root).collect::<BTreeSet<usize>>() {
            let tree_path = self.tree(root);
            let layer_path = if staged { self.stage_folder(root) } else { self.upper(root) };
            let aside_path = if staged { layer_path.clone() } else { self.folder.join("old") };
            let sides = Sides {
                tree: at(&tree_path, Beneath::open(&tree_path))?,
                layer: at(&layer_path, open_own(&layer_path))?,
                aside: at(&aside_path, open_own(&aside_path))?,
                tree_path,
                layer_path,
                new_folders: self.upper(root),
                old_folders: self.folder.join("old"),
                staged,
            };
            all.insert(root, sides);
        }
        Ok(all)
    }

    fn all_forward(&self, moves: &[Move], note: Option<&Note>) -> Result<(), KeepError> {
        let mut sides = self.sides(moves, note.is_some())?;
        for one in moves {
            let Some(side) = sides.get_mut(&one.root) else { continue };
            let done = match note {
                Some(note) => staging::forward(side, one, note),
                None => side.forward(one),
            };
            done.map_err(|stopped| self.stopped(one, stopped))?;
        }
        Ok(())
    }

    /// Takes moves back. `coming` says whether that gives keeping up, where a move may not have been made, or takes back
    /// what was kept.
    fn all_back(&self, moves: &[Move], note: Option<&Note>, coming: Coming) -> Result<(), KeepError> {
        let mut sides = self.sides(moves, note.is_some())?;
        let (folders, contents): (Vec<&Move>, Vec<&Move>) = moves.iter().partition(|one| one.kind == MoveKind::Folder);
        // Folders last here too, so that their times stay as they are put back.
        for one in contents.into_iter().rev().chain(folders) {
            let Some(side) = sides.get_mut(&one.root) else { continue };
            let done = match note {
                Some(note) => staging::back(side, one, note, coming),
                None if coming == Coming::Old => side.back(one, OnConflict::Replace),
                None => side.back(one, OnConflict::Stop),
            };
            match done {
                Err(Stopped::Changed) if coming == Coming::New => {}
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
}

/// The file system of a layer, which is being synced while the layer is looked at.
struct Disk {
    folder: Arc<File>,
    ahead: Option<JoinHandle<io::Result<()>>>,
}

impl Disk {
    fn begin(folder: &Path) -> Result<Self, LayerError> {
        let folder = Arc::new(at(folder, File::open(folder))?);
        let disk = Arc::clone(&folder);
        // Without a thread all is left to the sync at the end.
        let ahead = std::thread::Builder::new().name("sync".to_owned()).spawn(move || sync(&disk));
        Ok(Self { folder, ahead: ahead.ok() })
    }

    /// Syncs what is left. One descriptor for both, so that a fault is told which the first one met.
    fn sync(mut self) -> io::Result<()> {
        let ahead = self.ahead.take().map(JoinHandle::join);
        ahead.transpose().map_err(|_| crashed())?.transpose()?;
        sync(&self.folder)
    }

    /// Syncs some files of the layer and its list of them, where all else was there before the sync began: that of the
    /// whole file system would wait once more for what other programs write.
    fn sync_files(mut self, files: &[PathBuf]) -> io::Result<()> {
        let Some(ahead) = self.ahead.take() else { return sync(&self.folder) };
        let (folder, mut opened) = (Arc::clone(&self.folder), Vec::new());
        for file in files {
            opened.push(File::open(file)?);
        }
        // At the same time: each waits for the disk, which takes several as one.
        let synced = std::thread::scope(|scope| {
            let begin = |file| {
                let begun = std::thread::Builder::new().spawn_scoped(scope, move || File::sync_all(file));
                begun.map_err(|_| file)
            };
            let begun: Vec<_> = opened.iter().map(begin).collect();
            let synced = folder.sync_all();
            let rest = begun.into_iter().map(|one| match one {
                Ok(one) => one.join().unwrap_or_else(|_| Err(crashed())),
                Err(file) => file.sync_all(),
            });
            rest.fold(synced, io::Result::and)
        });
        ahead.join().map_err(|_| crashed())??;
        synced
    }
}

fn crashed() -> io::Error {
    io::Error::other("the sync crashed")
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            let _ = ahead.join();
        }
    }
}

fn sync(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

/// Says whether a file has other names, and is a file still.
fn is_linked_file(old: &Attributes, new: &Attributes) -> bool {
    old.kind == FileKind::File && new.kind == FileKind::File && old.links > 1
}

/// Opens a folder of our own, whose path may have links in it (as a state folder below `/home` may).
fn open_own(path: &Path) -> io::Result<Beneath> {
    Beneath::open(&fs::canonicalize(path)?)
}

/// Takes overlayfs's notes and marks off everything at a path, and says whether there were any.
fn clean(path: &Path) -> Result<bool, LayerError> {
    let Some(attributes) = at(path, Attributes::of(path))? else { return Ok(false) };
    let mut wrote = false;
    match attributes.kind {
        FileKind::Whiteout => return at(path, fs::remove_file(path).map(|()| true)),
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
    Ok(wrote | (attributes.kind != FileKind::Link && at(path, attributes::strip(path))?))
}
