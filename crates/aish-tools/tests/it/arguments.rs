//! Parsing, coercion, defaults and the messages of validation.

use aish_tools::schema::{Schema, parse};
use serde_json::{Value, json};

fn check(schema: &Value, text: &str) -> Result<(Value, Vec<String>), String> {
    let schema = Schema::compile(schema).map_err(|error| error.to_string())?;
    let arguments = parse(text).map_err(|faults| faults.to_string())?;
    schema.check(arguments).map(|checked| (checked.arguments, checked.ignored)).map_err(|faults| faults.to_string())
}

fn all() -> Value {
    json!({"type": "object", "required": ["n"], "properties": {
        "n": {"type": "integer"},
        "x": {"type": "number"},
        "b": {"type": "boolean"},
        "s": {"type": "string"},
        "a": {"type": "array", "items": {"type": "integer"}},
        "l": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "o": {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]},
        "format": {"type": "string", "enum": ["json", "text", "csv"], "default": "json"},
        "level": {"type": "integer", "enum": [1, 2]},
    }})
}

#[test]
fn what_loses_nothing_is_coerced() {
    for (text, expected) in [
        (r#"{"n": "42"}"#, json!({"n": 42})),
        (r#"{"n": " -7 "}"#, json!({"n": -7})),
        (r#"{"n": 3.0}"#, json!({"n": 3})),
        (r#"{"n": 1, "x": "2.5"}"#, json!({"n": 1, "x": 2.5})),
        (r#"{"n": 1, "b": "true"}"#, json!({"n": 1, "b": true})),
        (r#"{"n": 1, "b": 0}"#, json!({"n": 1, "b": false})),
        (r#"{"n": 1, "s": 12}"#, json!({"n": 1, "s": "12"})),
        (r#"{"n": 1, "s": ""}"#, json!({"n": 1, "s": ""})),
        (r#"{"n": 1, "a": "[1, 2]"}"#, json!({"n": 1, "a": [1, 2]})),
        (r#"{"n": 1, "a": ["1", 2]}"#, json!({"n": 1, "a": [1, 2]})),
        (r#"{"n": 1, "a": 5}"#, json!({"n": 1, "a": [5]})),
        (r#"{"n": 1, "a": "5"}"#, json!({"n": 1, "a": [5]})),
        (r#"{"n": 1, "a": [3.0]}"#, json!({"n": 1, "a": [3]})),
        (r#"{"n": 1, "l": "x.rs"}"#, json!({"n": 1, "l": ["x.rs"]})),
        (r#"{"n": 1, "l": "[id].tsx"}"#, json!({"n": 1, "l": ["[id].tsx"]})),
        (r#"{"n": 1, "l": "[\"a\", \"b\"]"}"#, json!({"n": 1, "l": ["a", "b"]})),
        (r#"{"n": 1, "l": [1, true]}"#, json!({"n": 1, "l": ["1", "true"]})),
        (r#"{"n": 1, "o": "{\"k\": \"5\"}"}"#, json!({"n": 1, "o": {"k": 5}})),
        (r#"{"n": 1, "level": "2"}"#, json!({"n": 1, "level": 2})),
        (r#"{"n": 1, "s": null, "x": null}"#, json!({"n": 1})),
        (r#""{\"n\": 1}""#, json!({"n": 1})),
    ] {
        let (mut arguments, ignored) = check(&all(), text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(arguments.as_object_mut().unwrap().remove("format"), Some(json!("json")), "{text}");
        assert_eq!(arguments, expected, "{text}");
        assert!(ignored.is_empty());
    }
}

#[test]
fn every_fault_is_named_at_once() {
    for (text, expected) in [
        ("{}", vec!["Missing required argument 'n'"]),
        ("", vec!["Missing required argument 'n'"]),
        (r#"{"n": null}"#, vec!["Missing required argument 'n'"]),
        (r#"{"n": "zz"}"#, vec!["Argument 'n': cannot convert 'zz' to integer"]),
        (r#"{"n": ""}"#, vec!["Argument 'n': cannot convert '' to integer"]),
        (r#"{"n": 3.7}"#, vec!["Argument 'n': cannot convert '3.7' to integer"]),
        (r#"{"n": true}"#, vec!["Argument 'n': cannot convert 'true' to integer"]),
        (r#"{"n": 1, "format": "xml"}"#, vec!["Argument 'format' must be one of: json, text, csv"]),
        (r#"{"n": 1, "x": "nan"}"#, vec!["Argument 'x': cannot convert 'nan' to number"]),
        (r#"{"n": 1, "x": "inf"}"#, vec!["Argument 'x': cannot convert 'inf' to number"]),
        (r#"{"n": 1, "b": "maybe"}"#, vec!["Argument 'b': cannot convert 'maybe' to boolean"]),
        (r#"{"n": 1, "a": ["x"]}"#, vec!["Argument 'a[0]': cannot convert 'x' to integer"]),
        (
            r#"{"n": 1, "l": "['a', 'b']"}"#,
            vec![r#"Argument 'l': cannot convert '['a', 'b']' to array; give a list, as in ["a", "b"]"#],
        ),
        (
            r#"{"n": 1, "l": {"k": 1}}"#,
            vec![r#"Argument 'l': cannot convert '{"k":1}' to array; give a list, as in ["a", "b"]"#],
        ),
        (r#"{"n": 1, "l": [["a"]]}"#, vec![r#"Argument 'l[0]': cannot convert '["a"]' to string"#]),
        (r#"{"n": 1, "l": [null]}"#, vec!["Argument 'l[0]': cannot convert 'null' to string"]),
        (r#"{"n": 1, "l": []}"#, vec!["Argument 'l' is a list of 0, and at least 1 must be given"]),
        (r#"{"n": 1, "l": ["a", "b", "c", "d"]}"#, vec!["Argument 'l' is a list of 4, and at most 3 can be given"]),
        (r#"{"n": 1, "o": {}}"#, vec!["Missing required argument 'o.k'"]),
        (
            r#"{"format": "xml", "x": "q", "b": []}"#,
            vec![
                "Missing required argument 'n'",
                "Argument 'b': cannot convert '[]' to boolean",
                "Argument 'format' must be one of: json, text, csv",
                "Argument 'x': cannot convert 'q' to number",
            ],
        ),
    ] {
        let mut faults: Vec<String> = check(&all(), text).unwrap_err().lines().map(String::from).collect();
        faults.get_mut(1..).unwrap_or_default().sort();
        assert_eq!(faults, expected, "{text}");
    }
}

#[test]
fn a_partial_parse_is_never_run() {
    for text in [r#"{"n": 1"#, r#"{"n": 1} x"#, "[1]", "1", "true", r#""hello""#, r#""{\"n\":""#, "{'n': 1}"] {
        let why = check(&all(), text).unwrap_err();
        assert!(why.starts_with("Invalid arguments: "), "{text}: {why}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(check(&all(), &format!(r#"{{"n": {deep}}}"#)).is_err());
}

#[test]
fn keys_that_are_not_known_are_named_and_left_out() {
    let (arguments, ignored) = check(&all(), r#"{"n": 1, "aa": {"b": 1}, "zz": 2}"#).unwrap();
    assert_eq!(arguments, json!({"n": 1, "format": "json"}));
    assert_eq!(ignored, ["aa", "zz"]);
    let open = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "integer"}});
    assert_eq!(check(&open, r#"{"z": "3"}"#).unwrap(), (json!({"z": 3}), vec![]));
    assert_eq!(check(&json!({"type": "object"}), r#"{"z": 3}"#).unwrap().0, json!({"z": 3}));
    let closed = json!({"type": "object", "additionalProperties": false});
    assert_eq!(check(&closed, r#"{"z": 3}"#).unwrap(), (json!({}), vec!["z".to_owned()]));
}

#[test]
fn schemas_from_outside_are_coerced_by_where_they_fail() {
    let schema = json!({"type": "object", "$defs": {"page": {"type": "integer", "minimum": 1}}, "properties": {
        "page": {"$ref": "#/$defs/page"},
        "id": {"type": ["integer", "null"]},
        "any": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "list": {"type": "array", "items": {"type": "object", "properties": {"on": {"type": "boolean"}}}},
        "one_or_many": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "integer"}]},
        "name": {"type": "string", "minLength": 3, "pattern": "^[a-z]+$"},
    }});
    for (text, expected) in [
        (r#"{"page": "2"}"#, json!({"page": 2})),
        (r#"{"id": "5"}"#, json!({"id": 5})),
        (r#"{"id": null}"#, json!({"id": null})),
        (r#"{"any": "7"}"#, json!({"any": 7})),
        (r#"{"any": null}"#, json!({"any": null})),
        (r#"{"list": [{"on": "yes"}, {"on": false}]}"#, json!({"list": [{"on": true}, {"on": false}]})),
        (r#"{"one_or_many": "7"}"#, json!({"one_or_many": 7})),
    ] {
        assert_eq!(check(&schema, text).unwrap().0, expected, "{text}");
    }
    let why = check(&schema, r#"{"page": "0", "name": "AB"}"#).unwrap_err();
    assert_eq!(why.lines().count(), 3, "{why}");
    assert!(why.contains("Argument 'page': 0 is less than the minimum of 1"), "{why}");
}

#[test]
fn a_default_that_does_not_hold_is_left_out() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "default": "many"}}});
    assert_eq!(check(&schema, "{}").unwrap().0, json!({}));
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "default": 3}}, "required": ["n"]});
    assert_eq!(check(&schema, "{}").unwrap().0, json!({"n": 3}));
}
