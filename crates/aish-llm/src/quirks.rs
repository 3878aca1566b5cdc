//! What one server does not take, or wants, learned from its refusals.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::abilities::Abilities;
use crate::api::Api;
use crate::event::ChatError;
use crate::options::Images;
use crate::schema;

/// One thing that a refusal teaches; it holds for the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Lesson {
    StrictNames = 1,
    CompletionTokens = 1 << 1,
    NoTemperature = 1 << 2,
    NoStreamOptions = 1 << 3,
    NoCacheControl = 1 << 4,
    NoImages = 1 << 5,
    NoTools = 1 << 6,
    UseResponses = 1 << 7,
    UseChat = 1 << 8,
    NoReplay = 1 << 9,
    WantsReasoning = 1 << 10,
    WantsSignature = 1 << 11,
    NoEffort = 1 << 12,
    NoThinking = 1 << 13,
    NoInclude = 1 << 14,
    NoSchema = 1 << 15,
    ShortIds = 1 << 16,
    ShortDescriptions = 1 << 17,
}

impl Lesson {
    const ALL: [Self; 18] = [
        Self::StrictNames,
        Self::CompletionTokens,
        Self::NoTemperature,
        Self::NoStreamOptions,
        Self::NoCacheControl,
        Self::NoImages,
        Self::NoTools,
        Self::UseResponses,
        Self::UseChat,
        Self::NoReplay,
        Self::WantsReasoning,
        Self::WantsSignature,
        Self::NoEffort,
        Self::NoThinking,
        Self::NoInclude,
        Self::NoSchema,
        Self::ShortIds,
        Self::ShortDescriptions,
    ];

    /// Returns what the person is told of it; none for what only the form of a request has to do with.
    pub(crate) const fn words(self) -> Option<&'static str> {
        Some(match self {
            Self::StrictNames
            | Self::CompletionTokens
            | Self::NoStreamOptions
            | Self::NoCacheControl
            | Self::NoInclude
            | Self::ShortIds
            | Self::WantsReasoning
            | Self::WantsSignature => return None,
            Self::NoTemperature => "the model takes no temperature; asked without (models.NAME.temperature)",
            Self::NoImages => "the model takes no images; asked without (models.NAME.images = false)",
            Self::NoTools => "the model takes no tools; asked without (models.NAME.tools = false)",
            Self::UseResponses => "the model wants the Responses API; asked there (models.NAME.api = \"responses\")",
            Self::UseChat => "the server has no Responses API; asked by chat completions (models.NAME.api = \"chat\")",
            Self::NoReplay => "the server refused earlier reasoning; asked without it",
            Self::NoEffort => "the model takes no effort; asked without (models.NAME.effort)",
            Self::NoThinking => "the model refused how it should think; asked without (models.NAME.thinking)",
            Self::ShortDescriptions => {
                "the server takes short descriptions of tools alone; the ends of long ones are left out"
            }
            Self::NoSchema => "the model takes no schema for its answer; it is told of it in words",
        })
    }
}

/// The quirks that are known of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quirks(u32);

impl Quirks {
    /// Returns whether something was learned.
    pub(crate) fn has(self, lesson: Lesson) -> bool {
        self.0 & lesson as u32 != 0
    }

    /// Refuses a dot in tool names.
    pub(crate) fn strict_names(self) -> bool {
        self.has(Lesson::StrictNames)
    }

    /// Returns whether images are sent, where `wanted` says what is configured.
    pub(crate) fn images(self, wanted: Images) -> Images {
        if self.has(Lesson::NoImages) { Images::Omitted } else { wanted }
    }

    /// Returns the wire to speak, where `wanted` is the one that was chosen.
    pub(crate) fn api(self, wanted: Api) -> Api {
        match wanted {
            Api::Chat if self.has(Lesson::UseResponses) => Api::Responses,
            Api::Responses if self.has(Lesson::UseChat) => Api::Chat,
            other => other,
        }
    }

    /// Returns what the person should know that was not known before.
    pub(crate) fn notices(self, before: Self) -> Vec<&'static str> {
        let new = |lesson: &&Lesson| self.has(**lesson) && !before.has(**lesson);
        Lesson::ALL.iter().filter(new).filter_map(|lesson| lesson.words()).collect()
    }
}

