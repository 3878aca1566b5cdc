//! Answers one conversation: prompt, then token by token, until the model ends, is cut, or is cancelled.

mod answer;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::time::Instant;

use aish_types::embedded::{Chat, Choice, EndReason, ErrorKind, Event, Timing, Usage};
use serde_json::Value;

use crate::engine::{Engine, EngineError, Prefill};
use crate::grammar::{self, Bounds, GrammarError};
use crate::inbox::Interrupts;
use crate::output::splitter::{CALL_OPEN, Calls, Start};
use crate::prompt::{Conversation, TemplateError};
use crate::sampler::Sampler;
use answer::Answer;

/// Tokens of an answer when the request names no limit.
const MAX_TOKENS: u32 = 1024;
/// Tokens that a call which has begun may take beyond the limit, so that it comes to its end.
const CALL_EXTRA: u64 = 512;
/// The model's temperature when the request names none.
const TEMPERATURE: f32 = 0.2;

/// Why a conversation got no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChatError {
    /// The prompt does not fit.
    #[error("the conversation has {tokens} tokens; this model takes {most}")]
    TooLong { tokens: usize, most: usize },
    /// The template does not take it.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The tools have no grammar.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// The computation failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Nobody listens any more.
    #[error("nobody listens")]
    Gone(#[from] io::Error),
}

impl ChatError {
    /// Returns the word of the protocol.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLong { .. } => ErrorKind::ContextOverflow,
            Self::Template(TemplateError::Refused(_)) => ErrorKind::TemplateRefused,
            Self::Template(TemplateError::Broken(_)) => ErrorKind::Template,
            Self::Grammar(_) => ErrorKind::Grammar,
            Self::Engine(error) => error.kind(),
            Self::Gone(_) => ErrorKind::Compute,
        }
    }
}

/// Where events go.
pub(crate) type Send<'a> = &'a mut dyn FnMut(&Event) -> io::Result<()>;

/// Answers a conversation.
pub(crate) fn answer(
    engine: &mut Engine<'_>,
    chat: &Chat,
    interrupts: &Interrupts,
    send: Send<'_>,
) -> Result<(), ChatError> {
    let started = Instant::now();
    let stops = || interrupts.stops(chat.id);
    let conversation =
        Conversation { messages: &chat.messages, tools: &chat.tools, choice: chat.choice, control: &engine.control };
    let prompt = conversation.render(&engine.template)?;
    let tokens = engine.tokens_of_prompt(&prompt);
    if tokens.len() >= engine.size() {
        return Err(ChatError::TooLong { tokens: tokens.len(), most: engine.size() - 1 });
    }
    let grammar = if chat.tools.is_empty() || chat.choice == Choice::None {
        None
    } else {
        Some(grammar::after_opening_tag(&chat.tools, Bounds::for_parameters(engine.info.parameters))?)
    };
    let prefill = engine.prefill(&tokens, &stops)?;
    let mut usage = Usage { prompt: tokens.len() as u64, ..Usage::default() };
    let read = Instant::now();
    let mut reason = EndReason::Cancelled;
    match prefill {
        Prefill::Stopped { cached } => usage.cached = cached as u64,
        Prefill::Done { cached } => {
            usage.cached = cached as u64;
            let start = if prompt.trim_end().ends_with("<think>") { Start::Reasoning } else { Start::Answer };
            let calls = if grammar.is_some() { Calls::Watched } else { Calls::Ignored };
            let mut run = Run::new(engine, chat, Answer::new(chat.id, calls, start, random()), grammar, send);
            if start == Start::Answer && chat.tools.is_empty() {
                run.fit(chat.schema.as_ref())?;
            }
            if chat.choice == Choice::Required && prompt.ends_with(CALL_OPEN) {
                run.begin_call("")?;
            }
            reason = run.finish(&stops)?;
            usage.completion = run.count;
        }
    }
    let timing =
        Timing { prompt_ms: (read - started).as_secs_f64() * 1e3, completion_ms: read.elapsed().as_secs_f64() * 1e3 };
    send(&Event::End { id: chat.id, reason, usage, timing })?;
    Ok(())
}

