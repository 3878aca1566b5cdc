//! What a model's stream consists of, free of any wire format.

use std::fmt;

use aish_types::{ProviderState, Secret, ToolCall, Usage};

/// Which key a request went with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentKey {
    /// None.
    Absent,
    /// One of which nobody says where it comes from.
    Unnamed,
    /// The one that is there: `$OPENAI_API_KEY`.
    From(String),
    /// What `models.NAME.key_command` printed.
    FromCommand,
}

impl fmt::Display for SentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("a request without a key"),
            Self::Unnamed => f.write_str("the key"),
            Self::From(source) => write!(f, "the key from {source}"),
            Self::FromCommand => f.write_str("the key from models.NAME.key_command"),
        }
    }
}

/// Why a completion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// `max_tokens` or the context ended it: calls of such a completion are never run.
    Length,
    /// The provider withheld the rest.
    ContentFilter,
}

impl FinishReason {
    /// Returns why a completion ended: calls beat what the server says of a whole one. Gemini says `stop`.
    pub(crate) fn of(said: Option<Self>, has_calls: bool) -> Self {
        match said.unwrap_or(Self::Stop) {
            Self::Stop | Self::ToolCalls if has_calls => Self::ToolCalls,
            Self::Stop | Self::ToolCalls => Self::Stop,
            reason @ (Self::Length | Self::ContentFilter) => reason,
        }
    }
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// A piece of the answer.
    Text(String),
    /// A piece of the model's reasoning.
    Reasoning(String),
    /// All text of this answer so far was reasoning.
    TextWasReasoning,
    /// What the server wants to see again with this answer; sent only after the stream ended well, at most once.
    State(Box<ProviderState>),
    /// A whole tool call; sent only after the stream ended well, in the model's order, with valid JSON arguments.
    ToolCall(ToolCall),
    /// A call whose arguments are no JSON object or were cut; it is reported and never run.
    MalformedCall {
        /// The call as it arrived.
        call: ToolCall,
        /// What is wrong with it.
        reason: String,
    },
    /// Token counts by the server.
    Usage(Usage),
    /// A status line for the person (a retry, a fallback to another model).
    Notice(String),
    /// The stream's own end; nothing follows. A stream without it ended badly.
    Finished(FinishReason),
}

/// Says how long a server asked to wait.
fn asked(retry_after_ms: Option<u64>) -> String {
    match retry_after_ms.map(|millis| millis.div_ceil(1000)) {
        None => String::new(),
        Some(seconds @ 0..=119) => format!(" (it asks to wait {seconds} s)"),
        Some(seconds @ 120..=7199) => format!(" (it asks to wait {seconds} s, {} min)", seconds.div_ceil(60)),
        Some(seconds @ 7200..=172_799) => format!(" (it asks to wait {seconds} s, {} h)", seconds.div_ceil(3600)),
        Some(seconds) => format!(" (it asks to wait {seconds} s, {} days)", seconds.div_ceil(86_400)),
    }
}

/// Says what became of a key.
fn refused(status: u16) -> String {
    if status == 0 { "cannot be sent".into() } else { format!("was refused ({status})") }
}

