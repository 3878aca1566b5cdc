//! What is wrong with a configuration, with its place.

use std::fmt;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is lost: an unknown key.
    Warning,
    /// A value is not used.
    Error,
}

/// What a fault takes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// All that a file says, or all of the configuration.
    Whole,
    /// The value of a key, or of all keys of a section.
    Key(String),
    /// Nothing that is known: no key has this name.
    UnknownKey(String),
    /// A wish of a project that its reader does not allow.
    Refused,
}

/// One fault, shown as `FILE:LINE:COLUMN: error: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// The file or the variable.
    pub place: String,
    /// Line and column, both from 1; none for a variable or a flag.
    pub position: Option<(usize, usize)>,
    /// What it takes away.
    pub about: About,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, ": {severity}: {}", self.message)
    }
}

/// Returns line and column, both from 1, of a byte offset in a text.
pub fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    (line, column)
}
