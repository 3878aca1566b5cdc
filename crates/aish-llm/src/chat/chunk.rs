//! The chunks of a streamed chat completion, as tolerant as servers are careless. Text is borrowed where it can be.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::lenient::{Lenient, Number};

/// One chunk, or a whole completion.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    pub(super) usage: Option<WireUsage>,
    /// llama.cpp's measurements of the completion.
    pub(super) timings: Option<Timings>,
    pub(super) error: Option<Value>,
    /// What vLLM and others send for an error: `{"object":"error","message":…}`.
    #[serde(borrow)]
    pub(super) object: Lenient<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// The whole message, where the server does not stream.
    #[serde(borrow)]
    pub(super) message: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Lenient<'a>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Lenient<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Lenient<'a>,
    /// OpenRouter's reasoning, with signatures and encrypted parts.
    pub(super) reasoning_details: Option<Vec<Value>>,
    #[serde(borrow)]
    pub(super) refusal: Lenient<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<CallDelta<'a>>>,
    #[serde(borrow)]
    pub(super) function_call: Option<FunctionDelta<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta<'a> {
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) id: Lenient<'a>,
    #[serde(borrow)]
    pub(super) function: Option<FunctionDelta<'a>>,
    /// What the server wants to see again with the call (Gemini's thought signatures).
    pub(super) extra_content: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta<'a> {
    #[serde(borrow)]
    pub(super) name: Lenient<'a>,
    #[serde(borrow)]
    pub(super) arguments: Lenient<'a>,
}

/// Token counts under the names that servers give them.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    pub(super) prompt_tokens: Number,
    pub(super) completion_tokens: Number,
    pub(super) prompt_tokens_details: Option<PromptDetails>,
    pub(super) completion_tokens_details: Option<CompletionDetails>,
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
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of parts")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content { text: Some(Cow::Borrowed(text)), ..Content::default() })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content { text: Some(Cow::Owned(text.to_owned())), ..Content::default() })
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Content { text: Some(Cow::Owned(text)), ..Content::default() })
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let part = Value::deserialize(MapAccessDeserializer::new(map))?;
        let mut content = Content::default();
        content.take(&part);
        Ok(content)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut content = Content::default();
        while let Some(part) = seq.next_element::<Value>()? {
            content.take(&part);
            content.parts.push(part);
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
