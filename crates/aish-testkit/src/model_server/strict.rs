//! Servers that refuse what their vendors refuse: each request is checked before the script is asked for its reply.
//!
//! The rules and the words of the refusals are of the vendors' kind; what a vendor lets pass is not looked at.

mod chat;
mod families;
mod messages;
mod vendors;

use serde_json::Value;

use super::reply::{Piece, Reply};
use super::request::RecordedRequest;

/// What stands in a scripted signature for what the answer is bound to.
pub const PREFIX: &str = "@prefix@";

/// Whose rules a server enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strict {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// GPT since 5.4: no temperature, tools on Responses alone.
    Gpt,
    /// Claude since 5.1: no temperature, signatures of thinking that hold for what stood before.
    Claude,
    /// DeepSeek with thinking: every answer with calls comes back with its reasoning.
    DeepSeek,
    /// Gemini: calls come back with their signatures.
    Gemini,
    /// OpenRouter in front of Claude: details of reasoning come back whole.
    OpenRouter,
    /// Mistral: parts of an answer come back with their signatures.
    Mistral,
    /// Kimi: as DeepSeek, and its sampling is fixed.
    Kimi,
    /// GLM with preserved thinking: reasoning comes back with its calls, unaltered.
    Glm,
    /// Grok: Responses alone, and every call behind its encrypted reasoning.
    Grok,
    /// Groq: reasoning under its own name, or none; never raw beside tools.
    Groq,
    /// MiniMax: what was said between tags comes back with them.
    MiniMax,
    /// A server that knows no reasoning and one system message.
    Plain,
}

pub use vendors::mark;

impl Strict {
    /// Returns the refusal of a request; none when the vendor would answer it.
    pub(super) fn refusal(self, request: &RecordedRequest) -> Option<Reply> {
        if request.method != "POST" {
            return None;
        }
        let body = request.json().unwrap_or(Value::Null);
        match self {
            Self::OpenAi => chat::fault(&body).map(Fault::openai),
            Self::Anthropic => messages::fault(&body).map(Fault::anthropic),
            Self::Gpt => vendors::gpt(&request.path, &body).map(Fault::openai),
            Self::Claude => vendors::claude(&body).map(Fault::anthropic),
            Self::DeepSeek => vendors::deepseek(&body).map(Fault::openai),
            Self::Gemini => vendors::gemini(&body).map(Fault::openai),
            Self::OpenRouter => vendors::openrouter(&body).map(Fault::openai),
            Self::Mistral => vendors::mistral(&body).map(Fault::openai),
            Self::Kimi => families::kimi(&body).map(Fault::openai),
            Self::Glm => families::glm(&body).map(Fault::openai),
            Self::Grok => families::grok(&request.path, &body).map(Fault::openai),
            Self::Groq => families::groq(&body).map(Fault::openai),
            Self::MiniMax => families::minimax(&body).map(Fault::openai),
            Self::Plain => vendors::plain(&body).map(Fault::openai),
        }
    }

    /// Puts into a reply what only the server can know: what its signatures are of.
    pub(super) fn sign(self, request: &RecordedRequest, mut reply: Reply) -> Reply {
        if self == Self::Claude {
            let body = request.json().unwrap_or(Value::Null);
            let prefix = vendors::prefix(&body, usize::MAX);
            for piece in &mut reply.pieces {
                if let Piece::Bytes(bytes) = piece {
                    *bytes = String::from_utf8_lossy(bytes).replace(PREFIX, &prefix).into_bytes();
                }
            }
        }
        reply
    }
}

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    message: String,
    /// The parameter that is to blame, for vendors that name it.
    param: String,
    code: Option<&'static str>,
}

impl Fault {
    fn new(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self { message: message.into(), param: param.into(), code: None }
    }

    /// The fault in OpenAI's form.
    fn openai(self) -> Reply {
        let error = serde_json::json!({
            "message": self.message, "type": "invalid_request_error", "param": self.param, "code": self.code,
        });
        Reply::json(400, &serde_json::json!({"error": error}))
    }

    /// The fault in Anthropic's form.
    fn anthropic(self) -> Reply {
        let error = serde_json::json!({"type": "invalid_request_error", "message": self.message});
        Reply::json(400, &serde_json::json!({"type": "error", "error": error, "request_id": "req_1"}))
    }
}

/// Returns a member that is an array, else an empty one.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns a member that is a text, else an empty one.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns whether a text is 1 to 64 letters, digits, `_` and `-`.
fn is_plain_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
