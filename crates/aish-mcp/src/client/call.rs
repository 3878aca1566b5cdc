//! What a call came to, as an outcome.
//!
//! The tool's own failure (`isError`) is its text, unchanged, for the model; a JSON-RPC error or a transport that
//! fails is a line for the person.

use aish_types::{Block, ToolOutcome};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::ServiceError;

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

/// Writes a failed request as a line for the person.
pub(super) fn message(error: ServiceError, last: Option<String>) -> String {
    match error {
        ServiceError::McpError(error) => error.message.into_owned(),
        ServiceError::TransportSend(error) => {
            let text = error.error.to_string();
            last.unwrap_or_else(|| text.strip_prefix("Client error: ").unwrap_or(&text).to_owned())
        }
        ServiceError::TransportClosed => last.unwrap_or_else(|| "the connection ended before the answer".into()),
        ServiceError::Timeout { timeout } => format!("no answer within {:.1} s", timeout.as_secs_f64()),
        ServiceError::UnexpectedResponse => "the answer cannot be understood".into(),
        other => other.to_string(),
    }
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
