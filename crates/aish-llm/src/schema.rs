//! A schema for an answer, as far as the wires differ about it.

use serde_json::Value;

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
}
