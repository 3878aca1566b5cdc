//! Messages as lines. One that is too long, or no UTF-8, is left out and answered as an error: it ends nobody's session.

use serde_json::{Value, json};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::{Decoder, LinesCodec, LinesCodecError};

/// The longest message, in bytes: an image of 10 MiB in base64, and what stands around it.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// Bytes at the beginning of a message in which its id is looked for.
const HEAD: usize = 1024;

/// What stands in the place of a message that cannot be read and tells no id.
const NO_MESSAGE: &str = "a message that cannot be read was left out";

/// Reads lines of [`LONGEST`] bytes at most.
pub(crate) struct LineCodec(LinesCodec);

impl LineCodec {
    pub(crate) fn new() -> Self {
        Self(LinesCodec::new_with_max_length(LONGEST))
    }
}

impl Decoder for LineCodec {
    type Item = String;
    type Error = LinesCodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<String>, LinesCodecError> {
        match self.0.decode(buffer) {
            // The codec passes over the rest of the line by itself.
            Err(LinesCodecError::MaxLineLengthExceeded) => {
                Ok(Some(in_place_of(buffer.get(..HEAD.min(buffer.len())).unwrap_or_default())))
            }
            Err(LinesCodecError::Io(_)) => Ok(Some(NO_MESSAGE.to_owned())),
            Ok(line) => Ok(line),
        }
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<String>, LinesCodecError> {
        self.0.decode_eof(buffer).or(Ok(None))
    }
}

/// Writes what is read in the place of a message that is too long: a request that nobody knows, or an answer that failed, so
/// that whoever waits for it hears of it. No JSON where the message's own id does not stand at its beginning.
fn in_place_of(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let message = id(&head).and_then(|id| {
        if head.contains("\"method\"") {
            Some(json!({ "jsonrpc": "2.0", "id": id, "method": "a message of more than 16 MiB" }))
        } else if head.contains("\"result\"") {
            let error = json!({ "code": -32603, "message": "it is longer than 16 MiB" });
            Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
        } else {
            None
        }
    });
    message.map_or_else(|| NO_MESSAGE.to_owned(), |message| message.to_string())
}

/// Finds the id of a message among its first fields.
fn id(head: &str) -> Option<Value> {
    let (before, behind) = head.split_once("\"id\"")?;
    // One deeper inside is that of something else.
    let is_own = before.matches('{').count() == 1 && !before.contains('[');
    let value = behind.trim_start().strip_prefix(':')?;
    let value = value.get(..value.find([',', '}'])?)?.trim();
    let id: Value = serde_json::from_str(value).ok()?;
    (is_own && (id.is_number() || id.is_string())).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_too_long_leaves_the_next_ones_alone() {
        let mut codec = LineCodec::new();
        let mut lines = Vec::new();
        let mut buffer = BytesMut::new();
        let long =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":\"{}\"}}\nnext\n", "x".repeat(LONGEST));
        for piece in long.as_bytes().chunks(1 << 20) {
            buffer.extend_from_slice(piece);
            while let Some(line) = codec.decode(&mut buffer).unwrap() {
                lines.push(line);
            }
        }
        buffer.extend_from_slice(b"bad \xff byte\nlast");
        while let Some(line) = codec.decode(&mut buffer).unwrap() {
            lines.push(line);
        }
        lines.extend(codec.decode_eof(&mut buffer).unwrap());
        let [too_long, next, bad, last] = &lines[..] else { panic!("{lines:?}") };
        assert!(too_long.contains("\"id\":7") && too_long.len() < 200, "{too_long}");
        assert_eq!((next.as_str(), bad.as_str(), last.as_str()), ("next", NO_MESSAGE, "last"));
    }

    #[test]
    fn whoever_waits_for_a_message_hears_of_it() {
        for (head, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"id":1"#, Some((json!(7), "method"))),
            (r#"{"jsonrpc":"2.0", "id" : "a-b" ,"result":{"content":"xx"#, Some((json!("a-b"), "error"))),
            (r#"{"jsonrpc":"2.0","method":"session/prompt","params":{"id":1,"#, None),
            (r#"{"id":{"x":1},"method":"m""#, None),
            (r#"{"id":7,"x"#, None),
            ("xxxxx", None),
        ] {
            let line = in_place_of(head.as_bytes());
            match expected {
                Some((id, field)) => {
                    let message: Value = serde_json::from_str(&line).unwrap();
                    assert!(message["id"] == id && message.get(field).is_some(), "{head}: {line}");
                }
                None => assert_eq!(line, NO_MESSAGE, "{head}"),
            }
        }
    }
}
