//! The limits of an autonomous run.

use aish_types::Money;

/// What a run may use; it stops at the first that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Requests to the model.
    pub steps: u32,
    /// Tool calls and commands.
    pub tool_calls: u32,
    /// Tokens, prompts and completions together.
    pub tokens: u64,
    /// What the model's calls cost.
    pub money: Money,
    /// Milliseconds of wall time.
    pub millis: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 25,
            tool_calls: 50,
            tokens: 200_000,
            money: Money::from_nanos(1_000_000_000),
            millis: 30 * 60 * 1000,
        }
    }
}

/// What a run has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Requests to the model.
    pub steps: u32,
    /// Tool calls and commands.
    pub tool_calls: u32,
    /// Tokens, prompts and completions together.
    pub tokens: u64,
    /// What the model's calls cost.
    pub money: Money,
    /// Milliseconds of wall time, by a monotonic clock.
    pub millis: u64,
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Requests to the model.
    Steps,
    /// Tool calls and commands.
    ToolCalls,
    /// Tokens of prompts and completions.
    Tokens,
    /// What the model's calls cost.
    Money,
    /// Wall time.
    Time,
}

impl Limit {
    /// Returns the limit in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::ToolCalls => "tool calls",
            Self::Tokens => "tokens",
            Self::Money => "dollars",
            Self::Time => "minutes",
        }
    }
}

impl Limits {
    /// Returns the first limit that forbids another request to the model. Calls are not held against it: the result of
    /// the last one may still be reported.
    pub fn before_request(&self, spent: &Spent) -> Option<Limit> {
        [
            (spent.steps >= self.steps, Limit::Steps),
            (spent.tokens >= self.tokens, Limit::Tokens),
            // Who may spend nothing may ask a model that costs nothing.
            (spent.money >= self.money && spent.money > Money::ZERO, Limit::Money),
            (spent.millis >= self.millis, Limit::Time),
        ]
        .into_iter()
        .find_map(|(reached, limit)| reached.then_some(limit))
    }

    /// Returns the first limit that forbids another call. What a request has used is not held against it: what was
    /// answered within the limits may be carried out.
    pub fn before_call(&self, spent: &Spent) -> Option<Limit> {
        [(spent.tool_calls >= self.tool_calls, Limit::ToolCalls), (spent.millis >= self.millis, Limit::Time)]
            .into_iter()
            .find_map(|(reached, limit)| reached.then_some(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_reached_by_its_own_figure() {
        let limits = Limits::default();
        let none = Spent::default();
        assert_eq!((limits.before_request(&none), limits.before_call(&none)), (None, None));
        for (spent, request, call) in [
            (Spent { steps: 25, ..none }, Some(Limit::Steps), None),
            (Spent { tool_calls: 50, ..none }, None, Some(Limit::ToolCalls)),
            (Spent { tokens: 200_000, ..none }, Some(Limit::Tokens), None),
            (Spent { money: Money::from_dollars(1.0), ..none }, Some(Limit::Money), None),
            (Spent { millis: 1_800_000, ..none }, Some(Limit::Time), Some(Limit::Time)),
        ] {
            assert_eq!((limits.before_request(&spent), limits.before_call(&spent)), (request, call), "{spent:?}");
        }
        let free = Limits { money: Money::ZERO, ..limits };
        assert_eq!(free.before_request(&none), None);
        let one = Spent { money: Money::from_nanos(1), ..none };
        assert_eq!(free.before_request(&one), Some(Limit::Money));
    }
}
