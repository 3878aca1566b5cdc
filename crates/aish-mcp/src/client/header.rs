//! Arguments that a tool wants mirrored into headers (`x-mcp-header`, SEP-2243): a tool that asks for what cannot be
//! sent is refused.

use std::collections::BTreeSet;

use serde_json::Value;

/// Says what is wrong with the headers that a schema asks for.
pub(super) fn fault(schema: &Value) -> Option<&'static str> {
    let mut seen = BTreeSet::new();
    visit(schema, Place::Property, &mut seen)
}

/// Where a schema stands: only properties that are reached through properties alone can be mirrored.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Property,
    Elsewhere,
}

fn visit(schema: &Value, place: Place, seen: &mut BTreeSet<String>) -> Option<&'static str> {
    let Value::Object(map) = schema else {
        return schema.as_array()?.iter().find_map(|item| visit(item, Place::Elsewhere, seen));
    };
    if let Some(name) = map.get("x-mcp-header") {
        if place == Place::Elsewhere {
            return Some("it asks for a header where none can be");
        }
        let kind = map.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            return Some("it asks for a header of an argument that is not a text, integer or boolean");
        }
        let Some(name) = name.as_str().filter(|name| !name.is_empty() && name.bytes().all(is_token)) else {
            return Some("it asks for a header whose name is not valid");
        };
        if !seen.insert(name.to_ascii_lowercase()) {
            return Some("it asks for the same header twice");
        }
    }
    map.iter().find_map(|(key, value)| match (key.as_str(), value) {
        ("properties", Value::Object(properties)) => {
            properties.values().find_map(|property| visit(property, place, seen))
        }
        ("x-mcp-header" | "default" | "const" | "enum" | "examples", _) => None,
        _ => visit(value, Place::Elsewhere, seen),
    })
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_headers_that_can_be_sent_are_taken() {
        let of = |property: Value| json!({"type": "object", "properties": {"a": property}});
        for good in [
            json!({"type": "string", "x-mcp-header": "Region"}),
            json!({"type": "object", "properties": {"b": {"type": "integer", "x-mcp-header": "B"}}}),
            json!({"type": "string", "default": {"x-mcp-header": ""}}),
        ] {
            assert_eq!(fault(&of(good.clone())), None, "{good}");
        }
        for bad in [
            json!({"type": "string", "x-mcp-header": ""}),
            json!({"type": "string", "x-mcp-header": "a b"}),
            json!({"type": "string", "x-mcp-header": "a:b"}),
            json!({"type": "string", "x-mcp-header": "ä"}),
            json!({"type": "string", "x-mcp-header": 5}),
            json!({"type": "object", "x-mcp-header": "A"}),
            json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}),
            json!({"anyOf": [{"type": "string", "x-mcp-header": "A"}]}),
        ] {
            assert!(fault(&of(bad.clone())).is_some(), "{bad}");
        }
        let twice = json!({"properties": {"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}}});
        assert!(fault(&twice).is_some());
    }
}
