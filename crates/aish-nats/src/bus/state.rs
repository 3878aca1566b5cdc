//! The state in JetStream key-value buckets, so that any worker can serve any channel.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind, GetStreamErrorKind};
use async_nats::jetstream::kv::{CreateErrorKind, Operation, Store, UpdateErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use bytes::Bytes;
use futures_util::TryStreamExt;

use crate::bus::{Bus, BusError};
use crate::state::{Bucket, StateError, StateFuture, StateStore, Stored};

/// Bytes of a message round the value: its headers.
const ROUND_A_VALUE: usize = 1_000;
/// How long a bucket that another worker is making may take.
const MADE_BY_ANOTHER: Duration = Duration::from_secs(10);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// State in buckets named `PREFIX_llm_…`.
pub struct KvState {
    client: async_nats::Client,
    context: jetstream::Context,
    buckets: HashMap<Bucket, Store>,
    /// The number of the connection in which the buckets were last seen.
    seen_in: AtomicU64,
}

impl KvState {
    /// Opens the buckets, and makes those that are missing.
    ///
    /// # Errors
    /// When JetStream is off or refuses one, or the user may not ask it.
    pub async fn open(bus: &Bus, prefix: &str) -> Result<Self, BusError> {
        tokio::select! {
            opened = Self::open_all(bus, prefix) => opened,
            why = bus.refusal() => Err(BusError::Refused(why)),
        }
    }

    async fn open_all(bus: &Bus, prefix: &str) -> Result<Self, BusError> {
        let context = jetstream::new(bus.client.clone());
        let mut buckets = HashMap::new();
        for bucket in Bucket::ALL {
            let name = format!("{}_llm_{}", prefix.replace('.', "_"), bucket.as_str());
            let store = match context.get_key_value(&name).await {
                Ok(store) => store,
                Err(_) => create(&context, bucket, &name).await?,
            };
            buckets.insert(bucket, store);
        }
        let client = bus.client.clone();
        let seen_in = AtomicU64::new(connection(&client));
        Ok(Self { client, context, buckets, seen_in })
    }

    fn bucket(&self, bucket: Bucket) -> Result<&Store, StateError> {
        self.buckets.get(&bucket).ok_or_else(|| StateError::Unavailable("no such bucket".into()))
    }

    /// Makes a bucket again that the server has lost: those in memory end with it. Says whether that was the case.
    async fn is_made_again(&self, bucket: Bucket) -> bool {
        let Ok(store) = self.bucket(bucket) else { return false };
        match self.context.get_stream(&store.stream_name).await {
            Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(_)) => {}
            Ok(_) | Err(_) => return false,
        }
        let made = create(&self.context, bucket, &store.name).await;
        match &made {
            Ok(_) => tracing::warn!(bucket = store.name, "the server had lost a bucket; it is made again"),
            Err(error) => tracing::warn!(%error, "the server has lost a bucket"),
        }
        made.is_ok()
    }

    /// Looks after all buckets when the connection is a new one: the server may be too. A read of a bucket that is not
    /// there would wait in vain.
    async fn look_after_a_reconnect(&self) {
        let now = connection(&self.client);
        if self.seen_in.load(Ordering::Relaxed) == now {
            return;
        }
        for bucket in Bucket::ALL {
            self.is_made_again(bucket).await;
        }
        self.seen_in.store(now, Ordering::Relaxed);
    }

    /// Does something with a bucket, and once more where the bucket had to be made again.
    fn with<'a, T: Send + 'a>(
        &'a self,
        bucket: Bucket,
        attempt: impl Fn(&'a Store) -> StateFuture<'a, T> + Send + 'a,
    ) -> StateFuture<'a, T> {
        Box::pin(async move {
            let store = self.bucket(bucket)?;
            self.look_after_a_reconnect().await;
            let first = attempt(store);
            let result = first.await;
            let may_be_lost = matches!(result, Err(StateError::Unavailable(_)));
            if !may_be_lost || !self.is_made_again(bucket).await {
                return result;
            }
            let again = attempt(store);
            again.await
        })
    }
}

/// Returns the number of the connection.
fn connection(client: &async_nats::Client) -> u64 {
    client.statistics().connects.load(Ordering::Relaxed)
}

/// Makes a bucket as the stream that it is (NATS ADR-8): the library's own call first asks for an account's limits, in a
/// form that servers of the 2.9 series do not have.
async fn create(context: &jetstream::Context, bucket: Bucket, name: &str) -> Result<Store, BusError> {
    let fail = |cause: String| BusError::Bucket { bucket: name.to_owned(), cause };
    let made = context.create_stream(config(bucket, name)).await;
    let Err(refused) = made else { return context.get_key_value(name).await.map_err(|error| fail(error.to_string())) };
    // Of several workers that make it at once the server refuses all but one, before that one's is there.
    let since = Instant::now();
    loop {
        match context.get_key_value(name).await {
            Ok(store) => return Ok(store),
            Err(_) if is_made_by_another(&refused) && since.elapsed() < MADE_BY_ANOTHER => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(_) => return Err(fail(refused.to_string())),
        }
    }
}

