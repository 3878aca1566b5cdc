//! The history port: what the line editor asks of it. The binary keeps it in its own database.

use std::time::Duration;

mod fuzzy;
mod memory;

pub use fuzzy::{Match, rank};
pub use memory::MemoryHistory;

/// One line that was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Grows with time; unique in the store.
    pub id: i64,
    /// The line, as it was entered.
    pub line: String,
    /// The folder it ran in.
    pub folder: Option<String>,
    /// The exit code, none while it runs or where there is none.
    pub status: Option<i32>,
    /// How long it ran.
    pub duration: Option<Duration>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// When it started, in milliseconds since the epoch.
    pub started_ms: i64,
}

/// Which text an entry must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextFilter {
    /// The line starts with this.
    Prefix(String),
    /// The line contains this.
    Contains(String),
    /// The line is this.
    Exactly(String),
}

/// Which exit code an entry must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusFilter {
    /// Exit code 0.
    Succeeded,
    /// Another exit code.
    Failed,
}

/// Which way entries are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
}

/// What is looked for. All that is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistoryQuery {
    /// The text.
    pub text: Option<TextFilter>,
    /// The exact folder.
    pub folder: Option<String>,
    /// The exit code.
    pub status: Option<StatusFilter>,
    /// The session.
    pub session: Option<String>,
    /// Only entries with a smaller id.
    pub before: Option<i64>,
    /// Only entries with a greater id.
    pub after: Option<i64>,
    /// Leaves out entries with exactly this line.
    pub except: Option<String>,
    /// Gives each line once, at its place nearest to the start of the walk.
    pub distinct: bool,
    /// At most so many entries; none: all.
    pub limit: Option<usize>,
    /// Which way.
    pub order: Order,
    /// Only among the newest 2,000 lines or more, where the store has so many that a search of all takes its time.
    pub lately: bool,
}

/// Why the history could not be used; the editor then goes on without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the history cannot be used: {0}")]
pub struct HistoryError(pub String);

/// Where lines are kept. Called from the editor's thread, while a key is handled: answers are due within milliseconds.
pub trait HistoryStore: Send + Sync {
    /// Looks entries up.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn search(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, HistoryError>;

    /// Returns the entry with an id.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn load(&self, id: i64) -> Result<Option<HistoryEntry>, HistoryError>;
}

impl HistoryQuery {
    /// Says whether an entry is wanted, all but `distinct`, `limit` and `order` considered.
    pub fn admits(&self, entry: &HistoryEntry) -> bool {
        let text = match &self.text {
            None => true,
            Some(TextFilter::Prefix(text)) => entry.line.starts_with(text.as_str()),
            Some(TextFilter::Contains(text)) => entry.line.contains(text.as_str()),
            Some(TextFilter::Exactly(text)) => entry.line == *text,
        };
        let status = match self.status {
            None => true,
            Some(StatusFilter::Succeeded) => entry.status == Some(0),
            Some(StatusFilter::Failed) => entry.status.is_some_and(|code| code != 0),
        };
        text && status
            && self.folder.as_ref().is_none_or(|folder| entry.folder.as_ref() == Some(folder))
            && self.session.as_ref().is_none_or(|session| entry.session.as_ref() == Some(session))
            && self.before.is_none_or(|id| entry.id < id)
            && self.after.is_none_or(|id| entry.id > id)
            && self.except.as_ref().is_none_or(|line| entry.line != *line)
    }
}
