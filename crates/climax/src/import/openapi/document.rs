//! The text of a document and its references.

use serde_json::Value;

use crate::yaml;

/// Values that a document may have, counted by the signs that begin one: each takes a hundred bytes while it is read.
const MAX_VALUES: usize = 4_000_000;
/// References that lead to references.
const MAX_HOPS: usize = 16;
/// Bytes of one reference.
const MAX_REFERENCE: usize = 4_000;

/// A document.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Value,
}

impl Document {
    /// Reads JSON or YAML.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let values = text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
        if values > MAX_VALUES {
            return Err(format!("it has more than {MAX_VALUES} values"));
        }
        let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
        let root = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(root) => root,
            Err(error) if is_json => return Err(format!("it is no JSON that can be read: {error}")),
            Err(_) => match climax_yaml::parse(text) {
                Ok(node) => yaml::json(&node),
                Err(error) => return Err(format!("line {}: {}", error.at.line, error.message)),
            },
        };
        let document = Self { root };
        let version = document.text(&["openapi"]).or(document.text(&["swagger"])).unwrap_or_default();
        if !(version.starts_with("3.") || version.starts_with("2.") || document.is_old()) {
            return Err("it is no OpenAPI document: it has no `openapi: 3…` and no `swagger: 2.0`".into());
        }
        if !document.root.get("paths").is_some_and(Value::is_object) {
            return Err("it has no `paths`, and so no operations".into());
        }
        Ok(document)
    }

    /// Says whether it is of version 2.0; unquoted in YAML that is a number.
    pub(super) fn is_old(&self) -> bool {
        self.root.get("swagger").is_some()
    }

    /// Returns the text at a place.
    pub(super) fn text(&self, keys: &[&str]) -> Option<&str> {
        self.at(keys)?.as_str()
    }

    /// Returns what is at a place.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(&self.root, |value, key| value.get(key))
    }

    /// Follows `$ref` within the document; none where it leads nowhere, out of it or in a circle.
    pub(super) fn resolve<'d>(&'d self, mut value: &'d Value) -> Option<&'d Value> {
        for _ in 0..MAX_HOPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Some(value) };
            if reference.len() > MAX_REFERENCE {
                return None;
            }
            value = self.root.pointer(&decoded(reference.strip_prefix('#')?))?;
        }
        None
    }
}

/// Undoes the percent encoding of a reference; `~1` and `~0` are undone where the pointer is followed.
fn decoded(pointer: &str) -> String {
    if !pointer.contains('%') {
        return pointer.to_owned();
    }
    let hex = |digits: &str| u8::from_str_radix(digits, 16).ok();
    let (mut out, mut rest) = (Vec::new(), pointer);
    while let Some((before, after)) = rest.split_once('%') {
        out.extend_from_slice(before.as_bytes());
        match after.get(..2).and_then(hex) {
            Some(byte) => {
                out.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(b'%');
                rest = after;
            }
        }
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}
