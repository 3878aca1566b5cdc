//! The events of a streamed message, and a whole message.

use serde::Deserialize;
use serde_json::Value;

use crate::lenient::{Lenient, Number};

#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default)]
    pub(super) r#type: Lenient<'a>,
    #[serde(default)]
    pub(super) index: Number,
    #[serde(borrow, default)]
    pub(super) message: Option<MessageStart<'a>>,
    #[serde(borrow, default)]
    pub(super) content_block: Option<Block<'a>>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(default)]
    pub(super) usage: Option<WireUsage>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct MessageStart<'a> {
    #[serde(borrow, default)]
    pub(super) content: Option<Vec<Block<'a>>>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Lenient<'a>,
    #[serde(default)]
    pub(super) usage: Option<WireUsage>,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, default)]
    pub(super) r#type: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) id: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) name: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) text: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) thinking: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) signature: Lenient<'a>,
    /// The data of thinking that is hidden.
    #[serde(borrow, default)]
    pub(super) data: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) input: Lenient<'a>,
}

#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) text: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) thinking: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) signature: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) partial_json: Lenient<'a>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Lenient<'a>,
}

#[derive(Default, Deserialize)]
pub(super) struct OutputDetails {
    #[serde(default)]
    pub(super) thinking_tokens: Number,
}

#[derive(Default, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default)]
    pub(super) input_tokens: Number,
    #[serde(default)]
    pub(super) cache_creation_input_tokens: Number,
    #[serde(default)]
    pub(super) cache_read_input_tokens: Number,
    #[serde(default)]
    pub(super) output_tokens: Number,
    #[serde(default)]
    pub(super) output_tokens_details: Option<OutputDetails>,
}
