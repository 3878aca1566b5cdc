//! The chunks of a streamed chat completion, as tolerant as servers are careless. Text is borrowed where it can be.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;

use crate::lenient::{Lenient, Number, Spare, TextOr};

/// One chunk, or a whole completion.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Chunk<'a> {
    pub(super) choices: Option<Vec<Option<Choice<'a>>>>,
    pub(super) usage: Spare<WireUsage>,
    /// llama.cpp's measurements of the completion.
    pub(super) timings: Spare<Timings>,
    pub(super) error: Option<Value>,
    /// What vLLM and others send for an error: `{"object":"error","message":…}`.
    pub(super) object: Lenient<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Choice<'a> {
    pub(super) index: Number,
    // In boxes, so that little is moved for a token.
    pub(super) delta: Option<Box<Delta<'a>>>,
    /// The whole message, where the server does not stream.
    pub(super) message: Option<Box<Delta<'a>>>,
    pub(super) finish_reason: Lenient<'a>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Delta<'a> {
    pub(super) content: Content<'a>,
    pub(super) reasoning_content: Lenient<'a>,
    pub(super) reasoning: Lenient<'a>,
    /// OpenRouter's reasoning, with signatures and encrypted parts.
    pub(super) reasoning_details: Option<Vec<Value>>,
    pub(super) refusal: Lenient<'a>,
    pub(super) tool_calls: Option<Box<Calls<'a>>>,
    pub(super) function_call: Option<Box<FunctionDelta<'a>>>,
}

/// The calls of a delta: a list of them, or one that no list is around.
#[derive(Deserialize)]
#[serde(untagged, bound(deserialize = "'de: 'a"))]
pub(super) enum Calls<'a> {
    Many(Vec<Option<CallDelta<'a>>>),
    One(CallDelta<'a>),
}

impl<'a> Calls<'a> {
    /// Returns the calls in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &CallDelta<'a>> {
        let (many, one) = match self {
            Self::Many(calls) => (calls.as_slice(), None),
            Self::One(call) => ([].as_slice(), Some(call)),
        };
        many.iter().flatten().chain(one)
    }
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct CallDelta<'a> {
    pub(super) index: Number,
    pub(super) id: Lenient<'a>,
    pub(super) function: Option<FunctionDelta<'a>>,
    /// What the server wants to see again with the call (Gemini's thought signatures).
    pub(super) extra_content: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct FunctionDelta<'a> {
    pub(super) name: Lenient<'a>,
    pub(super) arguments: Lenient<'a>,
}

/// Token counts under the names that servers give them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    pub(super) prompt_tokens: Number,
    pub(super) completion_tokens: Number,
    pub(super) prompt_tokens_details: Spare<PromptDetails>,
    pub(super) completion_tokens_details: Spare<CompletionDetails>,
    /// DeepSeek's name for tokens read from the cache.
    pub(super) prompt_cache_hit_tokens: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CompletionDetails {
    pub(super) reasoning_tokens: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Timings {
    /// Tokens of the prompt that came from the cache.
    pub(super) cache_n: Number,
}

/// The content of a delta: text, or parts (Mistral) of text and thinking.
#[derive(Default)]
pub(super) struct Content<'a> {
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) thinking: Option<String>,
    /// The parts as they came, where it is a list of them.
    pub(super) parts: Vec<Value>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut content = Content::default();
        match TextOr::deserialize(deserializer)? {
            TextOr::Text(text) => content.text = Some(text),
            TextOr::Other(Value::Bool(_) | Value::Number(_)) => {
                return Err(D::Error::custom("expected a text or a list of parts"));
            }
            TextOr::Other(parts) => {
                content.take(&parts);
                content.parts = if let Value::Array(parts) = parts { parts } else { Vec::new() };
            }
        }
        Ok(content)
    }
}

impl Content<'_> {
    /// Adds a part: `{"type":"text","text":…}` or `{"type":"thinking","thinking":…}`, nested as Mistral nests them.
    fn take(&mut self, part: &Value) {
        match part {
            Value::String(text) => self.text.get_or_insert_default().to_mut().push_str(text),
            Value::Array(parts) => parts.iter().for_each(|part| self.take(part)),
            Value::Object(fields) => {
                if let Some(thinking) = fields.get("thinking") {
                    let mut inner = Content::default();
                    inner.take(thinking);
                    self.thinking.get_or_insert_default().push_str(inner.text.as_deref().unwrap_or_default());
                } else if let Some(text) = fields.get("text") {
                    self.take(text);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
