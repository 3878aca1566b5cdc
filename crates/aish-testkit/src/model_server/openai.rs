//! Streams in the format of OpenAI's chat completions, as most servers send them.

use serde_json::{Value, json};

use super::reply::Reply;

/// Builds the events of a streamed chat completion, one call an event.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenAiStream {
    model: String,
    events: Vec<Vec<u8>>,
}

impl OpenAiStream {
    /// Starts a stream of a model of this name.
    pub fn new(model: &str) -> Self {
        Self { model: model.into(), events: Vec::new() }
    }

    /// Makes a whole answer of text: a delta a word, `stop`, usage, `[DONE]`.
    pub fn answer(text: &str) -> Self {
        let words = u64::try_from(text.split_whitespace().count()).unwrap_or(u64::MAX);
        Self::new("scripted").role().words(text).finish("stop").usage(10, words, 0).done()
    }

    /// Makes a whole answer of so many deltas of one short word each, for measurements.
    pub fn tokens(count: usize) -> Self {
        let mut stream = Self::new("scripted").role();
        for at in 0..count {
            stream = stream.text(if at % 16 == 15 { "word\n" } else { "word " });
        }
        stream.finish("stop").usage(10, u64::try_from(count).unwrap_or(u64::MAX), 0).done()
    }

    /// Makes a whole answer that is one tool call, its arguments in fragments of eight characters.
    pub fn call(id: &str, name: &str, arguments: &str) -> Self {
        Self::new("scripted").role().tool_call(0, id, name, arguments, 8).finish("tool_calls").usage(10, 5, 0).done()
    }

    /// Adds the first delta, which names the role.
    #[must_use]
    pub fn role(self) -> Self {
        self.delta(&json!({"role": "assistant", "content": ""}))
    }

    /// Adds a delta of text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.delta(&json!({"content": text}))
    }

    /// Adds a delta a word, spaces kept.
    #[must_use]
    pub fn words(self, text: &str) -> Self {
        text.split_inclusive(' ').fold(self, Self::text)
    }

    /// Adds a delta of reasoning under the given key (`reasoning_content` or `reasoning`).
    #[must_use]
    pub fn reasoning(self, key: &str, text: &str) -> Self {
        self.delta(&json!({key: text}))
    }

    /// Adds a tool call: its head with id and name, then its arguments in fragments of so many characters (0: whole, in the head).
    #[must_use]
    pub fn tool_call(self, index: usize, id: &str, name: &str, arguments: &str, fragment: usize) -> Self {
        let head = if fragment == 0 { arguments } else { "" };
        let head =
            json!([{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": head}}]);
        let mut stream = self.tool_delta(head);
        let letters: Vec<char> = arguments.chars().collect();
        if fragment > 0 {
            for part in letters.chunks(fragment) {
                let part: String = part.iter().collect();
                stream = stream.tool_delta(json!([{"index": index, "function": {"arguments": part}}]));
            }
        }
        stream
    }

    /// Adds a delta whose `tool_calls` is this value.
    #[must_use]
    pub fn tool_delta(self, tool_calls: Value) -> Self {
        self.delta(&json!({"tool_calls": tool_calls}))
    }

    /// Adds a delta as it is.
    #[must_use]
    pub fn delta(self, delta: &Value) -> Self {
        let choice = json!([{"index": 0, "delta": delta, "finish_reason": null}]);
        self.chunk(&json!({"choices": choice}))
    }

    /// Adds the chunk that names why the completion ended.
    #[must_use]
    pub fn finish(self, reason: &str) -> Self {
        self.chunk(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
    }

    /// Adds the chunk with the token counts and no choices.
    #[must_use]
    pub fn usage(self, prompt: u64, completion: u64, cached: u64) -> Self {
        let usage = json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt.saturating_add(completion),
            "prompt_tokens_details": {"cached_tokens": cached},
        });
        self.chunk(&json!({"choices": [], "usage": usage}))
    }

    /// Adds a chunk; id, object, time and model are put in front.
    #[must_use]
    pub fn chunk(self, part: &Value) -> Self {
        let mut chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": self.model,
        });
        if let (Some(chunk), Some(part)) = (chunk.as_object_mut(), part.as_object()) {
            chunk.extend(part.clone());
        }
        self.event(&chunk)
    }

    /// Adds an event whose data is this JSON.
    #[must_use]
    pub fn event(self, data: &Value) -> Self {
        self.raw(format!("data: {data}\n\n"))
    }

    /// Adds a comment line, as servers send to keep a connection alive.
    #[must_use]
    pub fn comment(self, text: &str) -> Self {
        self.raw(format!(": {text}\n\n"))
    }

    /// Adds `[DONE]`.
    #[must_use]
    pub fn done(self) -> Self {
        self.raw("data: [DONE]\n\n")
    }

    /// Adds bytes as they are.
    #[must_use]
    pub fn raw(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.events.push(bytes.into());
        self
    }

    /// Returns the events, each with its blank line.
    pub fn events(&self) -> &[Vec<u8>] {
        &self.events
    }

    /// Makes the reply.
    pub fn reply(self) -> Reply {
        Reply::stream(self.events)
    }
}

impl From<OpenAiStream> for Reply {
    fn from(stream: OpenAiStream) -> Self {
        stream.reply()
    }
}
