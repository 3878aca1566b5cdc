//! What tools, prompts and resources give back.

use serde_json::{Map, Value, json};

use super::keys::settle;
use super::listing::{self, flattened};
use super::result::{object_or_nothing, text_or_nothing};

/// The members of a tool's result.
const KNOWN: &[&str] = &["content", "structuredContent", "isError", "toolResult", "contents"];

/// Puts the result of a tool call into shape. Nothing in it is lost: an unknown block becomes text.
pub(super) fn call(result: Value) -> Value {
    let mut result = match wrapped(result) {
        Value::Object(result) => result,
        Value::Null => Map::new(),
        other => Map::from_iter([("content".to_owned(), other)]),
    };
    if let Some("input_required" | "task") = result.get("resultType").and_then(Value::as_str) {
        return Value::Object(result);
    }
    result.remove("resultType");
    let content = match ["content", "toolResult", "contents"].iter().find_map(|key| result.remove(*key)) {
        Some(content) => blocks(content),
        // A bare object in the place of a result is the result.
        None if !result.is_empty() && !KNOWN.iter().any(|key| result.contains_key(*key)) => {
            let bare = Value::Object(result.clone());
            vec![if result.keys().all(|key| key == "text" || key == "type") {
                block(bare)
            } else {
                text(bare.to_string())
            }]
        }
        None => Vec::new(),
    };
    let is_error = match result.get("isError") {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(flag)) => flag.eq_ignore_ascii_case("true"),
        Some(Value::Number(flag)) => flag.as_i64() != Some(0),
        _ => false,
    };
    let mut mended = json!({"content": content, "isError": is_error});
    let structured = result.remove("structuredContent").filter(|structured| !structured.is_null());
    if let (Some(mended), Some(structured)) = (mended.as_object_mut(), structured) {
        mended.insert("structuredContent".into(), structured);
    }
    mended
}

/// Finds the result: under its own name for its members, as JSON in a text, or inside of another.
fn wrapped(result: Value) -> Value {
    match result {
        Value::Object(mut map) => {
            settle(&mut map, KNOWN);
            let inner = ["result", "data", "response"].iter().find_map(|key| map.get(*key));
            let inner = inner.filter(|inner| inner.get("content").is_some_and(Value::is_array));
            match inner {
                Some(inner) if !KNOWN.iter().any(|key| map.contains_key(*key)) => inner.clone(),
                Some(_) | None => Value::Object(map),
            }
        }
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(inner) if inner.get("content").is_some_and(Value::is_array) => inner,
            Ok(_) | Err(_) => Value::String(text),
        },
        other => other,
    }
}

fn text(text: impl Into<String>) -> Value {
    json!({"type": "text", "text": text.into()})
}

fn blocks(content: Value) -> Vec<Value> {
    match content {
        Value::Null => Vec::new(),
        Value::Array(items) => items.into_iter().flat_map(flattened).map(block).collect(),
        other => vec![block(other)],
    }
}

fn block(item: Value) -> Value {
    let mut map = match item {
        Value::Object(map) => map,
        Value::String(plain) => return text(plain),
        other => return text(other.to_string()),
    };
    settle(&mut map, &["type", "text", "data", "mimeType", "uri", "name", "resource"]);
    map.remove("annotations");
    object_or_nothing(&mut map, "_meta");
    let has_text = |map: &Map<String, Value>, key: &str| map.get(key).is_some_and(Value::is_string);
    match map.get("type").and_then(Value::as_str) {
        Some("text") | None if has_text(&map, "text") => {
            map.insert("type".into(), json!("text"));
            Value::Object(map)
        }
        Some(kind @ ("image" | "audio")) if has_text(&map, "data") => {
            let default = if kind == "image" { "image/png" } else { "audio/wav" };
            if !has_text(&map, "mimeType") {
                map.insert("mimeType".into(), json!(default));
            }
            Value::Object(map)
        }
        Some("resource") if map.get("resource").is_some_and(Value::is_object) => {
            match contents(map.get("resource").cloned().unwrap_or_default()) {
                Some(resource) => json!({"type": "resource", "resource": resource}),
                None => text(Value::Object(map).to_string()),
            }
        }
        Some("resource_link") => match listing::resource(map.clone()) {
            Some(link) => Value::Object(link),
            None => text(Value::Object(map).to_string()),
        },
        // Another word for a text, or the text under another key: `{"type": "json", "json": …}`.
        Some(kind) if kind == "text" || has_text(&map, "text") || map.len() == 2 => {
            match [kind, "text", "content", "value", "data"].iter().find_map(|key| map.get(*key)) {
                Some(Value::String(plain)) => text(plain.clone()),
                Some(Value::Null) => text(""),
                Some(other) => text(other.to_string()),
                None => text(Value::Object(map).to_string()),
            }
        }
        Some(_) | None => text(Value::Object(map).to_string()),
    }
}