/// The quirks of a server, shared by its requests.
#[derive(Debug, Default)]
pub(crate) struct LearnedQuirks {
    known: AtomicU32,
    /// What published data says; the server's own word takes its place.
    presumed: AtomicU32,
    /// What the person was told of it.
    told: AtomicU32,
    /// The longest answer that the server said it gives, in tokens; 0 where it said nothing.
    most_tokens: AtomicU32,
}

impl LearnedQuirks {
    pub(crate) fn new(strict_names: bool) -> Self {
        let known = if strict_names { Lesson::StrictNames as u32 } else { 0 };
        Self { known: AtomicU32::new(known), ..Self::default() }
    }

    pub(crate) fn get(&self) -> Quirks {
        Quirks(self.known.load(Ordering::Relaxed) | self.presumed.load(Ordering::Relaxed))
    }

    /// Begins with what published data says that the model cannot do, and how long its answers are at most.
    ///
    /// It is not told: who configured none of it misses nothing. Tools and images are left to the server's own word, since a
    /// table that is wrong about those would take them away.
    pub(crate) fn presume(&self, published: &Abilities, is_temperature_set: bool) {
        if published.sampling == Some(false) {
            self.presumed.store(Lesson::NoTemperature as u32, Ordering::Relaxed);
            let told = if is_temperature_set { 0 } else { Lesson::NoTemperature as u32 };
            self.told.fetch_or(told, Ordering::Relaxed);
        }
        self.bound(published);
    }

    fn bound(&self, abilities: &Abilities) {
        if let Some(tokens) = abilities.output.and_then(|tokens| u32::try_from(tokens).ok()) {
            self.most_tokens.store(tokens, Ordering::Relaxed);
        }
    }

    /// Returns what the person was not told yet; it is told now.
    pub(crate) fn untold(&self) -> Vec<&'static str> {
        let known = self.get();
        known.notices(Quirks(self.told.fetch_or(known.0, Ordering::Relaxed)))
    }

    /// Takes over what the server says that the model cannot do.
    pub(crate) fn teach(&self, abilities: &Abilities) {
        let lacks = [
            (abilities.tools, Lesson::NoTools),
            (abilities.images, Lesson::NoImages),
            (abilities.sampling, Lesson::NoTemperature),
        ];
        for (_, lesson) in lacks.into_iter().filter(|(can, _)| *can == Some(false)) {
            self.add(lesson);
        }
        if abilities.sampling.is_some() {
            self.presumed.store(0, Ordering::Relaxed);
        }
        self.bound(abilities);
    }

    /// Returns the longest answer that the server said it gives.
    pub(crate) fn most_tokens(&self) -> Option<u32> {
        Some(self.most_tokens.load(Ordering::Relaxed)).filter(|tokens| *tokens > 0)
    }

    /// Learns from a refusal of a request on a wire; returns whether it is worth sending again in its new form.
    ///
    /// Nothing is repeated that a server has begun to answer: a refused request has cost nothing and done nothing.
    /// `with_schema` says that the answer was to fit one.
    pub(crate) fn learn(&self, sent: Quirks, api: Api, error: &ChatError, with_schema: bool) -> bool {
        let message = match error {
            ChatError::Refused { status: 404 | 405 | 501, .. }
                if api == Api::Responses && !sent.has(Lesson::UseChat) =>
            {
                return self.add(Lesson::UseChat);
            }
            ChatError::Refused { status: 400 | 403 | 404 | 415 | 422, message } => message,
            // llama.cpp refuses images and tools that it was not started for with 500.
            ChatError::Server { status: 500 | 501, message, .. } if is_missing_part(message) => message,
            ChatError::TemplateRefused(message) if is_missing_part(message) || is_about_ids(message) => message,
            _ => return false,
        };
        let text = message.to_lowercase();
        if api == Api::Messages
            && let Some(tokens) = most_tokens(&text)
        {
            return self.most_tokens.swap(tokens, Ordering::Relaxed) != tokens;
        }
        if with_schema && !sent.has(Lesson::NoSchema) && schema::is_refusal(&text) {
            return self.add(Lesson::NoSchema);
        }
        match lesson(&text, api) {
            Some(lesson) if !sent.has(lesson) => self.add(lesson),
            Some(_) | None => false,
        }
    }

    fn add(&self, lesson: Lesson) -> bool {
        self.known.fetch_or(lesson as u32, Ordering::Relaxed);
        true
    }
}

