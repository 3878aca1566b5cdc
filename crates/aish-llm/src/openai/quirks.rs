//! What one server does not take, learned from its refusals.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::event::ChatError;

const STRICT_NAMES: u8 = 1;
const COMPLETION_TOKENS: u8 = 2;
const NO_TEMPERATURE: u8 = 4;
const NO_STREAM_OPTIONS: u8 = 8;

/// The quirks that are known of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quirks(u8);

impl Quirks {
    /// Refuses a dot in tool names.
    pub(super) fn strict_names(self) -> bool {
        self.0 & STRICT_NAMES != 0
    }

    /// Wants `max_completion_tokens` for `max_tokens`.
    pub(super) fn completion_tokens(self) -> bool {
        self.0 & COMPLETION_TOKENS != 0
    }

    /// Takes a temperature.
    pub(super) fn temperature(self) -> bool {
        self.0 & NO_TEMPERATURE == 0
    }

    /// Takes `stream_options`.
    pub(super) fn stream_options(self) -> bool {
        self.0 & NO_STREAM_OPTIONS == 0
    }
}

/// The quirks of a server, shared by its requests.
#[derive(Debug, Default)]
pub(crate) struct LearnedQuirks(AtomicU8);

impl LearnedQuirks {
    pub(crate) fn new(strict_names: bool) -> Self {
        Self(AtomicU8::new(if strict_names { STRICT_NAMES } else { 0 }))
    }

    pub(super) fn get(&self) -> Quirks {
        Quirks(self.0.load(Ordering::Relaxed))
    }

    /// Learns from a refusal; says whether the request is worth sending again in its new form.
    ///
    /// Nothing is repeated that a server has begun to answer: a refused request has cost nothing and done nothing.
    pub(super) fn learn(&self, sent: Quirks, error: &ChatError) -> bool {
        let ChatError::Refused { status: 400 | 404 | 422, message } = error else { return false };
        let text = message.to_lowercase();
        let has = |word: &str| text.contains(word);
        let refused =
            ["unsupported", "not support", "unknown", "unrecognized", "extra inputs", "not permitted", "unexpected"];
        let is_refused = refused.iter().any(|word| has(word));
        let lesson = if has("max_completion_tokens") && !sent.completion_tokens() {
            COMPLETION_TOKENS
        } else if has("stream_options") && is_refused && sent.stream_options() {
            NO_STREAM_OPTIONS
        } else if has("temperature") && is_refused && sent.temperature() {
            NO_TEMPERATURE
        } else if has("name") && (has("pattern") || has("a-za-z0-9_")) && !sent.strict_names() {
            STRICT_NAMES
        } else {
            return false;
        };
        self.0.fetch_or(lesson, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lesson_is_learned_once() {
        let refused = |message: &str| ChatError::Refused { status: 400, message: message.into() };
        for message in [
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "Unsupported value: 'temperature' does not support 0.2 with this model.",
            "Invalid 'tools[0].function.name': string does not match pattern. Expected '^[a-zA-Z0-9_-]+$'.",
            "stream_options: Extra inputs are not permitted",
        ] {
            let quirks = LearnedQuirks::default();
            assert!(quirks.learn(quirks.get(), &refused(message)), "{message}");
            assert!(!quirks.learn(quirks.get(), &refused(message)), "{message}");
        }
        let quirks = LearnedQuirks::default();
        assert!(!quirks.learn(quirks.get(), &refused("model 'x' not found")));
        assert!(!quirks.learn(quirks.get(), &ChatError::Interrupted("temperature unsupported".into())));
    }
}
