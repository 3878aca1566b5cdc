//! From the configuration to models that can be asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aish_llm::{
    Abilities, Api, Broker, BrokerModel, Chain, ChatError, Endpoint, Images, ModelOptions, Names, Price, Provider,
    RemoteProvider, SentKey, TokenizerChoice,
};
use aish_types::Secret;

use crate::config::model::{Model, ProviderKind};
use crate::config::section::Config;
use crate::failure::Failure;

/// Looks a variable of the environment up.
pub type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The models of this run and how it came to them.
pub struct ModelSet {
    /// The broker over them.
    pub broker: Broker,
    /// The name of the model that answers; none when there is none.
    pub default: Option<String>,
    /// What to tell the person.
    pub notices: Vec<String>,
    /// Where each model is, for `:model` and `aish model list`.
    pub places: BTreeMap<String, Place>,
}

impl ModelSet {
    /// Says what is wrong where the model that was named is not the one that answers.
    pub fn lacks(&self, wanted: Option<&str>) -> Option<Failure> {
        wanted.filter(|name| self.default.as_deref() != Some(*name)).map(|name| no_model(Some(name)))
    }
}

/// Where a model comes from, the first choice first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The configuration names it.
    Config,
    /// Variables of the environment do.
    Environment,
    /// A server on this machine was found.
    LocalServer,
    /// It runs in a process of ours.
    Embedded,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Config => "config",
            Self::Environment => "environment",
            Self::LocalServer => "local server",
            Self::Embedded => "embedded",
        })
    }
}

/// Where a model is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The server's name for it.
    pub model: String,
    /// The endpoint, or what else runs it.
    pub endpoint: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Tokens of its context, where configured.
    pub context: Option<u64>,
    /// Tokens of a reply at most.
    pub max_tokens: u32,
    /// Which tokenizer counts for it.
    pub tokenizer: TokenizerChoice,
    /// Whether it is a small one, which gets about a hundred tokens of instructions and no tools.
    pub small: bool,
    /// Whether it is offered tools (`models.NAME.tools`).
    pub tools: bool,
}

/// Tokens that the context keeps free for a reply whose length is left to the model.
const REPLY: u32 = 1024;
/// Tokens of context that the embedded model is run with.
const EMBEDDED_CONTEXT: u64 = 4096;
/// Tokens of its replies at most.
const EMBEDDED_REPLY: u32 = 512;

/// Models with fewer parameters are small: they follow few instructions and use no tools.
const SMALL_PARAMETERS: u64 = 1_000_000_000;

/// Collects models while they are found.
#[derive(Default)]
pub struct Collector {
    models: BTreeMap<String, BrokerModel>,
    places: BTreeMap<String, Place>,
    tokenizers: BTreeMap<String, TokenizerChoice>,
    toolless: BTreeSet<String>,
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

    fn openai(&mut self, name: &str, model: &Model, variable: Variable<'_>) -> Result<(), Failure> {
        let endpoint =
            model.endpoint.as_deref().ok_or_else(|| Failure::config("it has no endpoint; set models.NAME.endpoint"))?;
        let endpoint = Endpoint::parse(endpoint)?;
        let mut options = options(name, model);
        if let Some(variable_name) = &model.key_env {
            match variable(variable_name).filter(|key| !key.is_empty()) {
                Some(key) => {
                    options.key = Some(Secret::new(key));
                    options.key_source = Some(format!("${variable_name}"));
                }
                None => {
                    let section = format!("models.{name}");
                    self.notices.push(crate::secrets::unset(&section, "key_env", variable_name, "no key is sent"));
                }
            }
        }
        if options.key.is_none()
            && let Some(command) = &model.key_command
        {
            options.key_command = Some(crate::key_command::of(command));
        }
        self.tokenizers.insert(name.to_owned(), crate::counting::choice(&model.tokenizer));
        if model.tools == Some(false) {
            self.toolless.insert(name.to_owned());
        }
        let known = || match model.provider {
            ProviderKind::Anthropic => Api::Messages,
            ProviderKind::Openai | ProviderKind::Local => Api::of(&endpoint, options.key.as_ref()),
        };
        let api = Api::named(&model.api).unwrap_or_else(known);
        self.add(name, Origin::Config, endpoint, options, api);
        Ok(())
    }

