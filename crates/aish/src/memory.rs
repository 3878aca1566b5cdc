//! What aish remembers of a person from session to session: kept by hand, by the model's tool and at a session's end,
//! and told to the model where it fits the question.

pub mod extract;
pub mod heard;
pub mod keeper;
pub mod recall;

use std::path::Path;
use std::sync::Arc;

use aish_store::{Scope, StoredMemory};
use aish_tools::Owner;
use aish_types::sanitize;

use crate::base::Base;
use crate::memory::keeper::Keeper;
use crate::project::project_root;

impl Base {
    /// Returns on whose behalf something is remembered in a folder.
    pub fn owner(&self, folder: &Path) -> Owner {
        let user = self.variable("USER").unwrap_or_else(|| "user".to_owned());
        Owner { user, channel: None, folder: Some(folder.display().to_string()) }
    }

    /// Returns the person's memory.
    pub fn memory(&self) -> Keeper {
        Keeper::new(Arc::clone(&self.store), Arc::clone(&self.secrets))
    }
}

/// Returns the scope of a project's facts: its git root; none outside of one.
pub fn project_scope(folder: &Path) -> Option<Scope> {
    project_root(folder).map(|root| Scope::Project(root.display().to_string()))
}

/// Writes a fact as a line of a list: number, date, where it holds, where it comes from, words.
pub fn line(stored: &StoredMemory) -> String {
    let memory = &stored.memory;
    let content = sanitize(&memory.content).replace('\n', " ");
    let scope = match &stored.scope {
        Scope::User => "user".to_owned(),
        Scope::Project(path) => path.rsplit('/').next().unwrap_or(path).to_owned(),
    };
    format!("{:>4}  {}  {scope}, {}  {content}", memory.id, date(memory.created_ms), memory.source)
}

/// Writes the day of a time in milliseconds, in the machine's zone.
pub fn date(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds)
        .map(|at| at.to_zoned(crate::zone::local()).strftime("%Y-%m-%d").to_string())
        .unwrap_or_default()
}
