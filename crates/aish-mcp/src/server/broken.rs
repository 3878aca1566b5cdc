//! Finds whose answer a message is that is no JSON: a client whose text was cut in the middle of a letter (`\ud83d` alone)
//! waits for an answer under the id that it gave.

use serde_json::Value;

/// Returns the `id` of the object that a text was meant to be, where it is one that a request may have; null otherwise.
///
/// Only the object's own members are looked at: an id inside of `params` is another one's.
pub(super) fn id_of(text: &[u8]) -> Value {
    let (mut depth, mut at, mut found) = (0_usize, 0, Value::Null);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let end = end_of_text(text, at);
                if depth == 1 && text.get(at..end) == Some(br#""id""#) {
                    found = value_behind(text.get(end..).unwrap_or_default()).unwrap_or(found);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    if text.first() == Some(&b'{') { found } else { Value::Null }
}

/// Returns where a text that begins here ends, behind its last sign.
fn end_of_text(text: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// Reads the value behind a key and its colon.
fn value_behind(text: &[u8]) -> Option<Value> {
    let value = text.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = match value.first()? {
        b'"' => end_of_text(value, 0),
        _ => value.iter().position(|byte| matches!(byte, b',' | b'}' | b' ' | b'\t')).unwrap_or(value.len()),
    };
    serde_json::from_slice::<Value>(value.get(..end)?).ok().filter(|id| id.is_i64() || id.is_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_id_of_a_broken_message_is_its_own() {
        let deep = format!(r#"{{"params":{{"id":1,"a":{}{}}},"id":"x\"y"}}"#, "[".repeat(5000), "]".repeat(5000));
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"params":{"text":"\ud800"}}"#, json!(7)),
            (r#"{"params":{"id":1,"x":"\"id\":2"},"jsonrpc":"2.0", "id" : -3,}"#, json!(-3)),
            (&deep, json!("x\"y")),
            (r#"{"id":1.5,"a":"#, Value::Null),
            (r#"{"id":null,"a":"#, Value::Null),
            (r#"{"id"#, Value::Null),
            (r#"{"id":"#, Value::Null),
            (r#"{"a":"\"#, Value::Null),
            (r#"[{"id":4}"#, Value::Null),
            (r#"{"a":{"id":4},"#, Value::Null),
            ("", Value::Null),
        ] {
            assert_eq!(id_of(text.as_bytes()), id, "{text:.80}");
        }
    }
}
