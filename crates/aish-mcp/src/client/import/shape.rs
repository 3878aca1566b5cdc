//! Entries of Codex, Gemini and opencode, put into the shape of the others (`command`, `args`, `env`, `url`, `headers`).

use serde_json::{Map, Value, json};

/// Seconds in milliseconds, as far as they make sense.
const MS: f64 = 1000.0;

/// Puts an entry into the common shape; keys that no program of the field knows stay as they are.
pub(super) fn common(entry: &Map<String, Value>) -> Map<String, Value> {
    let mut entry: Map<String, Value> =
        entry.iter().map(|(key, value)| (key.clone(), with_variables(value.clone()))).collect();
    // opencode: `command` is a list, `environment` the variables, `{env:X}` a variable.
    if let Some(Value::Array(words)) = entry.get("command").cloned() {
        let mut words = words.into_iter();
        entry.insert("command".into(), words.next().unwrap_or_default());
        let mut args: Vec<Value> = words.collect();
        match entry.remove("args") {
            Some(Value::Array(more)) => args.extend(more),
            Some(Value::Null) | None => {}
            Some(other) => args.push(other),
        }
        entry.insert("args".into(), Value::Array(args));
    }
    if let Some(variables) = entry.remove("environment") {
        entry.entry("env").or_insert(variables);
    }
    // Codex: names of variables in the places of values.
    let forwarded = entry.remove("env_vars");
    for name in forwarded.as_ref().and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = name.as_str().or_else(|| name.get("name")?.as_str()) {
            put(&mut entry, "env", name, format!("${{{name}:-}}"));
        }
    }
    if let Some(Value::Object(headers)) = entry.remove("http_headers") {
        for (name, value) in headers {
            put(&mut entry, "headers", &name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    if let Some(Value::Object(headers)) = entry.remove("env_http_headers") {
        for (name, variable) in headers {
            if let Some(variable) = variable.as_str() {
                put(&mut entry, "headers", &name, format!("${{{variable}}}"));
            }
        }
    }
    if let Some(Value::String(variable)) = entry.remove("bearer_token_env_var") {
        put(&mut entry, "headers", "Authorization", format!("Bearer ${{{variable}}}"));
    }
    entry
}

/// Milliseconds that a server may take to start, and a call of it, where the entry says so.
pub(super) fn limits(entry: &Map<String, Value>) -> (Option<u64>, Option<u64>) {
    let number = |key: &str| entry.get(key).and_then(number).filter(|number| number.is_finite() && *number > 0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float to integer cast saturates")]
    let whole = |number: f64| number.round() as u64;
    let start = number("startup_timeout_ms").or_else(|| number("startup_timeout_sec").map(|seconds| seconds * MS));
    let call = number("tool_timeout_sec").map(|seconds| seconds * MS);
    // What `timeout` bounds depends on whose entry it is: opencode's is for the start.
    let is_opencode = matches!(entry.get("type").and_then(Value::as_str), Some("local" | "remote"));
    let (start, call) = match number("timeout") {
        Some(timeout) if is_opencode => (start.or(Some(timeout)), call),
        Some(timeout) => (start, call.or(Some(timeout))),
        None => (start, call),
    };
    (start.map(whole), call.map(whole))
}

/// What keys have to hold, where they are there.
const LISTS: [&str; 5] = ["args", "enabled_tools", "includeTools", "disabled_tools", "excludeTools"];
const OBJECTS: [&str; 2] = ["env", "headers"];
const FLAGS: [&str; 2] = ["disabled", "enabled"];
const NUMBERS: [&str; 4] = ["timeout", "startup_timeout_ms", "startup_timeout_sec", "tool_timeout_sec"];

/// Returns a key whose value is of another kind than it has to be, with its kind and that one: a server that is started with a
/// part of what was written is not the one that was meant.
pub(super) fn misfit(entry: &Map<String, Value>) -> Option<(&'static str, &'static str, &'static str)> {
    let wrong = |keys: &[&'static str], wanted: &'static str, fits: fn(&Value) -> bool| {
        let given = keys.iter().filter_map(|key| Some((*key, entry.get(*key)?)));
        let mut wrong = given.filter(|(_, value)| !value.is_null() && !fits(value));
        wrong.next().map(|(key, value)| (key, kind(value), wanted))
    };
    wrong(&LISTS, "a list", Value::is_array)
        .or_else(|| wrong(&OBJECTS, "an object", Value::is_object))
        .or_else(|| wrong(&["cwd"], "a text", Value::is_string))
        .or_else(|| wrong(&FLAGS, "true or false", |value| flag(value).is_some()))
        .or_else(|| wrong(&NUMBERS, "a number", |value| number(value).is_some()))
}

/// Names the kind of a value.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Reads a flag, also as a text or a number.
pub(super) fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            _ => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Names of tools that the entry takes alone, and of those that it leaves out.
pub(super) fn filters(entry: &Map<String, Value>) -> (Vec<String>, Vec<String>) {
    let names = |keys: [&str; 2]| {
        let listed = keys.iter().find_map(|key| entry.get(*key)?.as_array());
        listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    (names(["enabled_tools", "includeTools"]), names(["disabled_tools", "excludeTools"]))
}

/// Writes `{env:X}` as `${env:X}`, and fills in what editors name of every machine.
fn with_variables(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains('{') => {
            let marked = text.replace("${env:", "\u{0}").replace("{env:", "${env:").replace('\u{0}', "${env:");
            let filled = marked.replace("${userHome}", "${env:HOME}").replace("${pathSeparator}", "/");
            Value::String(filled.replace("${/}", "/"))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_variables).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(key, item)| (key, with_variables(item))).collect()),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

/// Adds to a map below a key; what is there stays.
fn put(entry: &mut Map<String, Value>, key: &str, name: &str, value: String) {
    let map = entry.entry(key).or_insert_with(|| json!({}));
    if let Value::Object(map) = map {
        map.entry(name).or_insert(Value::String(value));
    }
}

#[cfg(test)]
mod tests {
    use crate::client::import::{WrittenEndpoint, import};

    #[test]
    fn what_is_written_in_another_form_leaves_its_server_out() {
        for (key, value, expected) in [
            ("args", "\"-m x\"", "its `args` is a text, and must be a list"),
            ("env", "[\"A=1\"]", "its `env` is a list, and must be an object"),
            ("headers", "\"A: b\"", "its `headers` is a text, and must be an object"),
            ("cwd", "5", "its `cwd` is a number, and must be a text"),
            ("disabled", "\"maybe\"", "its `disabled` is a text, and must be true or false"),
            ("enabled_tools", "\"read\"", "its `enabled_tools` is a text, and must be a list"),
            ("timeout", "\"soon\"", "its `timeout` is a text, and must be a number"),
        ] {
            let text = format!(r#"{{"mcpServers": {{"a": {{"command": "x", "{key}": {value}}}}}}}"#);
            let (servers, faults) = import(&text).unwrap();
            assert_eq!((servers.len(), faults), (0, vec![format!("a: {expected}")]), "{text}");
        }
        let text = r#"{"mcpServers": {"a": {"command": ["x", "y"], "args": ["z"], "disabled": "True", "timeout": "5", "env": null}}}"#;
        let (servers, faults) = import(text).unwrap();
        assert_eq!((faults, servers[0].disabled, servers[0].call_ms), (Vec::new(), true, Some(5)));
        assert!(matches!(&servers[0].endpoint, WrittenEndpoint::Stdio { command, args, .. }
            if command == "x" && args == &["y", "z"]));
    }

    #[test]
    fn what_editors_fill_in_is_filled_in_or_told() {
        let text = r#"{"servers": {"a": {"command": "${userHome}/bin/x", "args": ["a${/}b", "${workspaceFolder}"]}}}"#;
        let (servers, _) = import(text).unwrap();
        assert!(matches!(&servers[0].endpoint, WrittenEndpoint::Stdio { command, args, .. }
            if command == "${env:HOME}/bin/x" && args[0] == "a/b"));
        assert!(
            matches!(&servers[0].notes[..], [note] if note.contains("folder of an editor")),
            "{:?}",
            servers[0].notes
        );
    }
}
