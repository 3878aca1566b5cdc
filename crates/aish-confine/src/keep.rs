//! Keeping a layer and taking it back.
//!
//! Order of keeping: begin to sync what the command wrote; list the moves; look for conflicts; take overlayfs's marks off
//! folders that come; write the journal; sync the rest (the journal alone, where nothing else was written since), so that both
//! versions and the journal are on the disk; move by exchange; look once more at what came out, and take overlayfs's notes off
//! what came; note that it is done.
//! A cut at any moment leaves the journal, from which the rest is done (or all taken back) at the next start.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use crate::changes::{Caches, Changes};
use crate::conflict;
use crate::deep::remove_tree;
use crate::disk::{self, Disk};
use crate::journal::{self, Header, Move, MoveKind};
use crate::layer::{Layer, LayerError, State, at};
use crate::modes::OpenTrees;
use crate::moving::{Moving, Taking};
use crate::outcome::{KeepError, OnConflict, Recovered, Why};
use crate::staging::{Coming, Note};
use crate::{parents, transfer};

impl Layer {
    /// Moves the changes into the tree. What is refused is left out and stays in the layer.
    ///
    /// # Errors
    /// Then the tree is as it was, but for [`KeepError::Unfinished`].
    pub fn keep(&self, caches: Caches, on_conflict: OnConflict) -> Result<Changes, KeepError> {
        let _lock = self.lock()?;
        match self.state()? {
            State::Open => {}
            state => return Err(KeepError::State(state)),
        }
        self.forget_given_up();
        // Written before the sync begins.
        self.unveil()?;
        let disk = Disk::begin(&self.folder)?;
        let changes = self.changes(caches)?;
        self.take_out(&changes)?;
        let mut moves = self.moves(&changes)?;
        self.are_there(&moves)?;
        if on_conflict == OnConflict::Stop {
            let found = conflict::of_keeping(self, &mut moves, &changes)?;
            if !found.is_empty() {
                return Err(KeepError::Conflicts(found));
            }
        }
        let staged = self.is_elsewhere()?;
        if staged {
            self.has_room(&moves)?;
        }
        let wrote = self.prepare_all(&mut moves, staged)?;
        let path = self.journal_path();
        at(&path, journal::write(&path, &Header { staged, moves: moves.len() }, &moves))?;
        let note = staged.then(|| self.stage(&moves, Coming::New)).transpose()?;
        if let Err(error) = self.set_state(State::Keeping) {
            self.clear_staging()?;
            return Err(error.into());
        }
        let journal_alone = !wrote && !staged;
        let synced = if journal_alone { disk.sync_files(&[path, self.state_path()]) } else { disk.sync() };
        let synced = at(&self.folder, synced).map_err(KeepError::from);
        // What is told to have failed must not be completed at the next start.
        match synced.and_then(|()| self.go(&moves, note.as_ref())) {
            Ok(()) => Ok(changes),
            Err(why) => Err(self.give_up(&moves, note.as_ref(), why)),
        }
    }

