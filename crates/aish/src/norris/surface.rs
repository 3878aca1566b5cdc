//! Shows the steps of a run where its turns are shown, and writes each into the run's log.
//!
//! The turns of a run are one turn to whoever reads: one beginning, one end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Finished;
use super::log::{RunLog, Step};
use super::order::Order;
use super::report;
use crate::surface::{Shown, Surface};

/// A surface round another.
pub(super) struct RunSurface<'a> {
    shown: &'a mut dyn Surface,
    log: &'a mut RunLog,
    /// Set when a step could not be written: the run stops before its next step.
    unrecorded: Arc<AtomicBool>,
    answer: String,
}

impl<'a> RunSurface<'a> {
    pub(super) fn new(shown: &'a mut dyn Surface, log: &'a mut RunLog, unrecorded: Arc<AtomicBool>) -> Self {
        Self { shown, log, unrecorded, answer: String::new() }
    }

    pub(super) fn start(&mut self, order: &Order, now: Duration) {
        self.log.begin();
        self.shown.show(Shown::TurnStart, now);
        let limits = report::beginning(order);
        self.shown.show(Shown::Notice(&limits), now);
        self.write(Step::Start { goal: order.goal.clone(), limits }, now);
    }

    pub(super) fn end(&mut self, finished: &Finished, order: &Order, now: Duration) {
        let (text, used) = (report::ending(&finished.end, order), report::used(&finished.spent));
        self.write(
            Step::End { outcome: finished.end.as_str().to_owned(), text: text.clone(), used: used.clone() },
            now,
        );
        self.shown.show(Shown::RunEnd { end: &finished.end, spent: &finished.spent, text: &text, used: &used }, now);
    }

    fn write(&mut self, step: Step, now: Duration) {
        if let Err(why) = self.log.write(step)
            && !self.unrecorded.swap(true, Ordering::Relaxed)
        {
            let text = format!("the log of this run cannot be written: {why}");
            self.shown.show(Shown::Notice(&text), now);
        }
    }
}

impl Surface for RunSurface<'_> {
    fn show(&mut self, shown: Shown<'_>, now: Duration) {
        let step = match &shown {
            // A run has one beginning and one end.
            Shown::TurnStart | Shown::TurnEnd(_) | Shown::RunEnd { .. } => return,
            Shown::Text(text) => {
                self.answer.push_str(text);
                None
            }
            Shown::AnswerEnd => {
                let text = std::mem::take(&mut self.answer);
                (!text.trim().is_empty()).then_some(Step::Answer { text })
            }
            Shown::Calling(call) => Some(Step::Call { tool: call.name.to_string(), arguments: call.arguments.clone() }),
            Shown::Verdict { tool, judgement, approved } => Some(Step::Verdict {
                tool: tool.to_string(),
                verdict: judgement.verdict,
                rule: judgement.rule.to_string(),
                reason: judgement.reason.clone(),
                approved: *approved,
            }),
            Shown::Outcome { tool, outcome } => Some(Step::result(tool.as_str(), outcome.is_success(), &outcome.text)),
            Shown::Notice(text) | Shown::Error(text) => Some(Step::Notice { text: (*text).to_owned() }),
            Shown::Changes { command, lines, end, .. } => {
                let text = format!("ran apart: {}\n{}\n{end}", command.unwrap_or_default(), lines.join("\n"));
                Some(Step::Notice { text })
            }
            Shown::Waiting | Shown::Reasoning(_) | Shown::Fitting(_) | Shown::Usage { .. } => None,
        };
        self.shown.show(shown, now);
        if let Some(step) = step {
            self.write(step, now);
        }
    }

    fn flush(&mut self) {
        self.shown.flush();
    }

    fn deadline(&self) -> Option<Duration> {
        self.shown.deadline()
    }

    fn tick(&mut self, now: Duration) {
        self.shown.tick(now);
    }
}
