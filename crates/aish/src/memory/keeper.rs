//! What may be kept, and where it holds: the store behind a look at what is to be kept.

use std::path::Path;
use std::sync::Arc;

use aish_store::{Scope, Store, StoreError};
use aish_tools::{Memory, MemoryError, MemoryFuture, MemoryStore, NewMemory, Owner};
use aish_types::sanitize;

use crate::failure::chain;
use crate::secrets::{Secrets, look};

/// Why a fact is not kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// It is empty.
    #[error("there is nothing to remember")]
    Empty,
    /// It holds a secret, or looks as if it did.
    #[error("this is not remembered: it looks like a secret ({0})")]
    Secret(&'static str),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The person's memory.
#[derive(Clone)]
pub struct Keeper {
    store: Arc<Store>,
    secrets: Arc<Secrets>,
}

impl Keeper {
    /// Makes the memory over a store.
    pub fn new(store: Arc<Store>, secrets: Arc<Secrets>) -> Self {
        Self { store, secrets }
    }

    /// Keeps a fact and returns its id.
    ///
    /// # Errors
    /// When it is empty, holds a secret, or would not outlive this process.
    pub fn keep(&self, owner: &Owner, new: &NewMemory, scope: &Scope) -> Result<String, KeepError> {
        let content = sanitize(&new.content).trim().to_owned();
        if content.is_empty() {
            return Err(KeepError::Empty);
        }
        for text in [&content, &new.category] {
            if self.secrets.are_in(text) {
                return Err(KeepError::Secret("the value of a variable or setting of yours"));
            }
            if let Some(why) = look::of(text) {
                return Err(KeepError::Secret(why));
            }
        }
        self.store.kept()?;
        Ok(self.store.remember(owner, &NewMemory { content, ..new.clone() }, scope)?)
    }
}

impl MemoryStore for Keeper {
    fn add<'a>(&'a self, owner: &'a Owner, memory: NewMemory) -> MemoryFuture<'a, String> {
        // A model says by the category that a fact is about the project.
        let in_project = memory.category.eq_ignore_ascii_case("project");
        let folder = owner.folder.as_deref().filter(|_| in_project);
        let scope = folder.and_then(|folder| super::project_scope(Path::new(folder))).unwrap_or(Scope::User);
        let result = self.keep(owner, &memory, &scope).map_err(|error| MemoryError(chain(&error)));
        Box::pin(std::future::ready(result))
    }

    fn search<'a>(&'a self, owner: &'a Owner, query: &'a str, limit: usize) -> MemoryFuture<'a, Vec<Memory>> {
        self.store.search(owner, query, limit)
    }
}

#[cfg(test)]
mod tests {
    use aish_journal::WallClock;

    use super::*;

    fn fact(content: &str) -> NewMemory {
        NewMemory { content: content.into(), category: "fact".into(), importance: 3, source: "person".into() }
    }

    #[test]
    fn secrets_are_not_kept() {
        let store = Arc::new(Store::in_memory(WallClock::default()));
        let keeper = Keeper::new(Arc::clone(&store), Arc::new(Secrets::of(["canary-4711-canary"])));
        let owner = Owner { user: "me".into(), channel: None, folder: None };
        for content in [
            "the value is canary-4711-canary, remember it",
            // The canary in base64.
            "Y2FuYXJ5LTQ3MTEtY2FuYXJ5",
            "my password is hunter2",
            "  \u{1b}[0m ",
        ] {
            assert!(keeper.keep(&owner, &fact(content), &Scope::User).is_err(), "{content}");
        }
        keeper.keep(&owner, &fact("I like\u{1b}[31m tea"), &Scope::User).unwrap();
        let all = store.memories(&owner, 10).unwrap();
        assert_eq!(all.iter().map(|stored| stored.memory.content.as_str()).collect::<Vec<_>>(), ["I like tea"]);
    }

    #[test]
    fn what_would_be_forgotten_at_once_is_not_said_to_be_kept() {
        let store = Arc::new(Store::without_place("HOME is not set", WallClock::default()));
        let keeper = Keeper::new(store, Arc::default());
        let owner = Owner { user: "me".into(), channel: None, folder: None };
        let error = keeper.keep(&owner, &fact("I like tea"), &Scope::User).unwrap_err();
        assert_eq!(chain(&error), "the database cannot be used: HOME is not set");
    }
}
