//! The events of a streamed message, and a whole message.

use serde::Deserialize;
use serde_json::Value;

use crate::lenient::{Lenient, Number, Spare};

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Event<'a> {
    pub(super) r#type: Lenient<'a>,
    pub(super) index: Number,
    pub(super) message: Option<MessageStart<'a>>,
    pub(super) content_block: Option<Block<'a>>,
    pub(super) delta: Option<Delta<'a>>,
    pub(super) usage: Spare<WireUsage>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct MessageStart<'a> {
    pub(super) content: Option<Vec<Block<'a>>>,
    pub(super) stop_reason: Lenient<'a>,
    pub(super) usage: Spare<WireUsage>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Block<'a> {
    pub(super) r#type: Lenient<'a>,
    pub(super) id: Lenient<'a>,
    pub(super) name: Lenient<'a>,
    pub(super) text: Lenient<'a>,
    pub(super) thinking: Lenient<'a>,
    pub(super) signature: Lenient<'a>,
    /// The data of thinking that is hidden.
    pub(super) data: Lenient<'a>,
    pub(super) input: Lenient<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Delta<'a> {
    pub(super) text: Lenient<'a>,
    pub(super) thinking: Lenient<'a>,
    pub(super) signature: Lenient<'a>,
    pub(super) partial_json: Lenient<'a>,
    pub(super) stop_reason: Lenient<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    pub(super) thinking_tokens: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    pub(super) input_tokens: Number,
    pub(super) cache_creation_input_tokens: Number,
    pub(super) cache_read_input_tokens: Number,
    pub(super) output_tokens: Number,
    pub(super) output_tokens_details: Spare<OutputDetails>,
}
