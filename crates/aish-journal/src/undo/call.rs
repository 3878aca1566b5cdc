//! Steps of other agents' commands: which call of which agent a step is for, how far its command is, and what it changed.
//!
//! A call is known by a key. [`UndoJournal::claim_call`] lets one of several that come for the same call put something aside;
//! [`UndoJournal::note_call`] writes the call into the step's folder, [`UndoJournal::open_call`] finds it again when the
//! command has run. All of it goes with the step.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::entry::{self, Kind};
use super::place::Place;
use super::restore::same_content;
use super::{Step, UndoError, UndoJournal, attributes};

/// The name of a step's call in its folder.
const NAME: &str = "call.json";
/// How long the process that claimed a call may take to put its files aside; longer than any agent waits for its hook.
const CLAIM: Duration = Duration::from_secs(15);
/// After this a command that nobody told the end of counts as ended somehow.
const FORGOTTEN_MS: i64 = 24 * 60 * 60 * 1000;

/// How far a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallState {
    /// It may run still: nobody has told its end.
    Open,
    /// It has run.
    Finished,
    /// It runs on in the background, as far as is known.
    Background,
    /// The session has ended, and nobody told of the command.
    Unknown,
}

/// The call that a step is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCall {
    /// The name of the agent that makes the call.
    pub agent: String,
    /// What the call is known by.
    pub key: String,
    /// How far its command is.
    pub state: CallState,
    /// When it ended, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_ms: Option<i64>,
    /// Its exit status, where the agent tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
}

/// What a marker holds: the key, and the step once there is one.
#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    key: String,
    step: Option<String>,
}

/// Who puts the files of a call aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The caller.
    Ours,
    /// Another one did, or does now.
    Taken,
}

/// What the key of a call stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// This call alone.
    Call,
    /// Every call of the same command: a step that is open counts only while everything is as it was put aside.
    Command,
}

/// What became of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    /// It was not there.
    Created,
    /// It is another.
    Changed,
    /// It is gone.
    Deleted,
}

