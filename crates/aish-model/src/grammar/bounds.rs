//! Rewrites a JSON Schema so that every value of it is finite and short.
//!
//! A small model under a grammar that has no end goes on to no end. What is accepted by the rewritten schema is
//! accepted by the original, but for what the original says in words that the converter ignores (`not`, `if`,
//! `multipleOf`, …): the executor validates all arguments anyway.

use serde_json::{Map, Value, json};

/// The limits of one grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Characters of all strings together; none for a model that knows when to stop.
    pub(crate) characters: Option<u64>,
    /// Characters of a free property's name.
    pub(crate) name: u64,
    /// Items of an array and free properties of an object.
    pub(crate) items: u64,
    /// How deep a value of any type, or a schema inside itself, may nest.
    pub(crate) depth: u32,
}

/// The shortest and the longest limit of one string, in characters.
const STRING: std::ops::RangeInclusive<u64> = 24..=240;

/// Returns whether a model of so many parameters does not know when to stop.
pub(crate) fn is_small(parameters: u64) -> bool {
    parameters < 1_000_000_000
}

impl Bounds {
    /// Returns the limits for a model of a size.
    pub(crate) fn for_parameters(parameters: u64) -> Self {
        if is_small(parameters) { Self::small() } else { Self { characters: None, items: 64, ..Self::small() } }
    }

    /// Returns the limits for a model under a thousand million parameters.
    pub(crate) fn small() -> Self {
        Self { characters: Some(1_200), name: 40, items: 8, depth: 2 }
    }

    /// Rewrites the schema of a tool's arguments, which are an object whatever it says.
    pub(crate) fn apply(self, schema: &Value) -> Value {
        let strings = u64::try_from(count_strings(schema)).unwrap_or(u64::MAX).max(1);
        let string = self.characters.map(|all| (all / strings).clamp(*STRING.start(), *STRING.end()));
        let rewrite = Rewrite { bounds: self, root: schema, string };
        objects_of(rewrite.visit(schema, self.depth)).unwrap_or_else(|| rewrite.free_object(&Value::Null, self.depth))
    }
}

/// Keeps what of a rewritten schema is an object; none when nothing is.
fn objects_of(schema: Value) -> Option<Value> {
    if schema.get("properties").is_some() {
        return Some(schema);
    }
    let choices = schema.get("anyOf")?.as_array()?.iter().cloned().filter_map(objects_of).collect::<Vec<_>>();
    (!choices.is_empty()).then(|| json!({ "anyOf": choices }))
}

