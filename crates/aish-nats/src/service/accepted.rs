//! An accepted request: stored with each finished step, so that another worker can go on where one died.
//!
//! Only the worker that holds a record writes it, each time in the place of what it wrote last; who finds another's
//! record there has lost the request and does nothing more for it. A worker holds a record from before it is stored until
//! its reply is sent and marked so: all that time it is on the list of open requests, and nobody here takes it over.

use crate::service::history::Eviction;
use crate::service::keyed::encode;
use crate::service::open::Open;
use crate::service::reply::{Failure, Reply};
use crate::service::wire::{self, Chat};
use crate::state::{Bucket, StateError, StateStore};
use aish_types::{Message, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// A worker is at it.
    Running,
    /// The reply is known and not yet sent.
    Answered,
    /// The reply is sent.
    Sent,
}

/// A request as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) operation: String,
    pub(crate) payload: Value,
    /// Where the reply goes.
    pub(crate) reply_to: Option<String>,
    pub(crate) worker: String,
    pub(crate) phase: Phase,
    /// The messages of the exchange so far, the question first.
    pub(crate) messages: Vec<Message>,
    pub(crate) calls_made: usize,
    pub(crate) usage: Usage,
    /// What the channel's conversation becomes by this exchange, beside being longer.
    #[serde(default)]
    pub(crate) forgotten: Eviction,
    pub(crate) reply: Option<Reply>,
    /// The batch that it was counted with, written before that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) counted: Option<Batch>,
}

/// What a worker adds to the counts at once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// The id of the worker that added it.
    pub(crate) worker: String,
    /// Its number, one higher each time.
    pub(crate) number: u64,
    /// The day (UTC) of the batch.
    pub(crate) day: u64,
}

/// A record that this worker holds.
pub(crate) struct Claim {
    pub(crate) open: Open,
    pub(crate) record: Record,
    /// What the record's payload says.
    pub(crate) chat: Chat,
    revision: u64,
}

/// What came of taking a request.
pub(crate) enum Acceptance {
    /// It is ours.
    Mine(Claim),
    /// It was there already.
    Known(Record),
}

/// Stores a new request, unless it is known.
pub(crate) async fn accept(
    state: &dyn StateStore,
    open: Open,
    record: Record,
    chat: Chat,
) -> Result<Acceptance, Failure> {
    // What follows needs room too, and be it to say that there is none.
    let bytes = bytes(&record, state.max_value() / 2)?;
    match state.put(Bucket::Requests, open.key(), bytes, None).await {
        Ok(revision) => Ok(Acceptance::Mine(Claim { open, record, chat, revision })),
        Err(StateError::Conflict) => match load(state, open.key()).await? {
            Some((record, _)) => Ok(Acceptance::Known(record)),
            None => Err(Failure::Unavailable("the request was forgotten meanwhile")),
        },
        Err(error) => Err(error.into()),
    }
}

/// Reads a request.
pub(crate) async fn load(state: &dyn StateStore, key: &str) -> Result<Option<(Record, u64)>, Failure> {
    let Some(stored) = state.get(Bucket::Requests, key).await? else { return Ok(None) };
    match serde_json::from_slice(&stored.value) {
        Ok(record) => Ok(Some((record, stored.revision))),
        Err(error) => {
            tracing::warn!(key, %error, "a stored request cannot be read");
            Ok(None)
        }
    }
}

/// Takes a request over from a worker that died; none when somebody else was faster, or it is no request that can be read.
pub(crate) async fn take_over(
    state: &dyn StateStore,
    open: Open,
    record: Record,
    revision: u64,
    worker: &str,
) -> Result<Option<Claim>, Failure> {
    let chat = match wire::read(&record.payload) {
        Ok(chat) => chat,
        // It will not be another time either.
        Err(failure) => {
            tracing::warn!(key = open.key(), error = %failure, "a stored request cannot be read");
            return Ok(None);
        }
    };
    let record = Record { worker: worker.into(), ..record };
    match state.put(Bucket::Requests, open.key(), bytes(&record, state.max_value())?, Some(revision)).await {
        Ok(revision) => Ok(Some(Claim { open, record, chat, revision })),
        Err(StateError::Conflict) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Claim {
    /// Stores the record as it is now.
    ///
    /// # Errors
    /// [`Failure::Lost`] when another worker has taken it over, [`Failure::TooLarge`] when it is more than can be stored.
    pub(crate) async fn save(&mut self, state: &dyn StateStore) -> Result<(), Failure> {
        let bytes = bytes(&self.record, state.max_value())?;
        let mut written = state.put(Bucket::Requests, self.open.key(), bytes.clone(), Some(self.revision)).await;
        // What we wrote last may be there, though nobody told us so.
        if written == Err(StateError::Conflict)
            && let Some((stored, revision)) = load(state, self.open.key()).await?
            && stored.worker == self.record.worker
        {
            written = state.put(Bucket::Requests, self.open.key(), bytes, Some(revision)).await;
        }
        match written {
            Ok(revision) => {
                self.revision = revision;
                Ok(())
            }
            Err(StateError::Conflict) => Err(Failure::Lost("another worker has taken this request over".to_owned())),
            Err(error) => Err(error.into()),
        }
    }
}

fn bytes(record: &Record, most: usize) -> Result<Vec<u8>, Failure> {
    let bytes = encode(record)?;
    if bytes.len() > most {
        return Err(Failure::TooLarge(format!("a request with all that belongs to it has at most {most} bytes")));
    }
    Ok(bytes)
}
