//! The audit of climax: every decision is with the operating system before its effect.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use aish_journal::{AuditRecord, Durability, LineFile, WallClock};
use aish_safety::{AuditEntry, AuditError, AuditLog};

/// The audit file, and whether it was said that it cannot be written.
#[derive(Debug)]
pub struct Audit {
    file: Option<LineFile>,
    clock: WallClock,
    warned: AtomicBool,
}

impl Audit {
    /// Names the file; it is made at the first decision. Without a path nothing can be written.
    pub fn new(path: Option<PathBuf>, clock: WallClock) -> Self {
        // A lost power supply may lose the last line; waiting for the disk would double the cost of a small command.
        Self { file: path.map(|path| LineFile::new(path, Durability::System)), clock, warned: AtomicBool::new(false) }
    }

    fn write(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        let file = self.file.as_ref().ok_or_else(|| AuditError("there is no home folder to keep it in".into()))?;
        let record = AuditRecord::of(entry, &self.clock);
        match file.append(&record) {
            Ok(_) => Ok(()),
            Err(error) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Err(AuditError(format!("{error}{cause}")))
            }
        }
    }
}

impl AuditLog for Audit {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        let written = self.write(entry);
        if let Err(error) = &written
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("{error}; only tools that read are run");
        }
        written
    }
}
