//! What a server's refusal means: statuses, error bodies and error events of many servers, in one [`ChatError`].

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::event::{ChatError, SentKey};
use crate::lenient::says_something;
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
    /// Whether the body says that it is an error.
    is_error: bool,
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
        let says = |key: &str| value.get(key).and_then(Value::as_str) == Some("error");
        let is_error = value.get("error").is_some_and(says_something) || says("object") || says("type");
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
        Self { message: words(&message), kind, status, retry_after_ms, is_error }
    }

    /// Says what a reply of this status means.
    pub(crate) fn of_status(self, status: u16, headers: &HeaderMap) -> ChatError {
        let retry_after_ms = retry_after::from_headers(headers).or(self.retry_after_ms);
        self.error(status, retry_after_ms)
    }

    /// Says what a document means that is no answer.
    pub(crate) fn in_document(self) -> ChatError {
        if self.is_error { self.in_stream(false) } else { ChatError::Unreadable(self.message) }
    }

    /// Says what an error event in a stream means; `after_first_token` when part of the answer had arrived.
    pub(crate) fn in_stream(self, after_first_token: bool) -> ChatError {
        match self.status.or_else(|| self.status_of_kind()) {
            Some(status) if !after_first_token => {
                let retry_after_ms = self.retry_after_ms;
                self.error(status, retry_after_ms)
            }
            _ if self.is_overflow() => ChatError::ContextOverflow(self.message),
            _ if self.is_quota() => ChatError::Quota(self.message),
            Some(_) | None => ChatError::Interrupted(self.message),
        }
    }

    fn error(self, status: u16, retry_after_ms: Option<u64>) -> ChatError {
        let message = self.message.clone();
        match status {
            403 if self.is_quota() => ChatError::Quota(message),
            401 | 403 => ChatError::Unauthorized { status, message, key: SentKey::Unnamed },
            402 => ChatError::Quota(message),
            _ if self.is_overflow() => ChatError::ContextOverflow(message),
            413 => ChatError::ContextOverflow(message),
            // Google says so of its rates too, and when to come again.
            429 if self.is_quota_by_kind() || self.is_quota() && retry_after_ms.is_none() => ChatError::Quota(message),
            429 => ChatError::RateLimited { message, retry_after_ms },
            400 if self.is_quota() => ChatError::Quota(message),
            400 if self.is_about_key() => ChatError::Unauthorized { status, message, key: SentKey::Unnamed },
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

    /// Returns the status that stands for the kind of an error which names none, where another try would bring the same or has to
    /// wait: the words of Anthropic (<https://docs.anthropic.com/en/api/errors>), OpenAI, Google and those who copy them.
    fn status_of_kind(&self) -> Option<u16> {
        let kinds = [
            ("overloaded", 529),
            ("rate_limit", 429),
            ("insufficient_quota", 429),
            ("billing", 402),
            ("authentication", 401),
            ("invalid_api_key", 401),
            ("unauthenticated", 401),
            ("permission", 403),
            ("not_found", 404),
            ("too_large", 413),
            ("context_length", 400),
            ("invalid_request", 400),
            ("invalid_prompt", 400),
            ("invalid_argument", 400),
        ];
        kinds.iter().find(|(kind, _)| self.kind.contains(kind)).map(|(_, status)| *status)
    }

    /// Recognises Google, which refuses a key with 400.
    fn is_about_key(&self) -> bool {
        let text = self.message.to_lowercase();
        text.contains("api key") && ["not valid", "invalid", "expired"].iter().any(|word| text.contains(word))
    }

    fn is_quota_by_kind(&self) -> bool {
        let kinds =
            ["insufficient_quota", "billing", "insufficient_credits", "insufficient_balance", "budget_exceeded"];
        kinds.iter().any(|kind| self.kind.contains(kind))
    }

    fn is_quota(&self) -> bool {
        let text = self.message.to_lowercase();
        self.is_quota_by_kind()
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
            (403, r#"{"error":{"message":"top up","code":"insufficient_balance"}}"#, quota),
            (400, r#"{"error":{"message":"Budget has been exceeded!","type":"budget_exceeded"}}"#, quota),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
                quota,
            ),
            (429, r#"{"error":{"message":"Rate limit reached for gpt-4o"}}"#, limited),
            (400, r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]"#, key),
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
    fn an_error_event_counts_as_its_status_before_the_first_token() {
        let event = Failure::from_body(r#"{"error":{"code":502,"message":"upstream"}}"#);
        assert!(matches!(event.clone().in_stream(false), ChatError::Server { status: 502, .. }));
        assert_eq!(event.in_stream(true), ChatError::Interrupted("upstream".into()));
        let overloaded =
            Failure::from_body(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
        assert!(matches!(overloaded.in_stream(false), ChatError::Server { .. }));
        type Is = fn(&ChatError) -> bool;
        let cases: [(&str, Is); 8] = [
            ("invalid_request_error", |error| matches!(error, ChatError::Refused { status: 400, .. })),
            ("invalid_prompt", |error| matches!(error, ChatError::Refused { status: 400, .. })),
            ("authentication_error", |error| matches!(error, ChatError::Unauthorized { .. })),
            ("model_not_found", |error| matches!(error, ChatError::Refused { status: 404, .. })),
            ("rate_limit_exceeded", |error| matches!(error, ChatError::RateLimited { .. })),
            ("insufficient_quota", |error| matches!(error, ChatError::Quota(_))),
            ("api_error", |error| matches!(error, ChatError::Interrupted(_))),
            ("something_else", |error| matches!(error, ChatError::Interrupted(_))),
        ];
        for (kind, is) in cases {
            let error = Failure::from_body(&format!(r#"{{"error":{{"type":"{kind}","message":"no"}}}}"#));
            assert!(is(&error.clone().in_stream(false)), "{kind} -> {:?}", error.in_stream(false));
        }
    }

    #[test]
    fn a_quota_that_is_used_up_is_no_rate_whatever_is_to_be_waited() {
        let mut headers = HeaderMap::new();
        headers.insert("retry-after", reqwest::header::HeaderValue::from_static("1"));
        let used_up = Failure::from_body(r#"{"error":{"message":"no","type":"insufficient_quota"}}"#);
        assert!(matches!(used_up.of_status(429, &headers), ChatError::Quota(_)));
    }

    #[test]
    fn a_document_without_an_error_is_no_answer() {
        assert!(matches!(Failure::from_body("{\"a\":1}").in_document(), ChatError::Unreadable(_)));
        let error = Failure::from_body(r#"[{"error":{"code":400,"message":"no such thing"}}]"#).in_document();
        assert!(matches!(error, ChatError::Refused { status: 400, .. }), "{error:?}");
    }
}
