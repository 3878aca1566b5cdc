//! Pages of tools, resources and prompts: one malformed item loses that item alone.

use serde_json::{Map, Value, json};

use super::keys::settle;
use super::result::{object_or_nothing, text_or_nothing};
use super::schema;

/// Puts one item into shape; none when it cannot be.
type Mend = fn(Map<String, Value>) -> Option<Map<String, Value>>;

/// Puts one page into shape.
pub(super) fn page(result: Value, key: &str, mend: Mend) -> Value {
    let (items, cursor) = found(result, key, 3);
    let items: Vec<Value> = match items {
        Some(Value::Array(items)) => items.into_iter().flat_map(flattened).collect(),
        // A map from name to definition.
        Some(Value::Object(map)) => map.into_iter().map(|(name, item)| named(name, item)).collect(),
        _ => Vec::new(),
    };
    let mended: Vec<Value> = items
        .into_iter()
        .filter_map(|item| match item {
            Value::Object(item) => mend(item).map(Value::Object),
            other => {
                tracing::debug!(%other, "an item of {key} is no object and was left out");
                None
            }
        })
        .collect();
    let mut page = json!({key: mended});
    let cursor = match cursor {
        Some(Value::String(cursor)) if !cursor.is_empty() => Some(cursor),
        Some(Value::Number(cursor)) => Some(cursor.to_string()),
        _ => None,
    };
    if let (Some(cursor), Some(page)) = (cursor, page.as_object_mut()) {
        page.insert("nextCursor".into(), json!(cursor));
    }
    page
}

/// Finds the list and the cursor: under its key, in whatever case, bare, as JSON in a text, or inside of a wrapper.
fn found(result: Value, key: &str, levels: u32) -> (Option<Value>, Option<Value>) {
    let Some(levels) = levels.checked_sub(1) else { return (None, None) };
    match result {
        Value::Object(mut result) => {
            settle(&mut result, &[key, "nextCursor"]);
            let cursor = result.remove("nextCursor");
            let list = match result.remove(key) {
                Some(Value::String(text)) => serde_json::from_str(&text).ok(),
                Some(list) => Some(list),
                None => None,
            };
            if list.is_some() {
                return (list, cursor);
            }
            let inner = ["result", "data", "response", "items"].iter().find_map(|wrapper| result.remove(*wrapper));
            let (list, inner_cursor) = inner.map_or((None, None), |inner| found(inner, key, levels));
            (list, cursor.or(inner_cursor))
        }
        Value::Array(items) => (Some(Value::Array(items)), None),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(inner) => found(inner, key, levels),
            Err(_) => (None, None),
        },
        _ => (None, None),
    }
}

/// A list in the list is its items, and null is none.
pub(super) fn flattened(item: Value) -> Vec<Value> {
    match item {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => vec![other],
    }
}

fn named(name: String, mut item: Value) -> Value {
    if let Some(map) = item.as_object_mut() {
        map.entry("name").or_insert(Value::String(name));
    }
    item
}

/// Keeps of a tool what is well formed; without a name, none is told by an empty one. A function as models are given it is a
/// tool, too.
pub(super) fn tool(item: Map<String, Value>) -> Option<Map<String, Value>> {
    let inner = ["function", "tool"].iter().find_map(|key| item.get(*key)?.as_object());
    let mut item = match inner {
        Some(inner) if !item.contains_key("name") => inner.clone(),
        _ => item,
    };
    settle(&mut item, &["name", "title", "description", "inputSchema", "outputSchema", "annotations"]);
    if item.is_empty() {
        return None;
    }
    let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
    let mut tool = Map::new();
    tool.insert("name".into(), json!(name));
    for key in ["title", "description"] {
        if let Some(text @ Value::String(_)) = item.get(key) {
            tool.insert(key.into(), text.clone());
        }
    }
    let schema = ["inputSchema", "parameters", "schema"].iter().find_map(|key| item.get(*key));
    tool.insert("inputSchema".into(), object_schema(schema));
    if let Some(schema @ Value::Object(_)) = item.get("outputSchema") {
        tool.insert("outputSchema".into(), schema.clone());
    }
    if let Some(Value::Object(given)) = item.get("annotations") {
        let mut annotations = Map::new();
        if let Some(title @ Value::String(_)) = given.get("title") {
            annotations.insert("title".into(), title.clone());
        }
        for key in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            if let Some(hint @ Value::Bool(_)) = given.get(key) {
                annotations.insert(key.into(), hint.clone());
            }
        }
        tool.insert("annotations".into(), Value::Object(annotations));
    }
    Some(tool)
}

