//! The driver's part in an autonomous run: limits before each request and call, and what its results make of the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aish_safety::{Judgement, Taint, UNRECORDED, Verdict};
use aish_tools::{Passed, Ready};
use aish_turn::Run;
use aish_types::{Money, ToolCall};

use super::Driver;
use super::clock::RunClock;
use crate::ledger::Ledger;

/// The run that a driver's turns belong to.
pub struct Autonomous {
    /// The machine.
    pub run: Run,
    /// Whether there is a person who can be asked.
    pub person: bool,
    clock: Arc<RunClock>,
    /// What the session's books said when it began.
    before: (u64, Money),
    /// Set when a step of it could not be written down.
    unrecorded: Arc<AtomicBool>,
    /// What the results make of the run once the model has read them.
    results: Taint,
}

/// Says that the run may not go on.
pub(super) struct Stopped;

impl Autonomous {
    /// Begins a run.
    pub fn new(run: Run, clock: Arc<RunClock>, ledger: &Ledger, unrecorded: Arc<AtomicBool>) -> Self {
        Self { run, person: false, clock, before: ledger.totals(), unrecorded, results: Taint::Clean }
    }

    /// Says whether a person can be asked.
    #[must_use]
    pub fn with_person(mut self, person: bool) -> Self {
        self.person = person;
        self
    }

    /// Takes note of time and use up to now.
    pub fn settle(&mut self, ledger: &Ledger) {
        let (tokens, money) = ledger.totals();
        self.run.used(tokens.saturating_sub(self.before.0), money.saturating_sub(self.before.1));
        self.run.passed(self.clock.millis());
    }

    fn recorded(&mut self) -> Result<(), Stopped> {
        if self.run.is_halted() {
            return Err(Stopped);
        }
        if !self.unrecorded.load(Ordering::Relaxed) {
            return Ok(());
        }
        let reason = "the log of the run cannot be written; an autonomous run leaves a record or does nothing";
        self.run.halted(Judgement::new(Verdict::Halt, UNRECORDED, reason));
        Err(Stopped)
    }
}

impl Driver {
    /// Holds a request that is about to be sent against the run, if there is one. The model reads the results now.
    pub(super) fn may_ask(&mut self) -> Result<(), Stopped> {
        let Some(autonomous) = &mut self.autonomous else { return Ok(()) };
        autonomous.recorded()?;
        autonomous.settle(&self.asker.ledger);
        autonomous.run.request(autonomous.clock.millis()).map_err(|_| Stopped)?;
        let autonomy = self.door.gate_mut().autonomy_mut();
        autonomy.taint = autonomy.taint.max(autonomous.results);
        Ok(())
    }

    /// Holds a call against the run, if there is one; returns what the run itself has against it.
    pub(super) fn may_call(&mut self, call: &ToolCall) -> Result<Option<Judgement>, Stopped> {
        let Some(autonomous) = &mut self.autonomous else { return Ok(None) };
        autonomous.recorded()?;
        autonomous.run.call(call, autonomous.clock.millis()).map_err(|_| Stopped)
    }

    /// Takes note of what the gate decided.
    pub(super) fn judged(&mut self, call: &ToolCall, passed: &Passed<Ready>) {
        if let Passed::Approved(approved) = passed {
            self.seen.read = self.seen.read.max(approved.analysis().taint);
        }
        let Some(autonomous) = &mut self.autonomous else { return };
        match passed {
            Passed::Approved(approved) => autonomous.approved(call, approved),
            Passed::Halted(judgement) => autonomous.run.halted(judgement.clone()),
            Passed::Refused(_) | Passed::Declined { .. } | Passed::Edited(_) => {}
        }
    }
}

impl Autonomous {
    fn approved(&mut self, call: &ToolCall, approved: &Ready) {
        self.run.approved(call, approved.judgement().verdict);
        self.results = self.results.max(approved.analysis().taint);
    }
}
