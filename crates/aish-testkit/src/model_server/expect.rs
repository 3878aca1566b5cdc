//! What a request must look like.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::request::RecordedRequest;

/// Conditions on a request; one that is not set is not checked.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The method, in capitals.
    pub method: Option<String>,
    /// The path, without the query.
    pub path: Option<String>,
    /// Headers and their whole values; `null` means that the header must be absent.
    pub headers: Map<String, Value>,
    /// A part of the JSON body: objects may have more keys, arrays must have as many elements, the rest is equal.
    pub body: Option<Value>,
    /// Texts that occur in the body's strings or its raw text.
    pub contains: Vec<String>,
    /// Texts that do not occur there.
    pub not_contains: Vec<String>,
    /// JSON pointers (RFC 6901) that lead to nothing in the body, such as `/tools`.
    pub lacks: Vec<String>,
    /// A text in the last message's content.
    pub last_message: Option<String>,
}

impl Expect {
    /// Expects anything.
    pub fn any() -> Self {
        Self::default()
    }

    /// Expects a method and a path.
    pub fn request(method: &str, path: &str) -> Self {
        Self { method: Some(method.into()), path: Some(path.into()), ..Self::default() }
    }

    /// Expects `POST /v1/chat/completions`.
    pub fn chat() -> Self {
        Self::request("POST", "/v1/chat/completions")
    }

    /// Expects `POST /v1/messages`.
    pub fn messages() -> Self {
        Self::request("POST", "/v1/messages")
    }

    /// Expects a part of the JSON body.
    #[must_use]
    pub fn body(mut self, part: Value) -> Self {
        self.body = Some(part);
        self
    }

    /// Expects a header with this value.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// Expects that a header is absent.
    #[must_use]
    pub fn no_header(mut self, name: &str) -> Self {
        self.headers.insert(name.into(), Value::Null);
        self
    }

    /// Expects a text in the body.
    #[must_use]
    pub fn contains(mut self, text: &str) -> Self {
        self.contains.push(text.into());
        self
    }

    /// Expects that a text is not in the body.
    #[must_use]
    pub fn not_contains(mut self, text: &str) -> Self {
        self.not_contains.push(text.into());
        self
    }

    /// Expects that a JSON pointer leads to nothing.
    #[must_use]
    pub fn lacks(mut self, pointer: &str) -> Self {
        self.lacks.push(pointer.into());
        self
    }

    /// Expects a text in the content of the last message.
    #[must_use]
    pub fn last_message(mut self, text: &str) -> Self {
        self.last_message = Some(text.into());
        self
    }

    /// Says why a request does not fit; none when it fits.
    pub fn mismatch(&self, request: &RecordedRequest) -> Option<String> {
        if let Some(method) = &self.method
            && *method != request.method
        {
            return Some(format!("expected the method {method}"));
        }
        if let Some(path) = &self.path
            && *path != request.path
        {
            return Some(format!("expected the path {path}"));
        }
        for (name, value) in &self.headers {
            let found = request.header(name);
            let fits = match value {
                Value::Null => found.is_none(),
                Value::String(value) => found == Some(value.as_str()),
                other => found == Some(other.to_string().as_str()),
            };
            if !fits {
                return Some(format!("expected the header {name}: {value}, found {found:?}"));
            }
        }
        self.body_mismatch(request)
    }

    fn body_mismatch(&self, request: &RecordedRequest) -> Option<String> {
        let json = request.json();
        if let Some(part) = &self.body {
            let Some(json) = &json else { return Some("expected a JSON body".into()) };
            if let Some(place) = difference(part, json, String::new()) {
                return Some(place);
            }
        }
        let raw = String::from_utf8_lossy(&request.body);
        let occurs = |text: &String| raw.contains(text.as_str()) || json.as_ref().is_some_and(|v| in_strings(v, text));
        if let Some(missing) = self.contains.iter().find(|text| !occurs(text)) {
            return Some(format!("expected {missing:?} in the body"));
        }
        if let Some(present) = self.not_contains.iter().find(|text| occurs(text)) {
            return Some(format!("expected no {present:?} in the body"));
        }
        if let Some(pointer) = self.lacks.iter().find(|p| json.as_ref().is_some_and(|v| v.pointer(p).is_some())) {
            return Some(format!("expected nothing at {pointer}"));
        }
        if let Some(text) = &self.last_message {
            let last = json.as_ref().and_then(|v| v.get("messages")?.as_array()?.last());
            if !last.is_some_and(|message| in_strings(message, text)) {
                return Some(format!("expected {text:?} in the last message"));
            }
        }
        None
    }
}

/// Says where `part` is not contained in `whole`.
fn difference(part: &Value, whole: &Value, at: String) -> Option<String> {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part.iter().find_map(|(key, value)| match whole.get(key) {
            Some(found) => difference(value, found, format!("{at}/{key}")),
            None => Some(format!("expected {at}/{key} in the body")),
        }),
        (Value::Array(part), Value::Array(whole)) if part.len() == whole.len() => part
            .iter()
            .zip(whole)
            .enumerate()
            .find_map(|(index, (value, found))| difference(value, found, format!("{at}/{index}"))),
        (Value::Number(part), Value::Number(whole)) if part.as_f64() == whole.as_f64() => None,
        _ if part == whole => None,
        _ => Some(format!("expected {part} at {}, found {whole}", if at.is_empty() { "the top" } else { &at })),
    }
}

fn in_strings(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(values) => values.iter().any(|value| in_strings(value, text)),
        Value::Object(values) => values.values().any(|value| in_strings(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(body: &Value) -> RecordedRequest {
        RecordedRequest {
            method: "POST".into(),
            path: "/v1/chat/completions".into(),
            query: None,
            headers: vec![("Authorization".into(), "Bearer k".into())],
            body: body.to_string().into_bytes(),
        }
    }

    #[test]
    fn a_part_of_the_body_is_enough() {
        let request =
            request(&json!({"model": "m", "temperature": 0.2, "messages": [{"role": "user", "content": "a\"b"}]}));
        for (expect, fits) in [
            (Expect::chat(), true),
            (Expect::messages(), false),
            (Expect::any().body(json!({"model": "m"})), true),
            (Expect::any().body(json!({"model": "n"})), false),
            (Expect::any().body(json!({"messages": [{"role": "user"}]})), true),
            (Expect::any().body(json!({"messages": []})), false),
            (Expect::any().body(json!({"tools": []})), false),
            (Expect::any().contains("a\"b"), true),
            (Expect::any().not_contains("a\"b"), false),
            (Expect::any().lacks("/tools"), true),
            (Expect::any().lacks("/messages/0/role"), false),
            (Expect::any().last_message("a"), true),
            (Expect::any().last_message("z"), false),
            (Expect::any().header("authorization", "Bearer k"), true),
            (Expect::any().header("authorization", "Bearer x"), false),
            (Expect::any().no_header("x-key"), true),
            (Expect::any().no_header("authorization"), false),
        ] {
            assert_eq!(expect.mismatch(&request).is_none(), fits, "{expect:?}");
        }
    }
}
