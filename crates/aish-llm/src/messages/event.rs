//! The events of a streamed message, and a whole message.

use serde::Deserialize;
use serde_json::Value;

use crate::lenient::{Lenient, Number};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow)]
    pub(super) r#type: Lenient<'a>,
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) message: Option<MessageStart<'a>>,
    #[serde(borrow)]
    pub(super) content_block: Option<Block<'a>>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    pub(super) usage: Option<WireUsage>,
    pub(super) error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageStart<'a> {
    #[serde(borrow)]
    pub(super) content: Option<Vec<Block<'a>>>,
    #[serde(borrow)]
    pub(super) stop_reason: Lenient<'a>,
    pub(super) usage: Option<WireUsage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow)]
    pub(super) r#type: Lenient<'a>,
    #[serde(borrow)]
    pub(super) id: Lenient<'a>,
    #[serde(borrow)]
    pub(super) name: Lenient<'a>,
    #[serde(borrow)]
    pub(super) text: Lenient<'a>,
    #[serde(borrow)]
    pub(super) thinking: Lenient<'a>,
    #[serde(borrow)]
    pub(super) signature: Lenient<'a>,
    /// The data of thinking that is hidden.
    #[serde(borrow)]
    pub(super) data: Lenient<'a>,
    #[serde(borrow)]
    pub(super) input: Lenient<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) text: Lenient<'a>,
    #[serde(borrow)]
    pub(super) thinking: Lenient<'a>,
    #[serde(borrow)]
    pub(super) signature: Lenient<'a>,
    #[serde(borrow)]
    pub(super) partial_json: Lenient<'a>,
    #[serde(borrow)]
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
    pub(super) output_tokens_details: Option<OutputDetails>,
}
