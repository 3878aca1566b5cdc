//! From the configuration to models that can be asked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aish_llm::{
    Broker, BrokerModel, Chain, ChatError, Endpoint, Images, ModelOptions, Names, OpenAiProvider, Price, Provider,
};
use aish_types::Secret;

use crate::config::model::{Model, ProviderKind};
use crate::config::section::Config;

/// Looks a variable of the environment up.
pub type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The models of this run and how it came to them.
pub struct Found {
    /// The broker over them.
    pub broker: Broker,
    /// The name of the model that answers; none when there is none.
    pub default: Option<String>,
    /// What to tell the person.
    pub notices: Vec<String>,
    /// Where each model is, for `:model` and `aish model list`.
    pub places: BTreeMap<String, Place>,
}

/// Where a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The server's name for it.
    pub model: String,
    /// The endpoint, or what else runs it.
    pub endpoint: String,
    /// Where it comes from: `config`, `environment`, `local server`, `embedded`.
    pub origin: &'static str,
    /// Tokens of its context, where configured.
    pub context: Option<u64>,
    /// Tokens of a reply at most.
    pub max_tokens: u32,
}

/// Collects models while they are found.
#[derive(Default)]
pub struct Collector {
    models: BTreeMap<String, BrokerModel>,
    places: BTreeMap<String, Place>,
    notices: Vec<String>,
}

impl Collector {
    /// Adds the models of the configuration.
    pub fn configured(&mut self, config: &Config, variable: Variable<'_>) {
        for (name, model) in &config.models {
            if model.provider == ProviderKind::Local {
                continue;
            }
            match self.openai(name, model, variable) {
                Ok(()) => {}
                Err(why) => self.notices.push(format!("models.{name}: {why}")),
            }
        }
    }

    fn openai(&mut self, name: &str, model: &Model, variable: Variable<'_>) -> Result<(), String> {
        let endpoint = model.endpoint.as_deref().ok_or("it has no endpoint; set models.NAME.endpoint")?;
        let endpoint = Endpoint::parse(endpoint).map_err(|error| error.to_string())?;
        let mut options = options(name, model);
        if let Some(variable_name) = &model.key_env {
            match variable(variable_name).filter(|key| !key.is_empty()) {
                Some(key) => options.key = Some(Secret::new(key)),
                None => self.notices.push(format!("models.{name}: ${variable_name} is not set; no key is sent")),
            }
        }
        self.add(name, "config", endpoint, options, model.provider);
        Ok(())
    }

    /// Adds what the environment names: `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`, and the same for Anthropic.
    pub fn from_environment(&mut self, variable: Variable<'_>) {
        for (prefix, default_url, kind) in [
            ("OPENAI", "https://api.openai.com", ProviderKind::Openai),
            ("ANTHROPIC", "https://api.anthropic.com", ProviderKind::Anthropic),
        ] {
            let set = |suffix: &str| variable(&format!("{prefix}_{suffix}")).filter(|value| !value.is_empty());
            let (url, key) = (set("BASE_URL"), set("API_KEY"));
            if url.is_none() && key.is_none() {
                continue;
            }
            let name = prefix.to_lowercase();
            let model = set("MODEL").unwrap_or_else(|| default_model(kind).to_owned());
            match Endpoint::parse(url.as_deref().unwrap_or(default_url)) {
                Ok(endpoint) => {
                    let mut options = ModelOptions::new(model);
                    options.key = key.map(Secret::new);
                    self.add(&name, "environment", endpoint, options, kind);
                }
                Err(error) => self.notices.push(format!("${prefix}_BASE_URL: {error}")),
            }
        }
    }

    /// Adds a local server that answered.
    pub fn local_server(&mut self, name: &str, url: &str, model: &str) {
        if let Ok(endpoint) = Endpoint::parse(url) {
            self.add(name, "local server", endpoint, ModelOptions::new(model), ProviderKind::Openai);
        }
    }

    /// Adds the embedded model.
    pub fn embedded(&mut self, name: &str, provider: Arc<dyn Provider>, max_tokens: u32) {
        let place = Place {
            model: provider.model().to_owned(),
            endpoint: "embedded".to_owned(),
            origin: "embedded",
            context: None,
            max_tokens,
        };
        let zero = Price::from_dollars(0.0, 0.0, None);
        let model = BrokerModel { provider, endpoint: None, max_tokens, price: Some(zero) };
        self.models.insert(name.to_owned(), model);
        self.places.insert(name.to_owned(), place);
    }

