//! The protocol of the embedded model's process (`aish-model`) over its pipes: one JSON object a line, each with `op`
//! (requests) or `event` (answers).
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

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Message;

/// The number that both sides must agree on.
pub const PROTOCOL: u32 = 1;

/// A request. `id` comes back in every event that answers it; ids grow.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Loads a GGUF file.
    Load {
        /// The request's number.
        id: u64,
        /// The path of the GGUF file.
        path: String,
        /// Tokens; at most what the model was trained for. Unset: 4096 or that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<u32>,
        /// Threads that compute; unset: the physical cores.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threads: Option<u32>,
    },
    /// Counts the tokens of a text, without the ones that begin a sequence.
    Count {
        /// The request's number.
        id: u64,
        /// The text.
        text: String,
    },
    /// Lists the tokens of a text.
    Tokenize {
        /// The request's number.
        id: u64,
        /// The text.
        text: String,
    },
    /// Answers a conversation.
    Chat(Box<Chat>),
    /// Ends a chat that runs or waits.
    Cancel {
        /// The number of the chat.
        id: u64,
    },
}

/// A conversation to be answered.
#[derive(Debug, Serialize, Deserialize)]
pub struct Chat {
    /// The request's number.
    pub id: u64,
    /// The conversation, the system prompt first.
    pub messages: Vec<Message>,
    /// Tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Whether the model calls tools.
    #[serde(default)]
    pub choice: Choice,
    /// The longest answer in tokens; a tool call that has begun may take 512 more. Unset: 1024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// 0 to 2; 0 takes the likeliest token always. Unset: 0.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// JSON Schema that the answer's text fits; it holds where there are no tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Makes an answer repeatable. Unset: different each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// Whether the model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The model decides.
    #[default]
    Auto,
    /// It must call one.
    Required,
    /// It must not.
    None,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The first line of all.
    Hello {
        /// The number of the protocol.
        protocol: u32,
    },
    /// A model is loaded.
    Loaded {
        /// The request that it answers.
        id: u64,
        /// What it is.
        info: Info,
    },
    /// A count of tokens.
    Count {
        /// The request that it answers.
        id: u64,
        /// How many.
        tokens: u64,
    },
    /// Tokens by number.
    Tokens {
        /// The request that it answers.
        id: u64,
        /// Their numbers.
        tokens: Vec<i32>,
    },
    /// A piece of the answer.
    Text {
        /// The request that it answers.
        id: u64,
        /// The piece.
        text: String,
    },
    /// A piece of what the model thinks before it answers.
    Reasoning {
        /// The request that it answers.
        id: u64,
        /// The piece.
        text: String,
    },
    /// A whole call with valid arguments.
    ToolCall {
        /// The request that it answers.
        id: u64,
        /// The call.
        call: Call,
    },
    /// A call that did not come to its end.
    BrokenCall {
        /// The request that it answers.
        id: u64,
        /// What there is of it.
        text: String,
        /// Why it did not.
        reason: String,
    },
    /// The end of an answer.
    End {
        /// The request that it answers.
        id: u64,
        /// Why it ended.
        reason: EndReason,
        /// Its tokens.
        usage: Usage,
        /// Its times.
        timing: Timing,
    },
    /// The end of a request that failed.
    Error {
        /// The request that failed; unset when it is the process itself.
        id: Option<u64>,
        /// What kind of failure it is.
        kind: ErrorKind,
        /// The failure in words.
        message: String,
    },
}

impl Event {
    /// Returns the request that it answers, if it answers one.
    pub fn id(&self) -> Option<u64> {
        match self {
            Self::Hello { .. } => None,
            Self::Error { id, .. } => *id,
            Self::Loaded { id, .. }
            | Self::Count { id, .. }
            | Self::Tokens { id, .. }
            | Self::Text { id, .. }
            | Self::Reasoning { id, .. }
            | Self::ToolCall { id, .. }
            | Self::BrokenCall { id, .. }
            | Self::End { id, .. } => Some(*id),
        }
    }

    /// Returns whether it is the last answer to its request.
    pub fn is_last(&self) -> bool {
        match self {
            Self::Loaded { .. } | Self::Count { .. } | Self::Tokens { .. } | Self::End { .. } | Self::Error { .. } => {
                true
            }
            Self::Hello { .. }
            | Self::Text { .. }
            | Self::Reasoning { .. }
            | Self::ToolCall { .. }
            | Self::BrokenCall { .. } => false,
        }
    }
}

/// What is known of a loaded model.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Info {
    /// Its own name, or the file's.
    pub name: String,
    /// Architecture word of the file (`llama`).
    pub architecture: String,
    /// Tokens that fit.
    pub context: u32,
    /// Tokens it was trained for.
    pub trained_context: u32,
    /// Number of parameters.
    pub parameters: u64,
    /// Bytes of its tensors.
    pub bytes: u64,
    /// Number of different tokens.
    pub vocabulary: i32,
    /// True when the file brings a chat template.
    pub template: bool,
    /// True when that template knows tools in a form that we read.
    pub native_tools: bool,
    /// Threads that compute.
    pub threads: u32,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Its id, unique in the conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// JSON text of an object.
    pub arguments: String,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The model had said all.
    Stop,
    /// It called tools.
    ToolCalls,
    /// It was as long as it may be.
    Length,
    /// It was cancelled.
    Cancelled,
}

/// Tokens of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, those of the cache included.
    pub prompt: u64,
    /// Tokens of the answer.
    pub completion: u64,
    /// Tokens of the prompt that were still in the cache.
    pub cached: u64,
}

/// Milliseconds of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Timing {
    /// For the prompt.
    pub prompt_ms: f64,
    /// For the answer.
    pub completion_ms: f64,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
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
