//! The answer to one request, before it is written.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::script::{Framing, Ids, McpScript, Unknown};

/// What is done with a request.
pub(super) enum Answer {
    /// These messages are written.
    Messages(Vec<String>),
    /// A notification: nothing is answered.
    Nothing,
    /// No answer ever.
    Hang,
    /// The server ends.
    Exit,
    /// No answer ever, to anything.
    Block,
    /// The request fails without a message.
    Broken,
}

/// A running fake server's memory.
#[derive(Default)]
pub(super) struct Memory {
    counts: Mutex<BTreeMap<String, usize>>,
    /// Answers by method that are written with the next one.
    kept: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Memory {
    /// How often a method came, this time included.
    pub(super) fn count(&self, method: &str) -> usize {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(method.to_owned()).or_default();
        *count += 1;
        *count
    }
}

/// Answers one message.
pub(super) fn answer(script: &McpScript, memory: &Memory, message: &Value) -> Answer {
    let Some(method) = message.get("method").and_then(Value::as_str) else { return Answer::Nothing };
    trace(script, method);
    let count = memory.count(method);
    if script.hang.iter().any(|hanging| hanging == method) {
        return Answer::Hang;
    }
    if script.exit.iter().any(|last| last == method) {
        return Answer::Exit;
    }
    let Some(id) = message.get("id") else { return Answer::Nothing };
    if script.delay_ms > 0 {
        std::thread::sleep(Duration::from_millis(script.delay_ms));
    }
    let before = script.before.get(method).cloned().unwrap_or_default();
    if let Some(raw) = script.raw.get(method) {
        return Answer::Messages(before.into_iter().chain([raw.replace("$ID", &id.to_string())]).collect());
    }
    let body = match script.errors.get(method).cloned().or_else(|| greeting_fault(script, method, message)) {
        Some(error) => json!({"error": error}),
        None => match result(script, method, message, count) {
            Some(body) => body,
            None => match script.unknown {
                Unknown::Error => json!({"error": {"code": -32601, "message": "Method not found"}}),
                Unknown::Empty => json!({"result": {}}),
                Unknown::Hang => return Answer::Hang,
                Unknown::Block => return Answer::Block,
                Unknown::Exit => return Answer::Exit,
                Unknown::Status500 => return Answer::Broken,
            },
        },
    };
    let messages: Vec<String> = before.into_iter().chain(dress(script, id, body)).collect();
    if !script.late.iter().any(|late| late == method) {
        return Answer::Messages(messages);
    }
    let mut kept = memory.kept.lock().unwrap_or_else(PoisonError::into_inner);
    if count == 1 {
        kept.insert(method.to_owned(), messages);
        return Answer::Hang;
    }
    Answer::Messages(kept.remove(method).unwrap_or_default().into_iter().chain(messages).collect())
}

/// What is wrong with a greeting, for a server that takes few.
fn greeting_fault(script: &McpScript, method: &str, message: &Value) -> Option<Value> {
    if method != "initialize" {
        return None;
    }
    let version = message.pointer("/params/protocolVersion").and_then(Value::as_str).unwrap_or_default();
    if !script.versions.is_empty() && !script.versions.iter().any(|known| known == version) {
        let data = json!({"supported": script.versions, "requested": version});
        return Some(json!({"code": -32602, "message": "Unsupported protocol version", "data": data}));
    }
    let is_bare = message.pointer("/params/capabilities").and_then(Value::as_object).is_some_and(|all| all.is_empty());
    (script.bare_clients && !is_bare)
        .then(|| json!({"code": -32603, "message": "Unrecognized field (class ClientCapabilities)"}))
}

fn trace(script: &McpScript, method: &str) {
    if let Some(file) = &script.trace_file
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file)
    {
        let _ = writeln!(file, "{} {method}", std::process::id());
    }
}

/// The body of an answer: `{"result": …}` or `{"error": …}`; none for an unknown method.
fn result(script: &McpScript, method: &str, message: &Value, count: usize) -> Option<Value> {
    if let Some(sequence) = script.sequences.get(method) {
        let result = sequence.get(count - 1).or_else(|| sequence.last())?;
        return Some(json!({"result": result}));
    }
    if method == "server/discover" && !(script.modern || script.modern_only) {
        return None;
    }
    if method == "initialize" && script.modern_only {
        return None;
    }
    if let Some(result) = script.results.get(method) {
        return Some(json!({"result": result}));
    }
    let modern = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some();
    let mut result = match method {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"}}),
        "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private"}),
        "ping" => json!({}),
        "tools/list" => json!({"tools": [
            {"name": "echo", "description": "Echoes its text", "inputSchema": {"type": "object",
             "properties": {"text": {"type": "string"}}}},
            {"name": "fail", "description": "Fails", "inputSchema": {"type": "object"}}]}),
        "tools/call" => return Some(call(message)),
        _ => return None,
    };
    if modern && let Some(result) = result.as_object_mut() {
        result.insert("resultType".into(), json!("complete"));
    }
    Some(json!({"result": result}))
}

fn call(message: &Value) -> Value {
    let name = message.pointer("/params/name").and_then(Value::as_str).unwrap_or_default();
    let text = message.pointer("/params/arguments/text").or_else(|| message.pointer("/params/arguments/path"));
    let said = match text {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    match name {
        "echo" | "list_dir" => json!({"result": {"content": [{"type": "text", "text": said}], "isError": false}}),
        "fail" => json!({"result": {"content": [{"type": "text", "text": "Error: it failed"}], "isError": true}}),
        _ => json!({"error": {"code": -32601, "message": "Tool not found"}}),
    }
}

/// Puts the id on a body, and the framing round it.
fn dress(script: &McpScript, id: &Value, body: Value) -> Vec<String> {
    let with = |id: Option<Value>| {
        let mut message = body.clone();
        if let Some(map) = message.as_object_mut() {
            map.insert("jsonrpc".into(), json!("2.0"));
            if let Some(id) = id {
                map.insert("id".into(), id);
            }
        }
        message
    };
    let messages = match script.ids {
        Ids::Same => vec![with(Some(id.clone()))],
        Ids::Text => vec![with(Some(json!(id.to_string())))],
        Ids::Float => vec![with(Some(id.as_f64().map_or_else(|| id.clone(), |id| json!(id))))],
        Ids::Null => vec![with(Some(Value::Null))],
        Ids::Absent => vec![with(None)],
        Ids::Prefixed => vec![with(Some(json!(format!("req-{id}"))))],
        Ids::Constant => vec![with(Some(json!(7_777)))],
        Ids::WrongFirst => {
            let wrong =
                json!({"jsonrpc": "2.0", "id": 987_654, "result": {"content": [{"type": "text", "text": "wrong"}]}});
            vec![wrong, with(Some(id.clone()))]
        }
    };
    messages
        .into_iter()
        .map(|message| match script.framing {
            Framing::Pretty => serde_json::to_string_pretty(&message).unwrap_or_default(),
            Framing::Batch => json!([message]).to_string(),
            Framing::SseTight => serde_json::to_string_pretty(&message).unwrap_or_default(),
            Framing::Bom => format!("\u{feff}{message}"),
            Framing::Coloured => format!("\u{1b}[32m{message}\u{1b}[0m"),
            Framing::Plain
            | Framing::Prefixed
            | Framing::NoNewline
            | Framing::Crlf
            | Framing::Length
            | Framing::Sse
            | Framing::SseJunk
            | Framing::SseCut
            | Framing::SseOpen
            | Framing::Utf16
            | Framing::Cut
            | Framing::ChunksCut => message.to_string(),
        })
        .collect()
}
