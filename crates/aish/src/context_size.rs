//! The budget of the model that is asked: a set one, or what its context leaves, which its server is asked for once.

use std::collections::BTreeMap;

use aish_llm::Broker;
use aish_turn::Budget;

use crate::models::Place;

/// Prompts up to this many tokens fit wherever a model is run: no server is asked about its context for those.
const ANYWHERE: u64 = 1536;

/// What is known of the contexts of the models.
#[derive(Debug, Clone, Default)]
pub struct ContextSizes {
    set: Option<u64>,
    places: BTreeMap<String, Place>,
    /// What servers said of models whose context is not configured or known.
    asked: BTreeMap<String, Option<u64>>,
    /// The model that refused a prompt as too long: its server is asked before the next one.
    refused: Option<String>,
}

impl ContextSizes {
    /// Begins with `context.token_budget` and what is configured of each model.
    pub fn new(set: Option<u64>, places: BTreeMap<String, Place>) -> Self {
        Self { set, places, ..Self::default() }
    }

    /// Notes that a model refused a prompt as too long.
    pub fn refused(&mut self, model: &str) {
        self.refused = Some(model.to_owned());
    }

    /// Returns the tokens that a prompt to a model may have, as far as is known.
    pub fn budget(&self, model: &str) -> u64 {
        let place = self.places.get(model);
        let size = place.and_then(|place| place.context).or_else(|| self.asked.get(model).copied().flatten());
        Budget::tokens(self.set, size, place.map_or(1024, |place| u64::from(place.max_tokens)))
    }

    /// Asks a model's server for the size of its context, once, when nothing else says it and a prompt of `needed` tokens
    /// could be too long; then returns the budget.
    pub async fn learn(&mut self, model: &str, broker: &Broker, needed: u64) -> u64 {
        let said = broker.model(model).and_then(|asked| asked.provider.known_abilities()?.context);
        if let Some(size) = said {
            self.asked.insert(model.to_owned(), Some(size));
        }
        let known = self.set.is_some()
            || self.places.get(model).is_some_and(|place| place.context.is_some())
            || self.asked.contains_key(model);
        let matters = needed > ANYWHERE || self.refused.as_deref() == Some(model);
        if !known
            && matters
            && let Some(asked) = broker.model(model)
        {
            let size = asked.provider.context_size().await;
            self.asked.insert(model.to_owned(), size);
        }
        self.budget(model)
    }
}
