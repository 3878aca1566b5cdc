//! How the service is set up.

use std::collections::BTreeMap;

/// How often one user may ask; 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Requests in any 60 s.
    pub per_minute: u32,
    /// Requests in any 3,600 s.
    pub per_hour: u32,
    /// Requests in any 86,400 s.
    pub per_day: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { per_minute: 10, per_hour: 100, per_day: 500 }
    }
}

/// The options of the chat service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceOptions {
    /// The first word of every subject.
    pub prefix: String,
    /// How often one user may ask.
    pub limits: Limits,
    /// Tool calls of one question at most; then the model is asked once more, without tools.
    pub max_tool_calls: usize,
    /// Messages of a channel that are kept at most.
    pub max_turns: usize,
    /// Tokens of a prompt at most.
    pub token_budget: u64,
    /// Tokens of an answer at most; none means the model's configured value.
    pub max_tokens: Option<u32>,
    /// What beside effect-free built-ins may be called: `alias.tool` or `alias.*`.
    pub allow: Vec<String>,
    /// System prompts by the name that a request may give.
    pub personas: BTreeMap<String, String>,
    /// The system prompt of a request that names no persona.
    pub system: String,
    /// Bytes of a payload at most.
    pub max_payload: usize,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        Self {
            prefix: "rosey".into(),
            limits: Limits::default(),
            max_tool_calls: 5,
            max_turns: 40,
            token_budget: 4_096,
            max_tokens: None,
            allow: Vec::new(),
            personas: BTreeMap::new(),
            system:
                "You are a helpful assistant in a chat channel. Each message begins with the name of who wrote it. \
                     Answer briefly."
                    .into(),
            max_payload: 1_000_000,
        }
    }
}
