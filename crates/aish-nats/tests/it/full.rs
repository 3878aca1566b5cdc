//! A store without room: requests are told so, the status says it, and the worker ends soon.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aish_nats::{Bucket, BusError, KvState, ServiceOptions, StateError, StateStore, serve};
use async_nats::Client;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::outages::Gated;
use crate::parts::build_with;
use crate::server::{Server, configured, settle, start};

/// Longer than anything here takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

async fn ask(client: &Client, operation: &str, payload: Value) -> Value {
    let reply = client.request(format!("rosey.llm.{operation}"), payload.to_string().into());
    let reply = tokio::time::timeout(HUNG, reply).await.expect("an answer").unwrap();
    serde_json::from_slice(&reply.payload).unwrap()
}

/// A worker over a store of a megabyte, with a model that answers when it may.
struct Small {
    server: Server,
    state: Arc<KvState>,
    model: Arc<Gated>,
    stop: CancellationToken,
    worker: JoinHandle<Result<(), BusError>>,
    client: Client,
}

impl Small {
    async fn start() -> Option<Self> {
        let server = configured("jetstream { max_file_store: 1000000 }\n")?;
        let bus = server.bus().await;
        let state: Arc<KvState> = Arc::new(KvState::open(&bus, "rosey").await.unwrap());
        let model = Arc::new(Gated::default());
        let built = build_with(state.clone(), model.clone(), ServiceOptions::default());
        let stop = CancellationToken::new();
        let worker = tokio::spawn(serve(bus, Arc::clone(&built.service), stop.clone()));
        let client = server.client().await;
        Some(Self { server, state, model, stop, worker, client })
    }
}

/// Writes until the server takes no more, and returns what it says then.
async fn fill(state: &dyn StateStore) -> StateError {
    for size in [40_000, 1_000, 10] {
        for number in 0..10_000 {
            let key = format!("filler-{size}-{number}");
            match state.put(Bucket::History, &key, vec![b'x'; size], None).await {
                Ok(_) => {}
                Err(error) if size == 10 => return error,
                Err(_) => break,
            }
        }
    }
    panic!("the server takes everything");
}

#[tokio::test]
async fn a_chat_in_flight_is_told_that_the_store_is_full_and_the_worker_ends_soon() {
    let Some(Small { server: _server, state, model, stop, worker, client }) = Small::start().await else { return };
    assert_eq!(ask(&client, "status", json!({})).await["healthy"], json!(true));

    let mut replies = client.subscribe("test.reply").await.unwrap();
    settle(&client).await;
    let request = json!({"channel": "#a", "user": "me", "message": "hi", "request_id": "r", "reply_to": "test.reply"});
    client.publish("rosey.llm.chat", request.to_string().into()).await.unwrap();
    tokio::time::timeout(HUNG, model.asked.acquire()).await.unwrap().unwrap().forget();
    let error = fill(&*state).await;
    assert!(matches!(error, StateError::Full(_)), "{error:?}");
    model.may_answer.add_permits(1_000);

    let reply = tokio::time::timeout(HUNG, replies.next()).await.expect("a reply").unwrap();
    let reply: Value = serde_json::from_slice(&reply.payload).unwrap();
    assert_eq!((&reply["code"], &reply["request_id"]), (&json!("unavailable"), &json!("r")), "{reply}");
    assert!(reply["error"].as_str().unwrap().contains("the store is full"), "{reply}");
    let status = ask(&client, "status", json!({})).await;
    assert_eq!(status["healthy"], json!(false), "{status}");
    assert!(status["state_error"].as_str().unwrap().contains("full"), "{status}");
    // The next one is not accepted at all.
    let refused = ask(&client, "chat", json!({"channel": "#a", "user": "me", "message": "and now?"})).await;
    assert_eq!(refused["code"], json!("unavailable"), "{refused}");

    let ended = Instant::now();
    stop.cancel();
    tokio::time::timeout(HUNG, worker).await.expect("an end").unwrap().unwrap();
    assert!(ended.elapsed() < Duration::from_secs(20), "{:?}", ended.elapsed());
}

#[tokio::test]
async fn a_request_that_was_told_of_a_full_store_is_answered_when_it_comes_again() {
    let Some(Small { server: _server, state, model, stop, worker, client }) = Small::start().await else { return };
    ask(&client, "status", json!({})).await;
    let request = json!({"channel": "#a", "user": "me", "message": "hi", "request_id": "r"});
    let first = tokio::spawn({
        let (client, request) = (client.clone(), request.clone());
        async move { ask(&client, "chat", request).await }
    });
    tokio::time::timeout(HUNG, model.asked.acquire()).await.unwrap().unwrap().forget();
    fill(&*state).await;
    model.may_answer.add_permits(1_000);
    assert_eq!(first.await.unwrap()["code"], json!("unavailable"));
    let stream = async_nats::jetstream::new(client.clone()).get_stream("KV_rosey_llm_history").await.unwrap();
    stream.purge().await.unwrap();
    let again = ask(&client, "chat", request).await;
    assert_eq!((&again["success"], &again["content"]), (&json!(true), &json!("after all")), "{again}");
    assert_eq!(ask(&client, "status", json!({})).await["healthy"], json!(true));
    stop.cancel();
    tokio::time::timeout(HUNG, worker).await.expect("an end").unwrap().unwrap();
}

#[tokio::test]
async fn eight_workers_may_begin_on_an_empty_bus_at_once() {
    for _ in 0..5 {
        let Some(server) = start() else { return };
        let opened = futures_util::future::join_all((0..8).map(|_| async {
            let bus = server.bus().await;
            KvState::open(&bus, "rosey").await.map(drop).map_err(|error| error.to_string())
        }));
        for opened in opened.await {
            assert_eq!(opened, Ok(()));
        }
    }
}
