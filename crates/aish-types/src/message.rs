//! The messages of a conversation, free of any provider's wire format.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{CallId, ToolName};

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The program's standing instructions.
    System,
    /// The person, or what the shell attaches for the person.
    User,
    /// The model.
    Assistant,
    /// The result of one tool call.
    Tool,
}

/// A piece of content that is not plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// An image: its media type (`image/png`) and its bytes in base64.
    Image {
        /// Media type.
        media_type: String,
        /// Base64, standard alphabet with padding.
        data: String,
    },
    /// Audio: its media type and its bytes in base64.
    Audio {
        /// Media type.
        media_type: String,
        /// Base64, standard alphabet with padding.
        data: String,
    },
    /// A resource, embedded or linked.
    Resource {
        /// Where it says it comes from.
        uri: String,
        /// Media type, where known.
        media_type: Option<String>,
        /// Base64 of its bytes; absent for a mere link.
        data: Option<String>,
    },
}

/// A tool call that a model asked for.
///
/// `arguments` is the JSON text as it arrived, whole; it is parsed once, in the executor's `prepare`, and never repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that the result must carry.
    pub id: CallId,
    /// The tool's full name.
    pub name: ToolName,
    /// JSON text of the arguments; empty means no arguments.
    pub arguments: String,
}

/// What a model's server sent with an answer and wants to see again with it: reasoning, signatures, its own order of parts.
///
/// It goes back to the endpoint and the model that it came from, unchanged or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderState {
    /// The wire: `chat`, `responses` or `messages`.
    pub wire: String,
    /// The endpoint that gave it.
    pub endpoint: String,
    /// The model that gave it.
    pub model: String,
    /// A hash of all that stood before the answer, where the server binds it to that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// The reasoning as a person can read it; empty where it is hidden.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The server's own data, opaque to all but its wire.
    pub data: Value,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// Standing instructions.
    System {
        /// The text.
        content: String,
    },
    /// What the person said.
    User {
        /// The text.
        content: String,
        /// Images and the like that go with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blocks: Vec<Block>,
    },
    /// What the model said and which calls it asked for.
    Assistant {
        /// The text; may be empty when there are calls.
        content: String,
        /// The calls, in the model's order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What the model's server wants to see again with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<Box<ProviderState>>,
    },
    /// The result of one call.
    Tool {
        /// The call that this answers.
        tool_call_id: CallId,
        /// The tool's full name.
        name: ToolName,
        /// The text that the model reads.
        content: String,
        /// Images and the like that go with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blocks: Vec<Block>,
    },
}

impl Message {
    /// Makes a system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self::System { content: content.into() }
    }

    /// Makes a user message of text alone.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User { content: content.into(), blocks: Vec::new() }
    }

    /// Makes an assistant message of text alone.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::Assistant { content: content.into(), tool_calls: Vec::new(), state: None }
    }

    /// Returns who speaks.
    pub fn role(&self) -> Role {
        match self {
            Self::System { .. } => Role::System,
            Self::User { .. } => Role::User,
            Self::Assistant { .. } => Role::Assistant,
            Self::Tool { .. } => Role::Tool,
        }
    }

    /// Returns the text.
    pub fn content(&self) -> &str {
        match self {
            Self::System { content }
            | Self::User { content, .. }
            | Self::Assistant { content, .. }
            | Self::Tool { content, .. } => content,
        }
    }

    /// Returns what the model's server wants to see again with an assistant message.
    pub fn state(&self) -> Option<&ProviderState> {
        match self {
            Self::Assistant { state, .. } => state.as_deref(),
            Self::System { .. } | Self::User { .. } | Self::Tool { .. } => None,
        }
    }

    /// Returns the calls of an assistant message, and nothing for the others.
    pub fn tool_calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant { tool_calls, .. } => tool_calls,
            Self::System { .. } | Self::User { .. } | Self::Tool { .. } => &[],
        }
    }
}
