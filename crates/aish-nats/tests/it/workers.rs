//! The service on a real server: sharing, dying, repeating, bad input.
//!
//! Workers that are killed are this test's own binary, started again with one test and a variable that says where to work.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aish_llm::event::{FinishReason, StreamEvent};
use aish_llm::provider::EventStream;
use aish_llm::request::ChatRequest;
use aish_nats::{
    BusOptions, KvState, Limits, Model, NatsEvents, Service, ServiceOptions, ServicePorts, connect, serve,
};
use aish_tools::builtin::{Builtins, Ports};
use aish_tools::{Executor, Registry, SystemClock, SystemRandom};
use async_nats::Client;
use async_nats::jetstream::kv::{Store, Watch};
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::parts::Books;
use crate::server::{Server, settle, start};

const WORKER: &str = "AISH_NATS_TEST_WORKER";
/// Longer than anything here takes that is not hung.
const HUNG: Duration = Duration::from_secs(120);

/// Takes its time, then repeats what was said.
struct Slow(Duration);

impl Model for Slow {
    fn name(&self) -> String {
        "slow".into()
    }

    fn has(&self, _name: &str) -> bool {
        false
    }

    fn ask(&self, request: ChatRequest, _named: Option<&str>, _cancel: CancellationToken) -> EventStream {
        let said = request.messages.last().map(|message| message.content().to_owned()).unwrap_or_default();
        let delay = self.0;
        let text = async move {
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            Ok(StreamEvent::Text(format!("you said: {said}")))
        };
        let end = async { Ok(StreamEvent::Finished(FinishReason::Stop)) };
        Box::pin(futures_util::stream::once(text).chain(futures_util::stream::once(end)))
    }
}

async fn work(url: &str, delay_ms: u64) {
    let bus = connect(&BusOptions { url: url.into(), creds: None, name: "worker".into() }).await.unwrap();
    let state = Arc::new(KvState::open(&bus, "rosey").await.unwrap());
    let registry = Arc::new(Registry::default());
    registry.add(Arc::new(Builtins::all(&Ports::default())));
    let books = Arc::new(Books::default());
    let limits = Limits { per_minute: 0, per_hour: 0, per_day: 0 };
    let ports = ServicePorts {
        model: Arc::new(Slow(Duration::from_millis(delay_ms))),
        executor: Arc::new(Executor::new(registry)),
        audit: books.clone(),
        pins: books,
        state,
        clock: Arc::new(SystemClock::default()),
        random: Arc::new(SystemRandom),
        events: Arc::new(NatsEvents::start(&bus, "rosey")),
    };
    let service = Arc::new(Service::new(ServiceOptions { limits, ..ServiceOptions::default() }, ports));
    serve(bus, service, CancellationToken::new()).await.unwrap();
}

/// Does nothing unless it was started as a worker.
#[test]
fn worker_process() {
    let Ok(order) = std::env::var(WORKER) else { return };
    let order: Value = serde_json::from_str(&order).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(work(order["url"].as_str().unwrap(), order["delay_ms"].as_u64().unwrap()));
}

struct Worker(Child);

