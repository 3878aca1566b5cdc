//! Schemas that are nearly JSON Schema: what is wrong in one is left out or put right, so that the tool can be called.

use serde_json::{Map, Value, json};

/// How deep a schema is looked into; what is deeper is refused elsewhere.
const MAX_DEPTH: usize = 64;
/// The names of types.
const TYPES: &[&str] = &["object", "array", "string", "number", "integer", "boolean", "null"];

/// Mends a schema in place.
pub(in crate::client) fn mend(schema: &mut Map<String, Value>) {
    level(schema, MAX_DEPTH);
}

fn level(schema: &mut Map<String, Value>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    mend_type(schema);
    if let Some(Value::Array(listed)) = schema.get("properties") {
        let named = listed.iter().filter_map(|field| Some((field.get("name")?.as_str()?.to_owned(), field.clone())));
        let named: Map<String, Value> = named.collect();
        schema.insert("properties".into(), Value::Object(named));
    }
    for key in ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] {
        match schema.get_mut(key) {
            Some(Value::Object(fields)) => fields.values_mut().for_each(|field| inner(field, depth)),
            Some(_) => drop(schema.remove(key)),
            None => {}
        }
    }
    for key in ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"] {
        match schema.get_mut(key) {
            // The tuples of earlier drafts.
            Some(Value::Array(tuple)) if key == "items" => tuple.iter_mut().for_each(|item| inner(item, depth)),
            Some(Value::Null) => drop(schema.remove(key)),
            Some(other) => inner(other, depth),
            None => {}
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        match schema.get_mut(key) {
            Some(Value::Array(choices)) if !choices.is_empty() => {
                choices.iter_mut().for_each(|choice| inner(choice, depth));
            }
            Some(_) => drop(schema.remove(key)),
            None => {}
        }
    }
    match schema.get_mut("required") {
        Some(Value::Array(names)) => {
            names.retain(Value::is_string);
            let mut seen = Vec::new();
            names.retain(|name| {
                !seen.contains(name) && {
                    seen.push(name.clone());
                    true
                }
            });
        }
        Some(_) => drop(schema.remove("required")),
        None => {}
    }
    keep_if(schema, &["enum"], |value| value.as_array().is_some_and(|choices| !choices.is_empty()));
    keep_if(schema, &["minimum", "maximum", "multipleOf"], Value::is_number);
    keep_if(schema, &["exclusiveMinimum", "exclusiveMaximum"], |value| value.is_number() || value.is_boolean());
    let counts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
    keep_if(schema, &counts, Value::is_u64);
    let texts = ["format", "pattern", "description", "title", "$schema", "$id", "$ref", "$comment"];
    keep_if(schema, &texts, Value::is_string);
}

/// Puts what stands in the place of a schema right: a type's name is that type, and what says nothing allows all.
fn inner(schema: &mut Value, depth: usize) {
    match schema {
        Value::Object(map) => level(map, depth),
        Value::Bool(_) => {}
        Value::String(name) => {
            *schema = known(name).map_or_else(|| json!({}), |kind| json!({"type": kind}));
        }
        Value::Null | Value::Number(_) | Value::Array(_) => *schema = json!({}),
    }
}

fn keep_if(schema: &mut Map<String, Value>, keys: &[&str], fits: impl Fn(&Value) -> bool) {
    for key in keys {
        if schema.get(*key).is_some_and(|value| !fits(value)) {
            schema.remove(*key);
        }
    }
}

fn mend_type(schema: &mut Map<String, Value>) {
    let mended = match schema.get("type") {
        None => return,
        Some(Value::String(name)) => known(name).map(|kind| json!(kind)),
        Some(Value::Array(names)) => {
            let mut kinds: Vec<&str> = names.iter().filter_map(|name| known(name.as_str()?)).collect();
            kinds.dedup();
            (!kinds.is_empty()).then(|| json!(kinds))
        }
        Some(_) => None,
    };
    match mended {
        Some(kind) => schema.insert("type".into(), kind),
        None => schema.remove("type"),
    };
}

/// Returns the type that a name means; languages have names of their own for them.
fn known(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    if let Some(kind) = TYPES.iter().find(|kind| **kind == name) {
        return Some(kind);
    }
    match name.as_str() {
        "str" | "text" => Some("string"),
        "int" | "long" => Some("integer"),
        "float" | "double" | "decimal" => Some("number"),
        "bool" => Some("boolean"),
        "dict" | "map" => Some("object"),
        "list" | "tuple" | "set" => Some("array"),
        "none" => Some("null"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use aish_tools::schema::Schema;

    use super::*;

    #[test]
    fn what_is_wrong_is_put_right_and_the_rest_stays() {
        for (given, expected) in [
            (
                json!({"type": "OBJECT", "properties": {"a": "string", "b": null, "c": {"type": "str"}}}),
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}, "c": {"type": "string"}}}),
            ),
            (
                json!({"properties": [{"name": "a", "type": "int"}, 5], "required": "a"}),
                json!({"properties": {"a": {"name": "a", "type": "integer"}}}),
            ),
            (
                json!({"properties": {"a": {"type": "string", "required": true, "enum": "x", "minLength": "3"}}}),
                json!({"properties": {"a": {"type": "string"}}}),
            ),
            (
                json!({"type": ["object", "nope"], "required": ["a", 5, "a"], "anyOf": []}),
                json!({"type": ["object"], "required": ["a"]}),
            ),
            (json!({"type": "objekt", "items": null}), json!({})),
            (
                json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}}, "additionalProperties": false}),
                json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}}, "additionalProperties": false}),
            ),
        ] {
            let mut mended = given.as_object().cloned().unwrap();
            mend(&mut mended);
            assert_eq!(Value::Object(mended.clone()), expected, "{given}");
            Schema::compile(&Value::Object(mended)).unwrap();
        }
    }
}
