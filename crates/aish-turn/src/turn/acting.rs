//! While the calls of one answer are judged and run, in the model's order.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use aish_types::{Block, CallId, Ending, ToolCall, ToolName, head_and_tail};
use serde_json::json;

use super::{Faults, Outcome, Turn};
use crate::effect::{Effect, Status};
use crate::event::{Event, Judged};

/// Characters of malformed arguments that the model is shown again.
const GIVEN: usize = 400;

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A `CMD:` line: its output goes back as the user's.
    Command,
    /// A tool call: its result goes back as the tool's.
    Tool,
}

/// What a call came to.
#[derive(Debug)]
pub(super) enum Resolution {
    /// It ran, or failed in a way that the model reads.
    Answered { text: String, blocks: Vec<Block> },
    /// Somebody said no.
    Declined { reason: String },
    /// It leaves the recorded turn.
    Dropped,
    /// It never got its turn: interrupted or halted.
    Aborted,
}

#[derive(Debug)]
pub(super) enum Progress {
    Waiting,
    Judging,
    Approved,
    Running,
    Resolved(Resolution),
    /// Resolved, and its result is in the transcript.
    Recorded {
        declined: bool,
        dropped: bool,
    },
}

/// One command or call of an answer.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) call: ToolCall,
    pub(super) kind: Kind,
    pub(super) progress: Progress,
}

impl Step {
    pub(super) fn new(call: ToolCall, kind: Kind) -> Self {
        Self { call, kind, progress: Progress::Waiting }
    }

    /// Makes the step of a command that a message proposes; no other of the session has its id.
    pub(super) fn command(message: u64, index: usize, command: &str) -> Self {
        let id = CallId::new(format!("cmd-{message}-{index}"));
        let arguments = json!({ "command": command });
        Self::new(ToolCall { id, name: ToolName::new("shell"), arguments: format!("{arguments}") }, Kind::Command)
    }

    /// Makes a step that is resolved already: the model is told what was wrong with what it wrote.
    pub(super) fn malformed(call: ToolCall, reason: &str, given: &str) -> Self {
        let mut text = format!("Error: the call was not run: {reason}");
        if !given.trim().is_empty() {
            text.push_str(&format!("\nThe arguments were: {}", head_and_tail(given, GIVEN).text));
        }
        let progress = Progress::Resolved(Resolution::Answered { text, blocks: Vec::new() });
        Self { call, kind: Kind::Tool, progress }
    }
}

impl Step {
    /// Resolves a step that is over the cap of calls.
    pub(super) fn over_cap(&mut self) {
        let text = "Error: the limit of tool calls is reached; this call was not run".into();
        self.progress = Progress::Resolved(Resolution::Answered { text, blocks: Vec::new() });
    }
}

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Acting {
    /// The entry of the answer.
    pub(super) answer: u64,
    pub(super) steps: Vec<Step>,
    /// True when all calls only read: they run at once, after the gate's questions.
    pub(super) at_once: bool,
}

impl Acting {
    pub(super) fn new(answer: u64, steps: Vec<Step>, read_only: &BTreeSet<ToolName>) -> Self {
        let at_once =
            steps.len() > 1 && steps.iter().all(|step| step.kind == Kind::Tool && read_only.contains(&step.call.name));
        Self { answer, steps, at_once }
    }

    fn step_mut(&mut self, id: &CallId) -> Option<&mut Step> {
        self.steps.iter_mut().find(|step| {
            step.call.id == *id && matches!(step.progress, Progress::Judging | Progress::Approved | Progress::Running)
        })
    }
}

