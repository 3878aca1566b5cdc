//! A run of Norris has a driver of its own, made of the conversation's parts.

use std::sync::Arc;

use aish_llm::Purpose;
use aish_safety::Approver;
use aish_turn::Record;

use super::{Conversation, Setup, driver};
use crate::asker::Asker;
use crate::base::Base;
use crate::driver::{ContextView, Driver, SessionLog};
use crate::norris::shell::OwnShell;

/// The messages of a run are not the session's; the run's own log has them, and the session its goal and report.
struct Unkept;

impl SessionLog for Unkept {
    fn keep(&mut self, _record: &Record, _model: &str) -> Option<String> {
        None
    }

    fn context(&mut self, _seen: &ContextView<'_>) -> Option<String> {
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
        let asker = Asker { purpose: Purpose::Norris, last_error: None, ..own.asker.clone() };
        let setup = Setup {
            approver,
            session: own.session.clone(),
            log: Box::new(Unkept),
            registry: Arc::clone(&asker.registry),
            offer_tools: asker.offering.tools,
            commands: self.facts.commands,
            news: Arc::clone(&own.news),
            surroundings: shell.surroundings(base),
            apart: shell.apart(),
        };
        Driver {
            undo: own.undo.clone(),
            standing_notes: notes,
            read: own.read,
            told_hosts: Arc::clone(&own.told_hosts),
            ..driver(base, setup, asker)
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
