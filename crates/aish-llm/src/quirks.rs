//! What one server does not take, learned from its refusals.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::event::ChatError;
use crate::options::Images;

const STRICT_NAMES: u8 = 1;
const COMPLETION_TOKENS: u8 = 2;
const NO_TEMPERATURE: u8 = 4;
const NO_STREAM_OPTIONS: u8 = 8;
const NO_CACHE_CONTROL: u8 = 16;
const NO_IMAGES: u8 = 32;
const NO_TOOLS: u8 = 64;

/// The quirks that are known of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quirks(u8);

impl Quirks {
    /// Refuses a dot in tool names.
    pub(crate) fn strict_names(self) -> bool {
        self.0 & STRICT_NAMES != 0
    }

    /// Wants `max_completion_tokens` for `max_tokens`.
    pub(crate) fn completion_tokens(self) -> bool {
        self.0 & COMPLETION_TOKENS != 0
    }

    /// Takes a temperature.
    pub(crate) fn temperature(self) -> bool {
        self.0 & NO_TEMPERATURE == 0
    }

    /// Takes `cache_control` at the top of the body.
    pub(crate) fn cache_control(self) -> bool {
        self.0 & NO_CACHE_CONTROL == 0
    }

    /// Says whether images are sent, where `wanted` says what is configured.
    pub(crate) fn images(self, wanted: Images) -> Images {
        if self.0 & NO_IMAGES == 0 { wanted } else { Images::Omitted }
    }

    /// Takes `tools`.
    pub(crate) fn tools(self) -> bool {
        self.0 & NO_TOOLS == 0
    }

    /// Returns what the person should know that was not known before.
    pub(crate) fn notice(self, before: Self) -> Option<&'static str> {
        match self.0 & !before.0 {
            new if new & NO_IMAGES != 0 => {
                Some("the model takes no images; asked without (models.NAME.images = false)")
            }
            new if new & NO_TOOLS != 0 => Some("the model takes no tools; asked without (models.NAME.tools = false)"),
            _ => None,
        }
    }

    /// Takes `stream_options`.
    pub(crate) fn stream_options(self) -> bool {
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

    pub(crate) fn get(&self) -> Quirks {
        Quirks(self.0.load(Ordering::Relaxed))
    }

    /// Learns from a refusal; says whether the request is worth sending again in its new form.
    ///
    /// Nothing is repeated that a server has begun to answer: a refused request has cost nothing and done nothing.
    pub(crate) fn learn(&self, sent: Quirks, error: &ChatError) -> bool {
        let message = match error {
            ChatError::Refused { status: 400 | 404 | 415 | 422, message } => message,
            // llama.cpp refuses images and tools that it was not started for with 500.
            ChatError::Server { status: 500 | 501, message, .. } if is_missing_part(message) => message,
            ChatError::TemplateRefused(message) if is_missing_part(message) => message,
            _ => return false,
        };
        let text = message.to_lowercase();
        let has = |word: &str| text.contains(word);
        let refused =
            ["unsupported", "not support", "unknown", "unrecognized", "extra inputs", "not permitted", "unexpected"];
        let is_refused = refused.iter().any(|word| has(word));
        let lesson = if has("max_completion_tokens") && !sent.completion_tokens() {
            COMPLETION_TOKENS
        } else if has("stream_options") && is_refused && sent.stream_options() {
            NO_STREAM_OPTIONS
        } else if has("cache_control") && is_refused && sent.cache_control() {
            NO_CACHE_CONTROL
        } else if refuses_images(&text) && sent.images(Images::Sent) == Images::Sent {
            NO_IMAGES
        } else if refuses_tools(&text) && sent.tools() {
            NO_TOOLS
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

/// Says whether a server's words name a part that it or the model does not have.
fn is_missing_part(message: &str) -> bool {
    let text = message.to_lowercase();
    refuses_images(&text) || refuses_tools(&text)
}

/// Recognises llama.cpp, OpenRouter, OpenAI, vLLM, Ollama and servers that know text parts alone.
fn refuses_images(text: &str) -> bool {
    [
        "image input is not supported",
        "support image input",
        "image_url is only supported",
        "not a multimodal model",
        "does not support image",
        "doesn't support image",
        "missing data required for image input",
        "unknown variant `image_url`",
    ]
    .iter()
    .any(|phrase| text.contains(phrase))
}

/// Recognises Ollama, OpenRouter, vLLM and llama.cpp without its template engine.
fn refuses_tools(text: &str) -> bool {
    [
        "does not support tools",
        "support tool use",
        "tools param requires",
        "does not support function calling",
        "tool choice requires --enable-auto-tool-choice",
    ]
    .iter()
    .any(|phrase| text.contains(phrase))
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
            "cache_control: Extra inputs are not permitted",
            "registry.ollama.ai/library/gemma:2b does not support tools",
            "No endpoints found that support image input",
            "some/model is not a multimodal model",
        ] {
            let quirks = LearnedQuirks::default();
            assert!(quirks.learn(quirks.get(), &refused(message)), "{message}");
            assert!(!quirks.learn(quirks.get(), &refused(message)), "{message}");
        }
        let quirks = LearnedQuirks::default();
        let message = "image input is not supported - hint: you may need to provide the mmproj".into();
        assert!(quirks.learn(quirks.get(), &ChatError::Server { status: 500, message, retry_after_ms: None }));
        assert_eq!(quirks.get().images(Images::Sent), Images::Omitted);
        assert!(quirks.get().notice(Quirks::default()).is_some() && quirks.get().notice(quirks.get()).is_none());
        let busy = ChatError::Server { status: 500, message: "slot unavailable".into(), retry_after_ms: None };
        assert!(!quirks.learn(quirks.get(), &busy));
        assert!(!quirks.learn(quirks.get(), &refused("model 'x' not found")));
        assert!(!quirks.learn(quirks.get(), &ChatError::Interrupted("temperature unsupported".into())));
    }
}