    /// Adds what the environment names: `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`, and the same for Anthropic.
    pub async fn add_environment(&mut self, variables: &[(String, String)]) {
        let variables: BTreeMap<String, String> = variables.iter().cloned().collect();
        match aish_llm::discovery::from_environment(&variables) {
            Ok(None) => {}
            Ok(Some(server)) => {
                // A server of one model answers to any name; a dead one is said when it is asked.
                let model = server.first_model().await.unwrap_or_else(|| "default".to_owned());
                let mut options = ModelOptions::new(model);
                options.key = server.key.clone();
                options.key_source = server.key_variable.map(|name| format!("${name}"));
                let name = match server.kind {
                    aish_llm::ProviderKind::OpenAi => "openai",
                    aish_llm::ProviderKind::Anthropic => "anthropic",
                };
                self.server(name, Origin::Environment, &server, options);
            }
            Err(error) => self.notices.push(crate::failure::chain(&error)),
        }
    }

    /// Adds a server that was found.
    pub fn server(&mut self, name: &str, origin: Origin, server: &aish_llm::Found, options: ModelOptions) {
        let api = server.kind.api(&server.endpoint, options.key.as_ref());
        self.add(name, origin, server.endpoint.clone(), options, api);
    }

    /// Adds a local server whose model can do so much: a small one gets short instructions, and tools go only to a model
    /// that uses them.
    pub fn local(&mut self, name: &str, server: &aish_llm::Found, options: ModelOptions, abilities: &Abilities) {
        let small = abilities.parameters.is_some_and(|parameters| parameters < SMALL_PARAMETERS);
        self.server(name, Origin::LocalServer, server, ModelOptions { context: abilities.context, ..options });
        if let Some(place) = self.places.get_mut(name) {
            place.small = small;
            place.tools = abilities.tools != Some(false) && !small;
        }
    }

    /// Adds a line for the person.
    pub fn notice(&mut self, text: String) {
        self.notices.push(text);
    }

    /// Adds the embedded model.
    pub fn embedded(&mut self, name: &str, provider: Arc<dyn Provider>, small: bool) {
        let place = Place {
            model: provider.model().to_owned(),
            endpoint: "a child process".to_owned(),
            origin: Origin::Embedded,
            context: Some(EMBEDDED_CONTEXT),
            max_tokens: EMBEDDED_REPLY,
            tokenizer: TokenizerChoice::Auto,
            small,
            tools: !small,
        };
        let free = Price::from_dollars(0.0, 0.0, None);
        let model = BrokerModel { provider, endpoint: None, max_tokens: Some(EMBEDDED_REPLY), price: Some(free) };
        self.models.insert(name.to_owned(), model);
        self.places.insert(name.to_owned(), place);
    }

