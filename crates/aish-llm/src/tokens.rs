//! Token counts: the server's tokenizer where it may be asked, a local one for the model's family, else bytes / 4.
//!
//! The order for one text: nothing for an empty text; a model without an endpoint (the embedded one) counts itself;
//! `/tokenize`, if it is allowed, if the endpoint has not failed before, and if no request of ours to it is running;
//! the local tokenizer; bytes / 4, rounded down. A count is never an error.

mod local;
mod overhead;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use aish_types::BoxFuture;

use crate::broker::BrokerModel;
use crate::traffic::Traffic;
use local::Locals;
pub use overhead::TemplateOverhead;

/// Which tokenizer counts for a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TokenizerChoice {
    /// The endpoint if [`UseEndpoint::Allowed`], then the local one of the model's family, then bytes / 4.
    #[default]
    Auto,
    /// The endpoint, whatever is allowed for others; then as `Auto`.
    Endpoint,
    /// OpenAI's `o200k_base`.
    O200k,
    /// OpenAI's `cl100k_base`.
    Cl100k,
    /// A `.gguf`, a `tokenizer.json`, a `tekken.json` or the lines of tiktoken (`.tiktoken`, `tokenizer.model`).
    File(PathBuf),
    /// Bytes / 4.
    Chars,
}

/// Whether endpoints are asked to count (`tokenize.use_endpoint`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UseEndpoint {
    /// No `/tokenize` request is sent.
    #[default]
    Forbidden,
    /// Each endpoint is asked until it fails.
    Allowed,
}

/// Whether an endpoint can count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// It has counted.
    Yes,
    /// It has failed, and is not asked again in this session.
    No,
    /// It has not been asked.
    NotAsked,
}

/// Names a tokenizer, so that a count can be kept with the tokenizer that made it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenizerId(String);

impl TokenizerId {
    /// Returns `endpoint URL`, `embedded MODEL`, `o200k`, `cl100k`, `file PATH` or `chars`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for TokenizerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A count and who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenCount {
    /// How many tokens the text has.
    pub count: u64,
    /// Which tokenizer counted.
    pub tokenizer: TokenizerId,
}

/// What one session knows of one endpoint: the lock is held while it is asked, so that it is probed once.
type Probe = Arc<tokio::sync::Mutex<Option<bool>>>;

/// Counts tokens for a session; cheap to share.
#[derive(Clone)]
pub struct TokenCounter {
    use_endpoint: UseEndpoint,
    traffic: Traffic,
    probes: Arc<Mutex<HashMap<String, Probe>>>,
    locals: Locals,
}

impl TokenCounter {
    /// Makes a counter; `traffic` is the broker's, so that no endpoint is asked while it works for us.
    pub fn new(use_endpoint: UseEndpoint, traffic: Traffic) -> Self {
        Self { use_endpoint, traffic, probes: Arc::default(), locals: Locals::default() }
    }

    /// Counts the tokens of a text for a model.
    pub fn count<'a>(
        &'a self,
        model: &'a BrokerModel,
        choice: &'a TokenizerChoice,
        text: &'a str,
    ) -> BoxFuture<'a, TokenCount> {
        Box::pin(async move {
            if text.is_empty() {
                return TokenCount { count: 0, tokenizer: self.tokenizer(model, choice) };
            }
            if let Some(count) = self.count_by_provider(model, choice, text).await {
                return count;
            }
            let (locals, wanted) = (self.locals.clone(), self.local_choice(model, choice));
            if !local::has_vocabulary(&wanted) {
                let (count, id) = local::by_chars(text);
                return TokenCount { count, tokenizer: TokenizerId(id) };
            }
            let owned = text.to_owned();
            // Loading a vocabulary takes up to 0.1 s: not on a thread that draws.
            let counted = tokio::task::spawn_blocking(move || locals.count(&wanted, &owned)).await;
            let (count, id) = counted.unwrap_or_else(|_| local::by_chars(text));
            TokenCount { count, tokenizer: TokenizerId(id) }
        })
    }

    /// Names the tokenizer that a count would use now: a count that another one made is to be made again.
    pub fn tokenizer(&self, model: &BrokerModel, choice: &TokenizerChoice) -> TokenizerId {
        match &model.endpoint {
            None if !matches!(choice, TokenizerChoice::Chars) => TokenizerId(embedded(model)),
            Some(endpoint) if self.may_ask(choice) && self.supported(endpoint) != Support::No => {
                TokenizerId(format!("endpoint {endpoint}"))
            }
            None | Some(_) => TokenizerId(self.locals.id(&self.local_choice(model, choice))),
        }
    }

    /// Returns whether an endpoint can count, as far as this session knows.
    pub fn supported(&self, endpoint: &str) -> Support {
        let probe = self.probes.lock().unwrap_or_else(PoisonError::into_inner).get(endpoint).cloned();
        let known = probe.and_then(|probe| probe.try_lock().ok().and_then(|state| *state));
        match known {
            Some(true) => Support::Yes,
            Some(false) => Support::No,
            None => Support::NotAsked,
        }
    }

    fn may_ask(&self, choice: &TokenizerChoice) -> bool {
        match choice {
            TokenizerChoice::Auto => self.use_endpoint == UseEndpoint::Allowed,
            TokenizerChoice::Endpoint => true,
            TokenizerChoice::O200k | TokenizerChoice::Cl100k | TokenizerChoice::File(_) | TokenizerChoice::Chars => {
                false
            }
        }
    }

    async fn count_by_provider(&self, model: &BrokerModel, choice: &TokenizerChoice, text: &str) -> Option<TokenCount> {
        let Some(endpoint) = &model.endpoint else {
            if !matches!(choice, TokenizerChoice::Auto | TokenizerChoice::Endpoint) {
                return None;
            }
            let count = model.provider.count_tokens(text).await?;
            return Some(TokenCount { count, tokenizer: TokenizerId(embedded(model)) });
        };
        if !self.may_ask(choice) || self.traffic.is_busy(endpoint) {
            return None;
        }
        let probe = {
            let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(probes.entry(endpoint.clone()).or_default())
        };
        let mut state = probe.lock().await;
        if *state == Some(false) {
            return None;
        }
        if *state == Some(true) {
            // Known to count: questions may run side by side.
            drop(state);
            let counted = model.provider.count_tokens(text).await;
            if counted.is_none() {
                *probe.lock().await = Some(false);
            }
            return counted.map(|count| TokenCount { count, tokenizer: TokenizerId(format!("endpoint {endpoint}")) });
        }
        let counted = model.provider.count_tokens(text).await;
        *state = Some(counted.is_some());
        counted.map(|count| TokenCount { count, tokenizer: TokenizerId(format!("endpoint {endpoint}")) })
    }

    /// Resolves a choice to a local tokenizer.
    fn local_choice(&self, model: &BrokerModel, choice: &TokenizerChoice) -> TokenizerChoice {
        match choice {
            TokenizerChoice::Auto | TokenizerChoice::Endpoint => local::family(model.provider.model()),
            TokenizerChoice::O200k | TokenizerChoice::Cl100k | TokenizerChoice::File(_) | TokenizerChoice::Chars => {
                choice.clone()
            }
        }
    }
}

fn embedded(model: &BrokerModel) -> String {
    format!("embedded {}", model.provider.model())
}
