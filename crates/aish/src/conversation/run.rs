//! A run of Norris has a driver of its own, made of the conversation's parts.

use std::collections::HashMap;
use std::sync::Arc;

use aish_llm::Purpose;
use aish_safety::Approver;
use aish_tools::Door;
use aish_turn::Record;

use super::{Conversation, gate};
use crate::asker::Asker;
use crate::base::Base;
use crate::driver::{Driver, Seen, SessionLog};
use crate::norris::shell::OwnShell;
use crate::toolset;

/// The messages of a run are not the session's; the run's own log has them, and the session its goal and report.
struct Unkept;

impl SessionLog for Unkept {
    fn keep(&mut self, _record: &Record, _model: &str) -> Option<String> {
        None
    }

    fn context(&mut self, _seen: &Seen<'_>) -> Option<String> {
        None
    }
}

impl Conversation {
    /// Makes the driver of a run: the same models, tools, books and undo; its own gate, shell and log. `notes` are shown with
    /// every question about a command.
    pub fn driver_of_run(
        &self,
        base: &Base,
        approver: Arc<dyn Approver>,
        shell: &Arc<OwnShell>,
        notes: Vec<String>,
    ) -> Driver {
        let own = &self.driver;
        Driver {
            asker: Asker { purpose: Purpose::Norris, last_error: None, ..own.asker.clone() },
            door: Door::new(toolset::executor(base, &own.asker.registry), gate(base)),
            approver,
            approved: HashMap::new(),
            session: own.session.clone(),
            user: own.user.clone(),
            log: Box::new(Unkept),
            secrets: Arc::clone(&own.secrets),
            surroundings: shell.surroundings(base),
            undo: own.undo.clone(),
            standing_notes: notes,
            apart: shell.apart(),
            undoes: own.undoes,
            undo_bytes: own.undo_bytes,
            targets: HashMap::new(),
            files: own.files.clone(),
            last_thought: String::new(),
            last_outcome: None,
            news: Arc::clone(&own.news),
            read: own.read,
            told_hosts: Arc::clone(&own.told_hosts),
            autonomous: None,
            started: own.started,
        }
    }

    /// Takes over what the driver of a run learnt: how models count, and the last result.
    pub fn learn_from(&mut self, run: Driver) {
        self.driver.read = self.driver.read.max(run.read);
        self.driver.asker.learn_from(run.asker);
        if run.last_outcome.is_some() {
            self.driver.last_outcome = run.last_outcome;
        }
    }
}
