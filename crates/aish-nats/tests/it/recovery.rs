//! Requests that are gone on with: those of workers that died, and never those that somebody is at.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aish_nats::service::recovery::Watch;
use aish_nats::{Answered, Bucket, LocalState, Service, ServiceOptions, StateError, StateStore, Stored};
use aish_tools::Clock;
use aish_types::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::parts::{Built, Script, build_at};

/// A clock that is set by hand, in seconds.
#[derive(Default)]
struct Set(AtomicU64);

impl Set {
    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Clock for Set {
    fn monotonic(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }

    fn since_epoch(&self) -> Duration {
        Duration::from_secs(1_800_000_000 + self.0.load(Ordering::Relaxed))
    }
}

/// A store that can lose writes of requests: before they are written, or the word that they were.
#[derive(Default)]
struct Flaky {
    local: LocalState,
    lost: AtomicUsize,
    unheard: AtomicUsize,
    /// Where each request stood after each write: its worker and its phase.
    written: Mutex<Vec<Value>>,
}

impl Flaky {
    fn is_one_of(left: &AtomicUsize) -> bool {
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

impl StateStore for Flaky {
    fn get<'a>(&'a self, bucket: Bucket, key: &'a str) -> BoxFuture<'a, Result<Option<Stored>, StateError>> {
        self.local.get(bucket, key)
    }

    fn put<'a>(
        &'a self,
        bucket: Bucket,
        key: &'a str,
        value: Vec<u8>,
        expected: Option<u64>,
    ) -> BoxFuture<'a, Result<u64, StateError>> {
        let silent = || StateError::Unavailable("no answer".into());
        if bucket != Bucket::Requests {
            return self.local.put(bucket, key, value, expected);
        }
        if Self::is_one_of(&self.lost) {
            return Box::pin(std::future::ready(Err(silent())));
        }
        self.written.lock().unwrap().push(serde_json::from_slice(&value).unwrap());
        let written = self.local.put(bucket, key, value, expected);
        let is_unheard = Self::is_one_of(&self.unheard);
        Box::pin(
            async move { written.await.and_then(|revision| if is_unheard { Err(silent()) } else { Ok(revision) }) },
        )
    }

    fn remove<'a>(&'a self, bucket: Bucket, key: &'a str) -> BoxFuture<'a, Result<(), StateError>> {
        self.local.remove(bucket, key)
    }

    fn max_value(&self) -> usize {
        self.local.max_value()
    }

    fn keys(&self, bucket: Bucket) -> BoxFuture<'_, Result<Vec<String>, StateError>> {
        self.local.keys(bucket)
    }
}

struct Bench {
    state: Arc<Flaky>,
    clock: Arc<Set>,
}

impl Bench {
    fn new() -> Self {
        Self { state: Arc::default(), clock: Arc::default() }
    }

    fn worker(&self) -> (Built, Arc<Script>) {
        let script = Script::of(Vec::new());
        let built = build_at(self.state.clone(), script.clone(), ServiceOptions::default(), self.clock.clone());
        (built, script)
    }

    /// Returns how many requests have each phase.
    fn phases(&self) -> Vec<String> {
        let written = self.state.written.lock().unwrap();
        written.iter().map(|record| record["phase"].as_str().unwrap().to_owned()).collect()
    }
}

async fn handle(service: &Service, id: &str) -> Answered {
    let chat = json!({"channel": "#a", "user": "me", "message": "hi", "request_id": id, "reply_to": "to.me"});
    service.handle("chat", chat.to_string().as_bytes(), None, &CancellationToken::new()).await.unwrap()
}

async fn counted(built: &Built) -> Value {
    built.service.flush().await;
    built.ask_bytes("usage", b"").await["requests_total"].clone()
}

#[tokio::test]
async fn a_worker_does_not_take_over_what_it_is_about_to_send() {
    let bench = Bench::new();
    let (built, script) = bench.worker();
    let answered = handle(&built.service, "r").await;
    // A worker looks at everything once, a while after its start, and again whenever another one dies.
    bench.clock.pass(10);
    assert_eq!(built.service.recover(&mut Watch::default()).await.len(), 0, "its reply is on its way");
    built.service.sent(answered).await;
    assert_eq!(built.service.recover(&mut Watch::default()).await.len(), 0, "its reply is sent");
    assert_eq!(bench.phases(), ["running", "answered", "sent"]);
    assert_eq!((script.requests().len(), counted(&built).await), (1, json!(1)));
}

#[tokio::test]
async fn what_was_taken_over_is_not_taken_again_before_it_is_gone_on_with() {
    let bench = Bench::new();
    let (dead, _) = bench.worker();
    dead.service.beat().await;
    drop(handle(&dead.service, "r").await);
    let (built, script) = bench.worker();
    let mut watch = Watch::default();
    assert_eq!(built.service.recover(&mut watch).await.len(), 0, "it has just beaten");
    bench.clock.pass(10);
    let mut taken = built.service.recover(&mut watch).await;
    assert_eq!(taken.len(), 1);
    assert_eq!(built.service.recover(&mut Watch::default()).await.len(), 0);
    let answered = built.service.go_on(taken.remove(0), &CancellationToken::new()).await.unwrap();
    assert_eq!((answered.reply_to.as_deref(), &answered.reply["content"]), (Some("to.me"), &json!("you said: me: hi")));
    built.service.sent(answered).await;
    assert_eq!(script.requests().len(), 0, "the reply of the one that died is sent, and no model is asked again");
    assert_eq!(counted(&built).await, json!(1));
}

