//! Scripts as YAML or JSON, for programs that are tested from outside.
//!
//! ```yaml
//! steps:
//!   - expect: { path: /v1/chat/completions, contains: ["17*23"] }
//!     reply: { calls: [{ name: calculator, arguments: '{"expression":"17*23"}' }] }
//!   - reply: { text: "It is 391.", usage: { prompt: 12, completion: 4 } }
//! always:
//!   - expect: { path: /props }
//!     reply: { status: 404, json: { error: not here } }
//! ```
//!
//! A step without `expect` is any completion (`POST` to `/v1/chat/completions` or `/v1/messages`).

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::anthropic::AnthropicStream;
use super::expect::Expect;
use super::ollama::OllamaStream;
use super::openai::OpenAiStream;
use super::reply::{End, Framing, Reply, Split};
use super::script::{Script, Step, Times};

/// Why a script could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ScriptFileError {
    /// No YAML or JSON of the right shape.
    #[error("the script cannot be read")]
    Syntax(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A reply that says two things or nothing.
    #[error("step {step}: {reason}")]
    Reply {
        /// The step's number, from 1.
        step: usize,
        /// What is wrong.
        reason: String,
    },
}

impl Script {
    /// Reads a script from YAML or JSON text.
    pub fn parse(text: &str) -> Result<Self, ScriptFileError> {
        let file: File = serde_saphyr::from_str(text).map_err(|error| ScriptFileError::Syntax(error.into()))?;
        Self::try_from(file)
    }