impl Worker {
    fn start(server: &Server, delay_ms: u64) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "workers::worker_process"])
            .env(WORKER, json!({"url": server.url, "delay_ms": delay_ms}).to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn ask(client: &Client, operation: &str, payload: impl Into<Vec<u8>>) -> Value {
    let subject = format!("rosey.llm.{operation}");
    let reply = client.request(subject, payload.into().into()).await.unwrap();
    serde_json::from_slice(&reply.payload).unwrap()
}

/// Waits until so many workers answer.
async fn workers(client: &Client, count: usize) -> BTreeSet<String> {
    let begun = Instant::now();
    let mut seen = BTreeSet::new();
    while seen.len() < count {
        assert!(begun.elapsed() < Duration::from_secs(60), "{count} workers do not answer");
        if let Ok(reply) = client.request("rosey.llm.status", "{}".into()).await {
            let reply: Value = serde_json::from_slice(&reply.payload).unwrap();
            seen.insert(reply["worker"].as_str().unwrap().to_owned());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    seen
}

fn chat(n: usize) -> String {
    json!({"channel": format!("#{n}"), "user": format!("u{n}"), "message": "hi", "request_id": format!("r{n}"),
           "reply_to": format!("test.reply.{n}")})
    .to_string()
}

#[tokio::test]
async fn the_seeds_request_gets_its_answer_and_bad_ones_a_code() {
    let Some(server) = start() else { return };
    let _worker = Worker::start(&server, 0);
    let client = server.client().await;
    workers(&client, 1).await;
    let mut events = client.subscribe("rosey.event.llm.>").await.unwrap();
    settle(&client).await;
    let request = json!({"channel": "#test", "user": "system", "message": "Roll 2d6", "enable_tools": true});
    let reply = ask(&client, "chat", request.to_string()).await;
    assert_eq!((&reply["success"], &reply["content"]), (&json!(true), &json!("you said: system: Roll 2d6")));
    let event = tokio::time::timeout(Duration::from_secs(60), events.next()).await.unwrap().unwrap();
    assert_eq!(event.subject.as_str(), "rosey.event.llm.response");

    for (operation, payload, code) in [
        ("chat", "{\"channel\":", "bad_request"),
        ("chat", "{\"channel\": 1}", "bad_request"),
        (
            "chat",
            r##"{"channel": "#a", "user": "me", "message": "x", "reply_to": "$KV.rosey_llm_history.x"}"##,
            "bad_request",
        ),
        ("chat", r##"{"channel": "#a", "user": "me", "message": "x", "reply_to": "rosey.llm.chat"}"##, "bad_request"),
        ("nonsense", "{}", "unknown_operation"),
        ("memory.add", "[]", "bad_request"),
    ] {
        assert_eq!(ask(&client, operation, payload).await["code"], json!(code), "{operation} {payload}");
    }
    // Nobody listens there: the reply goes nowhere, and the service is unharmed.
    let nowhere = json!({"channel": "#a", "user": "me", "message": "x", "reply_to": "no.such.place"}).to_string();
    client.publish("rosey.llm.chat", nowhere.into()).await.unwrap();
    assert!(client.publish("rosey.llm.chat", vec![b'x'; 2_000_000].into()).await.is_err(), "over the server's limit");
    assert_eq!(ask(&client, "status", "{}").await["healthy"], json!(true));
    let added = ask(&client, "memory.add", r##"{"channel": "#a", "content": "the cat is called Tom"}"##).await;
    assert_eq!(added["success"], json!(true), "{added}");
    let found = ask(&client, "memory.recall", r##"{"channel": "#a", "query": "cat"}"##).await;
    assert_eq!(found["memories"][0]["content"], json!("the cat is called Tom"));
}

/// Replies by the number of the request.
type Replies = BTreeMap<usize, Vec<Value>>;

/// Collects replies to `test.reply.*` until so many requests have one.
async fn collect(replies: &mut async_nats::Subscriber, all: &mut Replies, enough: usize) {
    while all.len() < enough {
        let reply = tokio::time::timeout(HUNG, replies.next()).await.expect("a reply").unwrap();
        let value: Value = serde_json::from_slice(&reply.payload).unwrap();
        assert_eq!(value["success"], json!(true), "{value}");
        let number = reply.subject.as_str().rsplit('.').next().unwrap().parse().unwrap();
        all.entry(number).or_default().push(value);
    }
}

/// Lists what is in a bucket. The library's own listing ends too early where others write meanwhile.
async fn keys(bucket: &Store) -> Vec<String> {
    let subjects = bucket.stream.info_with_subjects(format!("{}>", bucket.prefix)).await.unwrap();
    subjects
        .map_ok(|(subject, _)| subject.strip_prefix(&bucket.prefix).unwrap().to_owned())
        .try_collect()
        .await
        .unwrap()
}

/// Waits until all that was accepted is marked as sent; then all its replies are on their way here.
async fn all_sent(bucket: &Store, client: &Client, replies: &mut async_nats::Subscriber, all: &mut Replies) {
    let begun = Instant::now();
    loop {
        let mut open = Vec::new();
        for key in keys(bucket).await {
            let record: Value = serde_json::from_slice(&bucket.get(key).await.unwrap().unwrap()).unwrap();
            if record["phase"] != json!("sent") {
                open.push(record);
            }
        }
        if open.is_empty() {
            break;
        }
        assert!(begun.elapsed() < HUNG, "{open:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    settle(client).await;
    // Whatever is here is taken, however much that is.
    while let Some(Some(reply)) = tokio::task::unconstrained(replies.next()).now_or_never() {
        let number = reply.subject.as_str().rsplit('.').next().unwrap().parse().unwrap();
        all.entry(number).or_default().push(serde_json::from_slice(&reply.payload).unwrap());
    }
}

/// Returns the requests whose reply may have come twice: the worker that sent it was killed before it could say so.
async fn handed_over(watch: &mut Watch) -> HashSet<usize> {
    let mut last: HashMap<String, (Value, Value)> = HashMap::new();
    let mut handed = HashSet::new();
    while let Ok(Some(entry)) = tokio::time::timeout(Duration::from_secs(1), watch.next()).await {
        let entry = entry.unwrap();
        let record: Value = serde_json::from_slice(&entry.value).unwrap();
        let (worker, phase) = (record["worker"].clone(), record["phase"].clone());
        if let Some((by, stood)) = last.get(&entry.key)
            && *stood == json!("answered")
            && phase == json!("answered")
        {
            assert_ne!(*by, worker, "a worker takes nothing over from itself");
            let id = record["payload"]["request_id"].as_str().unwrap();
            handed.insert(id.strip_prefix('r').unwrap().parse().unwrap());
        }
        last.insert(entry.key.clone(), (worker, phase));
    }
    handed
}

#[tokio::test]
async fn two_workers_share_and_one_may_be_killed() {
    let Some(server) = start() else { return };
    let mut first = Worker::start(&server, 50);
    let _second = Worker::start(&server, 50);
    let client = server.client().await;
    workers(&client, 2).await;
    let mut replies = client.subscribe("test.reply.*").await.unwrap();
    let jetstream = async_nats::jetstream::new(client.clone());
    let bucket = jetstream.get_key_value("rosey_llm_requests").await.unwrap();
    let mut watch = bucket.watch_all().await.unwrap();
    settle(&client).await;
    for n in 0..200 {
        client.publish("rosey.llm.chat", chat(n).into()).await.unwrap();
    }
    let mut all = Replies::new();
    collect(&mut replies, &mut all, 20).await;
    first.0.kill().unwrap();
    first.0.wait().unwrap();

    // What is stored is accepted; all of that is answered, by the other worker.
    all_sent(&bucket, &client, &mut replies, &mut all).await;
    let accepted = keys(&bucket).await;
    assert_eq!(all.len(), accepted.len(), "answered of accepted");
    // Whoever got no answer repeats the request; it is answered once, and nobody else again.
    for n in (0..200).filter(|n| !all.contains_key(n)) {
        client.publish("rosey.llm.chat", chat(n).into()).await.unwrap();
    }
    collect(&mut replies, &mut all, 200).await;
    all_sent(&bucket, &client, &mut replies, &mut all).await;
    // A worker that is killed between a reply and its note of it leaves it to be sent once more, the very same.
    let handed = handed_over(&mut watch).await;
    for (n, replies) in &all {
        let most = if handed.contains(n) { 2 } else { 1 };
        assert!(replies.len() <= most && replies.iter().all(|reply| *reply == replies[0]), "{n}: {replies:?}");
    }
    // Each is counted once, those too whose worker died before it had added them to the counts.
    assert_eq!(counted(&client, 200).await, 200);
}

/// Waits until so many requests are counted, and returns how many are.
async fn counted(client: &Client, wanted: u64) -> u64 {
    for _ in 0..600 {
        let reply = client.request("rosey.llm.usage", "{}".into()).await.unwrap();
        let reply: Value = serde_json::from_slice(&reply.payload).unwrap();
        let counted = reply["requests_total"].as_u64().unwrap();
        if counted >= wanted {
            return counted;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("fewer than {wanted} are counted");
}

#[tokio::test]
async fn the_load_is_shared() {
    let Some(server) = start() else { return };
    let (_first, _second) = (Worker::start(&server, 0), Worker::start(&server, 0));
    let client = server.client().await;
    workers(&client, 2).await;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..200 {
        let reply = ask(&client, "status", "{}").await;
        *seen.entry(reply["worker"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert!(seen.len() == 2 && seen.values().all(|&count| count > 20), "{seen:?}");
    // A repeated request is answered with the same reply, whichever worker it reaches.
    let first =
        ask(&client, "chat", r##"{"channel": "#a", "user": "me", "message": "x", "request_id": "same"}"##).await;
    for _ in 0..10 {
        let again =
            ask(&client, "chat", r##"{"channel": "#a", "user": "me", "message": "x", "request_id": "same"}"##).await;
        assert_eq!(again, first);
    }
}
