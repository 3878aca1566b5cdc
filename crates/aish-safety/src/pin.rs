//! Pins: the hash of a tool's definition at its first approval.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use aish_types::{SourceId, ToolDefinition, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A SHA-256 hash, in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hash = Sha256::digest(bytes);
        let mut hex = String::with_capacity(64);
        for byte in hash {
            hex.push_str(&format!("{byte:02x}"));
        }
        Self(hex)
    }

    /// Returns the hex text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is kept of a definition when it is first approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// The hash that must match.
    pub hash: Digest,
    /// The pinned fields, to show the difference when they change.
    pub definition: Value,
}

impl Pin {
    /// Pins a definition as it is now.
    pub fn of(definition: &ToolDefinition) -> Self {
        Self { hash: definition_hash(definition), definition: pinned_fields(definition) }
    }

    /// Tells how a definition differs from the pinned one, a `-` and a `+` line for what is old and new.
    pub(crate) fn difference(&self, definition: &ToolDefinition) -> String {
        let now = Pin::of(definition).definition;
        let mut out = String::new();
        for key in ["name", "title", "description", "input_schema", "output_schema", "hints", "instructions_hash"] {
            let (old, new) = (self.definition.get(key), now.get(key));
            if old != new {
                out.push_str(&format!("{key}:\n"));
                out.push_str(&format!("- {}\n", old.map(canonical).unwrap_or_default()));
                out.push_str(&format!("+ {}\n", new.map(canonical).unwrap_or_default()));
            }
        }
        out
    }
}

/// Why pins could not be read or written; the gate then fails closed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pins cannot be used: {0}")]
pub struct PinError(pub String);

/// Where pins are kept, keyed by the source's configured identity and the tool's name.
pub trait PinStore: Send + Sync {
    /// Looks a pin up.
    ///
    /// # Errors
    /// When the store cannot be read or is corrupt.
    fn get(&self, source: &SourceId, tool: &ToolName) -> Result<Option<Pin>, PinError>;

    /// Keeps a pin, in place of an earlier one.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn put(&self, source: &SourceId, tool: &ToolName, pin: &Pin) -> Result<(), PinError>;
}

/// Hashes what a definition says of itself: name, title, description, schemas, hints, its server's instructions. Key
/// order does not count.
pub fn definition_hash(definition: &ToolDefinition) -> Digest {
    Digest::of(canonical(&pinned_fields(definition)).as_bytes())
}

fn pinned_fields(definition: &ToolDefinition) -> Value {
    let mut fields = json!({
        "name": definition.name,
        "title": definition.title,
        "description": definition.description,
        "input_schema": definition.input_schema,
        "output_schema": definition.output_schema,
        "hints": definition.hints,
    });
    if let (Some(hash), Some(fields)) = (&definition.instructions_hash, fields.as_object_mut()) {
        fields.insert("instructions_hash".into(), Value::String(hash.clone()));
    }
    fields
}

/// Writes JSON with sorted keys and no white space, so that equal values have equal text.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: alloc::vec::Vec<_> = map.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (at, (key, item)) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(item, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_is_no_drift() {
        let a: Value = serde_json::from_str(r#"{"b":1,"a":{"d":[1,2],"c":"x"}}"#).unwrap();
        let b: Value = serde_json::from_str(r#"{"a":{"c":"x","d":[1,2]},"b":1}"#).unwrap();
        assert_eq!(canonical(&a), canonical(&b));
        assert_eq!(canonical(&a), r#"{"a":{"c":"x","d":[1,2]},"b":1}"#);
    }
}
