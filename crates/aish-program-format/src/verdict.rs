//! Verdicts, ordered so that `max` is the strictest.

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
