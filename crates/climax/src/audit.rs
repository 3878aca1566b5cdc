//! The audit of climax: every decision is with the operating system before its effect.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aish_journal::{AuditRecord, Durability, LineFile, WallClock};
use aish_safety::{AuditEntry, AuditError, AuditLog};
use aish_types::Risk;

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
        let record = AuditRecord { time: self.clock.text(), entry: entry.clone() };
        match file.append(&record) {
            Ok(_) => Ok(()),
            Err(error) => {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Err(AuditError(format!("{error}{cause}")))
            }
        }
    }

    fn warn_once(&self, error: &AuditError) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!("{error}; only tools that read are run");
        }
    }
}

/// The audit as the gate sees it for one call: what cannot be written stops everything but tools that read.
pub(crate) struct CallAudit {
    audit: Arc<Audit>,
    risk: Risk,
    failed: AtomicBool,
}

impl CallAudit {
    pub(crate) fn new(audit: Arc<Audit>, risk: Risk) -> Self {
        Self { audit, risk, failed: AtomicBool::new(false) }
    }

    /// Says whether the call must not run because its decision could not be written.
    pub(crate) fn forbids(&self) -> bool {
        self.failed.load(Ordering::Relaxed) && self.risk > Risk::Read
    }
}

impl AuditLog for CallAudit {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        let Err(error) = self.audit.write(entry) else { return Ok(()) };
        self.audit.warn_once(&error);
        self.failed.store(true, Ordering::Relaxed);
        if self.risk == Risk::Read { Ok(()) } else { Err(error) }
    }
}
