//! Schemas, as far as the wires differ about them: of an answer, and of a tool's arguments.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// What combines schemas. At the top of a tool's schema OpenAI and Anthropic refuse it, and the whole request with it.
const COMBINATORS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Returns a tool's schema as the vendors take it: an object that says so and has properties, combined of nothing at its top.
///
/// The properties of what it was combined of are there all the same; which of them go together is left to the tool.
pub(crate) fn parameters(schema: &Value) -> Cow<'_, Value> {
    let is_taken = schema.get("type").and_then(Value::as_str) == Some("object")
        && schema.get("properties").is_some_and(Value::is_object)
        && COMBINATORS.iter().all(|key| schema.get(*key).is_none());
    if is_taken {
        return Cow::Borrowed(schema);
    }
    let mut fields = schema.as_object().cloned().unwrap_or_default();
    let mut properties = match fields.remove("properties") {
        Some(Value::Object(properties)) => properties,
        Some(_) | None => Map::new(),
    };
    for key in COMBINATORS {
        let Some(Value::Array(parts)) = fields.remove(key) else { continue };
        for (name, property) in parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten() {
            properties.entry(name.as_str()).or_insert_with(|| property.clone());
        }
        // Of several that all hold, each one's demands hold.
        let demanded = parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten();
        for name in demanded.filter(|_| key == "allOf") {
            if let Value::Array(required) = fields.entry("required").or_insert_with(|| json!([]))
                && !required.contains(name)
            {
                required.push(name.clone());
            }
        }
    }
    fields.insert("type".into(), "object".into());
    fields.insert("properties".into(), Value::Object(properties));
    Cow::Owned(Value::Object(fields))
}

/// Returns whether a server that holds a model strictly to a schema takes this one: an object, and every object in it names all
/// its properties as required and lets no others in
/// (<https://platform.openai.com/docs/guides/structured-outputs>, "Supported schemas").
pub(crate) fn is_strict(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object") && objects_are_closed(schema)
}

fn objects_are_closed(schema: &Value) -> bool {
    let is_closed = match schema.get("properties").and_then(Value::as_object) {
        Some(properties) => {
            let required = schema.get("required").and_then(Value::as_array);
            let names: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
            schema.get("additionalProperties") == Some(&Value::Bool(false))
                && properties.keys().all(|name| names.contains(&name.as_str()))
        }
        None => schema.get("type").and_then(Value::as_str) != Some("object"),
    };
    is_closed
        && match schema {
            Value::Object(fields) => fields.values().all(objects_are_closed),
            Value::Array(items) => items.iter().all(objects_are_closed),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
}

/// Returns whether a refusal, in lower case, is about the schema of the answer and not about a tool's.
pub(crate) fn is_refusal(text: &str) -> bool {
    let words = [
        "response_format",
        "json_schema",
        "output_config.format",
        "output_format",
        "text.format",
        "structured output",
        "json mode",
        "json schema",
        "grammar",
    ];
    words.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_strict_where_all_its_objects_are_closed_and_whole() {
        let inner = |closed: bool, required: &[&str]| {
            json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {"a": {
                "type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}},
                "required": required, "additionalProperties": !closed}}}})
        };
        assert!(is_strict(&inner(true, &["b"])));
        assert!(!is_strict(&inner(false, &["b"])) && !is_strict(&inner(true, &[])));
        for open in [json!({"type": "object"}), json!({"type": "array", "items": {"type": "string"}}), json!(true)] {
            assert!(!is_strict(&open), "{open}");
        }
    }

    #[test]
    fn a_tools_schema_is_an_object_with_properties_whatever_its_server_says() {
        let text = json!({"type": "string"});
        let plain = json!({"type": "object", "properties": {"a": text}, "required": ["a"]});
        assert!(matches!(parameters(&plain), Cow::Borrowed(same) if *same == plain));
        let empty = json!({"type": "object", "properties": {}});
        for bare in [json!({}), json!(true), json!(null), json!({"type": "object"}), json!({"properties": null})] {
            assert_eq!(*parameters(&bare), empty, "{bare}");
        }
        let either = json!({"type": "object", "properties": {"a": text}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
                            "oneOf": [{"properties": {"a": {}, "b": text}, "required": ["b"]}]});
        assert_eq!(*parameters(&either), json!({"type": "object", "properties": {"a": text, "b": text}}));
        let all = json!({"allOf": [plain, {"properties": {"b": text}, "required": ["b", "a"]}], "additionalProperties": false});
        let expected = json!({"type": "object", "properties": {"a": text, "b": text}, "required": ["a", "b"],
                              "additionalProperties": false});
        assert_eq!(*parameters(&all), expected);
    }
}
