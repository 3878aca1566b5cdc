//! The words on the pipes: one JSON object a line, each with `op` (requests) or `event` (answers).
//!
//! ```text
//! < {"event":"hello","protocol":1}
//! > {"op":"load","id":1,"path":"/m.gguf","context":4096}
//! < {"event":"loaded","id":1,"info":{"name":"…","context":4096,…}}
//! > {"op":"count","id":2,"text":"Hello"}
//! < {"event":"count","id":2,"tokens":1}
//! > {"op":"chat","id":3,"messages":[{"role":"user","content":"Hi"}]}
//! < {"event":"text","id":3,"text":"Hel"}
//! > {"op":"cancel","id":3}
//! < {"event":"end","id":3,"reason":"cancelled","usage":{…}}
//! ```
//! A chat ends with `end` or with `error`, and nothing follows either. `cancel` has no answer of its own. Requests are
//! worked off in order; `cancel` alone overtakes. A second `load` replaces the model.

use aish_types::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number that both sides must agree on.
pub(crate) const PROTOCOL: u32 = 1;

/// A request. `id` comes back in every event that answers it; ids grow.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Request {
    /// Loads a GGUF file.
    Load {
        id: u64,
        path: String,
        /// Tokens; at most what the model was trained for. Unset: 4096 or that.
        context: Option<u32>,
        /// Threads that compute; unset: the physical cores.
        threads: Option<u32>,
    },
    /// Counts the tokens of a text, without the ones that begin a sequence.
    Count { id: u64, text: String },
    /// Lists the tokens of a text.
    Tokenize { id: u64, text: String },
    /// Answers a conversation.
    Chat(Box<Chat>),
    /// Ends a chat that runs or waits.
    Cancel { id: u64 },
}

/// A conversation to be answered.
#[derive(Debug, Deserialize)]
pub(crate) struct Chat {
    pub(crate) id: u64,
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) tools: Vec<Tool>,
    #[serde(default)]
    pub(crate) choice: Choice,
    /// The longest answer in tokens; a tool call that has begun may take 512 more. Unset: 1024.
    pub(crate) max_tokens: Option<u32>,
    /// 0 to 2; 0 takes the likeliest token always. Unset: 0.2.
    pub(crate) temperature: Option<f32>,
    /// JSON Schema that the answer's text fits; it holds where there are no tools.
    pub(crate) schema: Option<Value>,
    /// Makes an answer repeatable. Unset: different each time.
    pub(crate) seed: Option<u32>,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    /// JSON Schema of the arguments.
    pub(crate) parameters: Value,
}

/// Whether the model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Choice {
    /// The model decides.
    #[default]
    Auto,
    /// It must call one.
    Required,
    /// It must not.
    None,
}

/// An answer.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The first line of all.
    Hello { protocol: u32 },
    /// A model is loaded.
    Loaded { id: u64, info: Info },
    /// A count of tokens.
    Count { id: u64, tokens: u64 },
    /// Tokens by number.
    Tokens { id: u64, tokens: Vec<i32> },
    /// A piece of the answer.
    Text { id: u64, text: String },
    /// A piece of what the model thinks before it answers.
    Reasoning { id: u64, text: String },
    /// A whole call with valid arguments.
    ToolCall { id: u64, call: Call },
    /// A call that did not come to its end.
    BrokenCall { id: u64, text: String, reason: String },
    /// The end of an answer.
    End { id: u64, reason: EndReason, usage: Usage, timing: Timing },
    /// The end of a request that failed.
    Error { id: Option<u64>, kind: ErrorKind, message: String },
}

/// What is known of a loaded model.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Info {
    /// Its own name, or the file's.
    pub(crate) name: String,
    /// Architecture word of the file (`llama`).
    pub(crate) architecture: String,
    /// Tokens that fit.
    pub(crate) context: u32,
    /// Tokens it was trained for.
    pub(crate) trained_context: u32,
    /// Number of parameters.
    pub(crate) parameters: u64,
    /// Bytes of its tensors.
    pub(crate) bytes: u64,
    /// Number of different tokens.
    pub(crate) vocabulary: i32,
    /// True when the file brings a chat template.
    pub(crate) template: bool,
    /// True when that template knows tools in a form that we read.
    pub(crate) native_tools: bool,
    /// Threads that compute.
    pub(crate) threads: u32,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    /// JSON text of an object.
    pub(crate) arguments: String,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndReason {
    Stop,
    ToolCalls,
    Length,
    Cancelled,
}

/// Tokens of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Usage {
    /// Tokens of the prompt, those of the cache included.
    pub(crate) prompt: u64,
    /// Tokens of the answer.
    pub(crate) completion: u64,
    /// Tokens of the prompt that were still in the cache.
    pub(crate) cached: u64,
}

/// Milliseconds of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Timing {
    pub(crate) prompt_ms: f64,
    pub(crate) completion_ms: f64,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorKind {
    /// The request is no JSON of this protocol.
    BadRequest,
    /// No model is loaded.
    NotLoaded,
    /// The file cannot be opened.
    NoFile,
    /// The file is no GGUF, or a cut one.
    NotGguf,
    /// llama.cpp refuses the file.
    LoadFailed,
    /// The processor lacks instructions.
    Processor,
    /// The process could not be confined.
    Confinement,
    /// The prompt is longer than the context.
    ContextOverflow,
    /// The template refuses the roles of the conversation.
    TemplateRefused,
    /// The template itself is broken.
    Template,
    /// The tools cannot be made into a grammar.
    Grammar,
    /// The computation failed.
    Compute,
}
