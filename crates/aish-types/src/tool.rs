//! Tool definitions and the context of a call.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::{CallId, SessionId, SourceId, ToolName};
use crate::schema::JsonSchema;
use crate::shared::SharedText;

/// What a tool may do, as its author or the user's policy says; ordered so that `max` is the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Reads only.
    #[default]
    Read,
    /// Changes something that can be changed back.
    Write,
    /// May lose something for good.
    Destructive,
}

/// Hints in the sense of MCP tool annotations; from a stranger they never approve anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hints {
    /// The tool says it changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The tool says it may destroy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// The tool says that calling it twice is calling it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The tool says it reaches the open world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

/// Everything about a tool that is known before it is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The full name under which it is shown and called.
    pub name: ToolName,
    /// A title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// What it does, for the model.
    pub description: SharedText,
    /// JSON Schema of the arguments, an object schema; kept whole as it came.
    pub input_schema: JsonSchema,
    /// JSON Schema of the structured result.
    #[serde(default)]
    pub output_schema: Option<JsonSchema>,
    /// Discovery category; `general` unless said.
    pub category: SharedText,
    /// Discovery tags.
    #[serde(default)]
    pub tags: Arc<[String]>,
    /// The command line, server or plugin it belongs to, for discovery (`git`, `files`).
    pub group: SharedText,
    /// Where it runs.
    pub source: SourceId,
    /// What it may do, by our own word or the user's (not by a stranger's hint).
    pub risk: Risk,
    /// True when `risk` is our own word or the user's, false when it is a guess about a stranger's tool.
    pub trusted: bool,
    /// The tool's own hints.
    #[serde(default)]
    pub hints: Hints,
    /// Asks even where policy would let it through.
    pub requires_confirmation: bool,
    /// Seconds between two successful calls of one user; 0 is no limit.
    pub cooldown_seconds: f64,
    /// Milliseconds after which a call is ended; none means the executor's default (30,000).
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// Phrases that a user might say, for discovery.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Hash of what the tool's server says that a model should know; part of the pin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_hash: Option<String>,
    /// True when its server added or changed it after it was connected: policy alone does not approve it then.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub late: bool,
    /// True when a call counts as `read` where its command line is known to only read, whatever `risk` says.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub judged: bool,
}

impl ToolDefinition {
    /// Makes a definition with defaults: category `general`, risk `read`, untrusted, no limits, group taken from the source.
    pub fn new(
        name: impl Into<ToolName>,
        description: impl Into<SharedText>,
        input_schema: impl Into<JsonSchema>,
        source: SourceId,
    ) -> Self {
        let group = source.as_str().rsplit(':').next().unwrap_or_default().into();
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input_schema: input_schema.into(),
            output_schema: None,
            category: "general".into(),
            tags: Arc::default(),
            group,
            source,
            risk: Risk::Read,
            trusted: false,
            hints: Hints::default(),
            requires_confirmation: false,
            cooldown_seconds: 0.0,
            timeout_ms: None,
            examples: Vec::new(),
            instructions_hash: None,
            late: false,
            judged: false,
        }
    }
}

/// Who calls, from where; comes from the program, never from the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallContext {
    /// The call's id.
    pub call: CallId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The person or client on whose behalf it runs.
    pub user: String,
    /// The channel, for the chat service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The working directory at the time of the call, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}