    /// Moves what was there before into the tree again, and what was kept into the layer. Folders that are gone since are made
    /// for that.
    ///
    /// # Errors
    /// Then the tree is as it was, but for [`KeepError::Unfinished`].
    pub fn take_back(&self, on_conflict: OnConflict) -> Result<usize, KeepError> {
        let _lock = self.lock()?;
        match self.state()? {
            State::Kept => {}
            state => return Err(KeepError::State(state)),
        }
        let (_, moves) = self.journal()?;
        self.are_there(&moves)?;
        let open = OpenTrees::of(self, parents::of(&moves))?;
        let found = conflict::of_taking_back(self, &moves, &open.modes)?;
        drop(open);
        let (barred, replaced): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| match on_conflict {
            OnConflict::Stop => true,
            // No way leads through those.
            OnConflict::Replace => one.why == Why::Replaced,
        });
        if !barred.is_empty() {
            return Err(KeepError::Conflicts(barred));
        }
        let taking = match on_conflict {
            OnConflict::Stop => Taking::Stop,
            OnConflict::Replace => Taking::Replace(&replaced),
        };
        let staged = self.is_elsewhere()?;
        let note = staged.then(|| self.stage(&moves, Coming::Old)).transpose()?;
        let begun = self.set_state(State::TakingBack).and_then(|()| {
            let folder = at(&self.folder, File::open(&self.folder))?;
            at(&self.folder, disk::sync(&folder))
        });
        if let Err(error) = begun {
            self.clear_staging()?;
            self.set_state(State::Kept)?;
            return Err(error.into());
        }
        self.go_back(&moves, note.as_ref(), taking)?;
        Ok(moves.iter().filter(|one| one.kind != MoveKind::Folder).count())
    }

    /// Brings a layer whose keeping or taking back was cut to an end: completed where that is possible, else undone.
    /// Returns what it is now.
    ///
    /// # Errors
    /// When another process has it, or neither can be done; then it can be tried again.
    pub fn recover(&self) -> Result<Recovered, KeepError> {
        // Whoever moves it has it, however long that takes.
        let _lock = self.try_lock()?;
        let state = self.state()?;
        if !matches!(state, State::Keeping | State::TakingBack) {
            self.clear_staging()?;
            return Ok(Recovered { state, was_cut: false });
        }
        // It was on the disk before the first move.
        if state == State::Keeping && self.is_without_journal()? {
            self.clear_staging()?;
            self.set_state(State::Open)?;
            return Ok(Recovered { state: State::Open, was_cut: true });
        }
        let (moves, note) = (self.journal()?.1, self.staged()?);
        self.are_there(&moves)?;
        self.finish_step()?;
        if let Some((note, arrived)) = note.as_ref().and_then(|note| Some((note, note.arrived?))) {
            self.finish(&moves, note, arrived)?;
            return Ok(Recovered { state: arrived, was_cut: true });
        }
        let done = match state {
            State::Keeping if self.is_given_up() => Err(self.give_up(&moves, note.as_ref(), KeepError::State(state))),
            State::Keeping => match self.go(&moves, note.as_ref()) {
                Err(why) => Err(self.give_up(&moves, note.as_ref(), why)),
                done => done,
            },
            _ => self.go_back(&moves, note.as_ref(), Taking::Again),
        };
        match done {
            Err(error @ KeepError::Unfinished { .. }) => Err(error),
            Ok(()) | Err(_) => Ok(Recovered { state: self.state()?, was_cut: true }),
        }
    }

    /// Takes copies away that a cut left in trees before the first move, where nobody is at it.
    pub(crate) fn clear_left(&self) {
        // Nearly always there is no note; what fails is done again the next time.
        if matches!(self.staged(), Ok(Some(_)))
            && let Ok(_lock) = self.try_lock()
            && matches!(self.state(), Ok(State::Open | State::Kept | State::TakenBack))
        {
            let _ = self.clear_staging();
        }
    }

    /// Makes all moves of keeping.
    fn go(&self, moves: &[Move], note: Option<&Note>) -> Result<(), KeepError> {
        Moving::new(self, moves, note).forward()?;
        let Some(note) = note else { return Ok(self.set_state(State::Kept)?) };
        self.copy_out(moves, note, Coming::New)?;
        self.note_arrived(note, State::Kept)?;
        // What is left of it fails without harm: the next start takes it away.
        let _ = self.finish(moves, note, State::Kept);
        Ok(())
    }

    /// Takes back those moves of keeping that were made, and returns why it was given up.
    fn give_up(&self, moves: &[Move], note: Option<&Note>, why: KeepError) -> KeepError {
        // What was taken out of the tree and put aside cannot be kept any more. Without room for the note the rest is as good.
        let _ = fs::write(self.given_up_path(), "");
        let mut moving = Moving::new(self, moves, note);
        let whole = moving.back(Taking::Up).and_then(|()| {
            // Before it is open: what is open and nobody's is thrown away.
            let step = moving.put_aside("keeping")?;
            match note {
                None => self.set_state(State::Open)?,
                Some(note) => {
                    self.note_arrived(note, State::Open)?;
                    self.finish(moves, note, State::Open)?;
                }
            }
            self.forget_given_up();
            Ok(step)
        });
        match whole {
            Ok(None) => why,
            Ok(Some(step)) => KeepError::GaveWay { step, source: Box::new(why) },
            Err(left) => self.unfinished(left),
        }
    }

    fn given_up_path(&self) -> PathBuf {
        self.folder.join("given-up")
    }

    fn is_given_up(&self) -> bool {
        self.given_up_path().exists()
    }

    fn forget_given_up(&self) {
        let _ = fs::remove_file(self.given_up_path());
    }

    /// Makes all moves of taking back; where one is refused all others are made again.
    fn go_back(&self, moves: &[Move], note: Option<&Note>, taking: Taking<'_>) -> Result<(), KeepError> {
        let mut moving = Moving::new(self, moves, note);
        if let Err(why) = moving.back(taking) {
            let whole = moving.again().and_then(|()| {
                self.clear_staging()?;
                Ok(self.set_state(State::Kept)?)
            });
            return Err(whole.map_or_else(|left| self.unfinished(left), |()| why));
        }
        // The tree is as it was before. What came out of it is put away, now or at the next start.
        moving.put_aside("undo").map_err(|error| self.unfinished(error.into()))?;
        let put_away = match note {
            None => self.set_state(State::TakenBack),
            Some(note) => self
                .copy_out(moves, note, Coming::Old)
                .and_then(|()| self.note_arrived(note, State::TakenBack))
                .and_then(|()| self.finish(moves, note, State::TakenBack)),
        };
        put_away.map_err(|error| self.unfinished(error.into()))
    }

    fn unfinished(&self, source: KeepError) -> KeepError {
        KeepError::Unfinished { layer: self.folder.clone(), source: Box::new(source) }
    }

    /// Fails where a folder is gone that moves are made in.
    fn are_there(&self, moves: &[Move]) -> Result<(), KeepError> {
        for root in moves.iter().map(|one| one.root).collect::<BTreeSet<usize>>() {
            let tree = self.tree(root);
            if !fs::symlink_metadata(&tree).is_ok_and(|meta| meta.is_dir()) {
                return Err(KeepError::Gone(tree));
            }
        }
        Ok(())
    }

    /// Makes what moves fit to be in the tree, and says whether anything was written for that.
    fn prepare_all(&self, moves: &mut [Move], staged: bool) -> Result<bool, LayerError> {
        let aside = self.olds();
        // An earlier try may have left notes.
        at(&aside, remove_tree(&aside))?;
        at(&aside, fs::create_dir(&aside))?;
        let modes = self.modes()?;
        let mut wrote = false;
        for one in moves {
            wrote |= self.prepare(one, &modes)?;
            // A copy on another file system may have others.
            one.after = one.after.filter(|_| !staged);
        }
        Ok(wrote)
    }

    pub(crate) fn journal_path(&self) -> PathBuf {
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
}