    /// Reads a script from a JSON value, for case files that hold one inside.
    pub fn from_value(value: Value) -> Result<Self, ScriptFileError> {
        let file: File = serde_json::from_value(value).map_err(|error| ScriptFileError::Syntax(error.into()))?;
        Self::try_from(file)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    steps: Vec<FileStep>,
    #[serde(default)]
    always: Vec<FileStep>,
    #[serde(default)]
    unordered: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStep {
    expect: Option<Expect>,
    reply: FileReply,
    times: Option<usize>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Openai,
    Ollama,
    Anthropic,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FileEnd {
    Clean,
    Cut,
    Reset,
    HalfClose,
    Hang,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FileReply {
    format: Format,
    /// A streamed answer.
    text: Option<String>,
    reasoning: Option<String>,
    calls: Vec<FileCall>,
    finish: Option<String>,
    usage: Option<FileUsage>,
    /// A streamed answer of so many short words.
    tokens: Option<usize>,
    /// A body instead of a stream.
    json: Option<Value>,
    body: Option<String>,
    /// The events of a stream as they are, without their blank lines.
    events: Vec<String>,
    status: Option<u16>,
    headers: Map<String, Value>,
    split: Option<usize>,
    split_seed: Option<u64>,
    delay_ms: u64,
    between_ms: u64,
    end: Option<FileEnd>,
    /// Keeps so many bytes of the body.
    truncate: Option<usize>,
    silence: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCall {
    id: Option<String>,
    name: String,
    /// JSON text, or JSON itself.
    #[serde(default)]
    arguments: Value,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileUsage {
    prompt: u64,
    completion: u64,
    #[serde(default)]
    cached: u64,
}

impl TryFrom<File> for Script {
    type Error = ScriptFileError;

    fn try_from(file: File) -> Result<Self, ScriptFileError> {
        let mut script = Self { unordered: file.unordered, ..Self::new() };
        let ordered = file.steps.into_iter().map(|step| {
            let times = Times::Exactly(step.times.unwrap_or(1));
            (step, times)
        });
        let standing = file.always.into_iter().map(|step| (step, Times::Any));
        for (at, (step, times)) in ordered.chain(standing).enumerate() {
            let path = match step.reply.format {
                Format::Openai | Format::Ollama => "/v1/chat/completions",
                Format::Anthropic => "/v1/messages",
            };
            let expect = step.expect.unwrap_or_else(|| Expect::request("POST", path));
            let reply = step.reply.build(at).map_err(|reason| ScriptFileError::Reply { step: at + 1, reason })?;
            script.steps.push(Step { expect, reply, times });
        }
        Ok(script)
    }
}

impl FileReply {
    fn build(self, step: usize) -> Result<Reply, String> {
        let streamed = self.text.is_some() || !self.calls.is_empty() || self.reasoning.is_some();
        let kinds = [streamed, self.tokens.is_some(), self.json.is_some(), self.body.is_some()];
        let kinds = kinds.into_iter().filter(|kind| *kind).count()
            + usize::from(!self.events.is_empty())
            + usize::from(self.silence);
        if kinds > 1 {
            return Err("a reply is one of text and calls, tokens, json, body, events, silence".into());
        }
        if kinds == 0 && self.status.is_none() {
            return Err("the reply says neither what is answered nor a status".into());
        }
        let mut reply = match (self.tokens, &self.json, &self.body) {
            (Some(count), _, _) => match self.format {
                Format::Openai | Format::Ollama => OpenAiStream::tokens(count).reply(),
                Format::Anthropic => AnthropicStream::answer(&"word ".repeat(count)).reply(),
            },
            (None, Some(json), _) => Reply::json(self.status.unwrap_or(200), json),
            (None, None, Some(body)) => Reply::new(200, "text/plain", body.as_str()),
            (None, None, None) if self.silence => Reply::silence(),
            (None, None, None) if !self.events.is_empty() => {
                Reply::stream(self.events.iter().map(|event| format!("{event}\n\n").into_bytes()).collect())
            }
            (None, None, None) if streamed => self.stream(step),
            (None, None, None) => Reply::error(self.status.unwrap_or(500), "scripted failure"),
        };
        if let Some(status) = self.status {
            reply.status = status;
        }
        for (name, value) in &self.headers {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            reply = reply.header(name, &text);
        }
        if self.between_ms > 0 {
            reply = reply.pause_between(Duration::from_millis(self.between_ms));
        }
        if let Some(count) = self.truncate {
            reply = reply.truncate(count);
        }
        reply.before = Duration::from_millis(self.delay_ms);
        reply.split = match (self.split, self.split_seed) {
            (Some(size), _) => Split::Every(size),
            (None, Some(seed)) => Split::Seeded(seed),
            (None, None) => Split::Pieces,
        };
        if let Some(end) = self.end {
            reply.end = match end {
                FileEnd::Clean => End::Clean,
                FileEnd::Cut => End::Cut,
                FileEnd::Reset => End::Reset,
                FileEnd::HalfClose => End::HalfClose,
                FileEnd::Hang => End::Hang,
            };
            if reply.end == End::HalfClose && reply.framing == Framing::Length {
                reply.framing = Framing::Close;
            }
        }
        Ok(reply)
    }

    fn stream(&self, step: usize) -> Reply {
        let text = self.text.as_deref().unwrap_or_default();
        let calls: Vec<(String, &str, String)> = (self.calls.iter().enumerate())
            .map(|(at, call)| {
                let id = call.id.clone().unwrap_or_else(|| format!("call_{}_{}", step + 1, at + 1));
                let arguments = match &call.arguments {
                    Value::String(text) => text.clone(),
                    Value::Null => "{}".into(),
                    other => other.to_string(),
                };
                (id, call.name.as_str(), arguments)
            })
            .collect();
        let usage = self.usage.unwrap_or(FileUsage { prompt: 10, completion: 5, cached: 0 });
        let finish = self.finish.as_deref();
        match self.format {
            Format::Openai => {
                let mut stream = OpenAiStream::new("scripted").role();
                if let Some(reasoning) = &self.reasoning {
                    stream = stream.reasoning("reasoning_content", reasoning);
                }
                stream = stream.words(text);
                for (at, (id, name, arguments)) in calls.iter().enumerate() {
                    stream = stream.tool_call(at, id, name, arguments, 8);
                }
                let reason = finish.unwrap_or(if calls.is_empty() { "stop" } else { "tool_calls" });
                stream.finish(reason).usage(usage.prompt, usage.completion, usage.cached).done().reply()
            }
            Format::Ollama => {
                let mut stream = text.split_inclusive(' ').fold(OllamaStream::new("scripted"), OllamaStream::text);
                for (id, name, arguments) in &calls {
                    stream = stream.call(id, name, arguments);
                }
                let reason = finish.unwrap_or(if calls.is_empty() { "stop" } else { "tool_calls" });
                stream.finish(reason).usage(usage.prompt, usage.completion).done().reply()
            }
            Format::Anthropic => {
                let mut stream =
                    AnthropicStream::new("scripted", usage.prompt.saturating_sub(usage.cached), usage.cached);
                if let Some(reasoning) = &self.reasoning {
                    stream = stream.thinking(reasoning);
                }
                if !text.is_empty() {
                    stream = stream.text(text);
                }
                for (id, name, arguments) in &calls {
                    stream = stream.tool_use(id, name, arguments, 8);
                }
                stream.stop(finish.unwrap_or(if calls.is_empty() { "end_turn" } else { "tool_use" })).reply()
            }
        }
    }
}
