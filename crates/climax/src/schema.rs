//! The JSON Schema of a tool's arguments.

use serde_json::{Map, Value};

use crate::config::{ArgKind, List, Place, Tool};

/// Whether a schema tells how an argument is written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flags {
    /// Properties carry `x-flag`, as in search results.
    Shown,
    /// Plain JSON Schema, as in a classic tool list.
    Hidden,
}

/// Makes the schema: every argument of the tool in its order, none of the global ones.
pub fn input_schema(tool: &Tool, flags: Flags) -> Value {
    let mut properties = Map::with_capacity(tool.args.len());
    for arg in &tool.args {
        let mut property = match arg.schema.as_deref() {
            Some(Value::Object(schema)) => schema.clone(),
            // Type, description and flag: among many tools, room for a fourth is a good part of all memory.
            Some(_) | None => Map::with_capacity(3),
        };
        if arg.kind != ArgKind::Any {
            property.entry("type").or_insert_with(|| arg.kind.as_str().into());
        }
        if !arg.description.is_empty() {
            property.insert("description".into(), arg.description.as_str().into());
        }
        if let Some(default) = &arg.default {
            property.insert("default".into(), Value::clone(default));
        }
        if let Some(list) = &arg.list {
            add_list(list, &arg.choices, &mut property);
        } else if !arg.choices.is_empty() {
            property.insert("enum".into(), Value::Array(arg.choices.clone()));
        }
        if let (Flags::Shown, Place::Flag(flag)) = (flags, &arg.place) {
            property.insert("x-flag".into(), flag.as_str().into());
        }
        properties.insert(arg.name.clone(), Value::Object(property));
    }
    let required: Vec<Value> =
        tool.args.iter().filter(|arg| arg.required).map(|arg| arg.name.as_str().into()).collect();
    let mut schema = Map::with_capacity(if required.is_empty() { 2 } else { 3 });
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), Value::Array(required));
    }
    Value::Object(schema)
}

/// Says what a list may hold; bounds that its file does not say are not shown.
fn add_list(list: &List, choices: &[Value], property: &mut Map<String, Value>) {
    let mut items = Map::with_capacity(1);
    items.insert("type".into(), list.items.as_str().into());
    if !choices.is_empty() {
        items.insert("enum".into(), Value::Array(choices.to_vec()));
    }
    if let Some(pattern) = property.remove("pattern") {
        items.insert("pattern".into(), pattern);
    }
    property.insert("items".into(), Value::Object(items));
    if list.min > 0 {
        property.insert("minItems".into(), list.min.into());
    }
    if let Some(max) = list.max {
        property.insert("maxItems".into(), max.into());
    }
}