/// One answer on its way.
struct Run<'r, 'm> {
    engine: &'r mut Engine<'m>,
    sampler: Sampler,
    answer: Answer,
    grammar: Option<String>,
    temperature: f32,
    seed: u32,
    limit: u64,
    count: u64,
    send: Send<'r>,
}

impl<'r, 'm> Run<'r, 'm> {
    fn new(engine: &'r mut Engine<'m>, chat: &Chat, answer: Answer, grammar: Option<String>, send: Send<'r>) -> Self {
        let temperature = chat.temperature.unwrap_or(TEMPERATURE).clamp(0.0, 2.0);
        let seed = chat.seed.unwrap_or_else(random);
        let limit = u64::from(chat.max_tokens.unwrap_or(MAX_TOKENS));
        let sampler = Sampler::new(engine.model, temperature, seed);
        Self { engine, sampler, answer, grammar, temperature, seed, limit, count: 0, send }
    }

    fn finish(&mut self, stops: &dyn Fn() -> bool) -> Result<EndReason, ChatError> {
        let reason = loop {
            if stops() {
                break EndReason::Cancelled;
            }
            // Beyond the limit a call is brought to its end, and no other is begun.
            if self.count >= self.limit && self.answer.is_whole() {
                break EndReason::ToolCalls;
            }
            let extra = if self.answer.is_in_call() { CALL_EXTRA } else { 0 };
            if self.count >= self.limit.saturating_add(extra) {
                break EndReason::Length;
            }
            if self.engine.len() >= self.engine.size() && !self.engine.shift()? {
                break EndReason::Length;
            }
            let Some(token) = self.sampler.next(&self.engine.context) else { break EndReason::Length };
            let vocab = self.engine.model.vocab();
            if vocab.is_eog(token) {
                break EndReason::Stop;
            }
            self.count += 1;
            let mut bytes = vocab.token_to_piece(token, true, None);
            if vocab.is_control(token) && !Answer::is_tag(&bytes) {
                bytes.clear();
            }
            if let Some(rest) = self.answer.take(&bytes, self.send)? {
                self.enter_call(&bytes, &rest)?;
            } else {
                self.engine.push(token)?;
            }
        };
        Ok(self.answer.finish(reason, self.send)?)
    }

    /// Puts the rest of the answer under the grammar, when a call begins inside a token's text.
    fn enter_call(&mut self, bytes: &[u8], rest: &str) -> Result<(), ChatError> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.begin_call(rest)?;
        // What of this token stands before the rest stays; a rest that the grammar does not allow is taken back.
        let kept =
            if self.answer.call_text() == rest { text } else { text.strip_suffix(rest).unwrap_or(&text).to_owned() };
        let mut tokens = self.engine.tokens().to_vec();
        tokens.extend(self.engine.tokens_of_text(&kept));
        self.engine.prefill(&tokens, &|| false)?;
        Ok(())
    }

    /// Puts the whole answer under the grammar of a schema, where it has one.
    fn fit(&mut self, schema: Option<&Value>) -> Result<(), ChatError> {
        let bounds = Bounds::for_parameters(self.engine.info.parameters);
        if let Some(grammar) = schema.and_then(|schema| grammar::of_answer(schema, bounds)) {
            self.sampler.constrain(self.engine.model, &grammar, self.temperature, self.seed)?;
        }
        Ok(())
    }

    fn begin_call(&mut self, rest: &str) -> Result<(), ChatError> {
        let Some(grammar) = self.grammar.take() else { return Ok(()) };
        self.sampler.constrain(self.engine.model, &grammar, self.temperature, self.seed)?;
        let tokens = if rest.is_empty() { Vec::new() } else { self.engine.tokens_of_text(rest) };
        if self.sampler.advance(&tokens) {
            self.answer.begin_call(rest);
        } else {
            self.sampler.constrain(self.engine.model, &grammar, self.temperature, self.seed)?;
            self.answer.begin_call("");
        }
        Ok(())
    }
}

/// Returns a number that is different each time.
fn random() -> u32 {
    let [a, b, c, d, ..] = RandomState::new().hash_one(std::process::id()).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}
