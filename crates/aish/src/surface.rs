//! Where a turn is shown: a terminal, a pipe, or JSON lines.

pub mod held;
pub mod json;
mod proposals;
pub mod text;

use std::time::Duration;

use aish_safety::{Judgement, Texts};
use aish_turn::{End, Outcome, Spent};
use aish_types::{CallId, Money, ToolCall, ToolName, ToolOutcome, Usage};

use crate::structured::Fitting;

/// One thing to show.
#[derive(Debug)]
pub enum Shown<'a> {
    /// A turn begins.
    TurnStart,
    /// The model is being asked.
    Waiting,
    /// A piece of the answer.
    Text(&'a str),
    /// A piece of the model's reasoning.
    Reasoning(&'a str),
    /// The answer of one request is over.
    AnswerEnd,
    /// A whole answer that fits the schema it was asked for.
    Fitting(&'a Fitting),
    /// A call is about to be judged.
    Calling(&'a ToolCall),
    /// The gate's verdict about a call.
    Verdict {
        /// The tool.
        tool: &'a ToolName,
        /// The judgement.
        judgement: &'a Judgement,
        /// True when it may run.
        approved: bool,
    },
    /// A call's outcome.
    Outcome {
        /// The tool.
        tool: &'a ToolName,
        /// The outcome.
        outcome: &'a ToolOutcome,
    },
    /// What a request used.
    Usage {
        /// The model.
        model: &'a str,
        /// Tokens.
        usage: Usage,
        /// Dollars; none when the price is unknown.
        cost: Option<Money>,
    },
    /// What a command changed in its layer, and what became of that.
    Changes {
        /// The command; none where it stands above already.
        command: Option<&'a str>,
        /// What it changed, a line each; none where a person has just read it.
        lines: &'a [String],
        /// What became of it, in words.
        end: &'a str,
        /// The same for programs.
        event: &'a serde_json::Value,
        /// The texts that it changed, where they were kept.
        kept: Option<&'a Texts>,
    },
    /// A status line.
    Notice(&'a str),
    /// A failure.
    Error(&'a str),
    /// The turn is over.
    TurnEnd(&'a Outcome),
    /// An autonomous run is over, which was one turn to whoever reads.
    RunEnd {
        /// How it ended.
        end: &'a End,
        /// What it used.
        spent: &'a Spent,
        /// How it ended, in words.
        text: &'a str,
        /// What it used, in words.
        used: &'a str,
    },
}

/// Shows a turn.
pub trait Surface: Send {
    /// Shows one thing, at a time of any monotonic clock.
    fn show(&mut self, shown: Shown<'_>, now: Duration);

    /// Says which call the next outcome is of, where several run at once.
    fn about(&mut self, call: &CallId) {
        let _ = call;
    }

    /// Returns when [`Surface::tick`] wants to be called.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    /// Draws what waits.
    fn tick(&mut self, now: Duration) {
        let _ = now;
    }

    /// Writes pieces of the answer that were shown and are still held back; called whenever no other piece is there yet.
    fn flush(&mut self) {}
}
