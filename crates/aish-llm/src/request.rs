//! What a model is asked, free of any wire format.

use aish_types::{Message, ToolName};
use serde_json::Value;

/// Why a model is called; the ledger's category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The conversation itself.
    Main,
    /// A small question to the fast model.
    Fast,
    /// A summary of evicted turns or of a text.
    Summary,
    /// A step of an autonomous run.
    Norris,
    /// What a session leaves to remember.
    Memory,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Main, Self::Norris, Self::Fast, Self::Summary, Self::Memory];

    /// Returns the category's word in the ledger: `main`, `fast`, `summary`, `norris`, `memory`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Fast => "fast",
            Self::Summary => "summary",
            Self::Norris => "norris",
            Self::Memory => "memory",
        }
    }
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The full name; the provider maps it to what its wire allows and back.
    pub name: ToolName,
    /// What it does.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// One request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The conversation, system message first.
    pub messages: Vec<Message>,
    /// The tools that are offered; empty means that the request has no `tools` field.
    pub tools: Vec<ToolSpec>,
    /// The longest completion, in tokens; none means the model's configured value.
    pub max_tokens: Option<u32>,
    /// 0 to 2; none means the model's configured value.
    pub temperature: Option<f32>,
    /// JSON Schema that the answer's text should fit, by the wire's own means where it has them; the caller checks it.
    pub schema: Option<Value>,
    /// Why it is asked.
    pub purpose: Purpose,
}

impl ChatRequest {
    /// Makes a request for words: no tools, and the model's configured values.
    pub const fn new(messages: Vec<Message>, purpose: Purpose) -> Self {
        Self { messages, tools: Vec::new(), max_tokens: None, temperature: None, schema: None, purpose }
    }
}