impl UndoJournal {
    /// Claims a call.
    ///
    /// # Errors
    /// When the journal's folder cannot be written.
    pub fn claim_call(&self, key: &str, kind: KeyKind) -> Result<Claim, UndoError> {
        let path = self.marker(key);
        let fail = |source| UndoError::Io { path: path.clone(), source };
        crate::lines::make_folder(&path).map_err(fail)?;
        let make = || File::options().write(true).create_new(true).mode(0o600).open(&path);
        match make() {
            Ok(mut file) => file.write_all(&written(key, None)).map_err(fail).map(|()| Claim::Ours),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if self.is_held(&path, key, kind) {
                    return Ok(Claim::Taken);
                }
                fs::write(&path, written(key, None)).map_err(fail)?;
                Ok(Claim::Ours)
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// Returns whether a marker stands for this call and for files that are put aside, or are right now.
    fn is_held(&self, path: &Path, key: &str, kind: KeyKind) -> bool {
        let bytes = fs::read(path).unwrap_or_default();
        let marker: Option<Marker> = serde_json::from_slice(&bytes).ok();
        match marker {
            Some(marker) if marker.key != key => false,
            Some(Marker { step: Some(step), .. }) => {
                let folder = self.folder.join(step);
                let is_open = load(&folder).is_some_and(|call| call.state == CallState::Open);
                is_open && (kind == KeyKind::Call || changes(&folder).is_ok_and(|changed| changed.is_empty()))
            }
            // Claimed, or about to be: the key is written behind the file's making.
            Some(Marker { step: None, .. }) | None => {
                let age = fs::metadata(path).and_then(|file| file.modified()).ok().and_then(|time| time.elapsed().ok());
                age.is_some_and(|age| age < CLAIM)
            }
        }
    }

    /// Gives a claim back: nothing was put aside.
    pub fn unclaim(&self, key: &str) {
        let _ = fs::remove_file(self.marker(key));
    }

    /// Notes which call a step is for.
    ///
    /// # Errors
    /// When the step's folder or the marker cannot be written.
    pub fn note_call(&self, step: &Step, call: &AgentCall) -> Result<(), UndoError> {
        let path = self.folder.join(&step.id).join(NAME);
        let fail = |source| UndoError::Io { path: path.clone(), source };
        let bytes = serde_json::to_vec(call).map_err(|error| fail(error.into()))?;
        crate::replace(&path, &bytes).map_err(|error| fail(error.source))?;
        let marker = self.marker(&call.key);
        crate::lines::make_folder(&marker).map_err(fail)?;
        match call.state {
            CallState::Open => fs::write(&marker, written(&call.key, Some(&step.id))).map_err(fail),
            CallState::Finished | CallState::Background | CallState::Unknown => {
                let _ = fs::remove_file(marker);
                Ok(())
            }
        }
    }

    /// Returns the call that a step is for; a command of which nobody told the end for a day has ended somehow.
    pub fn call_of(&self, step: &Step) -> Option<AgentCall> {
        let mut call = load(&self.folder.join(&step.id))?;
        let is_open = matches!(call.state, CallState::Open | CallState::Background);
        if is_open && self.clock.millis().saturating_sub(step.time_ms) > FORGOTTEN_MS {
            call.state = CallState::Unknown;
        }
        Some(call)
    }

    /// Finds the open step of a call.
    pub fn open_call(&self, key: &str) -> Option<(Step, AgentCall)> {
        let marker: Marker = serde_json::from_slice(&fs::read(self.marker(key)).ok()?).ok()?;
        let step = self.named(&marker.step?).ok()?;
        let call = self.call_of(&step).filter(|call| call.key == key && call.state == CallState::Open)?;
        Some((step, call))
    }

    /// Notes how a command ended.
    ///
    /// # Errors
    /// As [`UndoJournal::note_call`].
    pub fn end_call(&self, step: &Step, state: CallState, status: Option<i32>) -> Result<(), UndoError> {
        let Some(call) = self.call_of(step) else { return Ok(()) };
        let finished_ms = (state == CallState::Finished).then(|| self.clock.millis());
        self.note_call(step, &AgentCall { state, status, finished_ms, ..call })
    }

    /// Notes that a session has ended: what was open in it has ended somehow.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub fn end_session(&self, session: &str) -> Result<(), UndoError> {
        for step in self.steps()?.iter().filter(|step| step.session.as_deref() == Some(session)) {
            let state = self.call_of(step).map(|call| call.state);
            if matches!(state, Some(CallState::Open | CallState::Background)) {
                self.end_call(step, CallState::Unknown, None)?;
            }
        }
        Ok(())
    }

    /// Returns what of a step is not as it was put aside. Nothing is changed by it.
    ///
    /// # Errors
    /// When the step's list cannot be read.
    pub fn changes_since(&self, step: &Step) -> Result<Vec<(PathBuf, Became)>, UndoError> {
        let folder = self.folder.join(&step.id);
        changes(&folder).map_err(|source| UndoError::Io { path: folder, source })
    }

    /// Returns the text of a file as it was put aside; none where it is no text, is larger than `most` bytes, or its content
    /// was not kept.
    pub fn text_of(&self, step: &Step, path: &Path, most: u64) -> Option<String> {
        let folder = self.folder.join(&step.id);
        let entry = entry::load(&folder).ok()?.into_iter().find(|entry| entry.path == path)?;
        let content = folder.join(entry.content?);
        let small = fs::metadata(&content).is_ok_and(|file| file.len() <= most);
        small.then(|| fs::read_to_string(content).ok()).flatten()
    }

    fn marker(&self, key: &str) -> PathBuf {
        // The file holds the key itself: two keys of one name only cost a second putting aside.
        let mut hasher = DefaultHasher::new();
        hasher.write(key.as_bytes());
        self.folder.join("calls").join(format!("{:016x}", hasher.finish()))
    }
}

fn written(key: &str, step: Option<&str>) -> Vec<u8> {
    let marker = Marker { key: key.to_owned(), step: step.map(str::to_owned) };
    serde_json::to_vec(&marker).unwrap_or_default()
}

fn load(folder: &Path) -> Option<AgentCall> {
    serde_json::from_slice(&fs::read(folder.join(NAME)).ok()?).ok()
}

fn changes(folder: &Path) -> io::Result<Vec<(PathBuf, Became)>> {
    let entries = entry::load(folder)?;
    let known: std::collections::HashSet<&Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    let mut changed = Vec::new();
    for entry in &entries {
        let Some((place, meta)) = Place::of(&entry.path).and_then(|place| place.look().map(|meta| (place, meta))).ok()
        else {
            if entry.kind != Kind::Absent {
                changed.push((entry.path.clone(), Became::Deleted));
            }
            continue;
        };
        let now = attributes::kind(&meta);
        let became = match (entry.kind, now) {
            (Kind::Absent, _) => Some(Became::Created),
            (before, now) if before != now => Some(Became::Changed),
            (Kind::File, _) => {
                let content = entry.content.as_ref().map(|content| folder.join(content));
                let same = content.is_none_or(|content| same_content(&place, &content));
                // A file that was only linked aside is written where it is: its time tells then.
                let alike = entry::Attributes::of(&meta).looks_like(&entry.attributes);
                (!same || !alike).then_some(Became::Changed)
            }
            (Kind::Link, _) => (place.target().ok() != entry.target).then_some(Became::Changed),
            (Kind::Folder | Kind::Other, _) => None,
        };
        changed.extend(became.map(|became| (entry.path.clone(), became)));
        if entry.whole && now == Kind::Folder {
            let names = place.names().unwrap_or_default().into_iter().map(|name| entry.path.join(name));
            let new = names.filter(|path| !known.contains(path.as_path()));
            changed.extend(new.map(|path| (path, Became::Created)));
        }
    }
    Ok(changed)
}
