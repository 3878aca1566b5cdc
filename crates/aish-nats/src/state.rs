//! The port to the service's state: small values under keys, replaced only by who has seen the last one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aish_types::BoxFuture;

/// What a value is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// The conversation of a channel.
    History,
    /// The facts of a channel.
    Memory,
    /// When a user asked lately.
    Limits,
    /// What a user, and all together, used today.
    Usage,
    /// Accepted requests with what is done of them.
    Requests,
    /// The workers that live, each with a beat.
    Workers,
}

impl Bucket {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::History, Self::Memory, Self::Limits, Self::Usage, Self::Requests, Self::Workers];

    /// Returns the bucket's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Memory => "memory",
            Self::Limits => "limits",
            Self::Usage => "usage",
            Self::Requests => "requests",
            Self::Workers => "workers",
        }
    }
}

/// A value with the number of its last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The bytes that were written.
    pub value: Vec<u8>,
    /// Changes whenever the value does.
    pub revision: u64,
}

/// Why the state was not read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Somebody else has changed the value since it was read.
    #[error("the value was changed by another worker")]
    Conflict,
    /// The store has no room left.
    #[error("the state cannot be written: the store is full ({0})")]
    Full(String),
    /// The store does not answer.
    #[error("the state cannot be used: {0}")]
    Unavailable(String),
}

/// What the state answers, in its time.
pub type StateFuture<'a, T> = BoxFuture<'a, Result<T, StateError>>;

/// Where the state lives. Keys are lower-case letters, digits, `-`.
pub trait StateStore: Send + Sync {
    /// Reads a value.
    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> StateFuture<'a, Option<Stored>>;

    /// Writes a value in the place of the one of the given revision, or a new one where `expected` is none, and returns
    /// the new revision.
    fn put<'a>(&'a self, bucket: Bucket, key: &'a str, value: Vec<u8>, expected: Option<u64>) -> StateFuture<'a, u64>;

    /// Takes a value away; needs no room. One that is not there is no error.
    fn remove<'a>(&'a self, bucket: Bucket, key: &'a str) -> StateFuture<'a, ()>;

    /// Returns how many bytes a value may have.
    fn max_value(&self) -> usize;

    /// Lists the keys of a bucket.
    fn keys(&self, bucket: Bucket) -> StateFuture<'_, Vec<String>>;
}

/// Accepted requests that are remembered in process; the oldest go first.
const MAX_REQUESTS: usize = 10_000;
/// Bytes of a value in process: what a bus takes.
const MAX_VALUE: usize = 1_000_000;

/// State in this process, for the service without a bus and for tests.
#[derive(Default)]
pub struct LocalState(Mutex<Local>);

#[derive(Default)]
struct Local {
    values: HashMap<(Bucket, String), Stored>,
    requests: std::collections::VecDeque<String>,
    revision: u64,
}

impl StateStore for LocalState {
    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> StateFuture<'a, Option<Stored>> {
        let local = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = local.values.get(&(bucket, key.to_owned())).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn put<'a>(&'a self, bucket: Bucket, key: &'a str, value: Vec<u8>, expected: Option<u64>) -> StateFuture<'a, u64> {
        let mut local = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (bucket, key.to_owned());
        if local.values.get(&place).map(|stored| stored.revision) != expected {
            return Box::pin(std::future::ready(Err(StateError::Conflict)));
        }
        local.revision += 1;
        let revision = local.revision;
        if bucket == Bucket::Requests && expected.is_none() {
            local.requests.push_back(key.to_owned());
            if local.requests.len() > MAX_REQUESTS
                && let Some(oldest) = local.requests.pop_front()
            {
                local.values.remove(&(bucket, oldest));
            }
        }
        local.values.insert(place, Stored { value, revision });
        Box::pin(std::future::ready(Ok(revision)))
    }

    fn remove<'a>(&'a self, bucket: Bucket, key: &'a str) -> StateFuture<'a, ()> {
        let mut local = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        local.values.remove(&(bucket, key.to_owned()));
        Box::pin(std::future::ready(Ok(())))
    }

    fn max_value(&self) -> usize {
        MAX_VALUE
    }

    fn keys(&self, bucket: Bucket) -> StateFuture<'_, Vec<String>> {
        let local = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = local.values.keys().filter(|(of, _)| *of == bucket).map(|(_, key)| key.clone()).collect();
        Box::pin(std::future::ready(Ok(keys)))
    }
}
