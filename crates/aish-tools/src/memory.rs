//! The port to what is remembered.

use aish_types::{BoxFuture, CallContext};

/// On whose behalf something is remembered or recalled; made of the call's context, never of what a model says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The person or client.
    pub user: String,
    /// The channel, for the chat service.
    pub channel: Option<String>,
    /// The working directory, from which a store finds the project.
    pub folder: Option<String>,
}

impl Owner {
    /// Takes the owner from a call's context.
    pub fn of(context: &CallContext) -> Self {
        Self { user: context.user.clone(), channel: context.channel.clone(), folder: context.folder.clone() }
    }
}

/// A fact to be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    /// The fact, in words.
    pub content: String,
    /// `fact`, `preference`, or another word.
    pub category: String,
    /// 1 (least) to 5.
    pub importance: u8,
    /// Where it comes from (`model`, `person`, `session`).
    pub source: String,
}

/// A fact that is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Its id.
    pub id: String,
    /// The fact, in words.
    pub content: String,
    /// `fact`, `preference`, or another word.
    pub category: String,
    /// 1 (least) to 5.
    pub importance: u8,
    /// Where it comes from.
    pub source: String,
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub created_ms: i64,
}

/// Why memory cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the memory cannot be used: {0}")]
pub struct MemoryError(pub String);

/// What the memory answers, in its time.
pub type MemoryFuture<'a, T> = BoxFuture<'a, Result<T, MemoryError>>;

/// Where facts are kept.
pub trait MemoryStore: Send + Sync {
    /// Keeps a fact and returns its id.
    fn add<'a>(&'a self, owner: &'a Owner, memory: NewMemory) -> MemoryFuture<'a, String>;

    /// Finds up to `limit` of the owner's facts that fit a query in words, best first.
    fn search<'a>(&'a self, owner: &'a Owner, query: &'a str, limit: usize) -> MemoryFuture<'a, Vec<Memory>>;
}
