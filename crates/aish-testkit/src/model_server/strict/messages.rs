//! What Anthropic's messages refuse.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Fault, is_plain_name, list, text};

/// Returns what is wrong with a body; none when nothing is.
pub(super) fn fault(body: &Value) -> Option<Fault> {
    if body.get("max_tokens").and_then(Value::as_u64).is_none_or(|tokens| tokens == 0) {
        return Some(Fault::new("max_tokens", "max_tokens: Field required"));
    }
    if let Some((at, _)) = list(body, "tools").iter().enumerate().find(|(_, tool)| !is_plain_name(text(tool, "name"))) {
        let words = format!("tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'");
        return Some(Fault::new("tools", words));
    }
    messages(list(body, "messages"))
}

fn messages(messages: &[Value]) -> Option<Fault> {
    let mut ids = BTreeSet::new();
    let mut asked: Vec<&str> = Vec::new();
    let mut before = "";
    for (at, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        if at == 0 && role != "user" {
            return Some(Fault::new("messages", "messages: first message must use the \"user\" role"));
        }
        if role == before {
            let words = format!(
                "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row"
            );
            return Some(Fault::new("messages", words));
        }
        before = role;
        let content = list(message, "content");
        if content.is_empty() && text(message, "content").is_empty() {
            return Some(Fault::new("messages", format!("messages.{at}: user messages must have non-empty content")));
        }
        if let Some(fault) = empty_text(at, content).or_else(|| results(at, content, &mut asked)) {
            return Some(fault);
        }
        if let Some(fault) = uses(at, content, &mut asked, &mut ids) {
            return Some(fault);
        }
    }
    if let Some(fault) = unanswered(messages.len().saturating_sub(1), &asked) {
        return Some(fault);
    }
    (before == "assistant").then(|| {
        Fault::new(
            "messages",
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        )
    })
}

fn empty_text(at: usize, content: &[Value]) -> Option<Fault> {
    let is_empty = |block: &Value| text(block, "type") == "text" && text(block, "text").trim().is_empty();
    content
        .iter()
        .any(is_empty)
        .then(|| Fault::new("messages", format!("messages.{at}: text content blocks must contain non-whitespace text")))
}

/// Every call of the message before must have its result here, before anything else.
fn results<'a>(at: usize, content: &'a [Value], asked: &mut Vec<&'a str>) -> Option<Fault> {
    for (place, block) in content.iter().enumerate() {
        if text(block, "type") != "tool_result" {
            if let Some(fault) = unanswered(at.saturating_sub(1), asked) {
                return Some(fault);
            }
            continue;
        }
        let id = text(block, "tool_use_id");
        let Some(known) = asked.iter().position(|asked| *asked == id) else {
            let words = format!(
                "messages.{at}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            );
            return Some(Fault::new("messages", words));
        };
        asked.remove(known);
    }
    unanswered(at.saturating_sub(1), asked)
}

fn unanswered(at: usize, asked: &[&str]) -> Option<Fault> {
    (!asked.is_empty()).then(|| {
        let words = format!(
            "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
            asked.join(", ")
        );
        Fault::new("messages", words)
    })
}

fn uses<'a>(at: usize, content: &'a [Value], asked: &mut Vec<&'a str>, ids: &mut BTreeSet<&'a str>) -> Option<Fault> {
    for (place, block) in content.iter().enumerate().filter(|(_, block)| text(block, "type") == "tool_use") {
        let (id, name) = (text(block, "id"), text(block, "name"));
        if !is_plain_name(id) {
            let words =
                format!("messages.{at}.content.{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'");
            return Some(Fault::new("messages", words));
        }
        if !ids.insert(id) {
            return Some(Fault::new(
                "messages",
                format!("messages.{at}.content.{place}: `tool_use` ids must be unique"),
            ));
        }
        if !is_plain_name(name) {
            let words = format!(
                "messages.{at}.content.{place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            );
            return Some(Fault::new("messages", words));
        }
        if !block.get("input").is_some_and(Value::is_object) {
            let words = format!("messages.{at}.content.{place}.tool_use.input: Input should be a valid dictionary");
            return Some(Fault::new("messages", words));
        }
        asked.push(id);
    }
    None
}
