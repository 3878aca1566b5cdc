//! Wire values that are what they should be only most of the time. Text is borrowed where it can be.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A text where one is expected; an object or an array is its JSON, anything else is its words; null is nothing.
#[derive(Default)]
pub(crate) struct Lenient<'a>(pub(crate) Option<Cow<'a, str>>);

impl<'a> Lenient<'a> {
    /// Returns the text, and nothing for null.
    pub(crate) fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// A number where one is expected: integers, floats and numbers in quotes; anything else is nothing.
#[derive(Default, Clone, Copy)]
pub(crate) struct Number(pub(crate) Option<u64>);

/// A text, or whatever came in its place.
pub(crate) enum TextOr<'a> {
    Text(Cow<'a, str>),
    Other(Value),
}

// By hand: derived, untagged, it makes an error of each text that is not there, several for each token of an answer.
impl<'de: 'a, 'a> Deserialize<'de> for TextOr<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = TextOr<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("any value")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Text(Cow::Owned(text)))
            }

            fn visit_unit<E>(self) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Other(Value::Null))
            }

            fn visit_bool<E>(self, value: bool) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Other(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Other(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Other(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<TextOr<'de>, E> {
                Ok(TextOr::Other(value.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<TextOr<'de>, A::Error> {
                Value::deserialize(SeqAccessDeserializer::new(items)).map(TextOr::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<TextOr<'de>, A::Error> {
                Value::deserialize(MapAccessDeserializer::new(fields)).map(TextOr::Other)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Lenient<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match TextOr::deserialize(deserializer)? {
            TextOr::Text(text) => Some(text),
            TextOr::Other(Value::Null | Value::Bool(_)) => None,
            // 1.0 is written as 1.
            TextOr::Other(Value::Number(number)) if number.is_f64() => {
                number.as_f64().map(|number| number.to_string().into())
            }
            TextOr::Other(other) => Some(other.to_string().into()),
        }))
    }
}

impl From<&Value> for Number {
    fn from(value: &Value) -> Self {
        Self(match value {
            Value::Number(number) => {
                let float = number.as_f64().filter(|number| *number >= 0.0);
                number.as_u64().or_else(|| float.map(|number| number as u64))
            }
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        })
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(&Value::deserialize(deserializer)?))
    }
}

/// What an answer does without: where something else came in its place, it is as if it were not there.
#[derive(Default)]
pub(crate) struct Spare<T>(pub(crate) Option<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Spare<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(serde_json::from_value(Value::deserialize(deserializer)?).ok()))
    }
}

/// Returns whether an `error` field is one: some servers always send it, empty.
pub(crate) fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Array(_) => true,
    }
}
