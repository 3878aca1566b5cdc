//! An autonomous run as a pure state machine round its turns: plan, act, check, report.
//!
//! Order: the goal opens the run ([`Run::opening`]); before each request and each call the limits are held against what
//! was used, and the [`repeats`] are counted; at the end of each turn [`Run::turn_ended`] says what the model is told next,
//! or how the run ended. A text without calls is a claim that the goal is reached: it is checked once, by the model, with
//! tools at hand, and what it says then is the report.

pub mod end;
pub mod prompts;
mod repeats;

use alloc::string::String;

use aish_safety::{Judgement, Verdict};
use aish_types::{Money, ToolCall};

use crate::limits::{Limit, Limits, Spent};
use crate::turn::Outcome;
pub use end::{Checked, End};
use repeats::Repeats;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The model has the goal and has done nothing yet.
    Planning,
    /// It acts.
    Acting,
    /// It says that it is done and looks whether that is so.
    Checking,
}

/// What follows the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The model is told this, and another turn begins.
    Ask(String),
    /// The run is over.
    End(End),
}

/// An autonomous run: its goal, its limits and what it has used.
#[derive(Debug, Clone)]
pub struct Run {
    goal: String,
    limits: Limits,
    spent: Spent,
    phase: Phase,
    repeats: Repeats,
    /// Calls since the model last said that it was done.
    calls_since_claim: u32,
    /// Turns in a row that brought neither text nor calls.
    silent: u32,
    stopped: Option<Limit>,
    halted: Option<Judgement>,
}

/// How often in a row the model may say nothing at all.
const SILENCE: u32 = 2;

impl Run {
    /// Begins a run.
    pub fn new(goal: impl Into<String>, limits: Limits) -> Self {
        Self {
            goal: goal.into(),
            limits,
            spent: Spent::default(),
            phase: Phase::Planning,
            repeats: Repeats::default(),
            calls_since_claim: 0,
            silent: 0,
            stopped: None,
            halted: None,
        }
    }

    /// Returns what the model is told first.
    pub fn opening(&self) -> String {
        prompts::opening(&self.goal)
    }

    /// Returns what was used.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Counts a request that is about to be sent, at so many milliseconds since the run began.
    ///
    /// # Errors
    /// With the limit that forbids it; nothing is counted then.
    pub fn request(&mut self, millis: u64) -> Result<(), Limit> {
        self.spent.millis = millis;
        self.hold(self.limits.before_request(&self.spent))?;
        self.spent.steps += 1;
        Ok(())
    }

    /// Takes note of what all requests of the run have used up to now.
    pub fn used(&mut self, tokens: u64, money: Money) {
        self.spent.tokens = tokens;
        self.spent.money = money;
    }

    /// Takes note of the time.
    pub fn passed(&mut self, millis: u64) {
        self.spent.millis = millis;
    }

    /// Counts a call that is about to be judged; with a judgement when it was made too often.
    ///
    /// # Errors
    /// With the limit that forbids it; nothing is counted then.
    pub fn call(&mut self, call: &ToolCall, millis: u64) -> Result<Option<Judgement>, Limit> {
        self.spent.millis = millis;
        self.hold(self.limits.before_call(&self.spent))?;
        self.spent.tool_calls += 1;
        self.calls_since_claim += 1;
        self.silent = 0;
        if self.phase == Phase::Planning {
            self.phase = Phase::Acting;
        }
        Ok(self.repeats.count(call))
    }

    /// Takes note that a call was let through with a verdict: what changes something makes others worth repeating.
    pub fn approved(&mut self, call: &ToolCall, verdict: Verdict) {
        if verdict > Verdict::Allow {
            self.repeats.changed(call);
        }
    }

    /// Takes note of what stopped the run at the gate.
    pub fn halted(&mut self, judgement: Judgement) {
        self.halted = Some(judgement);
    }

    /// Returns whether something stopped the run at the gate.
    pub fn is_halted(&self) -> bool {
        self.halted.is_some()
    }

    /// Takes note of a limit that was reached while something ran, or of one that is watched elsewhere.
    pub fn reached(&mut self, limit: Limit) {
        self.stopped = Some(limit);
    }

    fn hold(&mut self, reached: Option<Limit>) -> Result<(), Limit> {
        match reached {
            None => Ok(()),
            Some(limit) => {
                self.stopped = Some(limit);
                Err(limit)
            }
        }
    }

    /// Says what follows from a turn's end, `text` being the model's last answer of that turn.
    pub fn turn_ended(&mut self, outcome: &Outcome, text: &str) -> Next {
        if let Some(limit) = self.stopped {
            return Next::End(self.unchecked().unwrap_or(End::Limit(limit)));
        }
        match outcome {
            Outcome::Answered => self.answered(text),
            // What broke off says nothing about the goal, whatever words it has.
            Outcome::Cut | Outcome::Withheld | Outcome::Empty => self.unsaid(),
            Outcome::Declined => Next::Ask(prompts::declined().into()),
            Outcome::DepthLimit => Next::Ask(prompts::go_on(&self.goal)),
            Outcome::Looping => Next::Ask(prompts::failing(&self.goal)),
            Outcome::NothingLeft => Next::End(End::Stuck),
            Outcome::Failed => Next::End(self.unchecked().unwrap_or(End::Failed)),
            Outcome::Halted | Outcome::Stopped => Next::End(match self.halted.take() {
                Some(judgement) => End::Halted(judgement),
                None => End::Failed,
            }),
            Outcome::Interrupted => Next::End(End::Interrupted),
        }
    }

    /// A claim that could not be checked stands, and says so.
    fn unchecked(&self) -> Option<End> {
        (self.phase == Phase::Checking && self.calls_since_claim == 0).then_some(End::Done(Checked::No))
    }

    /// Nothing was said that can be followed: the model is asked to go on, a few times.
    fn unsaid(&mut self) -> Next {
        self.silent += 1;
        if self.silent >= SILENCE {
            Next::End(self.unchecked().unwrap_or(End::Stuck))
        } else {
            Next::Ask(prompts::go_on(&self.goal))
        }
    }

    fn answered(&mut self, text: &str) -> Next {
        if text.trim().is_empty() {
            return self.unsaid();
        }
        self.silent = 0;
        if end::gives_up(text) {
            return Next::End(End::GaveUp);
        }
        match self.phase {
            Phase::Planning if !end::claims_done(text) => {
                self.phase = Phase::Acting;
                Next::Ask(prompts::act().into())
            }
            Phase::Planning | Phase::Acting => {
                self.phase = Phase::Checking;
                self.calls_since_claim = 0;
                Next::Ask(prompts::check(&self.goal))
            }
            Phase::Checking => Next::End(End::Done(Checked::Yes)),
        }
    }
}

#[cfg(test)]
mod tests;