impl Turn {
    pub(super) fn act(&mut self, mut acting: Acting, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Judged { id, judged } => effects.extend(self.judged(&mut acting, &id, judged)),
            Event::Ran { id, outcome } => effects.extend(self.ran(&mut acting, &id, outcome)),
            Event::Interrupted => return self.stop(acting, Outcome::Interrupted),
            Event::Stopped => return self.stop(acting, Outcome::Stopped),
            Event::Asked { .. }
            | Event::Resumed { .. }
            | Event::Measured { .. }
            | Event::Summarized(_)
            | Event::Text(_)
            | Event::Reasoned
            | Event::TextWasReasoning
            | Event::State(_)
            | Event::Call(_)
            | Event::Malformed { .. }
            | Event::Usage(_)
            | Event::StreamEnded(_)
            | Event::StreamFailed { .. } => {
                self.state = super::State::Acting(acting);
                return Vec::new();
            }
        }
        if effects.iter().any(|effect| matches!(effect, Effect::Status(Status::Halted(_)))) {
            effects.extend(self.stop(acting, Outcome::Halted));
            return effects;
        }
        effects.extend(self.advance(acting));
        effects
    }

    fn judged(&mut self, acting: &mut Acting, id: &CallId, judged: Judged) -> Vec<Effect> {
        let faults = self.options.faults;
        let Some(step) = acting.step_mut(id) else { return Vec::new() };
        let mut effects = Vec::new();
        match judged {
            Judged::Approved { arguments } => {
                let given: Result<serde_json::Value, _> = serde_json::from_str(&step.call.arguments);
                let edited = given.ok().as_ref() != Some(&arguments);
                step.progress = Progress::Approved;
                if edited {
                    let arguments = format!("{arguments}");
                    let call = step.call.clone();
                    step.call.arguments.clone_from(&arguments);
                    if step.kind == Kind::Tool && !call.arguments.trim().is_empty() {
                        effects.extend(self.amend_arguments(acting.answer, &call, arguments));
                    }
                }
            }
            Judged::Refused(outcome) => {
                let tool = step.call.name.clone();
                let unparsable = outcome.ending == Ending::Transport;
                if unparsable && faults == Faults::Person {
                    step.progress = Progress::Resolved(Resolution::Dropped);
                    effects.push(Effect::Status(Status::Malformed { tool, reason: outcome.text }));
                } else {
                    // Refused in the same way again and again is a loop as much as failing so.
                    let key = (tool.clone(), step.call.arguments.clone());
                    let text = outcome.model_text();
                    *self.progress.failures.entry(key).or_default() += 1;
                    step.progress = Progress::Resolved(Resolution::Answered { text, blocks: Vec::new() });
                    effects.push(Effect::ShowOutcome { tool, outcome });
                }
            }
            Judged::Declined { reason } => step.progress = Progress::Resolved(Resolution::Declined { reason }),
            Judged::Halted(judgement) => {
                step.progress = Progress::Resolved(Resolution::Declined { reason: judgement.reason.clone() });
                effects.push(Effect::Status(Status::Halted(judgement)));
            }
        }
        effects
    }

    /// Does what can be done next: record results in order, judge, run, or end the round.
    pub(super) fn advance(&mut self, mut acting: Acting) -> Vec<Effect> {
        let mut effects = self.record_results(&mut acting);
        let busy = acting.steps.iter().any(|step| matches!(step.progress, Progress::Judging | Progress::Running));
        if busy {
            self.state = super::State::Acting(acting);
            return effects;
        }
        let waiting = acting.steps.iter().position(|step| matches!(step.progress, Progress::Waiting));
        let approved = acting.steps.iter().any(|step| matches!(step.progress, Progress::Approved));
        if approved && !(acting.at_once && waiting.is_some()) {
            effects.push(Effect::Run(take_approved(&mut acting)));
            self.state = super::State::Acting(acting);
            return effects;
        }
        if let Some(step) = waiting.and_then(|at| acting.steps.get_mut(at)) {
            step.progress = Progress::Judging;
            effects.push(Effect::Judge(step.call.clone()));
            self.state = super::State::Acting(acting);
            return effects;
        }
        effects.extend(self.end_round(acting));
        effects
    }
}

/// Takes note that the approved calls run now.
fn take_approved(acting: &mut Acting) -> Vec<CallId> {
    let approved = acting.steps.iter_mut().filter(|step| matches!(step.progress, Progress::Approved));
    let start = |step: &mut Step| {
        step.progress = Progress::Running;
        step.call.id.clone()
    };
    approved.map(start).collect()
}
