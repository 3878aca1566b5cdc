//! What OpenAI's chat completions refuse.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Fault, is_plain_name, list, text};

/// Returns what is wrong with a body; none when nothing is.
pub(super) fn fault(body: &Value) -> Option<Fault> {
    tools(body).or_else(|| messages(list(body, "messages")))
}

fn tools(body: &Value) -> Option<Fault> {
    let tools = body.get("tools")?;
    if tools.as_array().is_none_or(Vec::is_empty) {
        let words =
            "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
        return Some(Fault { code: Some("empty_array"), ..Fault::new("tools", words) });
    }
    list(body, "tools").iter().enumerate().find_map(|(at, tool)| {
        let name = tool.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
        bad_name(&format!("tools[{at}].function.name"), name)
    })
}

fn bad_name(place: &str, name: &str) -> Option<Fault> {
    let words = format!(
        "Invalid '{place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    );
    (!is_plain_name(name)).then(|| Fault { code: Some("invalid_value"), ..Fault::new(place, words) })
}

/// Checks roles, calls and the results that must directly follow them.
pub(super) fn messages(messages: &[Value]) -> Option<Fault> {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let place = format!("messages.[{at}]");
        let role = text(message, "role");
        if role == "tool" {
            if !open.remove(text(message, "tool_call_id")) {
                let words = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
                return Some(Fault::new(format!("{place}.role"), words));
            }
            if message.get("content").is_none_or(Value::is_null) {
                return Some(Fault::new(
                    format!("{place}.content"),
                    "Invalid value for 'content': expected a string, got null.",
                ));
            }
            continue;
        }
        if let Some(fault) = unanswered(&open, &place) {
            return Some(fault);
        }
        if let Some(fault) = match role {
            "assistant" => calls(message, &place, &mut open),
            "system" | "developer" | "user" if message.get("content").is_none_or(Value::is_null) => Some(Fault::new(
                format!("{place}.content"),
                "Invalid value for 'content': expected a string, got null.",
            )),
            "system" | "developer" | "user" => None,
            other => Some(Fault::new(
                format!("{place}.role"),
                format!(
                    "Invalid value: '{other}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
                ),
            )),
        } {
            return Some(fault);
        }
    }
    unanswered(&open, &format!("messages.[{}]", messages.len()))
}

fn unanswered(open: &BTreeSet<&str>, place: &str) -> Option<Fault> {
    if open.is_empty() {
        return None;
    }
    let ids: Vec<&str> = open.iter().copied().collect();
    let words = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        ids.join(", ")
    );
    Some(Fault::new(format!("{place}.role"), words))
}

fn calls<'a>(message: &'a Value, place: &str, open: &mut BTreeSet<&'a str>) -> Option<Fault> {
    let calls = list(message, "tool_calls");
    if message.get("tool_calls").is_some() && calls.is_empty() {
        let words = format!(
            "Invalid '{place}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead."
        );
        return Some(Fault { code: Some("empty_array"), ..Fault::new(format!("{place}.tool_calls"), words) });
    }
    if calls.is_empty() && message.get("content").is_none_or(Value::is_null) {
        let words = format!("Invalid value for '{place}.content': expected a string, got null.");
        return Some(Fault::new(format!("{place}.content"), words));
    }
    calls.iter().enumerate().find_map(|(at, call)| {
        let place = format!("{place}.tool_calls[{at}]");
        let id = text(call, "id");
        if id.is_empty() || !open.insert(id) {
            return Some(Fault::new(format!("{place}.id"), format!("Duplicate value for 'tool_call_id' of '{id}'.")));
        }
        let function = call.get("function").unwrap_or(&Value::Null);
        let arguments = serde_json::from_str::<Value>(text(function, "arguments"));
        if !arguments.is_ok_and(|arguments| arguments.is_object()) {
            return Some(Fault::new(format!("{place}.function.arguments"), "Invalid 'arguments': not a JSON object."));
        }
        bad_name(&format!("{place}.function.name"), text(function, "name"))
    })
}
