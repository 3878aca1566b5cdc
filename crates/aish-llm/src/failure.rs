//! What a server's refusal means: statuses, error bodies and error events of many servers, in one [`ChatError`].

use aish_types::Secret;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::event::{ChatError, SentKey};
use crate::retry_after;

/// The longest message of a server that is kept, in characters.
const MAX_MESSAGE: usize = 600;

/// A server's error, read from a body or an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The server's words, never empty.
    pub(crate) message: String,
    /// `type`, `code` and `status` of the error, in lower case, joined by spaces.
    kind: String,
    /// An HTTP status that the body names.
    status: Option<u16>,
    retry_after_ms: Option<u64>,
}

impl Failure {
    /// Reads an error body: JSON of any server, HTML, or plain text.
    pub(crate) fn from_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::from_value(&value),
            Err(_) => Self { message: words(body), ..Self::default() },
        }
    }

    /// Reads an error object.
    pub(crate) fn from_value(value: &Value) -> Self {
        let retry_after_ms = retry_after::from_body(value);
        let value = value.as_array().and_then(|errors| errors.first()).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let message = match error {
            Value::String(text) => text.clone(),
            other => ["message", "detail", "error", "msg"]
                .iter()
                .find_map(|key| other.get(*key).and_then(Value::as_str))
                .map_or_else(|| other.to_string(), str::to_owned),
        };
        let nested = error.pointer("/metadata/raw").and_then(Value::as_str).unwrap_or_default();
        let message = if nested.is_empty() { message } else { format!("{message}: {nested}") };
        let field = |key: &str| match error.get(key) {
            Some(Value::String(text)) => text.to_lowercase(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let status = ["code", "status", "status_code"].iter().find_map(|key| {
            let text = field(key);
            text.parse::<u16>().ok().filter(|status| (400..600).contains(status))
        });
        let kind = format!("{} {} {}", field("type"), field("code"), field("status"));
        Self { message: words(&message), kind, status, retry_after_ms }
    }

    /// Takes a secret out of the server's words.
    pub(crate) fn without(mut self, key: Option<&Secret>) -> Self {
        if let Some(key) = key.map(|key| key.expose().trim()).filter(|key| key.len() >= 4) {
            self.message = self.message.replace(key, "[redacted]");
        }
        self
    }

    /// Says what a reply of this status means.
    pub(crate) fn of_status(self, status: u16, headers: &HeaderMap) -> ChatError {
        let retry_after_ms = retry_after::from_headers(headers).or(self.retry_after_ms);
        self.error(status, retry_after_ms)
    }

    /// Says what an error in the place of an answer means.
    pub(crate) fn in_document(self) -> ChatError {
        self.in_stream(false)
    }

    /// Says what an error event in a stream means; `after_first_token` when part of the answer had arrived.
    pub(crate) fn in_stream(self, after_first_token: bool) -> ChatError {
        let overloaded = ["overloaded", "rate_limit"].iter().any(|word| self.kind.contains(word));
        match self.status {
            Some(status) if !after_first_token => {
                let retry_after_ms = self.retry_after_ms;
                self.error(status, retry_after_ms)
            }
            None if !after_first_token && overloaded => {
                ChatError::Server { status: 529, message: self.message, retry_after_ms: self.retry_after_ms }
            }
            _ if self.is_overflow() => ChatError::ContextOverflow(self.message),
            _ if self.is_quota() => ChatError::Quota(self.message),
            Some(_) | None => ChatError::Interrupted(self.message),
        }
    }

    fn error(self, status: u16, retry_after_ms: Option<u64>) -> ChatError {
        let message = self.message.clone();
        match status {
            401 | 403 => ChatError::Unauthorized { status, message, key: SentKey::Unnamed },
            402 => ChatError::Quota(message),
            _ if self.is_overflow() => ChatError::ContextOverflow(message),
            413 => ChatError::ContextOverflow(message),
            429 if self.is_quota() && retry_after_ms.is_none() => ChatError::Quota(message),
            429 => ChatError::RateLimited { message, retry_after_ms },
            400 if self.is_quota() => ChatError::Quota(message),
            400 | 422 | 500 if self.is_template_refusal() => ChatError::TemplateRefused(message),
            408 | 409 | 425 | 500..=599 => ChatError::Server { status, message, retry_after_ms },
            _ => ChatError::Refused { status, message },
        }
    }

    fn is_overflow(&self) -> bool {
        let text = self.message.to_lowercase();
        ["context_length_exceeded", "exceed_context_size"].iter().any(|kind| self.kind.contains(kind))
            || [
                "maximum context length",
                "context length exceeded",
                "context window",
                "exceeds the available context",
                "exceed context limit",
                "exceeds the context",
                "prompt is too long",
                "input is too long",
                "too large for model with",
                "exceeds the maximum number of tokens",
                "input length exceeds",
                "requested tokens exceed",
            ]
            .iter()
            .any(|phrase| text.contains(phrase))
    }

    fn is_quota(&self) -> bool {
        let text = self.message.to_lowercase();
        ["insufficient_quota", "billing", "insufficient_credits"].iter().any(|kind| self.kind.contains(kind))
            || [
                "exceeded your current quota",
                "credit balance is too low",
                "insufficient credits",
                "insufficient balance",
                "out of credits",
            ]
            .iter()
            .any(|phrase| text.contains(phrase))
    }

    /// Recognises what Jinja templates and the servers round them say when they refuse a role or its place.
    fn is_template_refusal(&self) -> bool {
        let text = self.message.to_lowercase();
        let has = |phrase: &str| text.contains(phrase);
        has("must alternate")
            || has("jinja")
            || has("only user and assistant roles")
            || has("system role not supported")
            || has("chat template") && !has("no chat template")
            || has("template") && (has("render") || has("exception") || has("failed to apply"))
            || has("role")
                && has("tool")
                && ["not supported", "unsupported", "unknown", "unexpected", "invalid"].iter().any(|word| has(word))
    }
}

/// Makes one short line of a server's words: HTML becomes its title, space is folded.
fn words(text: &str) -> String {
    let lower = text.get(..text.len().min(4096)).unwrap_or(text).to_lowercase();
    let text = if lower.contains("<html") || lower.trim_start().starts_with("<!doctype") {
        let title = lower.find("<title>").and_then(|start| {
            let rest = text.get(start + 7..)?;
            rest.get(..rest.to_lowercase().find("</title>")?)
        });
        format!("an HTML page{}", title.map(|title| format!(": {}", title.trim())).unwrap_or_default())
    } else {
        text.to_owned()
    };
    let folded: Vec<&str> = text.split_whitespace().collect();
    match folded.join(" ") {
        empty if empty.is_empty() => "no reason given".into(),
        long if long.chars().count() > MAX_MESSAGE => {
            let kept: String = long.chars().take(MAX_MESSAGE).collect();
            format!("{kept}…")
        }
        short => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> ChatError {
        Failure::from_body(body).of_status(status, &HeaderMap::new())
    }

    #[test]
    fn the_words_of_many_servers_are_understood() {
        type Is = fn(&ChatError) -> bool;
        let overflow: Is = |e| matches!(e, ChatError::ContextOverflow(_));
        let quota: Is = |e| matches!(e, ChatError::Quota(_));
        let template: Is = |e| matches!(e, ChatError::TemplateRefused(_));
        let key: Is = |e| matches!(e, ChatError::Unauthorized { .. });
        let limited: Is = |e| matches!(e, ChatError::RateLimited { .. });
        let server: Is = |e| matches!(e, ChatError::Server { .. });
        let refused: Is = |e| matches!(e, ChatError::Refused { .. });
        for (status, body, is) in [
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
                overflow,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}"#,
                overflow,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                overflow,
            ),
            (
                400,
                r#"[{"error":{"code":400,"message":"The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]"#,
                overflow,
            ),
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","code":400}"#,
                overflow,
            ),
            (413, "too big", overflow),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                quota,
            ),
            (
                429,
                r#"[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"36s"}]}}]"#,
                limited,
            ),
            (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#, quota),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
                quota,
            ),
            (429, r#"{"error":{"message":"Rate limit reached for gpt-4o"}}"#, limited),
            (401, r#"{"error":{"message":"Incorrect API key provided"}}"#, key),
            (403, "<html><head><title>403 Forbidden</title></head></html>", key),
            (
                500,
                r#"{"error":{"code":500,"message":"Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}"#,
                template,
            ),
            (
                400,
                r#"{"error":{"message":"After the optional system message, conversation roles must alternate user/assistant","type":"BadRequestError"}}"#,
                template,
            ),
            (400, r#"{"error":{"message":"Unexpected role 'tool' after role 'user'"}}"#, template),
            (400, r#"{"error":{"message":"Only user and assistant roles are supported!"}}"#, template),
            (400, r#"{"error":"json: cannot unmarshal"}"#, refused),
            (404, r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#, refused),
            (422, r#"{"detail":"Input should be a valid string"}"#, refused),
            (500, "oops", server),
            (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, server),
            (503, r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#, server),
        ] {
            let error = of(status, body);
            assert!(is(&error), "{status} {body} -> {error:?}");
        }
    }

    #[test]
    fn html_becomes_its_title() {
        let page = "<!DOCTYPE html><html><head><title> 502 Bad\nGateway </title></head><body>…</body></html>";
        assert_eq!(of(502, page).to_string(), "the server failed (502): an HTML page: 502 Bad Gateway");
        assert_eq!(of(500, "").to_string(), "the server failed (500): no reason given");
    }

    #[test]
    fn the_key_is_taken_out_of_the_words() {
        let key = Secret::new("sk-very-secret".into());
        let failure = Failure::from_body(r#"{"error":{"message":"bad key sk-very-secret"}}"#).without(Some(&key));
        assert_eq!(failure.message, "bad key [redacted]");
    }

    #[test]
    fn an_error_event_counts_as_its_status_before_the_first_token() {
        let event = Failure::from_body(r#"{"error":{"code":502,"message":"upstream"}}"#);
        assert!(matches!(event.clone().in_stream(false), ChatError::Server { status: 502, .. }));
        assert_eq!(event.in_stream(true), ChatError::Interrupted("upstream".into()));
        let overloaded =
            Failure::from_body(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
        assert!(matches!(overloaded.in_stream(false), ChatError::Server { .. }));
    }
}
