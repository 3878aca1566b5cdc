//! The audit log as a file of JSON lines: every decision is on the disk before its effect.

use std::path::PathBuf;

use aish_safety::{AuditEntry, AuditError, AuditLog};
use serde::{Deserialize, Serialize};

use crate::clock::WallClock;
use crate::lines::{Durability, LineFile, LoadError, Loaded};

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// When it was decided, RFC 3339 in UTC.
    pub time: String,
    /// What was decided.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

impl AuditRecord {
    /// Makes the record of a decision that was made now. A key that the command spells out is not part of it.
    pub fn of(entry: &AuditEntry, clock: &WallClock) -> Self {
        let command = entry.command.as_deref().map(|command| aish_types::mask_named(&aish_types::mask(command)));
        Self { time: clock.text(), entry: AuditEntry { command, ..entry.clone() } }
    }
}

/// The audit log in a file.
#[derive(Debug)]
pub struct AuditFile {
    file: LineFile,
    clock: WallClock,
}

impl AuditFile {
    /// Names the file; it is made at the first decision.
    pub fn new(path: impl Into<PathBuf>, clock: WallClock) -> Self {
        Self { file: LineFile::new(path, Durability::Disk), clock }
    }

    /// Reads all decisions, oldest first.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn load(&self) -> Result<Loaded<AuditRecord>, LoadError> {
        self.file.load()
    }
}

impl AuditFile {
    /// Appends one entry with further fields beside its own; they are kept in the file as they are and skipped by
    /// [`AuditFile::load`].
    ///
    /// # Errors
    /// When it could not be written.
    pub fn append_with(&self, entry: &AuditEntry, more: &impl Serialize) -> Result<(), AuditError> {
        #[derive(Serialize)]
        struct Line<'a, T> {
            #[serde(flatten)]
            record: AuditRecord,
            #[serde(flatten)]
            more: &'a T,
        }
        let line = Line { record: AuditRecord::of(entry, &self.clock), more };
        self.file.append(&line).map(|_| ()).map_err(|error| AuditError(with_cause(&error)))
    }
}

impl AuditLog for AuditFile {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        let record = AuditRecord::of(entry, &self.clock);
        self.file.append(&record).map(|_| ()).map_err(|error| AuditError(with_cause(&error)))
    }
}

/// Writes an error with its causes on one line.
pub(crate) fn with_cause(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
