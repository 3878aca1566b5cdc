//! The state in JetStream key-value buckets, so that any worker can serve any channel.

use std::collections::HashMap;
use std::time::Duration;

use aish_types::BoxFuture;
use async_nats::jetstream;
use async_nats::jetstream::kv::{CreateErrorKind, Operation, Store, UpdateErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use futures_util::TryStreamExt;

use crate::bus::{Bus, BusError};
use crate::state::{Bucket, StateError, StateStore, Stored};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// State in buckets named `PREFIX_llm_…`.
pub struct KvState {
    buckets: HashMap<Bucket, Store>,
}

impl KvState {
    /// Opens the buckets, and makes those that are missing.
    ///
    /// # Errors
    /// When JetStream is off or refuses one.
    pub async fn open(bus: &Bus, prefix: &str) -> Result<Self, BusError> {
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
        Ok(Self { buckets })
    }

    fn bucket(&self, bucket: Bucket) -> Result<&Store, StateError> {
        self.buckets.get(&bucket).ok_or_else(|| StateError::Unavailable("no such bucket".into()))
    }
}

/// Makes a bucket as the stream that it is (NATS ADR-8): the library's own call first asks for an account's limits, in a
/// form that servers of the 2.9 series do not have.
async fn create(context: &jetstream::Context, bucket: Bucket, name: &str) -> Result<Store, BusError> {
    let fail = |cause: String| BusError::Bucket { bucket: name.to_owned(), cause };
    context.create_stream(config(bucket, name)).await.map_err(|error| fail(error.to_string()))?;
    context.get_key_value(name).await.map_err(|error| fail(error.to_string()))
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

impl StateStore for KvState {
    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StateError>> {
        Box::pin(async move {
            let entry = self.bucket(bucket)?.entry(key).await.map_err(unavailable)?;
            let entry = entry.filter(|entry| entry.operation == Operation::Put);
            Ok(entry.map(|entry| Stored { value: entry.value.to_vec(), revision: entry.revision }))
        })
    }

    fn put<'a>(
        &'a self,
        bucket: Bucket,
        key: &'a str,
        value: Vec<u8>,
        expected: Option<u64>,
    ) -> BoxFuture<'a, Result<u64, StateError>> {
        Box::pin(async move {
            let store = self.bucket(bucket)?;
            match expected {
                Some(revision) => store.update(key, value.into(), revision).await.map_err(|error| match error.kind() {
                    UpdateErrorKind::WrongLastRevision => StateError::Conflict,
                    UpdateErrorKind::InvalidKey | UpdateErrorKind::TimedOut | UpdateErrorKind::Other => {
                        unavailable(error)
                    }
                }),
                None => store.create(key, value.into()).await.map_err(|error| match error.kind() {
                    CreateErrorKind::AlreadyExists => StateError::Conflict,
                    CreateErrorKind::InvalidKey
                    | CreateErrorKind::Publish
                    | CreateErrorKind::Ack
                    | CreateErrorKind::Other => unavailable(error),
                }),
            }
        })
    }

    fn keys(&self, bucket: Bucket) -> BoxFuture<'_, Result<Vec<String>, StateError>> {
        Box::pin(async move {
            let keys = self.bucket(bucket)?.keys().await.map_err(unavailable)?;
            keys.try_collect().await.map_err(unavailable)
        })
    }
}
