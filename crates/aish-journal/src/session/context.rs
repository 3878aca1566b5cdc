//! What of a session a model still sees: turns leave the context before they leave the log.

use serde::{Deserialize, Serialize};

use crate::lines::AppendError;
use crate::session::{Session, SessionLog, StoredTurn};

/// The kind of its event.
const KIND: &str = "context";

/// Where the context begins, and what stands for the turns before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Context {
    /// The number of the first turn that is in the context; the turns before it were evicted or forgotten.
    pub from: u64,
    /// The summary of what was evicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The model whose template takes no results of tools; it gets them as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_as_text: Option<String>,
}

impl SessionLog {
    /// Notes what is in the context from now on.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn note_context(&self, context: &Context) -> Result<(), AppendError> {
        let value = serde_json::to_value(context)
            .map_err(|source| AppendError::Encode { path: self.path().to_owned(), source })?;
        self.note(KIND, value)
    }
}

impl Session {
    /// Returns what was noted last about the context; a session without such a note has all its turns in it.
    pub fn context(&self) -> Context {
        let noted = self.events.iter().rev().find(|(kind, _)| kind == KIND);
        noted.and_then(|(_, value)| serde_json::from_value(value.clone()).ok()).unwrap_or_default()
    }

    /// Returns the turns that are in the context, oldest first.
    pub fn turns_in_context(&self) -> impl Iterator<Item = &StoredTurn> {
        let from = self.context().from;
        self.turns.iter().filter(move |turn| turn.id >= from)
    }
}