fn count_strings(schema: &Value) -> usize {
    match schema {
        Value::Object(object) => {
            usize::from(object.get("type").is_some_and(|kind| kind == "string" && !object.contains_key("enum")))
                + object.values().map(count_strings).sum::<usize>()
        }
        Value::Array(list) => list.iter().map(count_strings).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

struct Rewrite<'a> {
    bounds: Bounds,
    root: &'a Value,
    string: Option<u64>,
}

impl Rewrite<'_> {
    /// Rewrites one schema; `depth` is how often it may still lead into itself or into anything.
    fn visit(&self, schema: &Value, depth: u32) -> Value {
        let Value::Object(object) = schema else { return self.any(depth) };
        if let Some(constant) = object.get("const") {
            return json!({ "const": constant });
        }
        if let Some(Value::Array(choices)) = object.get("enum")
            && !choices.is_empty()
        {
            return json!({ "enum": choices });
        }
        if let Some(Value::String(reference)) = object.get("$ref") {
            return self.reference(reference, depth);
        }
        if object.contains_key("properties") {
            return self.object(object, depth);
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = object.get(word)
                && !choices.is_empty()
            {
                let choices: Vec<Value> = choices.iter().map(|choice| self.visit(choice, depth)).collect();
                return json!({ "anyOf": choices });
            }
        }
        if let Some(Value::Array(parts)) = object.get("allOf")
            && !parts.is_empty()
        {
            return self.visit(&self.merge(object, parts), depth);
        }
        match object.get("type") {
            Some(Value::String(kind)) => self.of_type(kind, object, depth),
            Some(Value::Array(kinds)) if !kinds.is_empty() => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let choices: Vec<Value> = kinds.map(|kind| self.of_type(kind, object, depth)).collect();
                json!({ "anyOf": choices })
            }
            _ if object.contains_key("items") => self.array(object, depth),
            _ if object.contains_key("additionalProperties") => self.object(object, depth),
            _ => self.any(depth),
        }
    }

    fn of_type(&self, kind: &str, object: &Map<String, Value>, depth: u32) -> Value {
        match kind {
            "string" => self.text(object),
            "integer" => integer(object),
            "number" | "boolean" | "null" => json!({ "type": kind }),
            "array" => self.array(object, depth),
            "object" => self.object(object, depth),
            _ => self.any(depth),
        }
    }

    fn text(&self, object: &Map<String, Value>) -> Value {
        // Formats that have an end; the converter ignores the others.
        if let Some(format @ ("date" | "time" | "date-time" | "uuid")) = object.get("format").and_then(Value::as_str) {
            return json!({ "type": "string", "format": format });
        }
        let number = |word: &str| object.get(word).and_then(Value::as_u64);
        let shortest = number("minLength").unwrap_or(0);
        let longest = match (number("maxLength"), self.string) {
            (Some(given), Some(limit)) => Some(given.min(limit)),
            (given, limit) => given.or(limit),
        };
        let mut text = json!({ "type": "string" });
        if let Some(fields) = text.as_object_mut() {
            if shortest > 0 {
                fields.insert("minLength".into(), shortest.into());
            }
            if let Some(longest) = longest {
                fields.insert("maxLength".into(), longest.max(shortest).into());
            }
        }
        text
    }

    fn array(&self, object: &Map<String, Value>, depth: u32) -> Value {
        let number = |word: &str| object.get(word).and_then(Value::as_u64);
        let least = number("minItems").unwrap_or(0);
        let most = number("maxItems").unwrap_or(self.bounds.items).min(self.bounds.items).max(least);
        let items = match object.get("items") {
            Some(items @ Value::Object(_)) => self.visit(items, depth),
            _ => self.any(depth.saturating_sub(1)),
        };
        json!({ "type": "array", "items": items, "minItems": least, "maxItems": most })
    }

    fn object(&self, object: &Map<String, Value>, depth: u32) -> Value {
        let empty = Map::new();
        let given = object.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        if given.is_empty() {
            return match object.get("additionalProperties") {
                Some(Value::Bool(false)) => {
                    json!({ "type": "object", "properties": {}, "additionalProperties": false })
                }
                Some(values @ Value::Object(_)) => self.free_object(values, depth),
                _ => self.free_object(&Value::Null, depth),
            };
        }
        let mut properties: Map<String, Value> =
            given.iter().map(|(name, schema)| (name.clone(), self.visit(schema, depth))).collect();
        let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for name in required.iter().filter_map(Value::as_str) {
            // Required and nowhere described: anything.
            properties.entry(name).or_insert_with(|| self.any(0));
        }
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    }

    /// An object whose names are the model's own.
    fn free_object(&self, values: &Value, depth: u32) -> Value {
        let values = match values {
            Value::Object(_) => self.visit(values, depth.saturating_sub(1)),
            _ => self.any(depth.saturating_sub(1)),
        };
        json!({ "type": "object", "properties": {}, "additionalProperties": values })
    }

    /// A value of any type.
    fn any(&self, depth: u32) -> Value {
        let mut choices = vec![
            self.text(&Map::new()),
            json!({"type": "number"}),
            json!({"type": "boolean"}),
            json!({"type": "null"}),
        ];
        if depth > 0 {
            let inner = self.any(depth - 1);
            choices.push(json!({ "type": "array", "items": inner, "minItems": 0, "maxItems": self.bounds.items }));
            choices.push(json!({ "type": "object", "properties": {}, "additionalProperties": inner }));
        }
        json!({ "anyOf": choices })
    }

    /// Puts what a reference means in its place, until it has led into itself too often.
    fn reference(&self, reference: &str, depth: u32) -> Value {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        match (target, depth.checked_sub(1)) {
            (Some(target), Some(depth)) => self.visit(target, depth),
            _ => self.any(0),
        }
    }

    /// Makes one object schema of all parts of an `allOf`.
    fn merge(&self, whole: &Map<String, Value>, parts: &[Value]) -> Value {
        let mut merged = whole.clone();
        merged.remove("allOf");
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        for part in parts {
            let resolved = part
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| self.root.pointer(reference.strip_prefix('#')?))
                .unwrap_or(part);
            for (word, value) in resolved.as_object().into_iter().flatten() {
                match (word.as_str(), value) {
                    ("properties", Value::Object(more)) => properties.extend(more.clone()),
                    ("required", Value::Array(more)) => required.extend(more.iter().cloned()),
                    ("allOf" | "$ref", _) => {}
                    _ => {
                        merged.entry(word.clone()).or_insert_with(|| value.clone());
                    }
                }
            }
        }
        if let Some(Value::Object(own)) = whole.get("properties") {
            properties.extend(own.clone());
        }
        if let Some(Value::Array(own)) = whole.get("required") {
            required.extend(own.iter().cloned());
        }
        if !properties.is_empty() {
            merged.insert("properties".into(), Value::Object(properties));
            merged.insert("required".into(), Value::Array(required));
        }
        Value::Object(merged)
    }
}

