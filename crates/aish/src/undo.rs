//! Undo for the model's commands: what one is about to change is put aside before it runs.
//!
//! Order: [`UndoKeeper::plan`] before the gate asks (it looks and changes nothing, so that the question can say what
//! could be brought back), the gate, [`UndoKeeper::save`] right before the command runs. The names come from the
//! command's parse ([`aish_safety::change`]), [`resolve`] looks them up in the real folders, [`git`] asks git for those
//! that it alone knows.

pub mod answer;
pub mod git;
pub mod pattern;
pub mod resolve;
pub mod say;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use aish_journal::undo::{Plan, Step, UndoJournal, Wanted};
use aish_safety::{Changes, Surroundings, WayBack};
use aish_types::{CallId, SessionId, mask, mask_named};

use crate::failure::Failure;

/// The journal, and what was learnt of it in this session.
pub struct UndoKeeper {
    journal: Arc<UndoJournal>,
    /// Why the last attempt to put something aside failed.
    broken: Mutex<Option<Failure>>,
    /// What was planned for calls that wait at the gate.
    planned: Mutex<HashMap<CallId, Prepared>>,
}

/// What would be put aside for a command, and what is said of it.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// The command, without keys that it spells out.
    pub command: String,
    /// What would be put aside.
    pub wanted: Vec<Wanted>,
    /// What it changes beside that, in words.
    pub unnamed: Vec<String>,
    /// What is told before it runs, a line each.
    pub notes: Vec<String>,
    /// What of its changes can be brought back.
    pub way_back: WayBack,
    /// Why nothing can be put aside at all, where that is so.
    pub unusable: Option<Failure>,
}

impl UndoKeeper {
    /// Makes a keeper over a journal.
    pub fn new(journal: UndoJournal) -> Self {
        Self { journal: Arc::new(journal), broken: Mutex::default(), planned: Mutex::default() }
    }

    /// Looks at which of a command's changes could be put aside. Nothing is changed by it.
    pub async fn plan(&self, command: &str, changes: &Changes, surroundings: &Surroundings) -> Prepared {
        let mut prepared = Prepared { command: mask_named(&mask(command)), ..Prepared::default() };
        if changes.is_empty() {
            return prepared;
        }
        let folder = PathBuf::from(surroundings.folder.clone().unwrap_or_else(|| "/".to_owned()));
        let home = surroundings.home.as_ref().map(PathBuf::from);
        let resolved = resolve::resolve(&changes.targets, &folder, home.as_deref()).await;
        let mut unnamed = changes.unnamed.clone();
        unnamed.extend(resolved.unnamed);
        prepared.wanted = resolved.wanted;
        let planned = match self.broken() {
            Some(why) => Err(why),
            None => self.look(prepared.wanted.clone()).await,
        };
        prepared.unnamed = unnamed;
        match planned {
            Ok(plan) => {
                prepared.way_back = match (plan.files > 0, plan.missed.is_empty() && prepared.unnamed.is_empty()) {
                    (true, true) => WayBack::Whole,
                    (true, false) => WayBack::Partly,
                    (false, _) => WayBack::Nothing,
                };
                prepared.notes = say::planned(&plan, &prepared.unnamed);
            }
            Err(why) => {
                prepared.notes = vec![format!("{}put anything aside: {why}", say::LOSS)];
                prepared.wanted.clear();
                prepared.unusable = Some(why);
            }
        }
        prepared
    }

    async fn look(&self, wanted: Vec<Wanted>) -> Result<Plan, Failure> {
        if wanted.is_empty() {
            return Ok(Plan::default());
        }
        let journal = Arc::clone(&self.journal);
        Ok(tokio::task::spawn_blocking(move || journal.plan(&wanted)).await??)
    }

    /// Puts aside what was planned, for a session; none where there is nothing.
    ///
    /// # Errors
    /// When it could not be written: then the command must not run unless the person knows.
    pub async fn save(&self, prepared: &Prepared, session: &SessionId) -> Result<Option<Step>, Failure> {
        if prepared.wanted.is_empty() {
            return Ok(None);
        }
        let (journal, prepared, session) = (Arc::clone(&self.journal), prepared.clone(), session.clone());
        let saved = tokio::task::spawn_blocking(move || {
            journal.save_of(session.as_str(), &prepared.command, &prepared.wanted, &prepared.unnamed)
        });
        let saved = saved.await.map_err(Failure::from).and_then(|saved| saved.map_err(Failure::from));
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = saved.as_ref().err().cloned();
        saved.map(Some)
    }

    /// Keeps what was planned for a call until it runs.
    pub fn remember(&self, call: CallId, prepared: Prepared) {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).insert(call, prepared);
    }

    /// Takes what was planned for a call.
    pub fn take(&self, call: &CallId) -> Option<Prepared> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).remove(call)
    }

    /// Forgets what was planned for a call.
    pub fn forget(&self, call: &CallId) {
        drop(self.take(call));
    }

    /// Takes the reason of the last failure, which is told once: the attempt after that is made again.
    fn broken(&self) -> Option<Failure> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests;
