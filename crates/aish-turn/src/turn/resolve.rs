//! What came of the calls, into the transcript; and the end of a round.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_types::{CallId, Ending, Message, ToolCall, ToolOutcome, head_and_tail};

use super::acting::{Acting, Kind, Progress, Resolution, Step};
use super::{Cap, Faults, Outcome, Turn};
use crate::effect::{Effect, Record, Status};

impl Turn {
    pub(super) fn ran(&mut self, acting: &mut Acting, id: &CallId, outcome: ToolOutcome) -> Vec<Effect> {
        let faults = self.options.faults;
        let Some(step) =
            acting.steps.iter_mut().find(|step| step.call.id == *id && matches!(step.progress, Progress::Running))
        else {
            return Vec::new();
        };
        let tool = step.call.name.clone();
        let key = (tool.clone(), step.call.arguments.clone());
        if outcome.is_success() {
            self.progress.failures.remove(&key);
        } else {
            *self.progress.failures.entry(key).or_default() += 1;
        }
        let mut effects = Vec::new();
        if outcome.ending == Ending::Transport && faults == Faults::Person && step.kind == Kind::Tool {
            step.progress = Progress::Resolved(Resolution::Dropped);
            effects.push(Effect::Status(Status::Transport { tool, message: outcome.text }));
            return effects;
        }
        let text = head_and_tail(&outcome.model_text(), self.options.max_result_chars).text.into_owned();
        let blocks = outcome.blocks.clone();
        step.progress = Progress::Resolved(Resolution::Answered { text, blocks });
        effects.push(Effect::ShowOutcome { tool, outcome });
        effects
    }

    /// Puts results into the transcript, in the order of the calls: a result waits for those before it.
    pub(super) fn record_results(&mut self, acting: &mut Acting) -> Vec<Effect> {
        let mut effects = Vec::new();
        for step in &mut acting.steps {
            match &step.progress {
                Progress::Recorded { .. } => continue,
                Progress::Resolved(_) => {}
                Progress::Waiting | Progress::Judging | Progress::Approved | Progress::Running => break,
            }
            let recorded = Progress::Recorded {
                declined: matches!(step.progress, Progress::Resolved(Resolution::Declined { .. })),
                dropped: matches!(step.progress, Progress::Resolved(Resolution::Dropped)),
            };
            if let Progress::Resolved(resolution) = core::mem::replace(&mut step.progress, recorded)
                && let Some(message) = result_message(step, resolution)
            {
                effects.push(self.keep_result(message));
            }
        }
        effects
    }

    /// Keeps a result; the outputs of several commands of one answer become one message.
    fn keep_result(&mut self, message: Message) -> Effect {
        if let (Message::User { content, .. }, Some(entry)) = (&message, self.transcript.entries().last())
            && let Message::User { content: before, blocks } = &entry.message
            && entry.exchange == self.progress.exchange
        {
            let merged = Message::User { content: format!("{before}\n\n{content}"), blocks: blocks.clone() };
            let id = entry.id;
            self.transcript.amend(id, Some(merged.clone()));
            return Effect::Keep(Record { id, exchange: self.progress.exchange, message: Some(merged) });
        }
        self.keep(message).1
    }

    pub(super) fn amend_arguments(&mut self, answer: u64, call: &ToolCall, arguments: String) -> Option<Effect> {
        let mut message = self.transcript.entries().iter().find(|entry| entry.id == answer)?.message.clone();
        if let Message::Assistant { tool_calls, .. } = &mut message
            && let Some(recorded) = tool_calls.iter_mut().find(|recorded| recorded.id == call.id)
        {
            recorded.arguments = arguments;
        }
        self.transcript.amend(answer, Some(message.clone()));
        Some(Effect::Keep(Record { id: answer, exchange: self.progress.exchange, message: Some(message) }))
    }

