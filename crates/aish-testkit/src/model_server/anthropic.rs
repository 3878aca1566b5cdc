//! Streams in the format of Anthropic's messages.

use serde_json::{Value, json};

use super::reply::Reply;

/// Builds the events of a streamed message.
#[derive(Debug, Clone, PartialEq)]
pub struct AnthropicStream {
    events: Vec<Vec<u8>>,
    blocks: usize,
    output: u64,
}

impl AnthropicStream {
    /// Starts a message; `input` tokens were read anew and `cached` from the cache.
    pub fn new(model: &str, input: u64, cached: u64) -> Self {
        let message = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached, "output_tokens": 1},
        });
        let empty = Self { events: Vec::new(), blocks: 0, output: 1 };
        empty.event("message_start", &json!({"type": "message_start", "message": message}))
    }

    /// Makes a whole answer of text.
    pub fn answer(text: &str) -> Self {
        Self::new("scripted", 10, 0).text(text).stop("end_turn")
    }

    /// Makes a whole answer that is one tool call.
    pub fn call(id: &str, name: &str, arguments: &str) -> Self {
        Self::new("scripted", 10, 0).tool_use(id, name, arguments, 8).stop("tool_use")
    }

    /// Adds a block of text, a delta a word.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.output = self.output.saturating_add(u64::try_from(text.split_whitespace().count()).unwrap_or(0));
        let deltas = text.split_inclusive(' ').map(|word| json!({"type": "text_delta", "text": word})).collect();
        self.block(&json!({"type": "text", "text": ""}), deltas)
    }

    /// Adds a block of thinking.
    #[must_use]
    pub fn thinking(self, text: &str) -> Self {
        let deltas = vec![
            json!({"type": "thinking_delta", "thinking": text}),
            json!({"type": "signature_delta", "signature": "c2ln"}),
        ];
        self.block(&json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
    }

    /// Adds a tool call, its input in fragments of so many characters (0: whole).
    #[must_use]
    pub fn tool_use(self, id: &str, name: &str, input: &str, fragment: usize) -> Self {
        let letters: Vec<char> = input.chars().collect();
        let size = if fragment == 0 { letters.len().max(1) } else { fragment };
        let parts = letters.chunks(size).map(|part| part.iter().collect::<String>());
        let deltas = std::iter::once(String::new())
            .chain(parts)
            .map(|part| json!({"type": "input_json_delta", "partial_json": part}))
            .collect();
        self.block(&json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas)
    }

    /// Adds a block: its start, its deltas and its stop.
    #[must_use]
    pub fn block(mut self, start: &Value, deltas: Vec<Value>) -> Self {
        let index = self.blocks;
        self.blocks += 1;
        let start = json!({"type": "content_block_start", "index": index, "content_block": start});
        let mut stream = self.event("content_block_start", &start);
        for delta in deltas {
            let delta = json!({"type": "content_block_delta", "index": index, "delta": delta});
            stream = stream.event("content_block_delta", &delta);
        }
        stream.event("content_block_stop", &json!({"type": "content_block_stop", "index": index}))
    }

    /// Adds the stop reason and the output's tokens.
    #[must_use]
    pub fn stop_reason(self, reason: &str) -> Self {
        let output = self.output;
        let delta = json!({
            "type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": output},
        });
        self.event("message_delta", &delta)
    }

    /// Ends the message: stop reason, then `message_stop`.
    #[must_use]
    pub fn stop(self, reason: &str) -> Self {
        self.stop_reason(reason).event("message_stop", &json!({"type": "message_stop"}))
    }

    /// Adds a ping.
    #[must_use]
    pub fn ping(self) -> Self {
        self.event("ping", &json!({"type": "ping"}))
    }

    /// Adds an event.
    #[must_use]
    pub fn event(self, name: &str, data: &Value) -> Self {
        self.raw(format!("event: {name}\ndata: {data}\n\n"))
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

impl From<AnthropicStream> for Reply {
    fn from(stream: AnthropicStream) -> Self {
        stream.reply()
    }
}
