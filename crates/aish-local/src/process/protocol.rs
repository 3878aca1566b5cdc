//! The words on the pipes, as `aish-model` documents them; both executables are of one build.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number that both sides must agree on.
pub(crate) const PROTOCOL: u32 = 1;

/// A request without its id.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Ask {
    Load {
        path: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        context: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        threads: Option<u32>,
    },
    Count {
        text: String,
    },
    Chat {
        messages: Vec<aish_types::Message>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tools: Vec<Tool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        max_tokens: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        temperature: Option<f32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
    },
}

/// A request as it is sent.
#[derive(Serialize)]
pub(crate) struct Request<'a> {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) ask: &'a Ask,
}

/// The one request that overtakes.
#[derive(Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Overtaking {
    Cancel { id: u64 },
}

#[derive(Debug, Serialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Value,
}

/// An answer.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Hello { protocol: u32 },
    Loaded { id: u64, info: Info },
    Count { id: u64, tokens: u64 },
    Text { id: u64, text: String },
    Reasoning { id: u64, text: String },
    ToolCall { id: u64, call: Call },
    BrokenCall { id: u64, text: String, reason: String },
    End { id: u64, reason: EndReason, usage: Usage },
    Error { id: Option<u64>, kind: ErrorKind, message: String },
}

impl Event {
    /// Returns the request that it answers.
    pub(crate) fn id(&self) -> Option<u64> {
        match self {
            Self::Hello { .. } => None,
            Self::Error { id, .. } => *id,
            Self::Loaded { id, .. }
            | Self::Count { id, .. }
            | Self::Text { id, .. }
            | Self::Reasoning { id, .. }
            | Self::ToolCall { id, .. }
            | Self::BrokenCall { id, .. }
            | Self::End { id, .. } => Some(*id),
        }
    }

    /// Tells whether nothing follows it.
    pub(crate) fn is_last(&self) -> bool {
        match self {
            Self::Loaded { .. } | Self::Count { .. } | Self::End { .. } | Self::Error { .. } => true,
            Self::Hello { .. }
            | Self::Text { .. }
            | Self::Reasoning { .. }
            | Self::ToolCall { .. }
            | Self::BrokenCall { .. } => false,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Info {
    pub(crate) context: u32,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndReason {
    Stop,
    ToolCalls,
    Length,
    Cancelled,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Usage {
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) cached: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorKind {
    ContextOverflow,
    TemplateRefused,
    /// Every other kind: its message says all there is to say.
    #[serde(other)]
    Other,
}