    /// Says whether nothing was found yet.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    fn add(&mut self, name: &str, origin: &'static str, endpoint: Endpoint, options: ModelOptions, kind: ProviderKind) {
        let price = options.price;
        let place = Place {
            model: options.model.clone(),
            endpoint: endpoint.as_str().to_owned(),
            origin,
            context: options.context,
            max_tokens: options.max_tokens,
        };
        let max_tokens = options.max_tokens;
        let address = endpoint.as_str().to_owned();
        let provider: Arc<dyn Provider> = match kind {
            ProviderKind::Anthropic => Arc::new(aish_llm::AnthropicProvider::new(endpoint, options)),
            ProviderKind::Openai | ProviderKind::Local => Arc::new(OpenAiProvider::new(endpoint, options)),
        };
        let model = BrokerModel { provider, endpoint: Some(address), max_tokens, price };
        self.models.insert(name.to_owned(), model);
        self.places.insert(name.to_owned(), place);
    }

    /// Ends the search: who answers, and who next.
    pub fn finish(self, config: &Config, wanted: Option<&str>) -> Found {
        let Self { models, places, mut notices } = self;
        let mut default = None;
        for name in wanted.into_iter().chain(config.model.default.as_deref()) {
            if models.contains_key(name) {
                default = Some(name.to_owned());
                break;
            }
            let known: Vec<&str> = models.keys().map(String::as_str).collect();
            notices.push(format!("there is no model {name:?}; there are: {}", known.join(", ")));
        }
        let first = ["config", "environment", "local server", "embedded"]
            .iter()
            .find_map(|origin| places.iter().find(|(_, place)| place.origin == *origin))
            .map(|(name, _)| name.clone());
        let default = default.or(first);
        let chain = Chain {
            default: default.clone().unwrap_or_default(),
            fast: config.model.fast.clone().filter(|name| models.contains_key(name)),
            fallback: config.model.fallback.clone(),
        };
        Found { broker: Broker::new(models, chain), default, notices, places }
    }
}

const fn default_model(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Openai | ProviderKind::Local => "gpt-5-mini",
        ProviderKind::Anthropic => "claude-haiku-4-5",
    }
}

fn options(name: &str, model: &Model) -> ModelOptions {
    let mut options = ModelOptions::new(model.model.clone().unwrap_or_else(|| name.to_owned()));
    options.timeout = Duration::from_millis(model.timeout_ms);
    options.connect_timeout = Duration::from_millis(model.connect_timeout_ms);
    let defaults = Model::default();
    if model.idle_timeout_ms != defaults.idle_timeout_ms {
        options.idle_timeout = Some(Duration::from_millis(model.idle_timeout_ms));
    }
    options.context = model.context;
    options.max_tokens = model.max_tokens;
    options.temperature = model.temperature;
    if let (Some(input), Some(output)) = (model.price_in, model.price_out) {
        options.price = Some(Price::from_dollars(input, output, model.price_cached));
    }
    options.images = match model.images {
        Some(false) => Images::Omitted,
        Some(true) | None => Images::Sent,
    };
    options.names = match model.strict_names {
        Some(true) => Names::Strict,
        Some(false) => Names::Dotted,
        None => Names::ByEndpoint,
    };
    options
}

/// Returns a failure in words, with what to do next.
pub fn advice(error: &ChatError) -> String {
    let next = match error {
        ChatError::Connect { .. } => "check that the server runs and that its endpoint is right (`:model`, `aish doctor`)",
        ChatError::Timeout { .. } => "try again, or raise models.NAME.timeout_ms",
        ChatError::Unauthorized { .. } => "check the key (models.NAME.key_env)",
        ChatError::Quota(_) => "top the account up, or switch with `:model`",
        ChatError::RateLimited { .. } => "wait a moment, or switch with `:model`",
        ChatError::ContextOverflow(_) => "`:reset` starts afresh; context.token_budget keeps it shorter",
        ChatError::TemplateRefused(_) => "set context.use_tool_role = false",
        ChatError::Refused { .. } => "check the model's name (models.NAME.model)",
        ChatError::Server { .. } => "try again; the server's own log says more",
        ChatError::Interrupted(_) => "nothing of it was run; try again",
        ChatError::Unreadable(_) => "is this the address of a model server? (`:model`)",
        ChatError::Process(_) => "`aish model list` shows what there is; `aish doctor` checks it",
        ChatError::SpendRefused(_) => "raise the cap, or switch to a cheaper model",
        ChatError::NoModel(_) => "`aish model pull` fetches a small one; or set OPENAI_BASE_URL",
        ChatError::Cancelled => return error.to_string(),
    };
    format!("{error}; {next}")
}