fn is_made_by_another(error: &CreateStreamError) -> bool {
    const TAKEN: [ErrorCode; 2] = [ErrorCode::STREAM_SUBJECT_OVERLAP, ErrorCode::STREAM_NAME_EXIST];
    matches!(error.kind(), CreateStreamErrorKind::JetStream(answer) if TAKEN.contains(&answer.error_code()))
}

fn config(bucket: Bucket, name: &str) -> Config {
    let (max_age, storage) = match bucket {
        Bucket::History | Bucket::Memory | Bucket::Usage => (Duration::ZERO, StorageType::File),
        Bucket::Requests => (DAY, StorageType::File),
        Bucket::Limits => (DAY * 2, StorageType::Memory),
        Bucket::Workers => (DAY, StorageType::Memory),
    };
    Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        max_age,
        storage,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..Config::default()
    }
}

fn unavailable(error: impl std::fmt::Display) -> StateError {
    StateError::Unavailable(error.to_string())
}

/// Says why a value was not written: the server may have no room for it.
fn not_written(error: impl std::error::Error) -> StateError {
    const FULL: [ErrorCode; 5] = [
        ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
        ErrorCode::INSUFFICIENT_RESOURCES,
        ErrorCode::MEMORY_RESOURCES_EXCEEDED,
        ErrorCode::STORAGE_RESOURCES_EXCEEDED,
        ErrorCode::STREAM_STORE_FAILED,
    ];
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(answer) = inner.downcast_ref::<jetstream::Error>()
            && FULL.contains(&answer.error_code())
        {
            return StateError::Full(answer.to_string());
        }
        cause = inner.source();
    }
    unavailable(error)
}

async fn get(store: &Store, key: &str) -> Result<Option<Stored>, StateError> {
    let entry = store.entry(key).await.map_err(unavailable)?;
    let entry = entry.filter(|entry| entry.operation == Operation::Put);
    Ok(entry.map(|entry| Stored { value: entry.value.to_vec(), revision: entry.revision }))
}

async fn put(store: &Store, key: &str, value: Bytes, expected: Option<u64>) -> Result<u64, StateError> {
    match expected {
        Some(revision) => store.update(key, value, revision).await.map_err(|error| match error.kind() {
            UpdateErrorKind::WrongLastRevision => StateError::Conflict,
            UpdateErrorKind::InvalidKey | UpdateErrorKind::TimedOut | UpdateErrorKind::Other => not_written(error),
        }),
        None => store.create(key, value).await.map_err(|error| match error.kind() {
            CreateErrorKind::AlreadyExists => StateError::Conflict,
            CreateErrorKind::InvalidKey | CreateErrorKind::Publish | CreateErrorKind::Ack | CreateErrorKind::Other => {
                not_written(error)
            }
        }),
    }
}

/// Purged and not deleted: a mark that something was deleted needs room itself.
async fn remove(store: &Store, key: &str) -> Result<(), StateError> {
    store.stream.purge().filter(format!("{}{key}", store.prefix)).await.map(drop).map_err(unavailable)
}

/// Asks the server for the subjects at once: the library's own listing plays the entries to a consumer and ends where none
/// is pending, which is too early where others write meanwhile.
async fn keys(store: &Store) -> Result<Vec<String>, StateError> {
    let subjects = store.stream.info_with_subjects(format!("{}>", store.prefix)).await.map_err(unavailable)?;
    let keys = subjects.map_ok(|(subject, _)| subject.strip_prefix(&store.prefix).unwrap_or(&subject).to_owned());
    keys.try_collect().await.map_err(unavailable)
}

impl StateStore for KvState {
    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> StateFuture<'a, Option<Stored>> {
        self.with(bucket, move |store| Box::pin(get(store, key)))
    }

    fn put<'a>(&'a self, bucket: Bucket, key: &'a str, value: Vec<u8>, expected: Option<u64>) -> StateFuture<'a, u64> {
        let value = Bytes::from(value);
        self.with(bucket, move |store| Box::pin(put(store, key, value.clone(), expected)))
    }

    fn remove<'a>(&'a self, bucket: Bucket, key: &'a str) -> StateFuture<'a, ()> {
        self.with(bucket, move |store| Box::pin(remove(store, key)))
    }

    fn max_value(&self) -> usize {
        self.client.max_payload().saturating_sub(ROUND_A_VALUE)
    }

    fn keys(&self, bucket: Bucket) -> StateFuture<'_, Vec<String>> {
        self.with(bucket, |store| Box::pin(keys(store)))
    }
}
