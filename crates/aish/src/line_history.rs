//! The line history as the editor reads it, kept in the database.

use std::sync::Arc;
use std::time::Duration;

use aish_store::history::{HistoryQuery as StoredQuery, Order as StoredOrder, Status, TextMatch};
use aish_store::{HistoryEntry as StoredEntry, NewHistoryEntry, Store, StoreError};
use aish_term::history::{Order, StatusFilter, TextFilter};
use aish_term::{HistoryEntry, HistoryError, HistoryQuery, HistoryStore};

use crate::secrets::Secrets;

/// The lines of all sessions.
pub struct LineHistory {
    store: Arc<Store>,
    session: String,
    size: u64,
    secrets: Arc<Secrets>,
}

impl LineHistory {
    /// Makes the history of a session over the store; nothing is opened before the first look.
    pub fn new(store: Arc<Store>, secrets: Arc<Secrets>, session: String, size: u64) -> Self {
        Self { store, session, size, secrets }
    }

    /// Adds a line with what came of it; one that holds a known secret, sets one or begins with a blank is not kept. A history
    /// that cannot be written costs the session nothing.
    pub fn add(&self, line: &str, folder: &str, route: &str, status: Option<i32>, duration: Option<Duration>) {
        if line.starts_with([' ', '\t']) || self.secrets.learn_assigned(line) || self.secrets.are_in(line) {
            return;
        }
        let entry = NewHistoryEntry {
            command: line.to_owned(),
            folder: Some(folder.to_owned()),
            session: Some(self.session.clone()),
            route: Some(route.to_owned()),
            exit_code: status,
            duration_ms: duration.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        };
        let _ = self.store.add_history(&entry, self.size);
    }

    /// Deletes the lines that are this text, or all of them, and returns how many there were.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub fn delete(&self, text: Option<&str>) -> Result<usize, StoreError> {
        let text = text.map(|text| TextMatch::Exact(text.to_owned()));
        self.store.delete_history(&StoredQuery { text, ..StoredQuery::default() })
    }

    /// Returns the newest lines, newest first.
    pub fn newest(&self, limit: usize) -> Vec<HistoryEntry> {
        let query = HistoryQuery { limit: Some(limit), ..HistoryQuery::default() };
        self.search(&query).unwrap_or_default()
    }
}

impl HistoryStore for LineHistory {
    fn search(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, HistoryError> {
        let query = StoredQuery {
            text: query.text.as_ref().map(text_match),
            not: query.except.clone(),
            folder: query.folder.clone(),
            session: query.session.clone(),
            status: query.status.map(|status| match status {
                StatusFilter::Succeeded => Status::Success,
                StatusFilter::Failed => Status::Failure,
            }),
            after_id: query.after,
            before_id: query.before,
            unique: query.distinct,
            order: match query.order {
                Order::Newest => StoredOrder::NewestFirst,
                Order::Oldest => StoredOrder::OldestFirst,
            },
            limit: query.limit,
            lately: query.lately,
        };
        let entries = self.store.search_history(&query).map_err(|error| failed(&error))?;
        Ok(entries.into_iter().map(shown).collect())
    }

    fn load(&self, id: i64) -> Result<Option<HistoryEntry>, HistoryError> {
        Ok(self.store.history_entry(id).map_err(|error| failed(&error))?.map(shown))
    }
}

fn text_match(text: &TextFilter) -> TextMatch {
    match text {
        TextFilter::Prefix(text) => TextMatch::Prefix(text.clone()),
        TextFilter::Contains(text) => TextMatch::Contains(text.clone()),
        TextFilter::Exactly(text) => TextMatch::Exact(text.clone()),
    }
}

fn failed(error: &StoreError) -> HistoryError {
    HistoryError(crate::failure::chain(error))
}

fn shown(entry: StoredEntry) -> HistoryEntry {
    HistoryEntry {
        id: entry.id,
        line: entry.command,
        folder: entry.folder,
        status: entry.exit_code,
        duration: entry.duration_ms.map(Duration::from_millis),
        session: entry.session,
        started_ms: entry.started_ms,
    }
}