/// Why a model call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// No connection: refused, reset, DNS, TLS.
    #[error("cannot connect to {endpoint}: {cause}")]
    Connect {
        /// The address of the server, without a key.
        endpoint: String,
        /// The cause in words.
        cause: String,
    },
    /// The encrypted connection did not come about: a certificate that nobody here trusts, no common version.
    #[error("no secure connection to {endpoint}: {cause}")]
    Insecure {
        /// The address of the server, without a key.
        endpoint: String,
        /// The cause in words.
        cause: String,
    },
    /// Nothing came for too long.
    #[error("no answer from {endpoint} for {seconds} s")]
    Timeout {
        /// The address of the server, without a key.
        endpoint: String,
        /// Seconds waited.
        seconds: u64,
        /// True when part of the answer had arrived.
        after_first_token: bool,
    },
    /// 401 or 403.
    #[error("{key} {}: {message}", refused(*.status))]
    Unauthorized {
        /// Which key was sent.
        key: SentKey,
        /// HTTP status; 0 where nothing was sent.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// Quota used up or payment required.
    #[error("the quota is used up: {0}")]
    Quota(String),
    /// 429.
    #[error("too many requests: {message}{}", asked(*.retry_after_ms))]
    RateLimited {
        /// The server's words.
        message: String,
        /// What `Retry-After` asked for, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// The prompt does not fit the model's context.
    #[error("the conversation is longer than the model's context: {0}")]
    ContextOverflow(String),
    /// The chat template refuses the roles of the conversation (`role:tool`, alternation).
    #[error("the model's template refuses the conversation: {0}")]
    TemplateRefused(String),
    /// Another refusal by the server, 4xx.
    #[error("the server refused the request ({status}): {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// 5xx.
    #[error("the server failed ({status}): {message}{}", asked(*.retry_after_ms))]
    Server {
        /// HTTP status.
        status: u16,
        /// The server's words.
        message: String,
        /// What `Retry-After` asked for, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// The stream ended without its end, or said that it failed.
    #[error("the answer broke off: {0}")]
    Interrupted(String),
    /// What came is no answer (HTML, no JSON).
    #[error("the server's answer cannot be read: {0}")]
    Unreadable(String),
    /// The model's process could not be started or died.
    #[error("the model cannot be run: {0}")]
    Process(String),
    /// The guard of the money did not let the request be sent.
    #[error("not sent: {0}")]
    SpendRefused(String),
    /// No model of the asked name, or none at all.
    #[error("no model to ask: {0}")]
    NoModel(String),
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Secrets shorter than this may stand in any text.
const SHORTEST_SECRET: usize = 4;

impl ChatError {
    /// Takes a key out of the words of whoever wrote them: some servers repeat what they refuse.
    pub(crate) fn without(mut self, key: &Secret) -> Self {
        let key = key.expose().trim();
        if key.len() < SHORTEST_SECRET {
            return self;
        }
        match &mut self {
            Self::Connect { cause: words, .. }
            | Self::Insecure { cause: words, .. }
            | Self::Unauthorized { message: words, .. }
            | Self::Quota(words)
            | Self::RateLimited { message: words, .. }
            | Self::ContextOverflow(words)
            | Self::TemplateRefused(words)
            | Self::Refused { message: words, .. }
            | Self::Server { message: words, .. }
            | Self::Interrupted(words)
            | Self::Unreadable(words)
            | Self::Process(words)
            | Self::SpendRefused(words)
            | Self::NoModel(words) => *words = words.replace(key, "[redacted]"),
            Self::Timeout { .. } | Self::Cancelled => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_wait_is_told_in_a_unit_that_fits() {
        for (seconds, told) in [
            (2, "2 s"),
            (119, "119 s"),
            (120, "120 s, 2 min"),
            (3601, "3601 s, 61 min"),
            (86_400, "86400 s, 24 h"),
            (200_000, "200000 s, 3 days"),
        ] {
            let error = ChatError::RateLimited { message: "no".into(), retry_after_ms: Some(seconds * 1000) };
            assert_eq!(error.to_string(), format!("too many requests: no (it asks to wait {told})"));
        }
    }

    #[test]
    fn the_key_is_taken_out_of_the_words() {
        let key = Secret::new("sk-very-secret\n".into());
        let words = || "bad key sk-very-secret".to_owned();
        for error in [
            ChatError::Interrupted(words()),
            ChatError::Refused { status: 400, message: words() },
            ChatError::Unauthorized { status: 401, message: words(), key: SentKey::Unnamed },
        ] {
            let said = error.without(&key).to_string();
            assert!(said.ends_with("bad key [redacted]"), "{said}");
        }
    }
}
