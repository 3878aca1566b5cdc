//! What a schema of a document comes to: without references, in a bounded number of nodes, and never stricter than it was.

use serde_json::{Map, Value, json};

use super::document::Document;
use super::first_paragraph;

/// Nodes that the schemas of one operation have altogether.
const MAX_NODES: usize = 400;
/// Levels of one schema.
const MAX_DEPTH: usize = 6;
/// Properties of one object.
const MAX_PROPERTIES: usize = 100;
/// Values of one enumeration; a longer one is told as any value.
const MAX_VALUES: usize = 60;
/// Alternatives of one place; more are told as any value.
const MAX_ALTERNATIVES: usize = 8;
/// Characters of a description inside a schema.
const MAX_TEXT: usize = 160;

/// What is left for one operation.
pub(super) struct Schemas<'d> {
    document: &'d Document,
    left: usize,
}

impl<'d> Schemas<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self { document, left: MAX_NODES }
    }

    /// Returns the schema; an empty one takes every value.
    pub(super) fn plain(&mut self, schema: &Value) -> Map<String, Value> {
        self.at(schema, 0)
    }

    fn at(&mut self, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut out = Map::new();
        if self.left == 0 || depth > MAX_DEPTH {
            return out;
        }
        self.left -= 1;
        let Some(schema) = self.document.resolve(schema).and_then(Value::as_object) else { return out };
        for part in list(schema, "allOf").iter().take(MAX_PROPERTIES) {
            merge(&mut out, self.at(part, depth + 1));
        }
        if let Some(kind) = kind(schema) {
            out.insert("type".into(), kind);
        }
        if let Some(text) = schema.get("description").and_then(Value::as_str).filter(|text| !text.trim().is_empty()) {
            out.insert("description".into(), first_paragraph(text, MAX_TEXT).into());
        }
        if let Some(values) = values(schema) {
            out.insert("enum".into(), values);
        }
        for bound in ["minimum", "maximum"] {
            out.extend(
                schema.get(bound).filter(|value| value.is_number()).map(|value| (bound.to_owned(), value.clone())),
            );
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            out.insert("items".into(), Value::Object(self.at(items, depth + 1)));
        }
        self.properties(schema, depth, &mut out);
        // Counted before anything is looked at: many places may refer to one schema with very many of them.
        let (one, any) = (list(schema, "oneOf"), list(schema, "anyOf"));
        if (1..=MAX_ALTERNATIVES).contains(&(one.len() + any.len())) {
            let all = one.iter().chain(any);
            let read: Vec<Value> = all.map(|schema| Value::Object(self.at(schema, depth + 1))).collect();
            // An alternative that takes everything says nothing.
            if !read.iter().any(|schema| schema.as_object().is_none_or(Map::is_empty)) {
                out.insert("anyOf".into(), Value::Array(read));
            }
        }
        out
    }

    fn properties(&mut self, schema: &Map<String, Value>, depth: usize, out: &mut Map<String, Value>) {
        let mut own = Map::new();
        let mut unwritable = Vec::new();
        for (name, property) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten().take(MAX_PROPERTIES)
        {
            let is_read_only = self.document.resolve(property).is_some_and(|property| property["readOnly"] == true);
            if is_read_only {
                unwritable.push(name.as_str());
            } else {
                own.insert(name.clone(), Value::Object(self.at(property, depth + 1)));
            }
        }
        let required = list(schema, "required").iter().filter_map(Value::as_str).take(MAX_PROPERTIES);
        let required: Vec<Value> = required.filter(|name| !unwritable.contains(name)).map(Value::from).collect();
        let mut more = Map::new();
        if !own.is_empty() {
            more.insert("properties".into(), Value::Object(own));
        }
        if !required.is_empty() {
            more.insert("required".into(), Value::Array(required));
        }
        if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
            more.insert("additionalProperties".into(), Value::Object(self.at(values, depth + 1)));
        }
        merge(out, more);
    }
}

/// Adds what another schema says: properties and what is required are joined, of everything else the first counts.
fn merge(out: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        match (key.as_str(), out.get_mut(&key), value) {
            ("properties", Some(Value::Object(have)), Value::Object(more)) => have.extend(more),
            ("required", Some(Value::Array(have)), Value::Array(more)) => {
                let new: Vec<Value> = more.into_iter().filter(|name| !have.contains(name)).collect();
                have.extend(new);
            }
            (_, Some(_), _) => {}
            (_, None, value) => {
                out.insert(key, value);
            }
        }
    }
}

fn list<'s>(schema: &'s Map<String, Value>, key: &str) -> &'s [Value] {
    schema.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns `type`, with null where it may be null.
fn kind(schema: &Map<String, Value>) -> Option<Value> {
    const KINDS: &[&str] = &["string", "integer", "number", "boolean", "array", "object", "null"];
    let is_known = |kind: &Value| kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
    let kind = match schema.get("type") {
        Some(Value::String(kind)) if KINDS.contains(&kind.as_str()) => Value::from(kind.as_str()),
        Some(Value::Array(kinds)) if !kinds.is_empty() && kinds.iter().all(is_known) => match kinds.as_slice() {
            [one] => one.clone(),
            kinds => Value::Array(kinds.iter().take(KINDS.len()).cloned().collect()),
        },
        // `file` of version 2.0, and what is not known, may be anything.
        Some(_) => return None,
        None if schema.get("properties").is_some_and(Value::is_object) => "object".into(),
        None => return None,
    };
    let may_be_null =
        schema.get("nullable") == Some(&Value::Bool(true)) || schema.get("x-nullable") == Some(&Value::Bool(true));
    match kind {
        Value::String(kind) if may_be_null && kind != "null" => Some(json!([kind, "null"])),
        kind => Some(kind),
    }
}

/// Returns what a value may be, where that is a short list of plain values.
fn values(schema: &Map<String, Value>) -> Option<Value> {
    if let Some(only) = schema.get("const").filter(|only| !only.is_object() && !only.is_array()) {
        return Some(json!([only]));
    }
    let values = schema.get("enum").and_then(Value::as_array)?;
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    let fits = !values.is_empty() && values.len() <= MAX_VALUES && values.iter().all(is_plain);
    fits.then(|| {
        let mut all = values.clone();
        if schema.get("nullable") == Some(&Value::Bool(true)) && !all.contains(&Value::Null) {
            all.push(Value::Null);
        }
        Value::Array(all)
    })
}
