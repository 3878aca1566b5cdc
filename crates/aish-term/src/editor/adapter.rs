//! Our history port in the line editor library's terms.
//!
//! Saving is the binary's, which knows folder, exit code and duration: the library's own saves are left out.

use std::sync::Arc;

use reedline::{
    CommandLineSearch, History, HistoryItem, HistoryItemId, HistorySessionId, SearchDirection, SearchQuery,
};

use crate::history::{HistoryEntry, HistoryQuery, HistoryStore, Order, StatusFilter, TextFilter};

pub(super) struct HistoryAdapter {
    store: Arc<dyn HistoryStore>,
}

impl HistoryAdapter {
    pub(super) fn new(store: Arc<dyn HistoryStore>) -> Self {
        Self { store }
    }

    fn query(&self, query: SearchQuery) -> HistoryQuery {
        let start = query.start_id.map(|id| id.0);
        let end = query.end_id.map(|id| id.0);
        let (before, after, order) = match query.direction {
            SearchDirection::Backward => (start, end, Order::Newest),
            SearchDirection::Forward => (end, start, Order::Oldest),
        };
        // Walking skips lines equal to the one that is shown; the library keeps that filter to itself.
        let except = start.and_then(|id| self.store.load(id).ok().flatten()).map(|entry| entry.line);
        HistoryQuery {
            text: query.filter.command_line.map(|text| match text {
                CommandLineSearch::Prefix(text) => TextFilter::Prefix(text),
                CommandLineSearch::Substring(text) => TextFilter::Contains(text),
                CommandLineSearch::Exact(text) => TextFilter::Exactly(text),
            }),
            folder: query.filter.cwd_exact,
            status: query.filter.exit_successful.map(
                |fine| {
                    if fine { StatusFilter::Succeeded } else { StatusFilter::Failed }
                },
            ),
            session: None,
            before,
            after,
            except,
            distinct: false,
            limit: query.limit.and_then(|limit| usize::try_from(limit).ok()),
            order,
            lately: false,
        }
    }

    /// Looks entries up; a history that fails is an empty one to the editor.
    fn found(&self, query: &HistoryQuery) -> Vec<HistoryEntry> {
        self.store.search(query).unwrap_or_else(|error| {
            tracing::debug!(%error, "history search");
            Vec::new()
        })
    }
}

fn item(entry: HistoryEntry) -> HistoryItem {
    HistoryItem {
        id: Some(HistoryItemId::new(entry.id)),
        cwd: entry.folder,
        duration: entry.duration,
        exit_status: entry.status.map(i64::from),
        // A line that controls the terminal would do so when it is recalled.
        ..HistoryItem::from_command_line(aish_types::sanitize(&entry.line))
    }
}

impl History for HistoryAdapter {
    fn save(&mut self, item: HistoryItem) -> reedline::Result<HistoryItem> {
        Ok(item)
    }

    fn load(&self, id: HistoryItemId) -> reedline::Result<HistoryItem> {
        let entry = self.store.load(id.0).ok().flatten();
        Ok(entry.map_or_else(|| HistoryItem::from_command_line(""), item))
    }

    fn count(&self, query: SearchQuery) -> reedline::Result<i64> {
        let found = self.found(&self.query(query));
        Ok(i64::try_from(found.len()).unwrap_or(i64::MAX))
    }

    fn search(&self, query: SearchQuery) -> reedline::Result<Vec<HistoryItem>> {
        Ok(self.found(&self.query(query)).into_iter().map(item).collect())
    }

    fn update(&mut self, _id: HistoryItemId, _updater: &dyn Fn(HistoryItem) -> HistoryItem) -> reedline::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> reedline::Result<()> {
        Ok(())
    }

    fn delete(&mut self, _id: HistoryItemId) -> reedline::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn session(&self) -> Option<HistorySessionId> {
        None
    }
}