    /// Says whether nothing was found yet.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    fn add(&mut self, name: &str, origin: Origin, endpoint: Endpoint, options: ModelOptions, api: Api) {
        let known = aish_llm::prices::known(&options.model);
        let tokenizer = self.tokenizers.get(name).cloned().unwrap_or_default();
        let place = Place {
            model: options.model.clone(),
            endpoint: endpoint.to_string(),
            origin,
            context: options.context.or(known.as_ref().and_then(|known| known.abilities.context)),
            max_tokens: options.max_tokens.unwrap_or(REPLY),
            tokenizer,
            small: false,
            tools: !self.toolless.contains(name),
        };
        let price = options.price.or(known.map(|known| known.price));
        let max_tokens = options.max_tokens;
        let address = endpoint.as_str().to_owned();
        let provider: Arc<dyn Provider> = Arc::new(RemoteProvider::new(api, endpoint, options));
        let model = BrokerModel { provider, endpoint: Some(address), max_tokens, price };
        self.models.insert(name.to_owned(), model);
        self.places.insert(name.to_owned(), place);
    }

    /// Lists what keeps configured models from being used: addresses that are none, keys that are not there, and a model that is
    /// named and not configured. Asks no server.
    pub fn faults(config: &Config, variable: Variable<'_>) -> Vec<String> {
        /// Models that are found and not configured.
        const FOUND: &[&str] = &["openai", "anthropic", "local", crate::search::EMBEDDED];
        let mut collector = Self::default();
        collector.configured(config, variable);
        let named = [("default", &config.model.default), ("fast", &config.model.fast)].into_iter();
        let named = named.filter_map(|(key, name)| Some((key, name.as_deref()?)));
        let is_missing = |name: &str| !config.models.contains_key(name) && !FOUND.contains(&name);
        let missing = named.filter(|(_, name)| is_missing(name));
        let missing = missing.map(|(key, name)| format!("model.{key}: there is no [models.{name}]"));
        collector.notices.into_iter().chain(missing).collect()
    }

    /// Ends the search: who answers, and who next.
    pub fn finish(self, config: &Config, wanted: Option<&str>) -> ModelSet {
        let Self { models, places, mut notices, .. } = self;
        let mut default = None;
        for name in wanted.into_iter().chain(config.model.default.as_deref()) {
            if models.contains_key(name) {
                default = Some(name.to_owned());
                break;
            }
            let known = told(name, models.keys().map(String::as_str).collect());
            notices.push(format!("there is no model {name:?}; {known}"));
        }
        let first = places.iter().min_by_key(|(_, place)| place.origin).map(|(name, _)| name.clone());
        let default = default.or(first);
        let known = models.keys().map(String::as_str).collect();
        let (rules, faults) = config.router.rules(&known);
        notices.extend(faults);
        let chain = Chain {
            default: default.clone().unwrap_or_default(),
            fast: config.model.fast.clone().filter(|name| models.contains_key(name)),
            fallback: config.model.fallback.clone(),
            rules,
            chosen: wanted.is_some_and(|wanted| default.as_deref() == Some(wanted)),
        };
        ModelSet { broker: Broker::new(models, chain), default, notices, places }
    }
}

/// How many models are told beside a name that none has.
const MOST_TOLD: usize = 12;

