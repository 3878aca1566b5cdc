//! The blocks of an answer as Anthropic wants to see them again: thinking as it came, the rest as places.

use std::collections::BTreeMap;

use aish_types::{Message, ProviderState, ToolCall};
use serde_json::{Value, json};

use super::event::{Block, Delta};
use crate::api::Api;
use crate::wire::Seal;

/// The blocks of an answer that is arriving, by their index.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: BTreeMap<u64, Value>,
    next: u64,
}

impl Blocks {
    /// Takes a block's start, or a whole block.
    pub(super) fn start(&mut self, index: Option<u64>, block: &Block<'_>, id: &str) {
        let index = index.unwrap_or(self.next);
        self.next = index.saturating_add(1);
        let kept = match block.r#type.text() {
            "tool_use" => json!({"type": "tool_use", "id": id}),
            "thinking" => {
                json!({"type": "thinking", "thinking": block.thinking.text(), "signature": block.signature.text()})
            }
            "redacted_thinking" => json!({"type": "redacted_thinking", "data": block.data.text()}),
            "text" => json!({"type": "text", "text": block.text.text()}),
            _ => return,
        };
        self.blocks.insert(index, kept);
    }

    /// Takes a delta of a block.
    pub(super) fn grow(&mut self, index: Option<u64>, delta: &Delta<'_>) {
        let index = index.unwrap_or(self.next.saturating_sub(1));
        let Some(block) = self.blocks.get_mut(&index) else { return };
        for (key, more) in
            [("text", delta.text.text()), ("thinking", delta.thinking.text()), ("signature", delta.signature.text())]
        {
            if let Some(Value::String(text)) = block.get_mut(key).filter(|_| !more.is_empty()) {
                text.push_str(more);
            }
        }
    }

    /// Returns the state to be kept with the answer; none when the model did not think.
    pub(super) fn sealed(self, seal: Seal) -> Option<Box<ProviderState>> {
        let blocks: Vec<Value> = self.blocks.into_values().collect();
        if !blocks.iter().any(is_thinking) {
            return None;
        }
        let text: Vec<&str> = blocks.iter().filter_map(|block| block.get("thinking")?.as_str()).collect();
        let text = text.join("\n\n").trim().to_owned();
        Some(seal.state(Api::Messages, text, Value::Array(blocks)))
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn is_thinking(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

/// What stands at a place of an answer.
pub(super) enum Placed<'a> {
    Thinking(Value),
    Text(String),
    Call(&'a ToolCall),
}

/// Returns the blocks of an answer in the order in which they came; none where its text is not the one that came.
pub(super) fn placed<'a>(state: &ProviderState, message: &'a Message) -> Option<Vec<Placed<'a>>> {
    let blocks = state.data.as_array()?;
    let text: String = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    if text != message.content() {
        return None;
    }
    let mut left: Vec<&ToolCall> = message.tool_calls().iter().collect();
    let mut placed = Vec::new();
    for block in blocks {
        match kind(block) {
            "text" => placed.push(Placed::Text(block.get("text")?.as_str()?.to_owned())),
            "tool_use" => {
                let id = block.get("id").and_then(Value::as_str).unwrap_or_default();
                // A call that was taken out of the answer leaves no place.
                if let Some(at) = left.iter().position(|call| call.id.as_str() == id) {
                    placed.push(Placed::Call(left.remove(at)));
                }
            }
            _ => placed.push(Placed::Thinking(block.clone())),
        }
    }
    placed.extend(left.into_iter().map(Placed::Call));
    Some(placed)
}
