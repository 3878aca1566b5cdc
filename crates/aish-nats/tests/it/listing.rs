//! Listing a bucket that others write to.

use std::collections::BTreeSet;
use std::sync::Arc;

use aish_nats::{Bucket, KvState, StateStore};
use tokio_util::sync::CancellationToken;

use crate::server::start;

const WRITERS: usize = 4;
const KEYS: usize = 50;

/// Writes its own keys again and again until it is stopped, and returns how often.
async fn write(state: Arc<KvState>, writer: usize, stop: CancellationToken) -> usize {
    let mut revisions = [None; KEYS];
    let mut rounds = 0;
    while !stop.is_cancelled() {
        for (number, revision) in revisions.iter_mut().enumerate() {
            let key = format!("key-{writer}-{number}");
            *revision = Some(state.put(Bucket::History, &key, b"x".to_vec(), *revision).await.unwrap());
        }
        rounds += 1;
    }
    rounds
}

/// A listing that leaves one out would leave the request of a worker that died without an answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_key_is_listed_while_others_write() {
    let Some(server) = start() else { return };
    let state = Arc::new(KvState::open(&server.bus().await, "rosey").await.unwrap());
    assert_eq!(state.keys(Bucket::History).await, Ok(Vec::new()));
    let stop = CancellationToken::new();
    let writers: Vec<_> =
        (0..WRITERS).map(|writer| tokio::spawn(write(Arc::clone(&state), writer, stop.clone()))).collect();
    // Whoever is listed once stays listed.
    let mut seen = BTreeSet::new();
    let mut listings = 0;
    while listings < 100 {
        let listed: BTreeSet<String> = state.keys(Bucket::History).await.unwrap().into_iter().collect();
        let missing: Vec<_> = seen.difference(&listed).collect();
        assert!(missing.is_empty(), "not listed in round {listings}: {missing:?}");
        seen.extend(listed);
        listings += usize::from(seen.len() == WRITERS * KEYS);
    }
    stop.cancel();
    for writer in writers {
        assert!(writer.await.unwrap() > 1);
    }
}
