//! The broker: which model is asked, how often, and what the books say.
//!
//! The order of one call: for each candidate (the asked model, then the fallbacks) the guard is asked, the request is
//! sent and its events are passed on. Before the first token a failure that may pass is retried with backoff, then the
//! next candidate is asked, each time with a notice. After the first token nothing is repeated. Every answer is booked.

mod attempt;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::estimate;
use crate::event::ChatError;
use crate::pacing::{Pacer, RetryPolicy, SystemPacer};
use crate::prices::Price;
use crate::provider::{EventStream, Provider};
use crate::request::{ChatRequest, Purpose};
use crate::router::RouterRule;
use crate::spend::{SpendGuard, Unwatched};
use crate::traffic::Traffic;

/// One model under the name of its configuration.
#[derive(Clone)]
pub struct BrokerModel {
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// The server's address, where there is one: our own traffic to it is known under this key.
    pub endpoint: Option<String>,
    /// The longest completion in tokens when a request names none; none leaves it to the model.
    pub max_tokens: Option<u32>,
    /// The price, configured or built in; none when it is unknown.
    pub price: Option<Price>,
}

/// Who is asked, and who next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// The model that is asked unless a call names another.
    pub default: String,
    /// The model for small questions and summaries; unset means the default one.
    pub fast: Option<String>,
    /// Who answers when the asked model cannot, in this order.
    pub fallback: Vec<String>,
    /// Who is asked in the place of these, by purpose and length; the first that fits.
    pub rules: Vec<RouterRule>,
    /// Whether a person chose the default model: then it answers what is asked of it, however long it is.
    pub chosen: bool,
}

/// One call's own wishes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// The configured name of the model; unset means the chain's, by the request's purpose and length.
    pub model: Option<String>,
    /// The prompt in tokens, where it was counted; else it is estimated.
    pub prompt_tokens: Option<u64>,
}

/// Asks models.
#[derive(Clone)]
pub struct Broker {
    models: BTreeMap<String, BrokerModel>,
    chain: Chain,
    retry: RetryPolicy,
    guard: Arc<dyn SpendGuard>,
    pacer: Arc<dyn Pacer>,
    traffic: Traffic,
}

impl Broker {
    /// Makes a broker over named models, with the default retry policy, no guard and the real clock.
    pub fn new(models: BTreeMap<String, BrokerModel>, chain: Chain) -> Self {
        Self {
            models,
            chain,
            retry: RetryPolicy::default(),
            guard: Arc::new(Unwatched),
            pacer: Arc::new(SystemPacer),
            traffic: Traffic::default(),
        }
    }

    /// Sets who watches the money.
    #[must_use]
    pub fn with_guard(mut self, guard: Arc<dyn SpendGuard>) -> Self {
        self.guard = guard;
        self
    }

    /// Sets the clock and the random source of retries.
    #[must_use]
    pub fn with_pacer(mut self, pacer: Arc<dyn Pacer>) -> Self {
        self.pacer = pacer;
        self
    }

    /// Sets which models are asked by purpose and length; a rule that names no model of ours never fits.
    #[must_use]
    pub fn with_rules(mut self, rules: Vec<RouterRule>) -> Self {
        self.chain.rules = rules;
        self
    }

    /// Shares the knowledge of our own running requests, for a token counter.
    pub fn traffic(&self) -> Traffic {
        self.traffic.clone()
    }

    /// Returns the names of the models, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.models.keys().map(String::as_str)
    }

    /// Returns a model by its configured name.
    pub fn model(&self, name: &str) -> Option<&BrokerModel> {
        self.models.get(name)
    }

    /// Returns who is asked, and who next.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Makes another model the default one, as a person chose; returns whether there is one of this name.
    pub fn set_default(&mut self, name: &str) -> bool {
        let known = self.models.contains_key(name);
        if known {
            self.chain.default = name.into();
            self.chain.chosen = true;
        }
        known
    }

    /// Returns the configured name of the model that is asked for a purpose, with a prompt of so many tokens.
    pub fn pick(&self, purpose: Purpose, prompt_tokens: u64) -> &str {
        let chain = &self.chain;
        let usual = match purpose {
            Purpose::Main | Purpose::Norris => &chain.default,
            Purpose::Fast | Purpose::Summary | Purpose::Memory => chain.fast.as_ref().unwrap_or(&chain.default),
        };
        if chain.chosen && *usual == chain.default {
            return usual;
        }
        let fits = |rule: &&RouterRule| rule.fits(purpose, prompt_tokens) && self.models.contains_key(&rule.model);
        chain.rules.iter().find(fits).map_or(usual, |rule| &rule.model)
    }

    /// Asks a model, with retries and fallbacks, and streams its answer. The usage event always comes, before the end.
    ///
    /// Dropping the stream ends the request; what was answered until then is booked.
    pub fn stream(&self, request: ChatRequest, options: CallOptions, cancel: CancellationToken) -> EventStream {
        let first = options.model.as_deref().unwrap_or_else(|| {
            let tokens = options.prompt_tokens.unwrap_or_else(|| estimate::prompt_tokens(&request));
            self.pick(request.purpose, tokens)
        });
        let mut candidates = Vec::new();
        for name in std::iter::once(first).chain(self.chain.fallback.iter().map(String::as_str)) {
            if let Some(model) = self.models.get(name)
                && !candidates.iter().any(|(known, _)| known == name)
            {
                candidates.push((name.to_owned(), model.clone()));
            }
        }
        if !self.models.contains_key(first) {
            let known: Vec<&str> = self.names().collect();
            let error = if known.is_empty() {
                ChatError::NoModel("no model is configured".into())
            } else {
                ChatError::NoModel(format!("there is no model {first:?}; there are: {}", known.join(", ")))
            };
            return futures_util::stream::iter([Err(error)]).boxed();
        }
        let call = attempt::Call {
            request,
            candidates,
            prompt_tokens: options.prompt_tokens,
            retry: self.retry,
            guard: Arc::clone(&self.guard),
            pacer: Arc::clone(&self.pacer),
            traffic: self.traffic.clone(),
            cancel,
        };
        attempt::play(call)
    }
}
