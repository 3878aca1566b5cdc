//! What a chat completion's server wants to see again: reasoning under the name it came by, parts, signatures of calls.
//!
//! The data is an object: `fields` go into the message as they are, `content` is the list of parts that stands for the
//! text, `raw` the text with its tags, and `calls` has what each call carried, by its id.

use std::collections::BTreeMap;

use aish_types::{CallId, ProviderState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::wire::Seal;

/// The data of a state, and what of it has come.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ChatState {
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) fields: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) content: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) raw: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) calls: BTreeMap<String, Value>,
}

impl ChatState {
    /// Reads the data of a state of this wire.
    pub(super) fn of(state: &ProviderState) -> Self {
        serde_json::from_value(state.data.clone()).unwrap_or_default()
    }

    /// Takes a piece of reasoning that came under a name.
    pub(super) fn reasoning(&mut self, name: &str, text: &str) {
        // Some servers send the same under two names; the first is the one that is answered with.
        let other = if name == "reasoning" { "reasoning_content" } else { "reasoning" };
        if self.fields.contains_key(other) {
            return;
        }
        let kept = self.fields.entry(name).or_insert_with(|| Value::String(String::new()));
        if let Value::String(kept) = kept {
            kept.push_str(text);
        }
    }

    /// Takes entries of `reasoning_details`: those of one index and type are one.
    pub(super) fn details(&mut self, entries: &[Value]) {
        let details = self.fields.entry("reasoning_details").or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(details) = details else { return };
        for entry in entries {
            let key = |value: &Value| (value.get("index").cloned(), value.get("type").cloned());
            match details.iter_mut().find(|known| key(known) == key(entry) && entry.get("index").is_some()) {
                Some(Value::Object(known)) => grow(known, entry),
                Some(_) | None => details.push(entry.clone()),
            }
        }
    }

    /// Takes a part of a content that is a list (Mistral): neighbours of one type are one.
    pub(super) fn part(&mut self, part: &Value) {
        let kind = |value: &Value| value.get("type").and_then(Value::as_str).map(str::to_owned);
        let is_open = |value: &Value| value.get("closed").and_then(Value::as_bool) != Some(true);
        match self.content.last_mut() {
            Some(Value::Object(last))
                if kind(&Value::Object(last.clone())) == kind(part) && is_open(&Value::Object(last.clone())) =>
            {
                match (last.get_mut("thinking"), part.get("thinking")) {
                    (Some(Value::Array(before)), Some(Value::Array(more))) => join_texts(before, more),
                    _ => {
                        let more = part.get("text").and_then(Value::as_str).unwrap_or_default();
                        if let Some(Value::String(text)) = last.get_mut("text") {
                            text.push_str(more);
                        }
                    }
                }
                for key in ["signature", "closed"] {
                    if let Some(value) = part.get(key).filter(|value| !value.is_null()) {
                        last.insert(key.to_owned(), value.clone());
                    }
                }
            }
            Some(_) | None => self.content.push(part.clone()),
        }
    }

    /// Takes a text that came as such behind parts.
    pub(super) fn text_behind_parts(&mut self, text: &str) {
        if !self.content.is_empty() && !text.is_empty() {
            self.part(&json!({"type": "text", "text": text}));
        }
    }

    /// Keeps what calls carried.
    pub(super) fn calls(&mut self, extras: Vec<(CallId, Value)>) {
        self.calls.extend(extras.into_iter().map(|(id, extra)| (id.as_str().to_owned(), extra)));
    }

    /// Returns the state to be kept with the answer; none when there is nothing to see again.
    pub(super) fn sealed(mut self, seal: Seal, text: String) -> Option<Box<ProviderState>> {
        let has_thinking = self.content.iter().any(|part| part.get("thinking").is_some());
        if !has_thinking {
            self.content.clear();
        }
        if self.fields.is_empty() && self.content.is_empty() && self.raw.is_none() && self.calls.is_empty() {
            return None;
        }
        let data = serde_json::to_value(&self).ok()?;
        Some(seal.state(Api::Chat, text, data))
    }
}

/// Adds a delta of an entry: texts grow, all else is replaced by what is not null.
fn grow(known: &mut Map<String, Value>, entry: &Value) {
    for (key, value) in entry.as_object().into_iter().flatten() {
        match (known.get_mut(key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(more)) if matches!(key.as_str(), "text" | "summary" | "data") => {
                text.push_str(more);
            }
            _ => {
                known.insert(key.clone(), value.clone());
            }
        }
    }
}

fn join_texts(before: &mut Vec<Value>, more: &[Value]) {
    for part in more {
        let text = part.get("text").and_then(Value::as_str);
        match (before.last_mut().and_then(|last| last.get_mut("text")), text) {
            (Some(Value::String(last)), Some(text)) => last.push_str(text),
            _ => before.push(part.clone()),
        }
    }
}
