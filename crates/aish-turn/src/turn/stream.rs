//! While the model's answer streams in.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use aish_types::{CallId, Message, ProviderState, ToolCall, ToolName};

use super::acting::{Acting, Kind, Step};
use super::{Faults, Outcome, Turn};
use crate::command_line::proposed_commands;
use crate::effect::{Effect, Status};
use crate::event::{Event, Finish};
use crate::transcript::ToolResults;

/// What stands for the name of a call that names no tool; wires want one.
const NAMELESS: &str = "unnamed";

/// What of an answer has arrived.
#[derive(Debug, Default)]
pub(super) struct Streaming {
    text: String,
    reasoned: bool,
    state: Option<Box<ProviderState>>,
    calls: Vec<ToolCall>,
    malformed: Vec<(ToolCall, String)>,
}

impl Turn {
    pub(super) fn stream(&mut self, mut streaming: Streaming, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Text(text) => {
                streaming.text.push_str(&text);
                effects.push(Effect::ShowText(text));
            }
            Event::Reasoned => streaming.reasoned = true,
            Event::State(state) => streaming.state = Some(state),
            Event::TextWasReasoning => {
                streaming.reasoned = true;
                streaming.text.clear();
            }
            Event::Call(call) => streaming.calls.push(call),
            Event::Malformed { call, reason } => streaming.malformed.push((call, reason)),
            Event::Usage(usage) => self.progress.usage = self.progress.usage + usage,
            Event::StreamEnded(finish) => return self.stream_ended(streaming, finish),
            Event::StreamFailed { message, template_refused } => {
                return self.stream_failed(streaming, message, template_refused);
            }
            Event::Interrupted => return self.break_off(streaming, Outcome::Interrupted),
            Event::Stopped => return self.break_off(streaming, Outcome::Stopped),
            Event::Asked { .. }
            | Event::Resumed { .. }
            | Event::Measured { .. }
            | Event::Summarized(_)
            | Event::Judged { .. }
            | Event::Ran { .. } => {}
        }
        self.state = super::State::Streaming(streaming);
        effects
    }

    fn stream_failed(&mut self, streaming: Streaming, message: String, template_refused: bool) -> Vec<Effect> {
        if template_refused && self.options.tool_results == ToolResults::Messages {
            self.options.tool_results = ToolResults::Text;
            let mut effects = alloc::vec![Effect::Status(Status::ToolRoleOff)];
            effects.extend(self.ask());
            return effects;
        }
        let mut effects = self.keep_partial(streaming.text);
        effects.push(Effect::Status(Status::Failed { message }));
        effects.extend(self.finish(Outcome::Failed));
        effects
    }

    fn break_off(&mut self, streaming: Streaming, outcome: Outcome) -> Vec<Effect> {
        let mut effects = self.keep_partial(streaming.text);
        effects.extend(self.finish(outcome));
        effects
    }

    /// Keeps the text of an answer that broke off; its calls and commands are never run.
    fn keep_partial(&mut self, text: String) -> Vec<Effect> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        let (_, effect) = self.keep(Message::assistant(text));
        alloc::vec![effect]
    }

    /// Ends the turn with an answer that broke off by its own server's word: its calls and commands are not run.
    fn broke_off(&mut self, streaming: Streaming, finish: Finish) -> Vec<Effect> {
        let Streaming { text, reasoned, calls, malformed, .. } = streaming;
        let calls = !calls.is_empty() || !malformed.is_empty();
        let only_reasoned = reasoned && text.trim().is_empty();
        let (status, outcome) = match finish {
            Finish::Withheld => (Status::Withheld { calls }, Outcome::Withheld),
            Finish::Length | Finish::Whole => (Status::Cut { calls, only_reasoned }, Outcome::Cut),
        };
        let mut effects = self.keep_partial(text);
        effects.push(Effect::Status(status));
        effects.extend(self.finish(outcome));
        effects
    }

    /// Counts the calls of an answer; those over the cap are not run, and the model is told.
    fn count_calls(&mut self, steps: &mut [Step]) {
        let Some(left) = self.calls_left() else { return };
        let room = usize::try_from(left).unwrap_or(usize::MAX);
        for step in steps.iter_mut().skip(room) {
            step.over_cap();
        }
        let counted = u32::try_from(steps.len().min(room)).unwrap_or(u32::MAX);
        self.progress.counted_calls = self.progress.counted_calls.saturating_add(counted);
    }

    fn stream_ended(&mut self, streaming: Streaming, finish: Finish) -> Vec<Effect> {
        if finish != Finish::Whole {
            return self.broke_off(streaming, finish);
        }
        let Streaming { text, reasoned, state, calls, malformed } = streaming;
        let mut effects = Vec::new();
        let mut steps = Vec::new();
        if self.options.commands && !self.progress.last_answer {
            for command in proposed_commands(&text) {
                steps.push(Step::command(self.transcript.next_id(), steps.len(), &command));
            }
        }
        let mut recorded = Vec::new();
        for mut call in calls {
            if !self.progress.last_answer {
                self.make_unique(&mut call, &recorded);
                recorded.push(call.clone());
                steps.push(Step::new(call, Kind::Tool));
            }
        }
        let only_malformed = recorded.is_empty() && !malformed.is_empty();
        for (mut call, reason) in malformed {
            if self.progress.last_answer {
                continue;
            }
            if call.name.as_str().trim().is_empty() {
                call.name = ToolName::new(NAMELESS);
            }
            if self.options.faults == Faults::Person {
                effects.push(Effect::Status(Status::Malformed { tool: call.name.clone(), reason: reason.clone() }));
            }
            let given = core::mem::replace(&mut call.arguments, "{}".into());
            self.make_unique(&mut call, &recorded);
            recorded.push(call.clone());
            steps.push(Step::malformed(call, &reason, &given));
        }
        self.progress.strikes = if only_malformed { self.progress.strikes + 1 } else { 0 };
        if text.trim().is_empty() && recorded.is_empty() {
            effects.push(Effect::Status(Status::Empty { reasoned }));
            effects.extend(self.finish(Outcome::Empty));
            return effects;
        }
        self.count_calls(&mut steps);
        let message = Message::Assistant { content: text, tool_calls: recorded, state };
        let (id, effect) = self.keep(message);
        effects.push(effect);
        if steps.is_empty() {
            effects.extend(self.finish(Outcome::Answered));
        } else {
            effects.extend(self.advance(Acting::new(id, steps, &self.read_only)));
        }
        effects
    }

    /// Gives a call an id of its own where the model gave none, or one that another call of the session has: some servers count
    /// anew in each answer, and what is kept of a call is kept by its id.
    fn make_unique(&self, call: &mut ToolCall, others: &[ToolCall]) {
        let is_taken = |id: &CallId| self.transcript.has_called(id) || others.iter().any(|other| other.id == *id);
        let given = if call.id.as_str().is_empty() { String::from("call") } else { String::from(call.id.as_str()) };
        let mut number = others.len() + 1;
        if call.id.as_str().is_empty() {
            call.id = format!("{given}-{number}").into();
        }
        while is_taken(&call.id) {
            call.id = format!("{given}-{}-{number}", self.transcript.next_id()).into();
            number += 1;
        }
    }
}
