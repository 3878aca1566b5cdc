//! What is wrong with a file, and where.

use std::fmt;

pub use climax_yaml::Position;

/// How much a fault takes away, ordered so that `max` is the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something says nothing: only `validate` tells it.
    Note,
    /// Nothing is lost; `validate` passes.
    Warning,
    /// The file contradicts itself: `validate` fails, a run goes on with the meaning that the message names.
    Contradiction,
    /// Something could not be read: `validate` fails, a run goes on without the tool or the file.
    Error,
}

impl Severity {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Contradiction | Self::Error => "error",
        }
    }
}

/// One fault of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file's name as it was given.
    pub file: String,
    /// Where in the file.
    pub at: Position,
    /// How much it takes away.
    pub severity: Severity,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.at;
        write!(f, "{}:{line}:{column}: {}: {}", self.file, self.severity.as_str(), self.message)
    }
}

/// Collects the faults of one file while it is read.
#[derive(Debug)]
pub(crate) struct Faults {
    file: String,
    found: Vec<Fault>,
    errors: usize,
}

impl Faults {
    pub(crate) fn new(file: &str) -> Self {
        Self { file: file.into(), found: Vec::new(), errors: 0 }
    }

    fn add(&mut self, at: Position, severity: Severity, message: String) {
        self.errors += usize::from(severity == Severity::Error);
        self.found.push(Fault { file: self.file.clone(), at, severity, message });
    }

    pub(crate) fn error(&mut self, at: Position, message: impl Into<String>) {
        self.add(at, Severity::Error, message.into());
    }

    pub(crate) fn contradiction(&mut self, at: Position, message: impl Into<String>) {
        self.add(at, Severity::Contradiction, message.into());
    }

    pub(crate) fn note(&mut self, at: Position, message: impl Into<String>) {
        self.add(at, Severity::Note, message.into());
    }

    pub(crate) fn warning(&mut self, at: Position, message: impl Into<String>) {
        self.add(at, Severity::Warning, message.into());
    }

    /// Counts what makes something unreadable, so that a reader can tell whether its part was read whole.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Returns the faults in the order of the file.
    pub(crate) fn into_sorted(mut self) -> Vec<Fault> {
        self.found.sort_by_key(|fault| fault.at);
        self.found
    }
}
