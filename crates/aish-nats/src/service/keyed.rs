//! Values of the state as JSON, and how they are changed: the first writer wins, and the others try again.

use aish_safety::pin::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::service::reply::Failure;
use crate::state::{Bucket, StateError, StateStore};

/// How often a change is tried again when another worker was faster.
const TRIES: usize = 50;

/// Makes a key of texts from outside: a hash, so that nothing in them can mean anything to the store.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut text = String::new();
    for part in parts {
        text.push_str(&format!("{}:{part};", part.len()));
    }
    Digest::of(text.as_bytes()).as_str().chars().take(40).collect()
}

/// Reads a value; a missing one is the default, and so is one that cannot be read (with a word in the trace).
pub(crate) async fn read<T: DeserializeOwned + Default>(
    state: &dyn StateStore,
    bucket: Bucket,
    key: &str,
) -> Result<(T, Option<u64>), Failure> {
    let Some(stored) = state.get(bucket, key).await? else { return Ok((T::default(), None)) };
    let value = serde_json::from_slice(&stored.value).unwrap_or_else(|error| {
        tracing::warn!(bucket = bucket.as_str(), key, %error, "a value of the state cannot be read");
        T::default()
    });
    Ok((value, Some(stored.revision)))
}

pub(crate) fn encode(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(value).map_err(|error| Failure::Internal(error.to_string()))
}

/// Changes a value, again and again until no other worker was faster. `change` may refuse.
pub(crate) async fn change<T: DeserializeOwned + Serialize + Default, R>(
    state: &dyn StateStore,
    bucket: Bucket,
    key: &str,
    mut change: impl FnMut(&mut T) -> Result<R, Failure>,
) -> Result<R, Failure> {
    for _ in 0..TRIES {
        let (mut value, revision) = read::<T>(state, bucket, key).await?;
        let result = change(&mut value)?;
        match state.put(bucket, key, encode(&value)?, revision).await {
            Ok(_) => return Ok(result),
            Err(StateError::Conflict) => tokio::task::yield_now().await,
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::Unavailable("the state is changed by too many at once"))
}
