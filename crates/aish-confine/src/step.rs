//! What others did in the place of what is taken back: put aside as a layer of its own, which is kept and can be taken back in
//! its turn.
//!
//! It is made below the layer that it gives way to, and gets its place among the others whole. After a cut what lies in it is
//! given its place then.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::attributes::{Attributes, FileKind};
use crate::conflict;
use crate::deep::{in_its_folder, remove_tree, rename_any};
use crate::disk;
use crate::extended::{self, Which};
use crate::held::Held;
use crate::journal::{self, Header, Move, MoveKind};
use crate::layer::{About, Layer, LayerError, State, at};
use crate::transfer;

/// Something that came out of the tree and is in no journal.
pub(crate) struct GaveWay<'a> {
    /// The move in whose place it was.
    pub(crate) one: &'a Move,
    /// Where it lies.
    pub(crate) from: PathBuf,
}

impl Layer {
    fn step_path(&self) -> PathBuf {
        self.folder.join("step")
    }

    /// Makes a step of what gave way to `what`, and returns its name; none where there is nothing. What lies on another file
    /// system than the layer is copied, and stays.
    pub(crate) fn put_aside(
        &self,
        gave_way: &[GaveWay<'_>],
        copies: bool,
        what: &str,
    ) -> Result<Option<String>, LayerError> {
        if gave_way.is_empty() {
            return Ok(None);
        }
        self.finish_step()?;
        let step = self.begin_step(what)?;
        let mut moves = Vec::new();
        for (number, GaveWay { one, from }) in gave_way.iter().enumerate() {
            moves.push(self.step_move(one, from, number)?);
        }
        let path = step.journal_path();
        at(&path, journal::write(&path, &Header { staged: copies, moves: moves.len() }, &moves))?;
        step.set_state(State::Kept)?;
        let (mut seen, readable) = (transfer::Seen::default(), step.readables()?);
        for (GaveWay { from, .. }, one) in gave_way.iter().zip(&moves) {
            let to = step.place_of(one);
            at(&to, to.parent().map_or(Ok(()), fs::create_dir_all))?;
            let done = if copies {
                transfer::copy(from, &to, &mut seen, &readable, Which::All)
            } else {
                in_its_folder(from, || rename_any(from, &to))
            };
            at(&to, done)?;
        }
        // Its modes are back before it has its place.
        drop(readable);
        at(&step.folder, fs::File::open(&step.folder).and_then(|folder| disk::sync(&folder)))?;
        self.publish(&step).map(Some)
    }

    /// Gives a step that was cut while it was made its place, with what lies in it.
    pub(crate) fn finish_step(&self) -> Result<(), LayerError> {
        let folder = self.step_path();
        if at(&folder, Attributes::of(&folder))?.is_none() {
            return Ok(());
        }
        let begun = Self::open(&folder).and_then(|step| {
            step.put_modes_back()?;
            Ok((step.journal()?, step))
        });
        if let Ok(((header, mut moves), step)) = begun
            && !header.staged
        {
            moves.retain(|one| step.place_of(one).symlink_metadata().is_ok());
            if !moves.is_empty() {
                let path = step.journal_path();
                at(&path, journal::write(&path, &Header { staged: false, moves: moves.len() }, &moves))?;
                step.set_state(State::Kept)?;
                return self.publish(&step).map(drop);
            }
        }
        // Nothing lies in it that is not where it came from, too.
        at(&folder, remove_tree(&folder))
    }

    fn begin_step(&self, what: &str) -> Result<Self, LayerError> {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let about = About {
            command: format!("{what} of {}: {}", self.id(), self.about.command),
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            process: std::process::id(),
            ..self.about.clone()
        };
        let step = Self { folder: self.step_path(), about, held: Held::default() };
        let mut private = fs::DirBuilder::new();
        private.mode(0o700);
        at(&step.folder, private.create(&step.folder))?;
        for folder in (0..step.about.covered.len()).map(|root| step.upper(root)).chain([step.olds()]) {
            at(&folder, fs::create_dir(&folder))?;
        }
        let path = step.folder.join("about.json");
        let text = serde_json::to_vec(&step.about).map_err(io::Error::from);
        at(&path, text.and_then(|text| fs::write(&path, text)))?;
        Ok(step)
    }

    /// Says what the tree has now as what came, and what gave way as what was there.
    fn step_move(&self, one: &Move, from: &Path, number: usize) -> Result<Move, LayerError> {
        let tree = self.tree(one.root).join(&one.path);
        let (new, old) = (at(&tree, Attributes::of(&tree))?, at(from, Attributes::of(from))?);
        let is_folder = new.as_ref().is_some_and(|new| new.kind == FileKind::Folder);
        let after = new.as_ref().filter(|_| !is_folder).map(|_| at(&tree, extended::known(&tree))).transpose()?;
        Ok(Move {
            kind: if new.is_some() { MoveKind::Exchange } else { MoveKind::Delete },
            root: one.root,
            path: one.path.clone(),
            new,
            old,
            print: is_folder.then(|| conflict::fingerprint(&tree)),
            old_print: None,
            before: None,
            after: after.map(|known| known.print),
            noted: false,
            number,
        })
    }

    /// Where what was there lies, when all is kept.
    fn place_of(&self, one: &Move) -> PathBuf {
        match one.kind {
            MoveKind::Delete => self.old(one.number),
            MoveKind::Create | MoveKind::Exchange | MoveKind::Attributes | MoveKind::Folder => {
                self.upper(one.root).join(&one.path)
            }
        }
    }

    /// Gives a step its place beside this layer, under a name that is free there.
    fn publish(&self, step: &Self) -> Result<String, LayerError> {
        let mut number = step.about.time_ms;
        loop {
            let id = format!("{number:x}");
            let to = self.folder.with_file_name(&id);
            match renameat_with(CWD, &step.folder, CWD, &to, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(id),
                Err(Errno::EXIST) => number += 1,
                Err(error) => return Err(LayerError { path: to, source: error.into() }),
            }
        }
    }
}
