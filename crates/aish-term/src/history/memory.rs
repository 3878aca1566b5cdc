//! A history that is kept in memory alone: for tests, and where there is no database.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::{HistoryEntry, HistoryError, HistoryQuery, HistoryStore, Order};

/// Entries in the order of their ids.
#[derive(Debug, Default)]
pub struct MemoryHistory {
    entries: Mutex<Vec<HistoryEntry>>,
}

impl MemoryHistory {
    /// Makes an empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an entry under the next id, which is returned; the entry's own id is not looked at.
    pub fn append(&self, entry: HistoryEntry) -> i64 {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let id = entries.last().map_or(1, |last| last.id + 1);
        entries.push(HistoryEntry { id, ..entry });
        id
    }
}

impl HistoryStore for MemoryHistory {
    fn search(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, HistoryError> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = HashSet::new();
        let mut wanted =
            |entry: &&HistoryEntry| query.admits(entry) && (!query.distinct || seen.insert(entry.line.clone()));
        let limit = query.limit.unwrap_or(usize::MAX);
        Ok(match query.order {
            Order::Newest => entries.iter().rev().filter(&mut wanted).take(limit).cloned().collect(),
            Order::Oldest => entries.iter().filter(&mut wanted).take(limit).cloned().collect(),
        })
    }

    fn load(&self, id: i64) -> Result<Option<HistoryEntry>, HistoryError> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(entries.iter().find(|entry| entry.id == id).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StatusFilter, TextFilter};
    use super::*;

    fn history() -> MemoryHistory {
        let history = MemoryHistory::new();
        for (line, folder, status) in
            [("ls", "/a", 0), ("cargo test", "/b", 101), ("ls", "/b", 0), ("cargo run", "/b", 0), ("git log", "/a", 1)]
        {
            history.append(HistoryEntry {
                id: 0,
                line: line.into(),
                folder: Some(folder.into()),
                status: Some(status),
                duration: None,
                session: None,
                started_ms: 0,
            });
        }
        history
    }

    fn check(query: &HistoryQuery, expected: &[&str]) {
        let found = history().search(query).unwrap();
        assert_eq!(found.iter().map(|entry| entry.line.as_str()).collect::<Vec<_>>(), expected, "{query:?}");
    }

    #[test]
    fn filters() {
        let all = HistoryQuery::default();
        check(&all, &["git log", "cargo run", "ls", "cargo test", "ls"]);
        check(&HistoryQuery { distinct: true, ..all.clone() }, &["git log", "cargo run", "ls", "cargo test"]);
        check(&HistoryQuery { order: Order::Oldest, limit: Some(2), ..all.clone() }, &["ls", "cargo test"]);
        check(
            &HistoryQuery { text: Some(TextFilter::Prefix("cargo".into())), ..all.clone() },
            &["cargo run", "cargo test"],
        );
        check(&HistoryQuery { text: Some(TextFilter::Contains("lo".into())), ..all.clone() }, &["git log"]);
        check(&HistoryQuery { text: Some(TextFilter::Exactly("ls".into())), limit: Some(1), ..all.clone() }, &["ls"]);
        check(&HistoryQuery { folder: Some("/a".into()), ..all.clone() }, &["git log", "ls"]);
        check(&HistoryQuery { status: Some(StatusFilter::Failed), ..all.clone() }, &["git log", "cargo test"]);
        check(&HistoryQuery { before: Some(3), ..all.clone() }, &["cargo test", "ls"]);
        check(&HistoryQuery { after: Some(3), order: Order::Oldest, ..all.clone() }, &["cargo run", "git log"]);
        check(&HistoryQuery { except: Some("ls".into()), ..all }, &["git log", "cargo run", "cargo test"]);
    }
}