/// Reads Anthropic's `max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for …`.
fn most_tokens(text: &str) -> Option<u32> {
    let rest = text.split_once("max_tokens: ")?.1;
    rest.contains("maximum allowed number of output tokens").then_some(())?;
    let number = rest.split_once("> ")?.1;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok().filter(|tokens| *tokens > 0)
}

/// Returns what a refusal names, in lower case.
fn lesson(text: &str, api: Api) -> Option<Lesson> {
    let has = |word: &str| text.contains(word);
    let refused = [
        "unsupported",
        "not support",
        "unknown",
        "unrecognized",
        "extra inputs",
        "not permitted",
        "unexpected",
        "deprecated",
        "not allowed",
        "not available",
        "invalid",
        "does not accept",
        "cannot be",
        "should be",
    ];
    let is_refused = refused.iter().any(|word| has(word));
    Some(if has("/v1/responses") && api == Api::Chat {
        Lesson::UseResponses
    } else if has("reasoning_content") && ["missing", "must be", "pass", "required"].iter().any(|word| has(word)) {
        Lesson::WantsReasoning
    } else if has("thought_signature") || has("thought signature") {
        Lesson::WantsSignature
    } else if refuses_replay(text) {
        Lesson::NoReplay
    } else if is_about_ids(text) {
        Lesson::ShortIds
    } else if has("description") && has("too long") && (has("tools") || has("function")) {
        Lesson::ShortDescriptions
    } else if has("max_completion_tokens") {
        Lesson::CompletionTokens
    } else if has("stream_options") && is_refused {
        Lesson::NoStreamOptions
    } else if has("cache_control") && is_refused {
        Lesson::NoCacheControl
    } else if refuses_images(text) {
        Lesson::NoImages
    } else if refuses_tools(text) {
        Lesson::NoTools
    } else if has("temperature") && is_refused {
        Lesson::NoTemperature
    } else if (has("encrypted content") || has("include")) && is_refused && api == Api::Responses {
        Lesson::NoInclude
    } else if has("effort") && is_refused {
        Lesson::NoEffort
    } else if (has("thinking") || has("chat_template_kwargs") || has("enable_thinking")) && is_refused {
        Lesson::NoThinking
    } else if has("name") && (has("pattern") || has("a-za-z0-9_")) {
        Lesson::StrictNames
    } else {
        return None;
    })
}

/// Recognises refusals of reasoning that goes back: Anthropic's signatures, OpenAI's encrypted content and ids, and servers
/// that do not know the field.
fn refuses_replay(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    has("signature") && has("thinking")
        || has("thinking") && (has("cannot be modified") || has("must start with a thinking block"))
        || has("invalid_encrypted_content")
        || has("encrypted content") && (has("could not be") || has("verif") || has("decrypt"))
        || has("item with id 'rs_")
        || (has("reasoning_details") || has("reasoning_content") || has("'reasoning'") || has(" reasoning: "))
            && (has("extra inputs") || has("not permitted") || has("unrecognized") || has("unknown"))
}

/// Returns whether a server's words name a part that it or the model does not have.
fn is_missing_part(message: &str) -> bool {
    let text = message.to_lowercase();
    refuses_images(&text) || refuses_tools(&text)
}

