//! Turns the events of a message into ours.

use std::collections::VecDeque;

use aish_types::Usage;

use super::event::{Block, Delta, Event, MessageStart, WireUsage};
use super::state::Blocks;
use crate::assembly::{Assembly, CallPiece, CutBy};
use crate::event::{ChatError, FinishReason, StreamEvent};
use crate::exchange::{Decoder, Progress, parsed};
use crate::failure::Failure;
use crate::lenient::says_something;
use crate::names::WireNames;
use crate::wire::Seal;

/// The state of one message.
pub(crate) struct MessagesDecoder {
    names: WireNames,
    first_free_id: usize,
    seal: Option<Seal>,
    blocks: Blocks,
    calls: Assembly,
    /// The input that the call that is open began with, by its index.
    input: Option<(Option<u64>, String)>,
    usage: Counts,
    finish: Option<FinishReason>,
    any_token: bool,
}

/// The counts so far; an event that leaves one out does not change it.
#[derive(Default)]
struct Counts {
    fresh: Option<u64>,
    written: u64,
    read: u64,
    /// None until the end: a message begins with the count of its first token.
    output: Option<u64>,
    thinking: u64,
}

impl MessagesDecoder {
    pub(crate) fn new(names: WireNames, first_free_id: usize, seal: Seal) -> Self {
        Self {
            names,
            first_free_id,
            seal: Some(seal),
            blocks: Blocks::default(),
            calls: Assembly::default(),
            input: None,
            usage: Counts::default(),
            finish: None,
            any_token: false,
        }
    }

    fn block(&mut self, index: Option<u64>, block: &Block<'_>, out: &mut VecDeque<StreamEvent>) {
        self.take_input();
        self.blocks.start(index, block, block.id.text());
        match block.r#type.text() {
            "tool_use" => {
                let (id, name) = (block.id.text(), block.name.text());
                self.calls.push(CallPiece { index, id, name, ..CallPiece::default() });
                // The input follows in deltas, and an empty object stands here for it; where it is here, it may follow again.
                self.input = Some((index, block.input.text().to_owned())).filter(|(_, input)| input != "{}");
                self.any_token = true;
            }
            _ => self.say(block.text.text(), block.thinking.text(), out),
        }
    }

    fn delta(&mut self, index: Option<u64>, delta: &Delta<'_>, out: &mut VecDeque<StreamEvent>) {
        self.blocks.grow(index, delta);
        self.say(delta.text.text(), delta.thinking.text(), out);
        let arguments = delta.partial_json.text();
        if !arguments.is_empty() {
            self.input = None;
            self.calls.push(CallPiece { index, arguments, ..CallPiece::default() });
        }
    }

    /// Gives a call the input that it began with, where none followed.
    fn take_input(&mut self) {
        if let Some((index, arguments)) = self.input.take() {
            self.calls.push(CallPiece { index, arguments: &arguments, ..CallPiece::default() });
        }
    }

    fn say(&mut self, text: &str, thinking: &str, out: &mut VecDeque<StreamEvent>) {
        if !thinking.is_empty() {
            out.push_back(StreamEvent::Reasoning(thinking.to_owned()));
        }
        if !text.is_empty() {
            out.push_back(StreamEvent::Text(text.to_owned()));
        }
        self.any_token |= !out.is_empty();
    }

    fn take_usage(&mut self, usage: Option<&WireUsage>) {
        let Some(usage) = usage else { return };
        self.usage.fresh = usage.input_tokens.0.or(self.usage.fresh);
        self.usage.written = usage.cache_creation_input_tokens.0.unwrap_or(self.usage.written);
        self.usage.read = usage.cache_read_input_tokens.0.unwrap_or(self.usage.read);
        let thinking = usage.output_tokens_details.0.as_ref().and_then(|details| details.thinking_tokens.0);
        self.usage.thinking = thinking.unwrap_or(self.usage.thinking);
        self.usage.output = usage.output_tokens.0.or(self.usage.output);
    }

    fn message(&mut self, message: &MessageStart<'_>, out: &mut VecDeque<StreamEvent>) {
        self.take_usage(message.usage.0.as_ref());
        for (at, block) in message.content.iter().flatten().enumerate() {
            self.block(u64::try_from(at).ok(), block, out);
        }
        self.stop_reason(message.stop_reason.text());
    }

    fn stop_reason(&mut self, word: &str) {
        let reason = match word {
            "" => return,
            "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
            "tool_use" => FinishReason::ToolCalls,
            "refusal" => FinishReason::ContentFilter,
            _ => FinishReason::Stop,
        };
        self.finish = Some(reason);
    }
}

impl Decoder for MessagesDecoder {
    fn event(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<Progress, ChatError> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(Progress::More);
        }
        if data == "[DONE]" {
            // Servers of other vendors end all their streams like this.
            return Ok(if self.finish.is_some() { Progress::Done } else { Progress::More });
        }
        let event: Event<'_> = parsed(data)?;
        if event.r#type.text() == "error" || event.error.as_ref().is_some_and(says_something) {
            return Err(Failure::from_body(data).in_stream(self.any_token));
        }
        if let Some(message) = &event.message {
            self.message(message, out);
            self.usage.output = None;
        }
        if let Some(block) = &event.content_block {
            self.block(event.index.0, block, out);
        }
        self.take_usage(event.usage.0.as_ref());
        if let Some(delta) = &event.delta {
            self.delta(event.index.0, delta, out);
            self.stop_reason(delta.stop_reason.text());
        }
        Ok(if event.r#type.text() == "message_stop" { Progress::Done } else { Progress::More })
    }

    fn document(&mut self, body: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ChatError> {
        let body = body.trim_start_matches('\u{feff}').trim();
        let message = serde_json::from_str::<MessageStart<'_>>(body).ok().filter(|message| message.content.is_some());
        let Some(message) = message else {
            return Err(Failure::from_body(body).in_document());
        };
        self.message(&message, out);
        Ok(())
    }

    fn cut(&mut self) {
        self.finish = Some(FinishReason::Length);
    }

    fn finish(&mut self, out: &mut VecDeque<StreamEvent>) {
        self.take_input();
        let calls = std::mem::take(&mut self.calls);
        let finish = FinishReason::of(self.finish, !calls.is_empty());
        let cut = CutBy::of(finish);
        out.extend(calls.release(&self.names, cut, self.first_free_id));
        let sealed = self.seal.take().and_then(|seal| std::mem::take(&mut self.blocks).sealed(seal));
        out.extend(sealed.map(StreamEvent::State));
        if let (Some(fresh), Some(completion)) = (self.usage.fresh, self.usage.output) {
            let prompt = fresh.saturating_add(self.usage.written).saturating_add(self.usage.read);
            let Counts { read: cached, written, thinking, .. } = self.usage;
            let reasoning = thinking.min(completion);
            let usage = Usage { prompt, completion, cached, written, reasoning, estimated: false };
            out.push_back(StreamEvent::Usage(usage));
        }
        out.push_back(StreamEvent::Finished(finish));
    }
}
