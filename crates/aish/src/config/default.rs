//! The defaults of the keys, as values and as TOML.

use serde_json::{Map, Value};

use super::key::Key;
use super::model::Model;
use super::section::{Config, LegacyPlugin, McpServer};

/// Returns the default of a key; none where nothing holds until it is set.
pub fn default_of(key: &Key) -> Option<Value> {
    let (section, name) = key.parts();
    let defaults = match section {
        "models.*" => serde_json::to_value(Model::default()),
        "mcp.servers.*" => serde_json::to_value(McpServer::default()),
        "nats.legacy.*" => serde_json::to_value(LegacyPlugin::default()),
        section => serde_json::to_value(Config::default())
            .map(|mut config| config.get_mut(section).map(Value::take).unwrap_or_default()),
    };
    let mut value = defaults.ok()?.get_mut(name)?.take();
    // 0.2 as a single is 0.20000000298…; what was written in the table is meant.
    if let Some(number) = value.as_f64().filter(|_| value.is_f64()) {
        value = Value::from((number * 1e6).round() / 1e6);
    }
    (!value.is_null()).then_some(value)
}

/// Writes a value as TOML, on one line.
pub fn toml(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => format!("{{ {} }}", pairs(entries).join(", ")),
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn pairs(entries: &Map<String, Value>) -> Vec<String> {
    let name = |name: &str| toml_edit::Key::new(name).to_string();
    entries.iter().map(|(key, value)| format!("{} = {}", name(key), toml(value))).collect()
}
