//! What further vendors refuse: Kimi, GLM, Grok, Groq, MiniMax.

use serde_json::Value;

use super::{Fault, chat, list, text, vendors};

/// Returns the first answer with calls that does not pass, by its place.
fn bad_answer(body: &Value, is_bad: impl Fn(&Value) -> bool) -> Option<usize> {
    list(body, "messages").iter().position(|message| !list(message, "tool_calls").is_empty() && is_bad(message))
}

/// Kimi: reasoning comes back with every answer that has calls, and no temperature is taken but its own.
pub(super) fn kimi(body: &Value) -> Option<Fault> {
    if body.get("temperature").is_some_and(|value| value.as_f64() != Some(1.0)) {
        return Some(Fault::new("temperature", "invalid temperature: only 1 is allowed for this model"));
    }
    vendors::deepseek(body)
}

/// GLM with preserved thinking: what it reasoned comes back as it was.
pub(super) fn glm(body: &Value) -> Option<Fault> {
    let at = bad_answer(body, |message| text(message, "reasoning_content") != "I think.");
    let words =
        |at| format!("messages[{at}]: the reasoning_content that came with the tool_calls is missing or altered");
    at.map(|at| Fault::new("messages", words(at))).or_else(|| chat::fault(body))
}

/// Grok: chat completions carry no reasoning; on Responses every call stands behind reasoning that it encrypted.
pub(super) fn grok(path: &str, body: &Value) -> Option<Fault> {
    if path != "/v1/responses" {
        return Some(Fault::new(
            "model",
            "This model is not available on /v1/chat/completions. Please use /v1/responses.",
        ));
    }
    if let Some(fault) = vendors::responses(body) {
        return Some(fault);
    }
    let input = list(body, "input");
    let kind = |at: Option<usize>| at.and_then(|at| input.get(at)).map(|item| text(item, "type")).unwrap_or_default();
    let bare = |at: &usize| {
        let before = (0..*at).rev().find(|before| matches!(kind(Some(*before)), "reasoning" | "function_call_output"));
        kind(Some(*at)) == "function_call" && kind(before) != "reasoning"
    };
    (0..input.len())
        .find(bare)
        .map(|at| Fault::new("input", format!("input[{at}]: the call has lost the reasoning that it was made with.")))
}

/// Groq: an answer may carry `reasoning` and nothing else of it, and raw reasoning does not go with tools.
pub(super) fn groq(body: &Value) -> Option<Fault> {
    if text(body, "reasoning_format") == "raw" && !list(body, "tools").is_empty() {
        return Some(Fault::new("reasoning_format", "reasoning_format raw cannot be used with tools"));
    }
    let known = ["role", "content", "tool_calls", "tool_call_id", "name", "reasoning"];
    let all = list(body, "messages");
    let unknown = all
        .iter()
        .flat_map(|message| message.as_object().into_iter().flatten())
        .find(|(key, _)| !known.contains(&key.as_str()));
    let words = |key: &String| format!("'messages' : property '{key}' is unsupported");
    let at = bad_answer(body, |message| !matches!(text(message, "reasoning"), "" | "I think."));
    unknown
        .map(|(key, _)| Fault::new("messages", words(key)))
        .or_else(|| at.map(|at| Fault::new("messages", format!("messages[{at}].reasoning was altered"))))
        .or_else(|| chat::fault(body))
}

/// MiniMax: an answer comes back with its tags and all between them.
pub(super) fn minimax(body: &Value) -> Option<Fault> {
    let at = bad_answer(body, |message| text(message, "content") != "<think>I think.</think>I read.");
    let words = |at| format!("invalid params, messages[{at}]: the assistant message must be passed back whole (2013)");
    at.map(|at| Fault::new("messages", words(at))).or_else(|| chat::fault(body))
}