/// A schema that is missing, null or no object takes any object; one written as text is read.
fn object_schema(given: Option<&Value>) -> Value {
    let mut schema = match given {
        Some(Value::Object(schema)) => schema.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => Map::new(),
    };
    schema::mend(&mut schema);
    // Arguments are an object, whatever the server says of them.
    let takes_object = match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    };
    if !takes_object {
        schema.insert("type".into(), json!("object"));
    }
    Value::Object(schema)
}

fn described(mut item: Map<String, Value>, address: &str) -> Option<Map<String, Value>> {
    let address = item.get(address).and_then(Value::as_str).filter(|address| !address.is_empty())?.to_owned();
    if !item.get("name").is_some_and(Value::is_string) {
        item.insert("name".into(), json!(address));
    }
    for key in ["title", "description", "mimeType"] {
        text_or_nothing(&mut item, key);
    }
    if item.get("size").is_some_and(|size| !size.is_u64()) {
        item.remove("size");
    }
    item.remove("icons");
    item.remove("annotations");
    object_or_nothing(&mut item, "_meta");
    Some(item)
}

pub(super) fn resource(item: Map<String, Value>) -> Option<Map<String, Value>> {
    described(item, "uri")
}

pub(super) fn template(item: Map<String, Value>) -> Option<Map<String, Value>> {
    described(item, "uriTemplate")
}

pub(super) fn prompt(item: Map<String, Value>) -> Option<Map<String, Value>> {
    let mut item = described(item, "name")?;
    let arguments = match item.remove("arguments") {
        Some(Value::Array(arguments)) => arguments,
        _ => Vec::new(),
    };
    let arguments: Vec<Value> = arguments
        .into_iter()
        .filter_map(|argument| {
            let Value::Object(mut argument) = argument else { return None };
            argument.get("name").filter(|name| name.is_string())?;
            for key in ["title", "description"] {
                text_or_nothing(&mut argument, key);
            }
            if argument.get("required").is_some_and(|required| !required.is_boolean()) {
                argument.remove("required");
            }
            Some(Value::Object(argument))
        })
        .collect();
    item.insert("arguments".into(), Value::Array(arguments));
    Some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(given: Value) -> rmcp::model::ListToolsResult {
        serde_json::from_value(page(given, "tools", tool)).unwrap()
    }

    #[test]
    fn one_malformed_tool_loses_itself_alone() {
        let listed = tools(json!({"tools": [
            {"name": "good", "inputSchema": {"type": "object"}}, {"description": "no name"}, null, 5, {"name": 7},
            {"name": "null", "inputSchema": null}, {"name": "none"}, {"name": "text", "inputSchema": "{\"type\":\"object\"}"},
            {"name": "array", "inputSchema": []}, {"name": "odd", "description": 5, "annotations": {"readOnlyHint": "yes"},
             "inputSchema": {"properties": null, "required": "x"}, "outputSchema": "x", "icons": 5, "_meta": 1}],
            "nextCursor": ""}));
        let names: Vec<_> = listed.tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["good", "", "", "null", "none", "text", "array", "odd"]);
        assert!(listed.tools.iter().all(|tool| tool.input_schema["type"] == "object"));
        assert_eq!(listed.next_cursor, None);
    }

    #[test]
    fn a_list_may_be_missing_a_map_or_bare() {
        assert_eq!(tools(json!({})).tools.len(), 0);
        assert_eq!(tools(json!({"tools": null, "nextCursor": null})).tools.len(), 0);
        assert_eq!(tools(json!([{"name": "a"}])).tools.len(), 1);
        assert_eq!(tools(json!({"tools": {"a": {}, "b": {"name": "c"}}})).tools.len(), 2);
        for given in [
            json!({"Tools": [{"name": "a"}]}),
            json!({"data": {"tools": [{"name": "a"}]}}),
            json!({"result": [{"Name": "a", "InputSchema": {}}]}),
            json!({"tools": [[{"name": "a"}]]}),
            json!({"tools": "[{\"name\": \"a\"}]"}),
            json!("{\"tools\": [{\"name\": \"a\"}]}"),
            json!({"tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}]}),
        ] {
            assert_eq!(tools(given.clone()).tools.len(), 1, "{given}");
        }
        assert_eq!(tools(json!({"tools": [], "nextCursor": 5})).next_cursor.as_deref(), Some("5"));
    }
}
