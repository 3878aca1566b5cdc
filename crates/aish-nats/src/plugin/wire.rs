//! The payloads between plugins and the tool layer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `PREFIX.llm.tools.register`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Register {
    pub(crate) plugin: String,
    pub(crate) instance: String,
    #[serde(default)]
    pub(crate) version: String,
    pub(crate) ttl_s: Option<f64>,
    pub(crate) tools: Vec<Value>,
}

/// One tool of a registration.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Offer {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    /// JSON Schema of the arguments.
    #[serde(default)]
    pub(crate) parameters: Value,
    /// Where it is called.
    pub(crate) subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    #[serde(default)]
    pub(crate) requires_confirmation: bool,
    #[serde(default)]
    pub(crate) cooldown_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) destructive: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
}

/// `PREFIX.llm.tools.unregister` and `.heartbeat`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Instance {
    pub(crate) plugin: String,
    pub(crate) instance: String,
}

/// A call, to the tool's subject.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) call_id: String,
    pub(crate) name: String,
    pub(crate) arguments: Value,
    #[serde(default)]
    pub(crate) context: CallerContext,
    #[serde(default)]
    pub(crate) deadline_ms: u64,
}

/// Who calls.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct CallerContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) channel: Option<String>,
    #[serde(default)]
    pub(crate) user: String,
}

/// The reply to a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CallReply {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<String>,
    pub(crate) success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<CallFault>,
}

/// An error: a text, or more.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum CallFault {
    Text(String),
    Coded {
        #[serde(default)]
        code: String,
        #[serde(default)]
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
}
