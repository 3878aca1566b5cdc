//! Turns the chunks of a chat completion into events.

use std::collections::VecDeque;

use aish_types::Usage;
use serde_json::Value;

use super::chunk::{Chunk, Delta, WireUsage};
use super::state::ChatState;
use crate::assembly::{Assembly, CallPiece, CutBy};
use crate::event::{ChatError, FinishReason, StreamEvent};
use crate::exchange::{Decoder, Progress, parsed};
use crate::failure::Failure;
use crate::lenient::says_something;
use crate::names::WireNames;
use crate::wire::Seal;

/// The state of one completion.
pub(crate) struct ChatDecoder {
    names: WireNames,
    first_free_id: usize,
    /// Taken when the answer is sealed.
    seal: Option<Seal>,
    state: ChatState,
    /// The reasoning as a person reads it.
    thought: String,
    /// The text with its tags, where they begin it.
    raw: String,
    calls: Assembly,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    any_token: bool,
}

impl ChatDecoder {
    pub(crate) fn new(names: WireNames, first_free_id: usize, seal: Seal) -> Self {
        Self {
            names,
            first_free_id,
            seal: Some(seal),
            state: ChatState::default(),
            thought: String::new(),
            raw: String::new(),
            calls: Assembly::default(),
            usage: None,
            finish: None,
            any_token: false,
        }
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, out: &mut VecDeque<StreamEvent>) -> Result<(), ChatError> {
        if let Some(error) = chunk.error.as_ref().filter(|error| says_something(error)) {
            return Err(self.failed(error));
        }
        if let Some(usage) = &chunk.usage.0 {
            self.take_usage(usage);
        }
        let cached = chunk.timings.0.as_ref().and_then(|timings| timings.cache_n.0);
        if let (Some(usage), Some(cached)) = (&mut self.usage, cached) {
            usage.cached = usage.cached.max(cached.min(usage.prompt));
        }
        // Only the first choice was asked for.
        let mut choices = chunk.choices.iter().flatten().flatten();
        let Some(choice) = choices.find(|choice| choice.index.0.unwrap_or(0) == 0) else { return Ok(()) };
        if let Some(error) = choice.error.as_ref().filter(|error| says_something(error)) {
            return Err(self.failed(error));
        }
        for delta in choice.delta.iter().chain(&choice.message) {
            self.delta(delta, out);
        }
        let reason = choice.finish_reason.text();
        if !reason.is_empty() {
            self.finish = Some(finish_reason(reason)?);
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Delta<'_>, out: &mut VecDeque<StreamEvent>) {
        let thinking = delta.content.thinking.as_deref().unwrap_or_default();
        delta.content.parts.iter().for_each(|part| self.state.part(part));
        if let Some(text) = delta.content.text.as_deref().filter(|_| delta.content.parts.is_empty()) {
            self.state.text_behind_parts(text);
        }
        let (name, reasoning) = match delta.reasoning_content.text() {
            "" => ("reasoning", delta.reasoning.text()),
            text => ("reasoning_content", text),
        };
        if !reasoning.is_empty() {
            self.state.reasoning(name, reasoning);
        }
        if let Some(details) = delta.reasoning_details.as_ref().filter(|details| !details.is_empty()) {
            self.state.details(details);
        }
        for text in [thinking, reasoning].into_iter().filter(|text| !text.is_empty()) {
            self.thought.push_str(text);
            out.push_back(StreamEvent::Reasoning(text.to_owned()));
        }
        for text in [delta.content.text.as_deref().unwrap_or_default(), delta.refusal.text()] {
            if !text.is_empty() {
                self.take_raw(text);
                out.push_back(StreamEvent::Text(text.to_owned()));
            }
        }
        for call in delta.tool_calls.iter().flat_map(|calls| calls.iter()) {
            let (name, arguments) =
                call.function.as_ref().map_or(("", ""), |function| (function.name.text(), function.arguments.text()));
            let extra = call.extra_content.as_ref();
            self.calls.push(CallPiece { index: call.index.0, id: call.id.text(), name, arguments, extra });
        }
        if let Some(call) = &delta.function_call {
            let (name, arguments) = (call.name.text(), call.arguments.text());
            if !(name.is_empty() && arguments.is_empty()) {
                self.calls.push(CallPiece { name, arguments, ..CallPiece::default() });
            }
        }
        self.any_token |= !out.is_empty() || !self.calls.is_empty();
    }

    /// Keeps an answer that begins with a tag as it came: MiniMax wants to see its tags again.
    fn take_raw(&mut self, text: &str) {
        let begins = |text: &str| text.is_empty() || "<think>".starts_with(text) || text.starts_with("<think>");
        let is_wanted = self.seal.as_ref().is_some_and(|seal| seal.model.to_ascii_lowercase().contains("minimax"));
        if is_wanted && begins(self.raw.trim_start()) {
            self.raw.push_str(text);
        }
    }

    fn take_usage(&mut self, usage: &WireUsage) {
        let (Some(prompt), completion) = (usage.prompt_tokens.0, usage.completion_tokens.0.unwrap_or(0)) else {
            return;
        };
        let details = usage.prompt_tokens_details.0.as_ref().and_then(|details| details.cached_tokens.0);
        let cached = details.or(usage.prompt_cache_hit_tokens.0).unwrap_or(0).min(prompt);
        // Servers that send usage with every chunk send the sum so far: the last one counts.
        let details = usage.completion_tokens_details.0.as_ref().and_then(|details| details.reasoning_tokens.0);
        let reasoning = details.unwrap_or(0).min(completion);
        self.usage = Some(Usage { prompt, completion, cached, written: 0, reasoning, estimated: false });
    }

    fn failed(&self, error: &Value) -> ChatError {
        Failure::from_value(error).in_stream(self.any_token)
    }
}

impl Decoder for ChatDecoder {
    fn event(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<Progress, ChatError> {
        let data = data.trim();
        if data == "[DONE]" {
            if self.finish.is_none() && !self.any_token {
                return Err(ChatError::Interrupted("the stream ended before the answer did".into()));
            }
            return Ok(Progress::Done);
        }
        if !data.is_empty() {
            let chunk: Chunk<'_> = parsed(data)?;
            if chunk.choices.is_none() && chunk.object.text() == "error" {
                return Err(Failure::from_body(data).in_stream(self.any_token));
            }
            self.chunk(&chunk, out)?;
        }
        Ok(if self.finish.is_some() { Progress::Ending } else { Progress::More })
    }

    fn document(&mut self, body: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ChatError> {
        let body = body.trim_start_matches('\u{feff}').trim();
        let Ok(chunk) = serde_json::from_str::<Chunk<'_>>(body) else {
            return Err(Failure::from_body(body).in_document());
        };
        if chunk.choices.as_ref().is_none_or(Vec::is_empty) {
            return Err(Failure::from_body(body).in_document());
        }
        self.chunk(&chunk, out)?;
        if self.finish.is_none() && !self.any_token {
            return Err(ChatError::Unreadable("the reply holds no answer".into()));
        }
        Ok(())
    }

    fn cut(&mut self) {
        self.finish = Some(FinishReason::Length);
    }

    fn finish(&mut self, out: &mut VecDeque<StreamEvent>) {
        let mut calls = std::mem::take(&mut self.calls);
        let mut state = std::mem::take(&mut self.state);
        state.calls(calls.take_extras(self.first_free_id));
        state.raw = Some(std::mem::take(&mut self.raw)).filter(|raw| raw.trim_start().starts_with("<think>"));
        let finish = FinishReason::of(self.finish, !calls.is_empty());
        let cut = CutBy::of(finish);
        out.extend(calls.release(&self.names, cut, self.first_free_id));
        let sealed = self.seal.take().and_then(|seal| state.sealed(seal, std::mem::take(&mut self.thought)));
        out.extend(sealed.map(StreamEvent::State));
        out.extend(self.usage.map(StreamEvent::Usage));
        out.push_back(StreamEvent::Finished(finish));
    }
}

/// Maps the words of many servers: OpenAI's, and those of DeepSeek, Gemini, GLM, Mistral, OpenRouter, vLLM and others.
///
/// # Errors
/// [`ChatError::Interrupted`] for an answer that its server gave up.
fn finish_reason(word: &str) -> Result<FinishReason, ChatError> {
    Ok(match word.to_ascii_lowercase().as_str() {
        "length"
        | "max_tokens"
        | "max_output_tokens"
        | "model_length"
        | "model_context_window_exceeded"
        | "incomplete" => FinishReason::Length,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "content_filter" | "safety" | "recitation" | "blocklist" | "prohibited_content" | "spii" | "image_safety"
        | "language" | "sensitive" | "refusal" => FinishReason::ContentFilter,
        "error" => return Err(ChatError::Interrupted("the server ended the answer with an error".into())),
        "abort"
        | "aborted"
        | "cancelled"
        | "canceled"
        | "timeout"
        | "network_error"
        | "insufficient_system_resource"
        | "malformed_function_call"
        | "unexpected_tool_call" => {
            return Err(ChatError::Interrupted(format!("the server gave it up ({word})")));
        }
        _ => FinishReason::Stop,
    })
}
