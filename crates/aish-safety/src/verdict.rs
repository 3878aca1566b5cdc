//! Verdicts, ordered so that `max` is the strictest.

use alloc::string::String;

pub use aish_program_format::Verdict;
use serde::{Deserialize, Serialize};

use crate::rule_id::RuleId;

/// What ends the reason of a halt whose effect the command itself does not take back.
pub(crate) const NO_WAY_BACK: &str = "; no way back";

/// A verdict with the rule that decided and the reason in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding rule's id (`files.delete-recursive`).
    pub rule: RuleId,
    /// A sentence that a person understands.
    pub reason: String,
}

impl Judgement {
    /// Makes a judgement.
    pub fn new(verdict: Verdict, rule: impl Into<RuleId>, reason: impl Into<String>) -> Self {
        Self { verdict, rule: rule.into(), reason: reason.into() }
    }

    /// Returns the stricter of two judgements; the first where they are equally strict.
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        if other.verdict > self.verdict { other } else { self }
    }
}
