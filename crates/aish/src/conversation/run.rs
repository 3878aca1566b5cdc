//! A run of Norris has a driver of its own, made of the conversation's parts.

use std::sync::Arc;

use aish_llm::Purpose;
use aish_safety::Approver;
use aish_turn::Record;

use super::{Conversation, Setup, driver};
use crate::asker::Asker;
use crate::base::Base;
use crate::driver::{CommandEnvironment, ContextView, Driver, SessionLog};
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
            session: own.caller.session.clone(),
            log: Box::new(Unkept),
            registry: Arc::clone(&asker.registry),
            offer_tools: asker.offering.tools,
            commands: self.facts.commands,
            news: Arc::clone(&own.calls.news),
            environment: CommandEnvironment {
                surroundings: shell.surroundings(base),
                apart: shell.apart(),
                standing_notes: notes,
            },
        };
        let mut run = Driver { undo: own.undo.clone(), ..driver(base, setup, asker) };
        run.seen.read = own.seen.read;
        run.records.told_hosts = Arc::clone(&own.records.told_hosts);
        run
    }

    /// Takes over what the driver of a run learnt: how models count, the last call and the last result.
    pub fn learn_from(&mut self, run: Driver) {
        self.driver.seen.read = self.driver.seen.read.max(run.seen.read);
        self.driver.asker.learn_from(run.asker);
        let seen = &mut self.driver.seen;
        seen.last_outcome = run.seen.last_outcome.or_else(|| seen.last_outcome.take());
        seen.last_call = run.seen.last_call.or_else(|| seen.last_call.take());
    }
}
