//! Keeping a layer and taking it back.
//!
//! Order of keeping: begin to sync what the command wrote; list the moves; look for conflicts; take overlayfs's marks off
//! folders that come; write the journal; sync the rest (the journal alone, where nothing else was written since), so that both
//! versions and the journal are on the disk; move by exchange; look once more at what came out, and take overlayfs's notes off
//! what came; note that it is done.
//! A cut at any moment leaves the journal, from which the rest is done (or all taken back) at the next start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::beneath::Beneath;
use crate::changes::{Caches, Changes};
use crate::conflict::{self, Conflict};
use crate::journal::{self, Header, Move, MoveKind};
use crate::layer::{Layer, LayerError, State, at};
use crate::mover::{Sides, Stopped};
use crate::staging::{self, Coming, Note};
use crate::{parts, transfer};

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
    /// Some paths changed in the meantime, or are names of files with several.
    #[error("{}", conflicts(.0))]
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
    let paths = match all {
        [one] => one.path.display().to_string(),
        [one, rest @ ..] => format!("{} and {} more", one.path.display(), rest.len()),
        [] => "nothing".to_owned(),
    };
    let changed = all.iter().any(|one| one.why != conflict::Why::Linked);
    let why =
        if changed { "changed while the command ran" } else { "would be parted from other names of the same file" };
    format!("{paths} {why}")
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
            let found = conflict::of_keeping(self, &moves, &changes)?;
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
            // A copy on another file system may have others.
            one.after = one.after.filter(|_| !staged);
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

    /// Returns the folder that a root lies over; empty where there is no root of this number.
    pub fn tree(&self, root: usize) -> PathBuf {
        self.about.covered.get(root).map(|covered| covered.path.clone()).unwrap_or_default()
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
                moved: BTreeSet::new(),
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
        let settle = |part: &[Move]| -> Result<(), KeepError> {
            let mut sides = self.sides(part, note.is_some())?;
            for one in part {
                let Some(side) = sides.get_mut(&one.root) else { continue };
                side.settle(one).map_err(|stopped| self.stopped(one, stopped))?;
            }
            Ok(())
        };
        parts::of(moves, settle).into_iter().collect()
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

/// Opens a folder of our own, whose path may have links in it (as a state folder below `/home` may).
fn open_own(path: &Path) -> io::Result<Beneath> {
    Beneath::open(&fs::canonicalize(path)?)
}
