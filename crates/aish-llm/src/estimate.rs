//! A quick estimate of a request's size, where nobody has counted.

use aish_types::{Block, Message};

use crate::request::ChatRequest;

/// Tokens that a chat template adds to a message, about.
const MESSAGE_OVERHEAD: u64 = 4;
/// Tokens of an image, about: what a picture of 1024 by 1024 costs at most providers.
pub const IMAGE_TOKENS: u64 = 1_000;

/// Estimates the prompt in tokens: bytes / 4 of all texts and schemas, a little for each message, a lump for an image.
pub(crate) fn prompt_tokens(request: &ChatRequest) -> u64 {
    let mut bytes = 0_usize;
    let mut tokens = 0_u64;
    for message in &request.messages {
        tokens = tokens.saturating_add(MESSAGE_OVERHEAD);
        bytes = bytes.saturating_add(message.content().len());
        for call in message.tool_calls() {
            bytes = bytes.saturating_add(call.name.as_str().len() + call.arguments.len());
        }
        let blocks = match message {
            Message::User { blocks, .. } | Message::Tool { blocks, .. } => blocks.as_slice(),
            Message::System { .. } | Message::Assistant { .. } => &[],
        };
        let images = blocks.iter().filter(|block| matches!(block, Block::Image { .. })).count();
        tokens = tokens.saturating_add(u64::try_from(images).unwrap_or(u64::MAX).saturating_mul(IMAGE_TOKENS));
    }
    for tool in &request.tools {
        bytes = bytes.saturating_add(tool.name.as_str().len() + tool.description.len());
        bytes = bytes.saturating_add(tool.parameters.to_string().len());
    }
    tokens.saturating_add(u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX))
}
