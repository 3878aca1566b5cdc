//! Text that is nearly JSON: what servers print whose authors did not use a JSON library, or one that is lenient.
//!
//! Valid JSON is read as it is. Only what fails is mended and read once more: `NaN` and `Infinity` (Python writes them),
//! raw control characters and lone surrogates in texts, bytes that are no UTF-8, commas before a closing bracket,
//! comments, and Python's quotes and constants.

use serde_json::Value;

/// What a text holds.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::client) enum Parsed {
    /// Values, one after the other, and nothing else; at least one.
    Values(Vec<Value>),
    /// The begin of a value that goes on.
    Unfinished,
    /// Something else; values that stand before it are given.
    Other(Vec<Value>),
}

/// Reads all values of a text.
pub(in crate::client) fn values(text: &[u8]) -> Parsed {
    match strictly(text) {
        (Parsed::Other(good), offset) => {
            let rest = text.get(offset..).unwrap_or_default();
            if !matches!(rest.trim_ascii_start().first(), Some(b'{' | b'[')) {
                return Parsed::Other(good);
            }
            match strictly(mended(rest).as_bytes()).0 {
                Parsed::Values(more) => Parsed::Values(good.into_iter().chain(more).collect()),
                Parsed::Unfinished if good.is_empty() => Parsed::Unfinished,
                Parsed::Unfinished => Parsed::Other(good),
                Parsed::Other(more) => Parsed::Other(good.into_iter().chain(more).collect()),
            }
        }
        (found, _) => found,
    }
}

/// Returns whether a text is values of valid JSON and nothing else.
pub(in crate::client) fn is_whole(text: &[u8]) -> bool {
    matches!(strictly(text).0, Parsed::Values(_))
}

/// Finds a message behind a text on the same line, or inside of one.
pub(in crate::client) fn embedded(text: &[u8]) -> Option<Value> {
    let begins = |at: &usize| text.get(at + 1..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""));
    let braces = text.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(at, _)| at).take(64);
    let starts = braces.filter(begins).take(8);
    let first = |text: &[u8]| match values(text) {
        Parsed::Values(values) | Parsed::Other(values) => values.into_iter().next(),
        Parsed::Unfinished => None,
    };
    starts.filter_map(|at| first(text.get(at..)?)).find(is_message)
}

/// Closes a value whose last brackets are missing because a server counts its length in characters, and not in bytes: as
/// many bytes are lost then as the text has more bytes than characters.
pub(in crate::client) fn closed(text: &[u8]) -> Option<Value> {
    let lost = text.iter().filter(|byte| **byte & 0xC0 == 0x80).count();
    let (mut open, mut quoted, mut escaped) = (Vec::new(), false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    if quoted || open.is_empty() || open.len() > lost {
        return None;
    }
    let whole: Vec<u8> = text.iter().copied().chain(open.into_iter().rev()).collect();
    serde_json::from_slice(&whole).ok()
}

/// Finds the id in what was meant to be an answer and is no JSON.
pub(in crate::client) fn id_of_broken(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok().filter(|text| text.starts_with('{') && text.contains("\"jsonrpc\""))?;
    let after = text.get(text.find("\"id\"")? + 4..)?.trim_start().strip_prefix(':')?.trim_start();
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after.get(..end)?.parse().ok()
}

/// Returns whether a value is a message, and not something else that a server prints.
pub(in crate::client) fn is_message(value: &Value) -> bool {
    value.get("jsonrpc").is_some() && (value.get("id").is_some() || value.get("method").is_some())
}

/// Reads values of valid JSON, and returns also the offset at which they end.
fn strictly(text: &[u8]) -> (Parsed, usize) {
    let mut values = Vec::new();
    let mut stream = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
    let mut offset = 0;
    loop {
        match stream.next() {
            Some(Ok(value)) => {
                values.push(value);
                offset = stream.byte_offset();
            }
            Some(Err(error)) if error.is_eof() && values.is_empty() => return (Parsed::Unfinished, offset),
            Some(Err(_)) => return (Parsed::Other(values), offset),
            None if values.is_empty() => return (Parsed::Other(values), offset),
            None => return (Parsed::Values(values), offset),
        }
    }
}

/// Mends what can be mended without guessing.
fn mended(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.as_ref();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '"' | '\'' => quoted(c, after, &mut out),
            '/' if after.starts_with('/') => after.find('\n').and_then(|end| after.get(end..)).unwrap_or_default(),
            '/' if after.starts_with('*') => after.find("*/").and_then(|end| after.get(end + 2..)).unwrap_or_default(),
            ',' if after.trim_start().starts_with(['}', ']']) => after,
            '-' if after.starts_with("Infinity") => after,
            c if c.is_ascii_alphabetic() || matches!(c, '_' | '$') => word(rest, &mut out),
            '\0' => after,
            other => {
                out.push(other);
                after
            }
        };
    }
    out
}

/// Writes a constant, or the key of a member; what JavaScript and Python have beside the constants of JSON is null.
fn word<'t>(text: &'t str, out: &mut String) -> &'t str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if rest.trim_start().starts_with(':') {
        out.extend(["\"", word, "\""]);
        return rest;
    }
    out.push_str(match word {
        "True" => "true",
        "False" => "false",
        "None" | "NaN" | "Infinity" | "undefined" => "null",
        other => other,
    });
    rest
}