#[tokio::test]
async fn a_fault_in_taking_over_leaves_no_request_behind() {
    for unheard in [false, true] {
        let bench = Bench::new();
        let (dead, _) = bench.worker();
        dead.service.beat().await;
        for id in ["a", "b", "c", "d"] {
            drop(handle(&dead.service, id).await);
        }
        let (built, _) = bench.worker();
        let mut watch = Watch::default();
        assert_eq!(built.service.recover(&mut watch).await.len(), 0, "it has just beaten");
        bench.clock.pass(10);
        let fault = if unheard { &bench.state.unheard } else { &bench.state.lost };
        let mut taken = Vec::new();
        for looks in 0..5 {
            fault.store(usize::from(looks % 2 == 0), Ordering::Relaxed);
            taken.append(&mut built.service.recover(&mut watch).await);
        }
        assert_eq!(taken.len(), 4, "unheard: {unheard}");
        let mut ids = Vec::new();
        for orphan in taken {
            let answered = built.service.go_on(orphan, &CancellationToken::new()).await.unwrap();
            ids.push(answered.reply["request_id"].as_str().unwrap().to_owned());
            built.service.sent(answered).await;
        }
        ids.sort();
        assert_eq!(ids, ["a", "b", "c", "d"]);
    }
}

#[tokio::test]
async fn a_reply_that_was_not_sent_is_sent_later() {
    let bench = Bench::new();
    let (built, _) = bench.worker();
    let answered = handle(&built.service, "r").await;
    built.service.put_off(answered);
    let mut taken = built.service.recover(&mut Watch::default()).await;
    let answered = built.service.go_on(taken.remove(0), &CancellationToken::new()).await.unwrap();
    assert_eq!(answered.reply["content"], json!("you said: me: hi"));
}

#[tokio::test]
async fn a_reply_that_could_not_be_marked_as_sent_is_marked_later_and_not_sent_again() {
    for unheard in [false, true] {
        let bench = Bench::new();
        let (built, _) = bench.worker();
        let answered = handle(&built.service, "r").await;
        let fault = if unheard { &bench.state.unheard } else { &bench.state.lost };
        fault.store(1, Ordering::Relaxed);
        built.service.sent(answered).await;
        bench.clock.pass(10);
        assert_eq!(built.service.recover(&mut Watch::default()).await.len(), 0, "unheard: {unheard}");
        assert_eq!(counted(&built).await, json!(1), "unheard: {unheard}");
        assert_eq!(bench.phases().last().unwrap(), "sent");
        assert_eq!(built.service.recover(&mut Watch::default()).await.len(), 0, "unheard: {unheard}");
        assert_eq!(counted(&built).await, json!(1), "unheard: {unheard}");
    }
}

#[tokio::test]
async fn a_request_that_could_not_be_stored_in_between_is_gone_on_with() {
    for unheard in [false, true] {
        let bench = Bench::new();
        let (built, _) = bench.worker();
        let chat = json!({"channel": "#a", "user": "me", "message": "hi", "request_id": "r"}).to_string();
        // The second write is that of the reply.
        let model = Arc::new(Failing { state: bench.state.clone(), unheard });
        let built_failing = build_at(bench.state.clone(), model, ServiceOptions::default(), bench.clock.clone());
        let answered = built_failing.service.handle("chat", chat.as_bytes(), None, &CancellationToken::new()).await;
        assert!(answered.is_none(), "it is put off");
        let mut taken = built_failing.service.recover(&mut Watch::default()).await;
        assert_eq!(taken.len(), 1, "unheard: {unheard}");
        let answered = built_failing.service.go_on(taken.remove(0), &CancellationToken::new()).await.unwrap();
        assert_eq!(answered.reply["content"], json!("said"));
        built_failing.service.sent(answered).await;
        assert_eq!(counted(&built).await, json!(0), "the other worker has not flushed");
        assert_eq!(counted(&built_failing).await, json!(1));
    }
}

/// Answers once, and lets the next write of a request fail.
struct Failing {
    state: Arc<Flaky>,
    unheard: bool,
}

impl aish_nats::Model for Failing {
    fn name(&self) -> String {
        "failing".into()
    }

    fn has(&self, _name: &str) -> bool {
        false
    }

    fn ask(
        &self,
        _request: aish_llm::request::ChatRequest,
        _named: Option<&str>,
        _cancel: CancellationToken,
    ) -> aish_llm::provider::EventStream {
        let fault = if self.unheard { &self.state.unheard } else { &self.state.lost };
        let is_first = self.state.written.lock().unwrap().len() == 1;
        fault.store(usize::from(is_first), Ordering::Relaxed);
        Box::pin(futures_util::stream::iter(crate::parts::text("said").into_iter().map(Ok)))
    }
}
