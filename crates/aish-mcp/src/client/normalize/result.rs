//! The results of the methods that we call.

use serde_json::{Map, Value, json};

use super::keys::settle;
use super::{content, listing};

/// An answer to `server/discover` that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfit {
    /// It has no shape.
    #[error("no answer to server/discover")]
    NoAnswer,
    /// The server does not speak the newest protocol.
    #[error("the server does not speak 2026-07-28")]
    OtherVersion,
}

/// Puts a result into the shape that its method promises, or says why it cannot be.
pub(super) fn mend(method: &str, result: Value) -> Result<Value, Unfit> {
    match method {
        "initialize" => Ok(initialize(result)),
        "server/discover" => discover(result),
        "tools/list" => Ok(listing::page(result, "tools", listing::tool)),
        "resources/list" => Ok(listing::page(result, "resources", listing::resource)),
        "resources/templates/list" => Ok(listing::page(result, "resourceTemplates", listing::template)),
        "prompts/list" => Ok(listing::page(result, "prompts", listing::prompt)),
        "tools/call" => Ok(content::call(result)),
        "prompts/get" => Ok(content::prompt(result)),
        "resources/read" => Ok(content::resource(result)),
        _ if result.is_object() => Ok(result),
        _ => Ok(json!({})),
    }
}

fn initialize(result: Value) -> Value {
    // Whatever it says, it answered.
    let mut result = match result {
        Value::Object(result) => result,
        _ => Map::new(),
    };
    settle(&mut result, &["protocolVersion", "capabilities", "serverInfo", "instructions"]);
    let version = match result.get("protocolVersion") {
        Some(Value::String(version)) if !version.trim().is_empty() => version.trim().to_owned(),
        _ => "2025-03-26".to_owned(),
    };
    result.insert("protocolVersion".into(), json!(version));
    let capabilities = capabilities(result.remove("capabilities"));
    result.insert("capabilities".into(), capabilities);
    let info = implementation(result.remove("serverInfo"));
    result.insert("serverInfo".into(), info);
    text_or_nothing(&mut result, "instructions");
    object_or_nothing(&mut result, "_meta");
    Value::Object(result)
}

/// A server that does not know the method may answer it with anything; only a real answer counts.
fn discover(result: Value) -> Result<Value, Unfit> {
    let Value::Object(mut result) = result else { return Err(Unfit::NoAnswer) };
    let keys = ["supportedVersions", "supportedProtocolVersions", "protocolVersions", "protocolVersion"];
    let mut versions: Vec<Value> = match keys.iter().find_map(|key| result.get(*key).filter(|value| !value.is_null())) {
        Some(Value::Array(versions)) => versions.clone(),
        Some(only) => vec![only.clone()],
        None => Vec::new(),
    };
    versions.retain(Value::is_string);
    if !versions.iter().any(|version| version == "2026-07-28") {
        return Err(Unfit::OtherVersion);
    }
    result.insert("supportedVersions".into(), Value::Array(versions));
    let capabilities = capabilities(result.remove("capabilities"));
    result.insert("capabilities".into(), capabilities);
    result.insert("resultType".into(), json!("complete"));
    if !result.get("ttlMs").is_some_and(Value::is_u64) {
        result.insert("ttlMs".into(), json!(0));
    }
    if !matches!(result.get("cacheScope").and_then(Value::as_str), Some("public" | "private")) {
        result.insert("cacheScope".into(), json!("private"));
    }
    text_or_nothing(&mut result, "instructions");
    object_or_nothing(&mut result, "_meta");
    Ok(Value::Object(result))
}

/// A missing or broken statement of capabilities means that tools are worth a try.
fn capabilities(given: Option<Value>) -> Value {
    let Some(Value::Object(mut given)) = given else { return json!({"tools": {}}) };
    let known = ["tools", "resources", "prompts", "logging", "completions", "experimental", "extensions"];
    settle(&mut given, &known);
    for key in known {
        match given.get(key) {
            None | Some(Value::Object(_)) => {}
            Some(Value::Bool(true)) | Some(Value::Array(_)) => {
                given.insert(key.into(), json!({}));
            }
            Some(_) => {
                given.remove(key);
            }
        }
        if let Some(Value::Object(inner)) = given.get_mut(key) {
            match key {
                "experimental" | "extensions" => inner.retain(|_, value| value.is_object()),
                _ => {
                    for flag in ["listChanged", "subscribe"] {
                        if inner.get(flag).is_some_and(|value| !value.is_boolean()) {
                            inner.remove(flag);
                        }
                    }
                }
            }
        }
    }
    Value::Object(given)
}

fn implementation(given: Option<Value>) -> Value {
    let text = |map: &Map<String, Value>, key: &str, default: &str| match map.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => default.to_owned(),
    };
    match given {
        Some(Value::Object(mut map)) => {
            settle(&mut map, &["name", "version", "title"]);
            let mut info = json!({"name": text(&map, "name", "unknown"), "version": text(&map, "version", "0")});
            if let (Some(Value::String(title)), Some(info)) = (map.get("title"), info.as_object_mut()) {
                info.insert("title".into(), json!(title));
            }
            info
        }
        Some(Value::String(name)) => json!({"name": name, "version": "0"}),
        _ => json!({"name": "unknown", "version": "0"}),
    }
}

pub(super) fn text_or_nothing(map: &mut Map<String, Value>, key: &str) {
    if map.get(key).is_some_and(|value| !value.is_string()) {
        map.remove(key);
    }
}

pub(super) fn object_or_nothing(map: &mut Map<String, Value>, key: &str) {
    if map.get(key).is_some_and(|value| !value.is_object()) {
        map.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_greeting_is_enough() {
        for given in [
            json!({}),
            Value::Null,
            json!(true),
            json!("welcome"),
            json!({"protocolVersion": null, "capabilities": null, "serverInfo": null}),
            json!({"protocolVersion": 20250326, "capabilities": [], "serverInfo": {}}),
        ] {
            let mended = mend("initialize", given.clone()).unwrap();
            assert_eq!(mended["protocolVersion"], "2025-03-26", "{given}");
            assert_eq!(mended["capabilities"], json!({"tools": {}}));
            assert_eq!(mended["serverInfo"], json!({"name": "unknown", "version": "0"}));
            serde_json::from_value::<rmcp::model::InitializeResult>(mended).unwrap();
        }
        let odd = json!({"serverInfo": {"name": "x", "version": 1.5}, "instructions": 5,
            "capabilities": {"tools": true, "prompts": false, "resources": {"subscribe": "yes"}, "logging": []}});
        let mended = mend("initialize", odd).unwrap();
        assert_eq!(mended["serverInfo"]["version"], "1.5");
        assert_eq!(mended["capabilities"], json!({"tools": {}, "resources": {}, "logging": {}}));
        serde_json::from_value::<rmcp::model::InitializeResult>(mended).unwrap();
    }

    #[test]
    fn only_a_real_answer_says_that_the_later_era_is_spoken() {
        for given in [json!({}), Value::Null, json!({"tools": []}), json!({"supportedVersions": ["2025-06-18"]})] {
            assert!(mend("server/discover", given.clone()).is_err(), "{given}");
        }
        let mended = mend("server/discover", json!({"supportedVersions": ["2026-07-28", 5]})).unwrap();
        serde_json::from_value::<rmcp::model::DiscoverResult>(mended).unwrap();
    }
}