    /// Takes dropped calls out of the recorded answer, and the answer itself when nothing is left of it.
    fn drop_calls(&mut self, acting: &Acting) -> Option<Effect> {
        let dropped: Vec<&CallId> = acting
            .steps
            .iter()
            .filter(|step| matches!(step.progress, Progress::Recorded { dropped: true, .. }))
            .map(|step| &step.call.id)
            .collect();
        if dropped.is_empty() {
            return None;
        }
        let entry = self.transcript.entries().iter().find(|entry| entry.id == acting.answer)?;
        let Message::Assistant { content, tool_calls, state } = &entry.message else { return None };
        let left: Vec<ToolCall> = tool_calls.iter().filter(|call| !dropped.contains(&&call.id)).cloned().collect();
        let message = if left.is_empty() && content.trim().is_empty() {
            None
        } else {
            Some(Message::Assistant { content: content.clone(), tool_calls: left, state: state.clone() })
        };
        self.transcript.amend(acting.answer, message.clone());
        Some(Effect::Keep(Record { id: acting.answer, exchange: self.progress.exchange, message }))
    }

    /// All calls are resolved: asks again, or stops.
    pub(super) fn end_round(&mut self, acting: Acting) -> Vec<Effect> {
        let mut effects: Vec<Effect> = self.drop_calls(&acting).into_iter().collect();
        let mut answered = false;
        let mut tool_declined = false;
        for step in &acting.steps {
            if let Progress::Recorded { declined, dropped } = step.progress {
                answered |= !declined && !dropped;
                tool_declined |= declined && step.kind == Kind::Tool;
            }
        }
        self.progress.rounds += 1;
        if !answered && !tool_declined {
            let all_dropped =
                acting.steps.iter().all(|step| matches!(step.progress, Progress::Recorded { dropped: true, .. }));
            effects.extend(self.finish(if all_dropped { Outcome::NothingLeft } else { Outcome::Declined }));
            return effects;
        }
        if let Some((tool, _)) =
            self.progress.failures.iter().find(|(_, times)| **times >= self.options.strikes).map(|(key, _)| key.clone())
        {
            effects.push(Effect::Status(Status::Looping { tool }));
            if self.calls_left().is_none() {
                effects.extend(self.finish(Outcome::Looping));
                return effects;
            }
            self.progress.last_answer = true;
        }
        if self.progress.strikes >= self.options.strikes && self.calls_left().is_none() {
            effects.extend(self.finish(Outcome::NothingLeft));
            return effects;
        }
        match self.options.cap {
            Cap::Rounds(rounds) if self.progress.rounds >= rounds => {
                effects.push(Effect::Status(Status::DepthLimit));
                effects.extend(self.finish(Outcome::DepthLimit));
                return effects;
            }
            Cap::Calls(_) if self.calls_left() == Some(0) => self.progress.last_answer = true,
            Cap::Rounds(_) | Cap::Calls(_) => {}
        }
        effects.extend(self.again());
        effects
    }

    /// Ends the turn in the middle of a round: every open call gets an aborted result.
    pub(super) fn stop(&mut self, mut acting: Acting, outcome: Outcome) -> Vec<Effect> {
        for step in &mut acting.steps {
            match step.progress {
                Progress::Waiting | Progress::Judging | Progress::Approved | Progress::Running => {
                    step.progress = Progress::Resolved(Resolution::Aborted);
                }
                Progress::Resolved(_) | Progress::Recorded { .. } => {}
            }
        }
        let mut effects = self.record_results(&mut acting);
        effects.extend(self.drop_calls(&acting));
        effects.extend(self.finish(outcome));
        effects
    }
}

/// Returns the message that a resolved call leaves in the transcript.
fn result_message(step: &Step, resolution: Resolution) -> Option<Message> {
    let (text, blocks) = match resolution {
        Resolution::Answered { text, blocks } => (text, blocks),
        Resolution::Declined { reason } => (format!("Declined: {reason}"), Vec::new()),
        Resolution::Aborted => ("Aborted: interrupted before it was done".to_string(), Vec::new()),
        Resolution::Dropped => return None,
    };
    Some(match step.kind {
        Kind::Tool => {
            Message::Tool { tool_call_id: step.call.id.clone(), name: step.call.name.clone(), content: text, blocks }
        }
        Kind::Command => Message::User { content: format!("[exec: {}]\n{text}", command_of(&step.call)), blocks },
    })
}

fn command_of(call: &ToolCall) -> String {
    let arguments: Option<serde_json::Value> = serde_json::from_str(&call.arguments).ok();
    arguments
        .as_ref()
        .and_then(|arguments| arguments.get("command"))
        .and_then(|command| command.as_str())
        .unwrap_or_default()
        .to_string()
}