/// Recognises Mistral's servers and templates, whose ids of calls are short.
fn is_about_ids(message: &str) -> bool {
    let text = message.to_lowercase();
    text.contains("tool call id") && ["length of 9", "length 9"].iter().any(|words| text.contains(words))
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
        "could not process image",
        "image exceeds",
        "image dimensions exceed",
        "unsupported image",
        "invalid image",
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

    fn learn(quirks: &LearnedQuirks, api: Api, error: &ChatError) -> bool {
        quirks.learn(quirks.get(), api, error, true)
    }

    fn refused(message: &str) -> ChatError {
        ChatError::Refused { status: 400, message: message.into() }
    }

    #[test]
    fn each_lesson_is_learned_once() {
        for (api, message, lesson) in [
            (
                Api::Chat,
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Lesson::CompletionTokens,
            ),
            (
                Api::Chat,
                "Unsupported value: 'temperature' does not support 0.2 with this model.",
                Lesson::NoTemperature,
            ),
            (Api::Messages, "`temperature` is deprecated for this model.", Lesson::NoTemperature),
            (
                Api::Chat,
                "Invalid 'tools[0].function.name': string does not match pattern. Expected '^[a-zA-Z0-9_-]+$'.",
                Lesson::StrictNames,
            ),
            (Api::Chat, "stream_options: Extra inputs are not permitted", Lesson::NoStreamOptions),
            (Api::Messages, "cache_control: Extra inputs are not permitted", Lesson::NoCacheControl),
            (Api::Chat, "registry.ollama.ai/library/gemma:2b does not support tools", Lesson::NoTools),
            (Api::Chat, "No endpoints found that support image input", Lesson::NoImages),
            (Api::Messages, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum", Lesson::NoImages),
            (Api::Chat, "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.", Lesson::ShortIds),
            (
                Api::Chat,
                "Invalid 'tools[1].function.description': string too long. Expected a string with maximum length 1024, \
                 but got a string with length 2121 instead.",
                Lesson::ShortDescriptions,
            ),
            (Api::Chat, "some/model is not a multimodal model", Lesson::NoImages),
            (
                Api::Chat,
                "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use \
                 /v1/responses instead.",
                Lesson::UseResponses,
            ),
            (
                Api::Chat,
                "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
                Lesson::WantsReasoning,
            ),
            (Api::Chat, "Function call is missing a thought_signature in functionCall parts.", Lesson::WantsSignature),
            (
                Api::Messages,
                "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation",
                Lesson::NoReplay,
            ),
            (
                Api::Responses,
                "The encrypted content for item rs_1 could not be verified. Reason: invalid_encrypted_content",
                Lesson::NoReplay,
            ),
            (Api::Responses, "Encrypted content is not supported with this model.", Lesson::NoInclude),
            (Api::Chat, "Unrecognized request argument supplied: reasoning_effort", Lesson::NoEffort),
            (Api::Messages, "adaptive thinking is not supported on this model", Lesson::NoThinking),
            (Api::Chat, "This model does not support response_format json_schema", Lesson::NoSchema),
            (Api::Chat, "This response_format type is unavailable now", Lesson::NoSchema),
            (Api::Chat, "json mode cannot be combined with tool/function calling", Lesson::NoSchema),
            (
                Api::Messages,
                "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
                Lesson::NoSchema,
            ),
        ] {
            let quirks = LearnedQuirks::default();
            assert!(learn(&quirks, api, &refused(message)), "{message}");
            assert!(quirks.get().has(lesson), "{message}: {:?}", quirks.get());
            assert!(!learn(&quirks, api, &refused(message)), "{message}");
        }
    }

    #[test]
    fn other_failures_teach_nothing() {
        let quirks = LearnedQuirks::default();
        let busy = ChatError::Server { status: 500, message: "slot unavailable".into(), retry_after_ms: None };
        for error in [busy, refused("model 'x' not found"), ChatError::Interrupted("temperature unsupported".into())] {
            assert!(!learn(&quirks, Api::Chat, &error), "{error:?}");
        }
        let message = "image input is not supported - hint: you may need to provide the mmproj".into();
        assert!(learn(&quirks, Api::Chat, &ChatError::Server { status: 500, message, retry_after_ms: None }));
        assert_eq!(quirks.get().images(Images::Sent), Images::Omitted);
        assert!(!quirks.get().notices(Quirks::default()).is_empty() && quirks.get().notices(quirks.get()).is_empty());
    }

    #[test]
    fn a_wire_that_is_not_there_and_a_limit_of_the_answer_are_learned() {
        let quirks = LearnedQuirks::default();
        let none = ChatError::Refused { status: 404, message: "Not Found".into() };
        assert!(learn(&quirks, Api::Responses, &none));
        assert_eq!(quirks.get().api(Api::Responses), Api::Chat);
        assert!(!learn(&quirks, Api::Chat, &none));
        let limit = "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-x";
        assert!(learn(&quirks, Api::Messages, &refused(limit)));
        assert_eq!(quirks.most_tokens(), Some(8192));
        assert!(!learn(&quirks, Api::Messages, &refused(limit)));
    }
}
