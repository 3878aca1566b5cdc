//! Verdicts, ordered so that `max` is the strictest.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};

/// What the gate does with a call before anybody is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No effect worth asking about.
    Allow,
    /// All between.
    Ask,
    /// What stops an autonomous run.
    Halt,
}

impl Verdict {
    /// Returns the word that is shown and written: `allow`, `ask`, `halt`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Halt => "halt",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What ends the reason of a halt whose effect the command itself does not take back.
pub(crate) const NO_WAY_BACK: &str = "; no way back";

/// A verdict with the rule that decided and the reason in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding rule's id (`files.delete-recursive`).
    pub rule: Cow<'static, str>,
    /// A sentence that a person understands.
    pub reason: String,
}

impl Judgement {
    /// Makes a judgement.
    pub fn new(verdict: Verdict, rule: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        Self { verdict, rule: rule.into(), reason: reason.into() }
    }

    /// Returns the stricter of two judgements; the first where they are equally strict.
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        if other.verdict > self.verdict { other } else { self }
    }
}
