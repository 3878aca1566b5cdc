//! The undo journal: what a command is about to change is put aside before it runs, and brought back when asked for.
//!
//! Order: [`UndoJournal::plan`] looks at what would be put aside and says what cannot be; [`UndoJournal::save`] puts it
//! aside, writes the record, and only then may the command run; [`UndoJournal::undo`] puts aside what is there by now
//! and brings the old things back. A step is a folder of contents with a list of entries, and a line in `undo.jsonl`.

mod aside;
mod attributes;
mod call;
mod collect;
mod entry;
mod place;
mod restore;
mod unchanged;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aish_safety::change::{How, Reach};
use serde::{Deserialize, Serialize};

use crate::clock::WallClock;
use crate::lines::{AppendError, Durability, LineFile, LoadError};
pub use call::{AgentCall, Became, CallState, Claim, KeyKind};

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

/// Lines of no use that the journal may have, and as many as it has of others.
const DEAD: usize = 200;

/// One path that a command changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// How it is changed.
    pub how: How,
    /// Whether everything below it is.
    pub reach: Reach,
    /// Below it, only what has a name that matches one of these patterns; empty for all.
    pub names: Vec<String>,
}

impl Wanted {
    /// Makes the wish for one path.
    pub fn new(path: impl Into<PathBuf>, how: How, reach: Reach) -> Self {
        Self { path: path.into(), how, reach, names: Vec::new() }
    }
}

/// What would be put aside, found by looking alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files, links and folders that would be.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What would not be, each with the reason.
    pub missed: Vec<(PathBuf, String)>,
}

/// What a step is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// A command was to run.
    #[default]
    Command,
    /// An undo was to put something else in the place of what was there.
    Undo,
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
    /// The command that the step was taken for.
    pub command: String,
    /// What it is for.
    #[serde(default)]
    pub purpose: Purpose,
    /// The session whose command it was, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Files, links and folders that were put aside, those that were not there among them.
    pub files: u64,
    /// What could not be, each with the reason.
    pub missed: Vec<(String, String)>,
    /// What the command changes beside that, in words: it has no names that were known, or is in no file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<String>,
    /// Bytes of the contents.
    pub bytes: u64,
    /// True in the line that says that the step was undone.
    #[serde(default)]
    pub undone: bool,
}

/// What a step is noted down with.
struct About<'a> {
    command: &'a str,
    purpose: Purpose,
    session: Option<&'a str>,
    unnamed: &'a [String],
}

