//! The line history as the editor reads it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_journal::WallClock;
use aish_term::{HistoryEntry, HistoryError, HistoryQuery, HistoryStore, MemoryHistory};

use crate::wiring::Base;

/// The lines of this session, and of others where there is a database.
pub struct LineHistory {
    lines: Arc<MemoryHistory>,
    clock: WallClock,
    session: Mutex<Option<String>>,
}

impl LineHistory {
    /// Opens the history.
    pub fn open(base: &Base) -> Self {
        Self { lines: Arc::new(MemoryHistory::new()), clock: base.clock.clone(), session: Mutex::new(None) }
    }

    /// Adds a line with what came of it.
    pub fn add(&self, line: &str, folder: &str, status: Option<i32>, duration: Option<Duration>) {
        let entry = HistoryEntry {
            id: 0,
            line: line.to_owned(),
            folder: Some(folder.to_owned()),
            status,
            duration,
            session: self.session.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            started_ms: self.clock.millis(),
        };
        self.lines.append(entry);
    }

    /// Returns the newest lines, newest first.
    pub fn newest(&self, limit: usize) -> Vec<HistoryEntry> {
        let query = HistoryQuery { limit: Some(limit), ..HistoryQuery::default() };
        self.search(&query).unwrap_or_default()
    }
}

impl HistoryStore for LineHistory {
    fn search(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, HistoryError> {
        self.lines.search(query)
    }

    fn load(&self, id: i64) -> Result<Option<HistoryEntry>, HistoryError> {
        self.lines.load(id)
    }
}
