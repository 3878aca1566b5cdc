//! `[model]` and `[models.NAME]`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `[model]`: which of the models answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelChoice {
    /// The model that answers; none means the first that is found.
    pub default: Option<String>,
    /// The model for summaries and small questions; none means the default.
    pub fast: Option<String>,
    /// The models that answer when the first cannot.
    pub fallback: Vec<String>,
}

/// Which wire format a model speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// OpenAI-compatible.
    #[default]
    Openai,
    /// Anthropic messages.
    Anthropic,
    /// The embedded model.
    Local,
}

/// `[models.NAME]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// URL; a trailing `/` or `/v1` does not matter. Required but for the embedded model.
    pub endpoint: Option<String>,
    /// The wire format.
    pub provider: ProviderKind,
    /// The server's name for it; none means the table's name.
    pub model: Option<String>,
    /// The variable that holds the key.
    pub key_env: Option<String>,
    /// Milliseconds for a whole answer.
    pub timeout_ms: u64,
    /// Milliseconds to connect.
    pub connect_timeout_ms: u64,
    /// Milliseconds of silence in a stream.
    pub idle_timeout_ms: u64,
    /// Tokens of context; none means the server's word, else 4,096.
    pub context: Option<u64>,
    /// Tokens of a reply at most.
    pub max_tokens: u32,
    /// 0 to 2.
    pub temperature: f32,
    /// Dollars a million prompt tokens.
    pub price_in: Option<f64>,
    /// Dollars a million completion tokens.
    pub price_out: Option<f64>,
    /// Dollars a million cached prompt tokens.
    pub price_cached: Option<f64>,
    /// `auto`, `endpoint`, `o200k`, `cl100k`, `chars`, or a file.
    pub tokenizer: String,
    /// Whether it takes images; none means by provider.
    pub images: Option<bool>,
    /// Whether it takes tools; none means by provider.
    pub tools: Option<bool>,
    /// Whether it refuses dots in names; none means by provider.
    pub strict_names: Option<bool>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            endpoint: None,
            provider: ProviderKind::Openai,
            model: None,
            key_env: None,
            timeout_ms: 300_000,
            connect_timeout_ms: 5_000,
            idle_timeout_ms: 60_000,
            context: None,
            max_tokens: 1024,
            temperature: 0.2,
            price_in: None,
            price_out: None,
            price_cached: None,
            tokenizer: "auto".to_owned(),
            images: None,
            tools: None,
            strict_names: None,
        }
    }
}

/// All models by name.
pub type Models = BTreeMap<String, Model>;
