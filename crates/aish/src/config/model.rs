//! `[model]` and `[models.NAME]`.

use std::collections::BTreeMap;

use aish_llm::Api;

use super::key::{AMOUNT, Kind, Overlay, SOME};
use super::section::section;
use super::word::one_of;

section! {
    /// `[model]`: which of the models answers.
    ModelChoice in "model" {
        /// The model that answers; without it the first that is found.
        default: Option<String> = None, Kind::Text, Overlay::Free;
        /// The model for summaries and small questions; without it the one that answers.
        fast: Option<String> = None, Kind::Text, Overlay::Free;
        /// The models that answer when the first cannot, in this order.
        fallback: Vec<String> = Vec::new(), Kind::Texts, Overlay::Free;
    }
}

one_of! {
    /// Which wire format a model speaks.
    ProviderKind {
        /// OpenAI-compatible.
        Openai = "openai",
        /// Anthropic messages.
        Anthropic = "anthropic",
        /// The embedded model.
        Local = "local",
    }
}

section! {
    /// `[models.NAME]`.
    Model in "models.*" {
        /// The URL of the server; a `/` or `/v1` at its end does not matter. The embedded model needs none.
        endpoint: Option<String> = None, Kind::Text, Overlay::Never;
        /// The wire format that the server speaks.
        provider: ProviderKind = ProviderKind::Openai, ProviderKind::WORDS, Overlay::Never;
        /// The server's name for the model; without it the table's name.
        model: Option<String> = None, Kind::Text, Overlay::Never;
        /// The variable that holds the key.
        key_env: Option<String> = None, Kind::Text, Overlay::Never;
        /// The milliseconds for a whole answer.
        timeout_ms: u64 = 300_000, SOME, Overlay::Free;
        /// The milliseconds to connect.
        connect_timeout_ms: u64 = 5_000, SOME, Overlay::Free;
        /// The milliseconds of silence after which a stream is given up.
        idle_timeout_ms: u64 = 60_000, SOME, Overlay::Free;
        /// The tokens of its context; without it the server's word, else 4,096.
        context: Option<u64> = None, SOME, Overlay::Free;
        /// The most tokens of a reply; without it the model's own limit, and 4,096 where money is capped.
        max_tokens: Option<u32> = None, Kind::Whole(1, 1_000_000), Overlay::Free;
        /// How freely it picks its words; without it none is sent, and many models take none.
        temperature: Option<f32> = None, Kind::Number(0.0, 2.0), Overlay::Free;
        /// The wire: `auto` goes by what is known of the server, and learns from its refusals.
        api: String = "auto".to_owned(), Kind::Word(Api::WORDS), Overlay::Never;
        /// How hard it thinks, in the server's own words (`none`, `low`, `high`); without it the model's default.
        effort: Option<String> = None, Kind::Text, Overlay::Never;
        /// The same by purpose: `main`, `norris`, `fast`, `summary` or `memory`.
        effort_for: BTreeMap<String, String> = BTreeMap::new(), Kind::ByPurpose(&Kind::Text), Overlay::Never;
        /// Thinking: `on`, `off`, or the most tokens of it; without it the model's default.
        thinking: Option<String> = None, Kind::Thinking, Overlay::Never;
        /// The same by purpose: `main`, `norris`, `fast`, `summary` or `memory`.
        thinking_for: BTreeMap<String, String> = BTreeMap::new(), Kind::ByPurpose(&Kind::Thinking), Overlay::Never;
        /// The command that prints the key, run by `sh` when the model is asked first.
        key_command: Option<String> = None, Kind::Text, Overlay::Never;
        /// The file of own certificates (PEM), trusted beside the system's.
        ca_file: Option<String> = None, Kind::Text, Overlay::Never;
        /// Dollars for a million tokens of the prompt.
        price_in: Option<f64> = None, AMOUNT, Overlay::Never;
        /// Dollars for a million tokens of the reply.
        price_out: Option<f64> = None, AMOUNT, Overlay::Never;
        /// Dollars for a million tokens of the prompt that the server had cached.
        price_cached: Option<f64> = None, AMOUNT, Overlay::Never;
        /// How tokens are counted: `auto`, `endpoint`, `o200k`, `cl100k`, `chars`, or a file.
        tokenizer: String = "auto".to_owned(), Kind::Text, Overlay::Free;
        /// Says that it takes images; without it the provider's rule holds.
        images: Option<bool> = None, Kind::Bool, Overlay::Free;
        /// Says that it takes tools; without it the provider's rule holds.
        tools: Option<bool> = None, Kind::Bool, Overlay::Free;
        /// Says that it refuses dots in the names of tools; without it the provider's rule holds.
        strict_names: Option<bool> = None, Kind::Bool, Overlay::Free;
    }
}

/// All models by name.
pub type Models = BTreeMap<String, Model>;