/// What an undo did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// The step's command.
    pub command: String,
    /// Paths that were brought back or taken away again.
    pub restored: Vec<PathBuf>,
    /// Paths that were as they had been already.
    pub same: usize,
    /// Paths that could not be brought back, each with the reason.
    pub failed: Vec<(PathBuf, String)>,
    /// The step that keeps what was there instead, where that was anything.
    pub kept: Option<String>,
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
        /// The file or folder that could not be used.
        path: PathBuf,
        /// What the system says.
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

    /// Looks at what would be put aside, and whether there is room for it.
    ///
    /// # Errors
    /// When the journal's folder cannot be made or written.
    pub fn plan(&self, wanted: &[Wanted]) -> Result<Plan, UndoError> {
        let fail = |source| UndoError::Io { path: self.folder.clone(), source };
        crate::lines::make_folder(&self.folder.join("x")).map_err(fail)?;
        tempfile::tempfile_in(&self.folder).map_err(fail)?;
        let found = collect::collect(wanted, &self.folder, self.options.max_bytes);
        let free = aside::free_bytes(&self.folder).unwrap_or(u64::MAX);
        let there = found.entries.values().filter(|found| found.entry.kind != entry::Kind::Absent).count();
        let mut plan = Plan { files: there as u64, bytes: found.bytes, missed: found.missed };
        if found.copied > free {
            let why = format!("the disk of {} has {free} bytes left", self.folder.display());
            plan.missed.extend(wanted.iter().map(|wanted| (wanted.path.clone(), why.clone())));
            (plan.files, plan.bytes) = (0, 0);
        }
        Ok(plan)
    }

    /// Puts aside what is at the paths now, before a command changes it, and returns the step.
    ///
    /// # Errors
    /// When a content or the record cannot be written; then nothing of it is kept.
    pub fn save(&self, command: &str, wanted: &[Wanted]) -> Result<Step, UndoError> {
        self.save_for(wanted, About { command, purpose: Purpose::Command, session: None, unnamed: &[] })
    }

    /// Does what [`UndoJournal::save`] does for a command of a session, with what of its changes cannot be put aside.
    ///
    /// # Errors
    /// As [`UndoJournal::save`].
    pub fn save_of(
        &self,
        session: &str,
        command: &str,
        wanted: &[Wanted],
        unnamed: &[String],
    ) -> Result<Step, UndoError> {
        self.save_for(wanted, About { command, purpose: Purpose::Command, session: Some(session), unnamed })
    }

    /// Puts aside what is there now, before an undo puts something else in its place.
    ///
    /// # Errors
    /// As for [`Self::save_of`]. What could not be put aside is named in the step.
    pub fn save_before_undo(&self, session: Option<&str>, undone: &str, wanted: &[Wanted]) -> Result<Step, UndoError> {
        self.save_for(wanted, About { command: undone, purpose: Purpose::Undo, session, unnamed: &[] })
    }

    fn save_for(&self, wanted: &[Wanted], about: About<'_>) -> Result<Step, UndoError> {
        let time_ms = self.clock.millis();
        crate::lines::make_folder(&self.folder.join("x"))
            .map_err(|source| UndoError::Io { path: self.folder.clone(), source })?;
        let id = self.claim(time_ms)?;
        let folder = self.folder.join(&id);
        let found = collect::collect(wanted, &self.folder, self.options.max_bytes);
        let mut step = Step {
            id,
            time: self.clock.text(),
            time_ms,
            command: about.command.into(),
            purpose: about.purpose,
            session: about.session.map(String::from),
            files: 0,
            missed: Vec::new(),
            unnamed: about.unnamed.to_vec(),
            bytes: found.bytes,
            undone: false,
        };
        let kept = aside::keep(&folder, &found).map_err(|source| UndoError::Io { path: folder.clone(), source });
        let result = kept.and_then(|kept| {
            step.files = kept.files;
            let missed = found.missed.iter().chain(&kept.missed);
            step.missed = missed.map(|(path, why)| (path.display().to_string(), why.clone())).collect();
            self.file.append(&step).map_err(UndoError::from)
        });
        if let Err(error) = result {
            remove(&folder);
            return Err(error);
        }
        self.prune()?;
        Ok(step)
    }

    /// Lists the steps that can be undone, oldest first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn steps(&self) -> Result<Vec<Step>, UndoError> {
        Ok(self.steps_of_lines()?.0)
    }

    /// Returns them, and how many lines of the journal are of no use any more.
    fn steps_of_lines(&self) -> Result<(Vec<Step>, usize), UndoError> {
        let lines = self.file.load::<Step>()?.records;
        let (all, open) = (lines.len(), self.open(&lines));
        let steps: Vec<Step> = lines.into_iter().zip(open).filter_map(|(step, open)| open.then_some(step)).collect();
        let dead = all - steps.len();
        Ok((steps, dead))
    }

    /// Says of each line whether it is that of a step that can be undone.
    fn open(&self, lines: &[Step]) -> Vec<bool> {
        let undone: HashSet<&str> = lines.iter().filter(|step| step.undone).map(|step| step.id.as_str()).collect();
        let is_open =
            |step: &Step| !step.undone && !undone.contains(step.id.as_str()) && self.folder.join(&step.id).is_dir();
        lines.iter().map(is_open).collect()
    }

    /// Lists the steps whose undo would change or miss something by now, oldest first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn steps_with_changes(&self) -> Result<Vec<Step>, UndoError> {
        let says_nothing = |step: &Step| {
            let folder = self.folder.join(&step.id);
            step.missed.is_empty()
                && step.unnamed.is_empty()
                && entry::load(&folder).is_ok_and(|entries| unchanged::is_as_it_was(&folder, &entries))
        };
        Ok(self.steps()?.into_iter().filter(|step| !says_nothing(step)).collect())
    }

    /// Brings back what a step (or that of the last command) put aside. What was not there before is taken away again.
    /// What is there instead by now is put aside first, as a step of its own.
    ///
    /// # Errors
    /// When there is no such step or the journal cannot be read or written.
    pub fn undo(&self, id: Option<&str>) -> Result<Restored, UndoError> {
        let step = match id {
            Some(id) => self.named(id)?,
            None => self.last(None)?,
        };
        self.bring_back(&step)
    }

    /// Returns the step of a name.
    ///
    /// # Errors
    /// When there is no such step or the journal cannot be read.
    pub fn named(&self, id: &str) -> Result<Step, UndoError> {
        self.steps()?.into_iter().find(|step| step.id == id).ok_or(UndoError::Nothing)
    }

    /// Returns the step of the last command, of one session or of all.
    ///
    /// # Errors
    /// When there is none or the journal cannot be read.
    pub fn last(&self, session: Option<&str>) -> Result<Step, UndoError> {
        let is_meant = |step: &Step| {
            step.purpose == Purpose::Command && session.is_none_or(|session| step.session.as_deref() == Some(session))
        };
        self.steps()?.into_iter().rfind(is_meant).ok_or(UndoError::Nothing)
    }

    /// Brings back what a step put aside, as [`UndoJournal::undo`] does.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub fn bring_back(&self, step: &Step) -> Result<Restored, UndoError> {
        let folder = self.folder.join(&step.id);
        let entries = entry::load(&folder).map_err(|source| UndoError::Io { path: folder.clone(), source })?;
        let mut changed = restore::differing(&folder, &entries);
        let mut result = Restored { command: step.command.clone(), ..Restored::default() };
        if !changed.present.is_empty() {
            let command = format!("undo of {}: {}", step.id, step.command);
            let session = step.session.as_deref();
            let about = About { command: &command, purpose: Purpose::Undo, session, unnamed: &[] };
            let kept = self.save_for(&changed.present, about)?;
            let missed: HashSet<String> = kept.missed.iter().map(|(path, _)| path.clone()).collect();
            for (path, why) in &kept.missed {
                result.failed.push((PathBuf::from(path), format!("what is there now cannot be put aside: {why}")));
            }
            let safe = |path: &Path| !path.ancestors().any(|above| missed.contains(&above.display().to_string()));
            changed.entries.retain(|entry| safe(&entry.path));
            changed.extras.retain(|path| safe(path));
            result.kept = Some(kept.id);
        }
        restore::restore(&folder, &entries, &changed, &mut result);
        // A step that could not be undone whole stays, so that it can be tried again.
        if result.failed.is_empty() {
            self.file.append(&Step { undone: true, missed: Vec::new(), ..step.clone() })?;
            remove(&folder);
        }
        result.failed.extend(step.missed.iter().map(|(path, why)| (PathBuf::from(path), why.clone())));
        Ok(result)
    }

    /// Lets go of what is too old, and of the oldest while all together is too large.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn prune(&self) -> Result<(), UndoError> {
        let (steps, dead) = self.steps_of_lines()?;
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
        // Each step reads all lines; those that cannot be left out now are so another time.
        if dead > steps.len().max(DEAD)
            && let Err(error) = self.file.retain(|lines| self.open(lines))
        {
            tracing::warn!(%error, "old lines of the undo journal cannot be left out");
        }
        Ok(())
    }

    /// Takes a name that no other step has or had, by making its folder.
    fn claim(&self, time_ms: i64) -> Result<String, UndoError> {
        use std::os::unix::fs::DirBuilderExt as _;
        let before: HashSet<String> = self.file.load::<Step>()?.records.into_iter().map(|step| step.id).collect();
        for id in (0u32..).map(|number| format!("{time_ms}-{number}")).filter(|id| !before.contains(id)) {
            let path = self.folder.join(&id);
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(id),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(UndoError::Io { path, source }),
            }
        }
        Err(UndoError::Nothing)
    }
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "what was put aside cannot be removed");
    }
}