/// Says which models there are beside a name that none has: those that may be meant, else some of all.
pub fn told(name: &str, known: Vec<&str>) -> String {
    let near = aish_types::near::near(name, known.iter().copied(), 3);
    match (near.as_slice(), known.len()) {
        (_, 0) => "none can be used".to_owned(),
        ([], count) if count > MOST_TOLD => {
            let some = known.get(..MOST_TOLD).unwrap_or_default();
            format!("there are: {} and {} more", some.join(", "), count - MOST_TOLD)
        }
        ([], _) => format!("there are: {}", known.join(", ")),
        (near, _) => format!("did you mean {}?", near.join(" or ")),
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
    options.effort.clone_from(&model.effort);
    options.effort_for.clone_from(&model.effort_for);
    options.thinking = model.thinking.as_deref().and_then(|word| word.parse().ok());
    let by_purpose = model.thinking_for.iter().filter_map(|(name, word)| Some((name.clone(), word.parse().ok()?)));
    options.thinking_for = by_purpose.collect();
    options.ca_file = model.ca_file.as_ref().map(Into::into);
    if let (Some(input), Some(output)) = (model.price_in, model.price_out) {
        let write_percent = match model.provider {
            ProviderKind::Anthropic => aish_llm::prices::ANTHROPIC_WRITE_PERCENT,
            ProviderKind::Openai | ProviderKind::Local => 100,
        };
        let price = Price::from_dollars(input, output, model.price_cached);
        options.price = Some(price.with_write_percent(write_percent));
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

/// Says that the model that was named, or any at all, is not there.
pub fn no_model(name: Option<&str>) -> Failure {
    let message = match name {
        Some(name) => format!("no model {name:?} to ask"),
        None => "no model to ask".to_owned(),
    };
    Failure::config(message).hint("`aish model list` shows what there is, `aish model pull` fetches a small one")
}

/// Returns a failure in words, with what to do next.
pub fn advice(error: &ChatError) -> Failure {
    let next = match error {
        ChatError::Connect { .. } => {
            "check that the server runs and that its endpoint is right (`:model`, `aish doctor`)"
        }
        ChatError::Timeout { .. } => "try again, or raise models.NAME.timeout_ms",
        ChatError::Unauthorized { key: SentKey::Absent, .. } => {
            "set models.NAME.key_env to the variable that holds the key"
        }
        ChatError::Unauthorized { .. } => "check that key; `aish doctor` tries it",
        ChatError::Insecure { .. } => "SSL_CERT_FILE names a file of own certificates",
        ChatError::Quota(_) => "top the account up, or switch with `:model`",
        ChatError::RateLimited { .. } => "wait a moment, or switch with `:model`",
        ChatError::ContextOverflow(_) => "`:reset` starts afresh; context.token_budget keeps it shorter",
        ChatError::TemplateRefused(_) => "set context.use_tool_role = false",
        ChatError::Refused { status: 300..=399, .. } => "`:model` shows the one that is set (models.NAME.endpoint)",
        ChatError::Refused { status: 407, .. } => {
            "the proxy wants a login (HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT)"
        }
        ChatError::Refused { status: 404, .. } => {
            "check the model's name (models.NAME.model) and the endpoint (`:model`)"
        }
        ChatError::Refused { message, .. } if message.to_lowercase().contains("model") => {
            "check the model's name (models.NAME.model)"
        }
        ChatError::Refused { .. } => "`:sent` shows the request whole; another model may take it (`:model`)",
        ChatError::Server { .. } => "try again; the server's own log says more",
        ChatError::Interrupted(_) => "nothing of it was run; try again",
        ChatError::Unreadable(_) => "is this the address of a model server? (`:model`)",
        ChatError::Process(_) => "`aish model list` shows what there is; `aish doctor` checks it",
        ChatError::SpendRefused(_) => "raise the cap, mend it where it is broken, or switch to a cheaper model",
        ChatError::NoModel(_) => "`aish model pull` fetches a small one; or set OPENAI_BASE_URL",
        ChatError::Cancelled => return Failure::user(error.to_string()),
    };
    let failure = match error {
        ChatError::Unauthorized { .. } | ChatError::TemplateRefused(_) | ChatError::NoModel(_) => Failure::config,
        ChatError::ContextOverflow(_) | ChatError::SpendRefused(_) => Failure::user,
        _ => Failure::network,
    };
    failure(error.to_string()).hint(next)
}

#[cfg(test)]
mod tests {
    use aish_llm::discovery::Origin;

    use super::*;

    #[test]
    fn beside_a_name_that_no_model_has_the_nearest_is_told() {
        let many: Vec<String> = (0..40).map(|at| format!("model-{at}x")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (name, known, expected) in [
            ("calude", vec!["claude", "gpt"], "did you mean claude?"),
            ("zzz", vec!["claude", "gpt"], "there are: claude, gpt"),
            ("x", Vec::new(), "none can be used"),
        ] {
            assert_eq!(told(name, known), expected, "{name}");
        }
        let some = told("zzz", many);
        assert!(some.starts_with("there are: model-0x, ") && some.ends_with(", model-11x and 28 more"), "{some}");
    }

    #[test]
    fn a_local_model_is_offered_the_tools_that_it_can_use() {
        let place = |abilities: &Abilities| {
            let endpoint = Endpoint::parse("http://127.0.0.1:9931").unwrap();
            let (kind, origin) = (aish_llm::ProviderKind::OpenAi, Origin::LlamaCpp);
            let model = Some("m".into());
            let server =
                aish_llm::Found { kind, endpoint, model, key: None, key_variable: None, origin, parameters: None };
            let mut collector = Collector::default();
            collector.local("local", &server, ModelOptions::new("m"), abilities);
            let place = collector.places.remove("local").unwrap();
            (place.tools, place.small, place.context)
        };
        let of = |parameters, tools| Abilities { parameters, tools, context: Some(4096), ..Abilities::default() };
        for (abilities, expected) in [
            (Abilities::default(), (true, false, None)),
            (of(Some(4_000_000_000), Some(true)), (true, false, Some(4096))),
            (of(Some(4_000_000_000), Some(false)), (false, false, Some(4096))),
            (of(Some(135_000_000), Some(true)), (false, true, Some(4096))),
        ] {
            assert_eq!(place(&abilities), expected, "{abilities:?}");
        }
    }
}
