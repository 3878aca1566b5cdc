//! JSON Schemas of tools, kept small.
//!
//! Of many tools few are ever looked at. A parsed schema takes six times the room of its text, and one that can be made of
//! something else that is kept anyway takes none: so a schema is a text or the way to make it, and is parsed when it is asked for.

use alloc::string::ToString;
use alloc::sync::Arc;
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Makes schemas when they are asked for, each by its number, and the same one each time.
pub trait MakeSchema: Send + Sync {
    /// Makes the schema of this number.
    fn make(&self, number: u32) -> Value;
}

/// A JSON Schema that is parsed or made when it is asked for.
#[derive(Clone)]
pub struct JsonSchema(Form);

#[derive(Clone)]
enum Form {
    /// As JSON.
    Text(Arc<str>),
    /// To be made.
    Made { maker: Arc<dyn MakeSchema>, number: u32 },
}

impl JsonSchema {
    /// Makes a schema of what makes it.
    pub fn made(maker: Arc<dyn MakeSchema>, number: u32) -> Self {
        Self(Form::Made { maker, number })
    }

    /// Returns the schema, parsed or made anew.
    pub fn value(&self) -> Value {
        match &self.0 {
            // What cannot be read again, such as what is nested too deeply, admits nothing.
            Form::Text(text) => serde_json::from_str(text).unwrap_or(Value::Bool(false)),
            Form::Made { maker, number } => maker.make(*number),
        }
    }
}

impl From<Value> for JsonSchema {
    fn from(value: Value) -> Self {
        Self(Form::Text(value.to_string().into()))
    }
}

impl PartialEq for JsonSchema {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Text(a), Form::Text(b)) if a == b => true,
            (Form::Made { maker: a, number: x }, Form::Made { maker: b, number: y }) if x == y && Arc::ptr_eq(a, b) => {
                true
            }
            // The order of keys does not count.
            _ => self.value() == other.value(),
        }
    }
}

impl PartialEq<Value> for JsonSchema {
    fn eq(&self, other: &Value) -> bool {
        self.value() == *other
    }
}

impl fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value(), f)
    }
}

impl Serialize for JsonSchema {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(to)
    }
}

impl<'de> Deserialize<'de> for JsonSchema {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Value::deserialize(from).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Numbers;

    impl MakeSchema for Numbers {
        fn make(&self, number: u32) -> Value {
            json!({"type": "object", "minProperties": number})
        }
    }

    #[test]
    fn a_schema_comes_back_as_it_was() {
        let value =
            json!({"type": "object", "properties": {"z": {"maximum": 0.25}, "a": {"const": "\u{1F980} \"x\""}}});
        let schema = JsonSchema::from(value.clone());
        assert_eq!(schema.value(), value);
        let again: JsonSchema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
        assert_eq!(again, schema);
        assert_eq!(JsonSchema::from(Value::Null).value(), Value::Null);
    }

    #[test]
    fn what_is_made_equals_what_is_written() {
        let maker: Arc<dyn MakeSchema> = Arc::new(Numbers);
        let made = JsonSchema::made(Arc::clone(&maker), 3);
        assert_eq!(made, JsonSchema::from(json!({"minProperties": 3, "type": "object"})));
        assert_eq!(made, JsonSchema::made(Arc::clone(&maker), 3));
        assert_ne!(made, JsonSchema::made(maker, 4));
    }
}
