//! The undo journal: named files and folders are put aside before a command deletes or overwrites them.
//!
//! Order: copy everything aside, write the record, and only then may the command run. What could not be put aside (too
//! large, not readable, neither file nor folder nor link) is named, so that a person can be told before and after.

mod copy;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::WallClock;
use crate::lines::{AppendError, Durability, LineFile, LoadError};

/// What may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoOptions {
    /// Bytes of all that is put aside; older ones go first, and what is larger alone is not put aside.
    pub max_bytes: u64,
    /// How long something is kept.
    pub keep: Duration,
}

impl Default for UndoOptions {
    fn default() -> Self {
        Self { max_bytes: 256 * 1024 * 1024, keep: Duration::from_secs(7 * 24 * 60 * 60) }
    }
}

/// One path that was named by a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Where it was, absolute.
    pub path: PathBuf,
    /// The copy's name in the step's folder; none when there was nothing at that path.
    pub copy: Option<String>,
}

/// One line of the journal: what was put aside for one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name, and that of its folder.
    pub id: String,
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// When, in milliseconds since 1970.
    pub time_ms: i64,
    /// The command.
    pub command: String,
    /// What was put aside.
    pub saved: Vec<Saved>,
    /// What could not be, each with the reason.
    pub missed: Vec<(PathBuf, String)>,
    /// Bytes of the copies.
    pub bytes: u64,
    /// True in the line that says that the step was undone.
    #[serde(default)]
    pub undone: bool,
}

/// What an undo did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// Paths that are as they were.
    pub restored: Vec<PathBuf>,
    /// Paths that could not be restored, each with the reason.
    pub failed: Vec<(PathBuf, String)>,
}

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The record cannot be written.
    #[error("the undo journal cannot be written")]
    Append(#[from] AppendError),
    /// The journal cannot be read.
    #[error("the undo journal cannot be read")]
    Load(#[from] LoadError),
    /// Its folder cannot be used.
    #[error("{path} cannot be used")]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// There is no such step, or it was undone.
    #[error("there is nothing to undo")]
    Nothing,
}

/// The journal in one folder.
#[derive(Debug)]
pub struct UndoJournal {
    folder: PathBuf,
    file: LineFile,
    options: UndoOptions,
    clock: WallClock,
}

impl UndoJournal {
    /// Names the folder; it is made at the first step.
    pub fn new(folder: impl Into<PathBuf>, options: UndoOptions, clock: WallClock) -> Self {
        let folder = folder.into();
        Self { file: LineFile::new(folder.join("undo.jsonl"), Durability::Disk), folder, options, clock }
    }

    /// Puts aside what is at the paths (absolute) now, before a command changes it, and returns the step.
    ///
    /// # Errors
    /// When the folder or the record cannot be written; then nothing can be undone later.
    pub fn save(&self, command: &str, paths: &[PathBuf]) -> Result<Step, UndoError> {
        let time_ms = self.clock.millis();
        let id = self.free_id(time_ms);
        let folder = self.folder.join(&id);
        let fail = |source| UndoError::Io { path: folder.clone(), source };
        crate::lines::make_folder(&folder.join("x")).map_err(fail)?;
        let mut step = Step {
            id,
            time: self.clock.text(),
            time_ms,
            command: command.into(),
            saved: Vec::new(),
            missed: Vec::new(),
            bytes: 0,
            undone: false,
        };
        let mut seen = HashSet::new();
        for (number, path) in paths.iter().filter(|path| seen.insert((*path).clone())).enumerate() {
            let name = number.to_string();
            let room = self.options.max_bytes.saturating_sub(step.bytes);
            match copy::aside(path, &folder.join(&name), room) {
                Ok(None) => step.saved.push(Saved { path: path.clone(), copy: None }),
                Ok(Some(bytes)) => {
                    step.bytes += bytes;
                    step.saved.push(Saved { path: path.clone(), copy: Some(name) });
                }
                Err(error) => step.missed.push((path.clone(), error.to_string())),
            }
        }
        self.file.append(&step)?;
        self.prune()?;
        Ok(step)
    }

    /// Lists the steps that can be undone, oldest first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn steps(&self) -> Result<Vec<Step>, UndoError> {
        let lines = self.file.load::<Step>()?.records;
        let undone: HashSet<String> = lines.iter().filter(|step| step.undone).map(|step| step.id.clone()).collect();
        let is_open = |step: &Step| !undone.contains(&step.id) && self.folder.join(&step.id).is_dir();
        Ok(lines.into_iter().filter(|step| !step.undone).filter(is_open).collect())
    }

    /// Brings back what a step (or the last one) put aside. What was not there before is taken away again, unless it is a
    /// folder with something in it.
    ///
    /// # Errors
    /// When there is no such step or the journal cannot be read or written.
    pub fn undo(&self, id: Option<&str>) -> Result<Restored, UndoError> {
        let steps = self.steps()?;
        let wanted = match id {
            Some(id) => steps.into_iter().find(|step| step.id == id),
            None => steps.into_iter().next_back(),
        };
        let step = wanted.ok_or(UndoError::Nothing)?;
        let folder = self.folder.join(&step.id);
        let mut result = Restored { failed: step.missed.clone(), ..Restored::default() };
        for saved in &step.saved {
            let done = match &saved.copy {
                Some(name) => copy::back(&folder.join(name), &saved.path),
                None => copy::take_away(&saved.path),
            };
            match done {
                Ok(()) => result.restored.push(saved.path.clone()),
                Err(error) => result.failed.push((saved.path.clone(), error.to_string())),
            }
        }
        // A step that could not be undone whole stays, so that it can be tried again.
        if result.failed.len() == step.missed.len() {
            self.file.append(&Step { undone: true, saved: Vec::new(), missed: Vec::new(), ..step })?;
            remove(&folder);
        }
        Ok(result)
    }

    /// Lets go of what is too old, and of the oldest while all together is too large.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn prune(&self) -> Result<(), UndoError> {
        let steps = self.steps()?;
        let keep_ms = i64::try_from(self.options.keep.as_millis()).unwrap_or(i64::MAX);
        let oldest = self.clock.millis().saturating_sub(keep_ms);
        let mut total: u64 = steps.iter().map(|step| step.bytes).sum();
        let last = steps.len().saturating_sub(1);
        for (at, step) in steps.iter().enumerate() {
            if step.time_ms < oldest || (total > self.options.max_bytes && at < last) {
                remove(&self.folder.join(&step.id));
                total = total.saturating_sub(step.bytes);
            }
        }
        Ok(())
    }

    fn free_id(&self, time_ms: i64) -> String {
        let taken = |id: &String| self.folder.join(id).exists();
        let mut ids = (0u32..).map(|n| format!("{time_ms}-{n}"));
        ids.find(|id| !taken(id)).unwrap_or_else(|| time_ms.to_string())
    }
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "what was put aside cannot be removed");
    }
}