fn contents(item: Value) -> Option<Value> {
    let Value::Object(mut map) = item else { return None };
    if !map.get("uri").is_some_and(Value::is_string) {
        map.insert("uri".into(), json!(""));
    }
    text_or_nothing(&mut map, "mimeType");
    object_or_nothing(&mut map, "_meta");
    let usable = ["text", "blob"].iter().any(|key| map.get(*key).is_some_and(Value::is_string));
    usable.then_some(Value::Object(map))
}

pub(super) fn prompt(result: Value) -> Value {
    let Value::Object(mut result) = result else { return json!({"messages": []}) };
    if let Some("input_required") = result.get("resultType").and_then(Value::as_str) {
        return Value::Object(result);
    }
    let messages = match result.remove("messages") {
        Some(Value::Array(messages)) => messages,
        _ => Vec::new(),
    };
    let messages: Vec<Value> = messages
        .into_iter()
        .filter_map(|message| {
            let Value::Object(mut message) = message else { return None };
            let role = match message.get("role").and_then(Value::as_str) {
                Some("assistant") => "assistant",
                _ => "user",
            };
            let content = match message.remove("content")? {
                Value::Array(mut items) => block(items.drain(..).next()?),
                other => block(other),
            };
            Some(json!({"role": role, "content": content}))
        })
        .collect();
    text_or_nothing(&mut result, "description");
    let mut mended = json!({"messages": messages});
    if let (Some(mended), Some(description)) = (mended.as_object_mut(), result.remove("description")) {
        mended.insert("description".into(), description);
    }
    mended
}

pub(super) fn resource(result: Value) -> Value {
    let Value::Object(mut result) = result else { return json!({"contents": []}) };
    if let Some("input_required") = result.get("resultType").and_then(Value::as_str) {
        return Value::Object(result);
    }
    let items = match result.remove("contents") {
        Some(Value::Array(items)) => items,
        Some(one @ Value::Object(_)) => vec![one],
        _ => Vec::new(),
    };
    json!({"contents": items.into_iter().filter_map(contents).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(given: Value) -> (Vec<String>, bool) {
        let result: rmcp::model::CallToolResult = serde_json::from_value(call(given)).unwrap();
        let texts = result.content.iter().filter_map(|block| Some(block.as_text()?.text.clone())).collect();
        (texts, result.is_error == Some(true))
    }

    #[test]
    fn nothing_of_a_result_is_lost() {
        for (given, expected, is_error) in [
            (json!({"content": [{"type": "text", "text": "a"}]}), vec!["a"], false),
            (json!({"content": "plain"}), vec!["plain"], false),
            (json!({"content": {"type": "text", "text": "one"}, "isError": "true"}), vec!["one"], true),
            (json!({"content": ["a", 5, {"text": "b"}], "isError": 1}), vec!["a", "5", "b"], true),
            (json!({"content": [{"type": "text", "text": 5}]}), vec!["5"], false),
            (json!({"content": [{"type": "chart", "x": 1}]}), vec!["{\"type\":\"chart\",\"x\":1}"], false),
            (json!("bare"), vec!["bare"], false),
            (json!(null), vec![], false),
            (json!({}), vec![], false),
            (json!({"toolResult": "old"}), vec!["old"], false),
            (json!({"Content": [{"Type": "text", "Text": "a"}], "IsError": true}), vec!["a"], true),
            (json!({"contents": [[{"type": "text", "text": "a"}], null]}), vec!["a"], false),
            (
                json!({"content": [{"type": "json", "json": {"n": 1}}, {"type": "error", "text": "b"}]}),
                vec!["{\"n\":1}", "b"],
                false,
            ),
            (json!({"result": {"content": [{"type": "text", "text": "a"}]}}), vec!["a"], false),
            (json!("{\"content\": [\"a\"]}"), vec!["a"], false),
            (json!("{\"answer\": 42}"), vec!["{\"answer\": 42}"], false),
            (json!({"text": "a"}), vec!["a"], false),
            (json!({"answer": 42}), vec!["{\"answer\":42}"], false),
            (json!({"content": null, "isError": null}), vec![], false),
        ] {
            assert_eq!(texts(given.clone()), (expected.into_iter().map(str::to_owned).collect(), is_error), "{given}");
        }
    }

    #[test]
    fn other_blocks_keep_their_kind() {
        let given = json!({"content": [{"type": "image", "data": "aGk="}, {"type": "audio", "data": "aGk=", "mimeType": 5},
            {"type": "resource", "resource": {"text": "t"}}, {"type": "resource_link", "uri": "a:b", "size": "big"}]});
        let result: rmcp::model::CallToolResult = serde_json::from_value(call(given)).unwrap();
        assert!(result.content[0].as_image().is_some_and(|image| image.mime_type == "image/png"));
        assert!(result.content[1].as_audio().is_some());
        assert!(result.content[2].as_resource().is_some());
        assert!(result.content[3].as_resource_link().is_some());
    }
}
