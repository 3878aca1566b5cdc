//! What today's vendors refuse of reasoning that goes back, each in words of its kind.

use serde_json::Value;

use super::{Fault, chat, list, messages, text};

/// GPT since 5.4: no temperature, no tools on chat completions.
pub(super) fn gpt(path: &str, body: &Value) -> Option<Fault> {
    if body.get("temperature").is_some() {
        let words = "Unsupported parameter: 'temperature' is not supported with this model.";
        return Some(Fault::new("temperature", words));
    }
    if path != "/v1/responses" {
        let words = "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. \
                     To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
        let has_tools = !list(body, "tools").is_empty() && text(body, "reasoning_effort") != "none";
        return has_tools.then(|| Fault::new("tools", words)).or_else(|| chat::fault(body));
    }
    responses(body)
}

/// OpenAI's Responses without state: items have no ids, results follow their calls, reasoning is what was sent.
pub(super) fn responses(body: &Value) -> Option<Fault> {
    if body.get("store") != Some(&Value::Bool(false)) {
        return Some(Fault::new("store", "this test keeps nothing; 'store' must be false"));
    }
    if body.get("previous_response_id").is_some() {
        return Some(Fault::new("previous_response_id", "Previous response with id 'resp_1' not found."));
    }
    let mut open: Vec<&str> = Vec::new();
    let input = list(body, "input");
    for (at, item) in input.iter().enumerate() {
        if let Some(id) = item.get("id").and_then(Value::as_str) {
            let words = format!(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with \
                 `store` set to true, or remove this item from your input."
            );
            return Some(Fault::new("input", words));
        }
        match text(item, "type") {
            "reasoning" => {
                if !text(item, "encrypted_content").starts_with("enc-") {
                    let words = "The encrypted content could not be verified. Reason: invalid_encrypted_content";
                    return Some(Fault { code: Some("invalid_encrypted_content"), ..Fault::new("input", words) });
                }
                let next = input.get(at + 1).map(|next| text(next, "type")).unwrap_or_default();
                if !matches!(next, "message" | "function_call" | "reasoning") {
                    let words = "Item of type 'reasoning' was provided without its required following item.";
                    return Some(Fault::new("input", words));
                }
            }
            "function_call" => open.push(text(item, "call_id")),
            "function_call_output" => {
                let id = text(item, "call_id");
                let Some(known) = open.iter().position(|open| *open == id) else {
                    let words = format!("No tool call found for function call output with call_id {id}.");
                    return Some(Fault::new("input", words));
                };
                open.remove(known);
            }
            _ if !open.is_empty() => break,
            _ => {}
        }
    }
    open.first().map(|id| Fault::new("input", format!("No tool output found for function call {id}.")))
}

/// Claude since 5.1: no temperature, and a signature holds for the text and for all that stood before it.
pub(super) fn claude(body: &Value) -> Option<Fault> {
    if body.get("temperature").is_some() {
        return Some(Fault::new("temperature", "`temperature` is deprecated for this model."));
    }
    if let Some(fault) = messages::fault(body) {
        return Some(fault);
    }
    let all = list(body, "messages");
    for (at, message) in all.iter().enumerate().filter(|(_, message)| text(message, "role") == "assistant") {
        for (place, block) in list(message, "content").iter().enumerate() {
            let expected = format!("{}{}", mark(text(block, "thinking")), prefix(body, at));
            if text(block, "type") == "thinking" && text(block, "signature") != expected {
                let words = format!(
                    "messages.{at}.content.{place}: Invalid `signature` in `thinking` block. The block is bound to a \
                     different conversation."
                );
                return Some(Fault::new("messages", words));
            }
        }
    }
    None
}

/// Returns what a signature is of: the system prompt, the tools and the messages before a place.
pub(super) fn prefix(body: &Value, messages: usize) -> String {
    let before: Vec<&Value> = list(body, "messages").iter().take(messages).collect();
    let before = serde_json::to_string(&before).unwrap_or_default();
    let whole = format!("{:?}{:?}{before}", body.get("system"), body.get("tools"));
    mark(&whole)
}

/// Returns a short mark of a text (FNV-1a, 64 bits).
pub fn mark(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// DeepSeek and Kimi: every answer with calls has its reasoning, be it empty.
pub(super) fn deepseek(body: &Value) -> Option<Fault> {
    let missing = |message: &&Value| {
        !list(message, "tool_calls").is_empty() && message.get("reasoning_content").is_none_or(|kept| !kept.is_string())
    };
    let at = list(body, "messages").iter().position(|message| missing(&message));
    let words = |at| {
        format!("thinking is enabled but reasoning_content is missing in assistant tool call message at index {at}")
    };
    at.map(|at| Fault::new("messages", words(at))).or_else(|| chat::fault(body))
}

/// Gemini: the first call of a step has its signature.
pub(super) fn gemini(body: &Value) -> Option<Fault> {
    let missing = |message: &Value| {
        let first = list(message, "tool_calls").first()?;
        let signature = first.pointer("/extra_content/google/thought_signature").and_then(Value::as_str);
        let is_known = signature.is_some_and(|signature| {
            signature == format!("sig-{}", text(first, "id")) || signature == "skip_thought_signature_validator"
        });
        (!is_known).then(|| first.pointer("/function/name").and_then(Value::as_str).unwrap_or_default().to_owned())
    };
    let name = list(body, "messages").iter().find_map(missing);
    let words = |name| {
        format!(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `{name}`."
        )
    };
    name.map(|name| Fault::new("contents", words(name))).or_else(|| chat::fault(body))
}

/// OpenRouter in front of Claude: the details of the reasoning come back whole.
pub(super) fn openrouter(body: &Value) -> Option<Fault> {
    let altered = |message: &Value| {
        let details = list(message, "reasoning_details");
        let is_whole = details.iter().all(|detail| text(detail, "signature") == mark(text(detail, "text")));
        !list(message, "tool_calls").is_empty()
            && (details.is_empty() || !is_whole || message.get("reasoning").is_some())
    };
    let words = "Invalid `signature` in `thinking` block";
    let any = list(body, "messages").iter().any(altered);
    any.then(|| Fault::new("messages", words)).or_else(|| chat::fault(body))
}

/// Mistral: the parts of an answer come back as they were, with their signatures.
pub(super) fn mistral(body: &Value) -> Option<Fault> {
    let altered = |message: &Value| {
        let thinking = list(message, "content").iter().find(|part| text(part, "type") == "thinking");
        let is_whole = thinking.is_some_and(|part| text(part, "signature") == "sig");
        !list(message, "tool_calls").is_empty() && !is_whole
    };
    let any = list(body, "messages").iter().any(altered);
    any.then(|| Fault::new("messages", "The thinking part of an assistant message was altered."))
        .or_else(|| chat::fault(body))
}

/// A server of one strict template: one system message, first; roles take turns; no field that it does not know.
pub(super) fn plain(body: &Value) -> Option<Fault> {
    let all = list(body, "messages");
    if all.iter().skip(1).any(|message| text(message, "role") == "system") {
        return Some(Fault::new("messages", "System message must be at the beginning."));
    }
    let known = ["role", "content", "tool_calls", "tool_call_id", "name"];
    let unknown = all
        .iter()
        .flat_map(|message| message.as_object().into_iter().flatten())
        .find(|(key, _)| !known.contains(&key.as_str()));
    let words = |key: &String| format!("messages: {key}: Extra inputs are not permitted");
    unknown.map(|(key, _)| Fault::new("messages", words(key))).or_else(|| chat::fault(body))
}
