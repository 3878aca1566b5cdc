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
        entry.entry("args").or_insert_with(|| Value::Array(words.collect()));
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
    let number =
        |key: &str| entry.get(key).and_then(Value::as_f64).filter(|number| number.is_finite() && *number > 0.0);
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

/// Names of tools that the entry takes alone, and of those that it leaves out.
pub(super) fn filters(entry: &Map<String, Value>) -> (Vec<String>, Vec<String>) {
    let names = |keys: [&str; 2]| {
        let listed = keys.iter().find_map(|key| entry.get(*key)?.as_array());
        listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    (names(["enabled_tools", "includeTools"]), names(["disabled_tools", "excludeTools"]))
}

/// Writes `{env:X}` as `${env:X}`.
fn with_variables(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains("{env:") => {
            let marked = text.replace("${env:", "\u{0}").replace("{env:", "${env:");
            Value::String(marked.replace('\u{0}', "${env:"))
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
