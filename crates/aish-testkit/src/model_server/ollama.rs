//! Streams as Ollama's OpenAI-compatible endpoint sends them: every delta names the role, a tool call comes whole,
//! and all calls of an answer carry index 0 and ids of their own.

use serde_json::{Value, json};

use super::openai::OpenAiStream;
use super::reply::Reply;

/// Builds the events of a completion by Ollama.
#[derive(Debug, Clone, PartialEq)]
pub struct OllamaStream(OpenAiStream);

impl OllamaStream {
    /// Starts a stream of a model of this name.
    pub fn new(model: &str) -> Self {
        Self(OpenAiStream::new(model))
    }

    /// Makes a whole answer of text.
    pub fn answer(text: &str) -> Self {
        let words = u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX);
        text.split_inclusive(' ').fold(Self::new("scripted"), Self::text).finish("stop").usage(10, words).done()
    }

    /// Adds a delta of text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.choice(&json!({"role": "assistant", "content": text}), &Value::Null)
    }

    /// Adds a whole tool call under index 0.
    #[must_use]
    pub fn call(self, id: &str, name: &str, arguments: &str) -> Self {
        let call =
            json!({"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        self.choice(&json!({"role": "assistant", "content": "", "tool_calls": [call]}), &Value::Null)
    }

    /// Adds the chunk that names why the completion ended; it has an empty delta of text.
    #[must_use]
    pub fn finish(self, reason: &str) -> Self {
        self.choice(&json!({"role": "assistant", "content": ""}), &reason.into())
    }

    /// Adds the chunk with the token counts.
    #[must_use]
    pub fn usage(self, prompt: u64, completion: u64) -> Self {
        let usage = json!({
            "prompt_tokens": prompt, "completion_tokens": completion,
            "total_tokens": prompt.saturating_add(completion),
        });
        Self(self.0.chunk(&json!({"system_fingerprint": "fp_ollama", "choices": [], "usage": usage})))
    }

    /// Adds `[DONE]`.
    #[must_use]
    pub fn done(self) -> Self {
        Self(self.0.done())
    }

    /// Adds bytes as they are.
    #[must_use]
    pub fn raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        Self(self.0.raw(bytes))
    }

    /// Returns the events, each with its blank line.
    pub fn events(&self) -> &[Vec<u8>] {
        self.0.events()
    }

    /// Makes the reply.
    pub fn reply(self) -> Reply {
        self.0.reply()
    }

    fn choice(self, delta: &Value, finish: &Value) -> Self {
        let choices = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        Self(self.0.chunk(&json!({"system_fingerprint": "fp_ollama", "choices": choices})))
    }
}

impl From<OllamaStream> for Reply {
    fn from(stream: OllamaStream) -> Self {
        stream.reply()
    }
}
