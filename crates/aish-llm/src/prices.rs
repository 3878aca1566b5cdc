//! What models cost: configured prices win, then the built-in data; what is unknown stays unknown.

use aish_types::{Money, Usage};

/// The price of one model, each amount for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Prompt tokens.
    pub input: Money,
    /// Completion tokens.
    pub output: Money,
    /// Prompt tokens that were read from the server's cache; unset means the price of any other.
    pub cached: Option<Money>,
}

impl Price {
    /// Makes a price from dollars a million tokens.
    pub fn from_dollars(input: f64, output: f64, cached: Option<f64>) -> Self {
        Self {
            input: Money::from_dollars(input),
            output: Money::from_dollars(output),
            cached: cached.map(Money::from_dollars),
        }
    }

    /// Returns what a call cost.
    pub fn of(&self, usage: &Usage) -> Money {
        let cached = usage.cached.min(usage.prompt);
        self.input.times_tokens(usage.prompt.saturating_sub(cached))
            + self.cached.unwrap_or(self.input).times_tokens(cached)
            + self.output.times_tokens(usage.completion)
    }
}
