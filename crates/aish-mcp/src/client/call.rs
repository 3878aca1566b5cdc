//! What a call came to, as an outcome.
//!
//! The tool's own failure (`isError`) is its text, unchanged, for the model; a JSON-RPC error or a transport that
//! fails is a line for the person.

use std::time::Duration;

use aish_types::{Block, ToolOutcome};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::ServiceError;

use super::health::Health;

/// Writes a result as an outcome: text blocks joined by line ends, everything else as blocks.
pub(super) fn outcome(result: CallToolResult) -> ToolOutcome {
    let mut texts = Vec::new();
    let mut blocks = Vec::new();
    for block in result.content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => blocks.push(Block::Image { media_type: image.mime_type, data: image.data }),
            ContentBlock::Audio(audio) => blocks.push(Block::Audio { media_type: audio.mime_type, data: audio.data }),
            ContentBlock::Resource(resource) => match resource.resource {
                ResourceContents::TextResourceContents { text, .. } => texts.push(text),
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    blocks.push(Block::Resource { uri, media_type: mime_type, data: Some(blob) });
                }
                _ => texts.push("[a resource of an unknown kind]".into()),
            },
            ContentBlock::ResourceLink(link) => {
                texts.push(format!("[resource: {} {}]", link.name, link.uri));
                blocks.push(Block::Resource { uri: link.uri, media_type: link.mime_type, data: None });
            }
            _ => texts.push("[content of an unknown kind]".into()),
        }
    }
    let text = texts.join("\n");
    // Some servers answer with structured content alone.
    let text = match &result.structured_content {
        Some(structured) if text.is_empty() && blocks.is_empty() => structured.to_string(),
        _ => text,
    };
    let mut outcome =
        if result.is_error == Some(true) { ToolOutcome::reported_failure(text) } else { ToolOutcome::success(text) };
    outcome.structured = result.structured_content;
    outcome.blocks = blocks;
    outcome
}

/// Why a request has no result. Each is a line for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The server answered with a JSON-RPC error.
    #[error("{0}")]
    Refused(String),
    /// The exchange failed, or the connection ended; in words.
    #[error("{0}")]
    Transport(String),
    /// The server did not answer in time.
    #[error("no answer within {:.1} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The answer is not one to this request.
    #[error("the answer cannot be understood")]
    NotUnderstood,
}

/// Says why a request failed, with what is known of its connection.
pub(super) fn failed(error: ServiceError, health: &Health) -> RequestError {
    match error {
        ServiceError::McpError(error) => RequestError::Refused(error.message.into_owned()),
        ServiceError::TransportSend(error) => {
            let text = error.error.to_string();
            let own = || text.strip_prefix("Client error: ").unwrap_or(&text).to_owned();
            RequestError::Transport(health.words().unwrap_or_else(own))
        }
        ServiceError::TransportClosed => RequestError::Transport(closed(health)),
        ServiceError::Timeout { timeout } => RequestError::TimedOut(timeout),
        ServiceError::UnexpectedResponse => RequestError::NotUnderstood,
        other => RequestError::Transport(other.to_string()),
    }
}

/// Says why a request has no answer whose connection ended.
pub(super) fn closed(health: &Health) -> String {
    health.words().unwrap_or_else(|| "the connection ended before the answer".into())
}

#[cfg(test)]
mod tests {
    use aish_types::Ending;
    use serde_json::json;

    use super::*;

    fn of(result: serde_json::Value) -> ToolOutcome {
        outcome(serde_json::from_value(result).unwrap())
    }

    #[test]
    fn risk_is_error_false_on_actual_failure_passes_the_text_unchanged() {
        let said = json!([{"type": "text", "text": "Error: no such file"}]);
        let claimed_success = of(json!({"content": said, "isError": false}));
        assert_eq!((claimed_success.is_success(), claimed_success.text.as_str()), (true, "Error: no such file"));
        let failed = of(json!({"content": said, "isError": true}));
        assert_eq!(failed.ending, Ending::Reported);
        assert_eq!(failed.text, "Error: no such file");
    }

    #[test]
    fn risk_content_blocks_beyond_text_are_flattened_and_kept() {
        let got = of(json!({"content": [
            {"type": "text", "text": "a"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "text", "text": "b"}, {"type": "resource", "resource": {"uri": "x:y", "text": "c"}}]}));
        assert_eq!(got.text, "a\nb\nc");
        assert_eq!(got.blocks.len(), 1);
    }

    #[test]
    fn structured_content_alone_is_shown() {
        assert_eq!(of(json!({"content": [], "structuredContent": {"n": 1}})).text, "{\"n\":1}");
    }
}
