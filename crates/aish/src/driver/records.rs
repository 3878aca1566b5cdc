//! What a session leaves on disk while its turns are played.

use std::path::PathBuf;
use std::sync::Arc;

use aish_turn::Record;

use crate::sent::ToldHosts;

/// Where the messages of a session are written.
pub trait SessionLog: Send + Sync {
    /// Writes one record; a failure is told to the person once and costs the session nothing.
    fn keep(&mut self, record: &Record, model: &str) -> Option<String>;

    /// Notes what is in the context from now on; failures as for [`SessionLog::keep`].
    fn context(&mut self, seen: &ContextView<'_>) -> Option<String>;
}

/// What of the session is in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextView<'a> {
    /// The first entry of the transcript; none when it is empty.
    pub first: Option<u64>,
    /// The summary of what was evicted.
    pub summary: Option<&'a str>,
    /// The model that gets results of tools as text.
    pub results_as_text: Option<&'a str>,
}

/// Where a session's records go.
pub struct Records {
    /// Where messages are written.
    pub log: Box<dyn SessionLog>,
    /// Where images and the like of results are saved; none saves nothing.
    pub files: Option<PathBuf>,
    /// The hosts outside this machine of which the person was told.
    pub told_hosts: Arc<ToldHosts>,
}