/// Writes a text in double quotes, whatever quotes it came in; returns what follows it.
fn quoted<'t>(quote: char, text: &'t str, out: &mut String) -> &'t str {
    out.push('"');
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' => rest = escape(rest, out),
            c if c == quote => {
                out.push('"');
                return rest;
            }
            '"' => out.push_str("\\\""),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    // Without its closing quote the text stays unfinished.
    rest
}

/// Writes an escape, `text` being what follows the backslash; returns what follows the escape.
fn escape<'t>(text: &'t str, out: &mut String) -> &'t str {
    let Some(c) = text.chars().next() else { return text };
    let after = text.get(c.len_utf8()..).unwrap_or_default();
    match c {
        'u' => match unit(after) {
            Some(high @ 0xD800..=0xDBFF) => {
                let low = after.get(4..).and_then(|next| next.strip_prefix("\\u")).and_then(unit);
                match low {
                    Some(low @ 0xDC00..=0xDFFF) => {
                        out.push_str(&format!("\\u{high:04x}\\u{low:04x}"));
                        after.get(10..).unwrap_or_default()
                    }
                    _ => {
                        out.push('\u{fffd}');
                        after.get(4..).unwrap_or_default()
                    }
                }
            }
            Some(0xDC00..=0xDFFF) => {
                out.push('\u{fffd}');
                after.get(4..).unwrap_or_default()
            }
            Some(unit) => {
                out.push_str(&format!("\\u{unit:04x}"));
                after.get(4..).unwrap_or_default()
            }
            None => {
                out.push('u');
                after
            }
        },
        '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
            out.push('\\');
            out.push(c);
            after
        }
        other => {
            out.push(other);
            after
        }
    }
}

fn unit(text: &str) -> Option<u32> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_nearly_json_is_read() {
        for (text, expected) in [
            (&b"{\"a\": NaN, \"b\": [-Infinity, Infinity]}"[..], json!({"a": null, "b": [null, null]})),
            (b"{\"a\": 1,}", json!({"a": 1})),
            (b"{\"a\": [1, 2, ], }", json!({"a": [1, 2]})),
            (b"{\"a\": \"x\ty\nz\"}", json!({"a": "x\ty\nz"})),
            (b"{\"a\": \"hi\\ud800\"}", json!({"a": "hi\u{fffd}"})),
            (b"{\"a\": NaN, \"b\": \"\\ud83d\\ude00\"}", json!({"a": null, "b": "\u{1f600}"})),
            (b"{\"a\": \"f\xfcr\"}", json!({"a": "f\u{fffd}r"})),
            (b"{a: 1, _b$2 : {c: NaN}}", json!({"a": 1, "_b$2": {"c": null}})),
            (b"{'a': 'it\\'s \"x\"', 'b': None, 'c': True}", json!({"a": "it's \"x\"", "b": null, "c": true})),
            (b"{\"a\": 1 /* one */, // two\n \"b\": 2}", json!({"a": 1, "b": 2})),
            (
                b"{\"a\": \"NaN, // no comment, 'x',}\", \"b\": NaN}",
                json!({"a": "NaN, // no comment, 'x',}", "b": null}),
            ),
        ] {
            let name = String::from_utf8_lossy(text);
            assert_eq!(values(text), Parsed::Values(vec![expected]), "{name}");
        }
    }

    #[test]
    fn what_is_valid_stays_and_what_is_open_is_unfinished() {
        assert_eq!(
            values(b"{\"a\":1}{\"b\":2} [3]"),
            Parsed::Values(vec![json!({"a": 1}), json!({"b": 2}), json!([3])])
        );
        assert_eq!(values(b"{\"a\": [1,"), Parsed::Unfinished);
        assert_eq!(values(b"{\"a\": \"x\ny"), Parsed::Unfinished);
        assert_eq!(values(b"{\"a\":1} sent"), Parsed::Other(vec![json!({"a": 1})]));
        assert_eq!(values(b"hello"), Parsed::Other(Vec::new()));
        assert_eq!(values(b""), Parsed::Other(Vec::new()));
        assert!(is_whole(b"{}\r{}\r") && !is_whole(b"{} x") && !is_whole(b"{"));
    }

    #[test]
    fn as_many_brackets_are_closed_as_bytes_were_lost() {
        for (text, expected) in [
            ("{\"a\":[\"üü\"", Some(json!({"a": ["üü"]}))),
            ("{\"a\":[\"ü\"", None),
            ("{\"a\":[\"u\"]", None),
            ("{\"a\":\"üüü", None),
            ("{\"a\":\"ü\",", None),
            ("{\"a\":\"ü\\\"]\"", Some(json!({"a": "ü\"]"}))),
        ] {
            assert_eq!(closed(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_id_of_a_broken_answer_is_found() {
        let deep = format!("{{\"jsonrpc\":\"2.0\", \"id\" : 17, \"result\":{}1", "[".repeat(300));
        assert_eq!(id_of_broken(deep.as_bytes()), Some(17));
        assert_eq!(id_of_broken(b"{\"id\":17,"), None);
        assert_eq!(id_of_broken(b"hello"), None);
    }

    proptest! {
        #[test]
        fn valid_json_is_the_same_after_mending(text in "[ -~\\n\\u{e4}\\u{1f600}]{0,40}", number in any::<i32>()) {
            let value = json!({"text": text, "list": [number, true, null, {"x": text}]});
            let written = value.to_string();
            prop_assert_eq!(serde_json::from_str::<Value>(&mended(written.as_bytes())).unwrap(), value);
        }

        #[test]
        fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = values(&bytes);
            let _ = mended(&bytes);
        }
    }
}
