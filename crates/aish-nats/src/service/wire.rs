//! The payloads of the requests. Unknown fields are ignored.

use aish_types::{CallId, Message, ToolCall, ToolName};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::service::reply::Failure;

/// Fields that every request may have.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Common {
    pub(crate) reply_to: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) user: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Chat {
    pub(crate) channel: String,
    pub(crate) user: String,
    pub(crate) message: String,
    pub(crate) persona: Option<String>,
    #[serde(default)]
    pub(crate) enable_tools: bool,
    pub(crate) request_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Complete {
    pub(crate) messages: Vec<WireMessage>,
    pub(crate) temperature: Option<f32>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) provider: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Summarize {
    pub(crate) text: String,
    pub(crate) max_length: Option<u32>,
    pub(crate) style: Option<Style>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Style {
    #[default]
    Concise,
    Detailed,
    Bullets,
}

#[derive(Debug, Deserialize)]
pub(crate) struct MemoryAdd {
    pub(crate) channel: String,
    pub(crate) content: String,
    pub(crate) category: Option<String>,
    pub(crate) user_id: Option<String>,
    pub(crate) importance: Option<u8>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct MemoryRecall {
    pub(crate) channel: String,
    pub(crate) query: String,
    pub(crate) user_id: Option<String>,
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct ToolsList {
    pub(crate) category: Option<String>,
}

/// A message as the wire of OpenAI has it, the older `function_call` included.
#[derive(Debug, Deserialize)]
pub(crate) struct WireMessage {
    role: String,
    content: Option<String>,
    name: Option<String>,
    tool_call_id: Option<String>,
    #[serde(default)]
    tool_calls: Vec<WireCall>,
    function_call: Option<WireFunction>,
}

#[derive(Debug, Deserialize)]
struct WireCall {
    id: String,
    function: WireFunction,
}

#[derive(Debug, Deserialize)]
struct WireFunction {
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl WireFunction {
    fn call(self, id: impl Into<CallId>) -> ToolCall {
        let arguments = match self.arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        };
        ToolCall { id: id.into(), name: self.name.into(), arguments }
    }
}

/// The id of a call in the older form, which has none.
const LEGACY_CALL: &str = "function_call";

impl WireMessage {
    pub(crate) fn message(self) -> Result<Message, Failure> {
        let content = self.content.unwrap_or_default();
        match self.role.as_str() {
            "system" | "developer" => Ok(Message::System { content }),
            "user" => Ok(Message::User { content, blocks: Vec::new() }),
            "assistant" => {
                let mut tool_calls: Vec<ToolCall> =
                    self.tool_calls.into_iter().map(|call| call.function.call(call.id)).collect();
                tool_calls.extend(self.function_call.map(|function| function.call(LEGACY_CALL)));
                Ok(Message::Assistant { content, tool_calls, state: None })
            }
            "tool" | "function" => Ok(Message::Tool {
                tool_call_id: self.tool_call_id.map_or_else(|| CallId::new(LEGACY_CALL), CallId::from),
                name: ToolName::from(self.name.unwrap_or_default()),
                content,
                blocks: Vec::new(),
            }),
            other => {
                Err(Failure::bad_request(format!("there is no role '{}'", other.chars().take(32).collect::<String>())))
            }
        }
    }
}

/// Reads the fields that every request may have.
pub(crate) fn common(payload: &Value) -> Result<Common, Failure> {
    if payload.is_object() { read(payload) } else { Err(Failure::bad_request("a payload is a JSON object")) }
}

/// Reads a payload. The error names the field that is wrong.
pub(crate) fn read<T: DeserializeOwned>(payload: &Value) -> Result<T, Failure> {
    serde_path_to_error::deserialize(payload).map_err(|error| {
        let path = error.path().to_string();
        let why = in_words(&error.into_inner().to_string());
        Failure::bad_request(if path == "." { why } else { format!("{path}: {why}") })
    })
}

/// Writes what a type of the language expects in words for those who speak another one.
fn in_words(why: &str) -> String {
    let kinds = [("u8", "a whole number"), ("u32", "a whole number"), ("usize", "a whole number"), ("f32", "a number")];
    let known = kinds.iter().find_map(|(kind, words)| {
        let rest = why.strip_suffix(kind)?;
        rest.ends_with("expected ").then(|| format!("{rest}{words}"))
    });
    known.unwrap_or_else(|| why.to_owned())
}
