//! Lines that other shells kept, taken over into the history.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};

use crate::store::{Store, StoreError};

/// A line that another shell kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedLine {
    /// The command line as it was typed.
    pub command: String,
    /// The folder in which it ran, where that was kept.
    pub folder: Option<String>,
    /// Its exit code, where that was kept.
    pub exit_code: Option<i32>,
    /// Milliseconds that it took, where that was kept.
    pub duration_ms: Option<u64>,
    /// When it began, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
}

/// Where a line that was taken over went, as [`crate::history::HistoryEntry::route`] has it.
pub const IMPORTED: &str = "import";

impl Store {
    /// Puts lines before all others of the history, oldest first, in one transaction.
    ///
    /// # Errors
    /// When the database cannot be written; none is taken over then.
    pub fn import_history(&self, lines: &[ImportedLine]) -> Result<(), StoreError> {
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // They are older than whatever was run here meanwhile.
            let first: i64 =
                transaction.query_row("SELECT min(0, coalesce(min(id), 0)) FROM history", [], |row| row.get(0))?;
            let count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
            {
                let mut insert = transaction.prepare(
                    "INSERT INTO history (id, command, folder, route, exit_code, duration_ms, started_ms)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?;
                for (id, line) in (first.saturating_sub(count)..first).zip(lines) {
                    let duration = line.duration_ms.map(|took| i64::try_from(took).unwrap_or(i64::MAX));
                    insert.execute(params![
                        id,
                        line.command,
                        line.folder,
                        IMPORTED,
                        line.exit_code,
                        duration,
                        line.started_ms
                    ])?;
                }
            }
            transaction.commit()
        })
    }
}

/// Reads the newest lines of atuin's database, oldest first. Nothing is written to it.
///
/// # Errors
/// When it cannot be read or is none of atuin's.
pub fn read_atuin(path: &Path, most: usize) -> Result<Vec<ImportedLine>, StoreError> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    let mut select = connection
        .prepare("SELECT command, cwd, exit, duration, timestamp FROM history ORDER BY timestamp DESC LIMIT ?1")?;
    let rows = select.query_map([i64::try_from(most).unwrap_or(i64::MAX)], |row| {
        let (exit, took, nanoseconds): (i64, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(ImportedLine {
            command: row.get(0)?,
            folder: row.get::<_, Option<String>>(1)?.filter(|folder| folder != "unknown"),
            // -1: atuin did not see the end.
            exit_code: i32::try_from(exit).ok().filter(|code| *code >= 0),
            duration_ms: u64::try_from(took).ok().map(|took| took / 1_000_000),
            started_ms: nanoseconds / 1_000_000,
        })
    })?;
    let mut lines = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    lines.reverse();
    Ok(lines)
}
