//! Streams in the format of OpenAI's Responses.

use serde_json::{Value, json};

use super::reply::Reply;

/// Builds the events of a streamed response.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResponsesStream {
    events: Vec<Vec<u8>>,
    items: usize,
}

impl ResponsesStream {
    /// Starts a response.
    pub fn new() -> Self {
        let response = json!({"id": "resp_1", "object": "response", "status": "in_progress", "output": []});
        Self::default().event("response.created", &json!({"response": response}))
    }

    /// Makes a whole answer of text.
    pub fn answer(text: &str) -> Self {
        Self::new().text(text).completed()
    }

    /// Adds an item of reasoning: a summary and what only the server can read.
    #[must_use]
    pub fn reasoning(self, summary: &str, encrypted: &str) -> Self {
        let at = self.items;
        let id = format!("rs_{at}");
        let open = json!({"id": id, "type": "reasoning", "summary": [], "encrypted_content": "too early"});
        let part = json!([{"type": "summary_text", "text": summary}]);
        let whole = json!({"id": id, "type": "reasoning", "summary": part, "encrypted_content": encrypted});
        self.item(&open, &[("response.reasoning_summary_text.delta", json!({"delta": summary}))], &whole)
    }

    /// Adds a message of text, a delta a word.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        let id = format!("msg_{}", self.items);
        let open = json!({"id": id, "type": "message", "role": "assistant", "status": "in_progress", "content": []});
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        let whole =
            json!({"id": id, "type": "message", "role": "assistant", "status": "completed", "content": content});
        let words = text.split_inclusive(' ').map(|word| ("response.output_text.delta", json!({"delta": word})));
        self.item(&open, &words.collect::<Vec<_>>(), &whole)
    }

    /// Adds a call.
    #[must_use]
    pub fn call(self, call_id: &str, name: &str, arguments: &str) -> Self {
        let id = format!("fc_{}", self.items);
        let open = json!({"id": id, "type": "function_call", "call_id": call_id, "name": name, "arguments": ""});
        let whole =
            json!({"id": id, "type": "function_call", "call_id": call_id, "name": name, "arguments": arguments});
        self.item(&open, &[("response.function_call_arguments.delta", json!({"delta": arguments}))], &whole)
    }

    /// Adds an item: its start, its deltas, its end.
    #[must_use]
    pub fn item(mut self, open: &Value, deltas: &[(&str, Value)], whole: &Value) -> Self {
        let at = self.items;
        self.items += 1;
        let mut stream = self.event("response.output_item.added", &json!({"output_index": at, "item": open}));
        for (kind, delta) in deltas {
            let mut delta = delta.clone();
            if let Some(fields) = delta.as_object_mut() {
                fields.insert("output_index".into(), at.into());
            }
            stream = stream.event(kind, &delta);
        }
        stream.event("response.output_item.done", &json!({"output_index": at, "item": whole}))
    }

    /// Ends the response well.
    #[must_use]
    pub fn completed(self) -> Self {
        let usage = json!({"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 8,
                           "output_tokens_details": {"reasoning_tokens": 4}});
        let response = json!({"id": "resp_1", "status": "completed", "output": [], "usage": usage});
        self.event("response.completed", &json!({"response": response}))
    }

    /// Ends the response for a reason: `max_output_tokens`, `content_filter`.
    #[must_use]
    pub fn incomplete(self, reason: &str) -> Self {
        let response = json!({"id": "resp_1", "status": "incomplete", "incomplete_details": {"reason": reason}});
        self.event("response.incomplete", &json!({"response": response}))
    }

    /// Adds an event; its type is put into its data.
    #[must_use]
    pub fn event(mut self, kind: &str, data: &Value) -> Self {
        let mut data = data.clone();
        if let Some(fields) = data.as_object_mut() {
            fields.insert("type".into(), kind.into());
        }
        self.events.push(format!("event: {kind}\ndata: {data}\n\n").into_bytes());
        self
    }

    /// Makes the reply.
    pub fn reply(self) -> Reply {
        Reply::stream(self.events)
    }
}

impl From<ResponsesStream> for Reply {
    fn from(stream: ResponsesStream) -> Self {
        stream.reply()
    }
}
