//! What one model call used.

use core::ops::Add;

use serde::{Deserialize, Serialize};

/// Token counts of one model call, or the sum of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, those read from a cache included.
    pub prompt: u64,
    /// Tokens of the completion.
    pub completion: u64,
    /// Tokens of the prompt that the server read from its cache.
    #[serde(default)]
    pub cached: u64,
    /// Tokens of the prompt that the server wrote into its cache, where it reports them; some charge more for those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written: u64,
    /// Tokens of the completion that were reasoning, where the server reports them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    /// True when we counted because the server reported nothing; shown with `~`.
    #[serde(default)]
    pub estimated: bool,
}

fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Returns prompt and completion together.
    pub fn total(&self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }
}

impl Add for Usage {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            prompt: self.prompt.saturating_add(other.prompt),
            completion: self.completion.saturating_add(other.completion),
            cached: self.cached.saturating_add(other.cached),
            written: self.written.saturating_add(other.written),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            estimated: self.estimated || other.estimated,
        }
    }
}
