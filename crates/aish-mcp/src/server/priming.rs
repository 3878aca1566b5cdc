//! The event without data with which a stream begins since 2025-11-25 (SEP-1699), so that a client can take it up again.
//! Clients of earlier versions do not know it: some try to read a message out of it.

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::http::Body;

/// The first version that has the event.
const SINCE: &str = "2025-11-25";

/// Returns the version that a request names in its header.
pub(super) fn version_of(headers: &HeaderMap) -> Option<String> {
    Some(headers.get("mcp-protocol-version")?.to_str().ok()?.to_owned())
}

/// Returns the version that a greeting asks for. A request without a header that is no greeting comes from a client before
/// 2025-06-18.
pub(super) fn version_in(body: &[u8]) -> Option<String> {
    let message = serde_json::from_slice::<Value>(body).ok()?;
    let greets = message.get("method").and_then(Value::as_str) == Some("initialize");
    let asked = message.pointer("/params/protocolVersion").and_then(Value::as_str).filter(|_| greets);
    asked.map(str::to_owned)
}

/// Leaves such events out for clients that do not know them.
pub(super) fn for_client(response: Response<Body>, version: Option<&str>) -> Response<Body> {
    if version.is_some_and(|version| version >= SINCE) {
        return response;
    }
    // The connection sends no empty chunks: the first of them would end the body.
    response.map(|body| body.map_frame(|frame| frame.map_data(without)).boxed())
}

fn without(chunk: Bytes) -> Bytes {
    if is_priming(&chunk) { Bytes::new() } else { chunk }
}

/// Returns whether a chunk is one event with an id and no data.
fn is_priming(chunk: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(chunk) else { return false };
    let mut has_id = false;
    for line in text.trim_end_matches(['\n', '\r']).lines() {
        match line.split_once(':') {
            Some(("id", _)) => has_id = true,
            Some(("retry", _)) => {}
            Some(("data", data)) if data.trim().is_empty() => {}
            _ => return false,
        }
    }
    has_id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_event_without_data_is_left_out() {
        for (chunk, left_out) in [
            ("data:\nid: 0\nretry: 3000\n\n", true),
            ("id: 0/1\nretry: 3000\ndata: \n\n", true),
            ("id: 1\ndata: {\"jsonrpc\":\"2.0\"}\n\n", false),
            (":\n\n", false),
            ("data:\n\n", false),
            ("id: 0\ndata:\n\nid: 1\ndata: {}\n\n", false),
            ("{\"jsonrpc\":\"2.0\"}", false),
        ] {
            assert_eq!(without(Bytes::from(chunk)).is_empty(), left_out, "{chunk}");
        }
    }

    #[test]
    fn a_greeting_says_its_version() {
        let greeting = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;
        assert_eq!(version_in(greeting).as_deref(), Some("2025-03-26"));
        assert_eq!(version_in(br#"{"method":"tools/list","params":{"protocolVersion":"2025-11-25"}}"#), None);
        assert_eq!(version_in(b"[]"), None);
    }
}