/// Keeps the limits of an integer that are integers themselves.
fn integer(object: &Map<String, Value>) -> Value {
    let mut kept = Map::from_iter([("type".to_owned(), Value::from("integer"))]);
    for word in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if let Some(limit) = object.get(word).and_then(Value::as_i64) {
            kept.insert(word.into(), limit.into());
        }
    }
    Value::Object(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: Value, expected: Value) {
        assert_eq!(Bounds::small().apply(&schema), expected, "{schema}");
    }

    fn object(properties: Value, required: Value) -> Value {
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    }

    #[test]
    fn strings_share_a_budget() {
        let one = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        check(one, object(json!({"a": {"type": "string", "maxLength": 240}}), json!(["a"])));
        let many: Map<String, Value> = (0..100).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
        let bounded = Bounds::small().apply(&json!({"type": "object", "properties": many}));
        assert_eq!(bounded["properties"]["p7"]["maxLength"], 24);
    }

    #[test]
    fn a_shorter_limit_of_its_own_stays_and_a_longer_minimum_wins() {
        let schema = json!({"type": "object", "properties": {
            "short": {"type": "string", "maxLength": 3}, "long": {"type": "string", "minLength": 500}}});
        let expected = json!({
            "short": {"type": "string", "maxLength": 3}, "long": {"type": "string", "minLength": 500, "maxLength": 500}});
        check(schema, object(expected, json!([])));
    }

    #[test]
    fn a_large_model_is_not_bound_in_its_strings() {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let bounded = Bounds::for_parameters(7_000_000_000).apply(&schema);
        assert_eq!(bounded["properties"]["text"], json!({"type": "string"}));
    }

    #[test]
    fn references_are_resolved_and_recursion_ends() {
        let schema = json!({"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}}, "$defs": {
            "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}}});
        let bounded = Bounds::small().apply(&schema);
        let first = &bounded["properties"]["node"]["properties"]["next"];
        assert_eq!(first["type"], "object");
        assert!(first["properties"]["next"]["anyOf"].is_array(), "{bounded}");
    }

    #[test]
    fn parts_of_all_of_become_one_object() {
        let schema = json!({"allOf": [
            {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
            {"properties": {"b": {"type": "integer", "minimum": 1, "maximum": 0.5}}}]});
        check(schema, object(json!({"a": {"type": "boolean"}, "b": {"type": "integer", "minimum": 1}}), json!(["a"])));
    }

    #[test]
    fn choices_between_required_sets_keep_the_properties() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "null"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}]});
        check(schema, object(json!({"a": {"type": "null"}}), json!([])));
    }

    #[test]
    fn arguments_are_an_object_whatever_the_schema_says() {
        for schema in [json!({}), json!(true), json!({"type": "string"}), json!({"type": ["null", "object"]})] {
            let bounded = Bounds::small().apply(&schema);
            let objects = bounded["anyOf"].as_array().cloned().unwrap_or_else(|| vec![bounded]);
            assert!(!objects.is_empty() && objects.iter().all(|object| object["type"] == "object"), "{schema}");
        }
    }
}
