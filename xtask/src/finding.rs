//! What a check found wrong, and the end of a check.

use std::fmt;

/// One thing that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file or the crate.
    pub(crate) place: String,
    /// What is wrong with it, and what to do instead.
    pub(crate) message: String,
}

impl Finding {
    /// Makes a finding.
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Prints the findings of a check in order and fails when there are any.
pub(crate) fn close(check: &str, mut findings: Vec<Finding>) -> anyhow::Result<()> {
    findings.sort();
    for finding in &findings {
        eprintln!("{check}: {finding}");
    }
    match findings.len() {
        0 => {
            eprintln!("{check}: ok");
            Ok(())
        }
        count => anyhow::bail!("{check} found {count}"),
    }
}
