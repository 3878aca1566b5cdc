//! What the bus does: no JetStream, restarts, wrong credentials, payloads that are large there.

use std::sync::Arc;
use std::time::Duration;

use aish_llm::event::{FinishReason, StreamEvent};
use aish_llm::provider::EventStream;
use aish_llm::request::ChatRequest;
use aish_nats::{BusError, BusOptions, KvState, Model, PluginHub, PluginOptions, ServiceOptions, connect, serve};
use aish_tools::{Parameter, ParameterKind, Registry, handler, input_schema};
use aish_types::{ToolDefinition, ToolOutcome};
use async_nats::{Client, Request};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::parts::{Built, Script, build_with};
use crate::server::{Server, configured, settle, start, without_jetstream};

/// Longer than a reconnect takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

/// A worker in this process.
struct Worker {
    built: Built,
    stop: CancellationToken,
    task: JoinHandle<Result<(), BusError>>,
}

async fn work(server: &Server, model: Arc<dyn Model>, options: ServiceOptions) -> Worker {
    let bus = server.bus().await;
    let state = Arc::new(KvState::open(&bus, "rosey").await.unwrap());
    let built = build_with(state, model, options);
    let stop = CancellationToken::new();
    let task = tokio::spawn(serve(bus, Arc::clone(&built.service), stop.clone()));
    Worker { built, stop, task }
}

impl Worker {
    async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}

/// Asks until there is an answer: a client that is about to connect again has none.
async fn ask(client: &Client, operation: &str, payload: &Value) -> Value {
    let subject = format!("rosey.llm.{operation}");
    let answer = async {
        loop {
            // What is sent while the connection breaks is lost.
            let request = Request::new().payload(payload.to_string().into()).timeout(Some(Duration::from_secs(3)));
            if let Ok(reply) = client.send_request(subject.clone(), request).await {
                return serde_json::from_slice(&reply.payload).unwrap();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(HUNG, answer).await.unwrap_or_else(|_| panic!("{operation} is not answered"))
}

fn chat(message: &str) -> Value {
    json!({"channel": "#a", "user": "me", "message": message})
}

/// Answers when it is let to.
pub(crate) struct Gated {
    pub(crate) asked: Semaphore,
    pub(crate) may_answer: Arc<Semaphore>,
}

impl Default for Gated {
    fn default() -> Self {
        Self { asked: Semaphore::new(0), may_answer: Arc::new(Semaphore::new(0)) }
    }
}

impl Model for Gated {
    fn name(&self) -> String {
        "gated".into()
    }

    fn has(&self, _name: &str) -> bool {
        false
    }

    fn ask(&self, _request: ChatRequest, _named: Option<&str>, _cancel: CancellationToken) -> EventStream {
        self.asked.add_permits(1);
        let may_answer = Arc::clone(&self.may_answer);
        let text = async move {
            may_answer.acquire().await.unwrap().forget();
            Ok(StreamEvent::Text("after all".into()))
        };
        let end = async { Ok(StreamEvent::Finished(FinishReason::Stop)) };
        Box::pin(futures_util::stream::once(text).chain(futures_util::stream::once(end)))
    }
}

#[tokio::test]
async fn a_server_that_is_restarted_in_the_middle_loses_no_request() {
    let Some(mut server) = start() else { return };
    let model = Arc::new(Gated { asked: Semaphore::new(0), may_answer: Arc::new(Semaphore::new(0)) });
    let worker = work(&server, model.clone(), ServiceOptions::default()).await;
    let client = server.client().await;
    ask(&client, "status", &json!({})).await;
    let mut replies = client.subscribe("test.reply").await.unwrap();
    settle(&client).await;
    let request = json!({"channel": "#a", "user": "me", "message": "hi", "request_id": "r", "reply_to": "test.reply"});
    client.publish("rosey.llm.chat", request.to_string().into()).await.unwrap();
    tokio::time::timeout(HUNG, model.asked.acquire()).await.unwrap().unwrap().forget();

    server.server.restart();
    // The buckets in memory are gone with the server; the limits of the next request are in one of them.
    model.may_answer.add_permits(1_000);
    let other = ask(&client, "chat", &chat("and now?")).await;
    assert_eq!((&other["success"], &other["content"]), (&json!(true), &json!("after all")), "{other}");
    // The reply may have gone out before this client was back; whoever got none repeats the request.
    let reply = match tokio::time::timeout(Duration::from_secs(60), replies.next()).await {
        Ok(reply) => serde_json::from_slice(&reply.unwrap().payload).unwrap(),
        Err(_) => {
            let mut again = request.clone();
            again.as_object_mut().unwrap().remove("reply_to");
            ask(&client, "chat", &again).await
        }
    };
    assert_eq!((&reply["content"], &reply["request_id"]), (&json!("after all"), &json!("r")), "{reply}");
    assert_eq!(ask(&client, "status", &json!({})).await["healthy"], json!(true));
    worker.end().await;
}

#[tokio::test]
async fn without_jetstream_the_service_says_so_and_plugins_work() {
    let Some(server) = without_jetstream() else { return };
    let bus = server.bus().await;
    let refused = tokio::time::timeout(HUNG, KvState::open(&bus, "rosey")).await.unwrap();
    let error = refused.err().unwrap();
    assert!(matches!(&error, BusError::Bucket { bucket, .. } if bucket == "rosey_llm_history"), "{error:?}");
    assert!(error.to_string().contains("is the server running with JetStream?"), "{error}");
    let registry = Arc::new(Registry::default());
    let hub = PluginHub::start(&bus, registry.clone(), PluginOptions::default()).await.unwrap();
    let tool = json!({"name": "x", "subject": "p.x"});
    let register = json!({"plugin": "p", "instance": "1", "tools": [tool]});
    assert_eq!(ask(&server.client().await, "tools.register", &register).await["accepted"], json!(["p.x"]));
    assert!(registry.get(&"p.x".into()).is_some());
    hub.stop().await;
}

#[tokio::test]
async fn a_worker_ends_while_the_server_is_away() {
    let Some(server) = start() else { return };
    let worker = work(&server, Script::of(vec![]), ServiceOptions::default()).await;
    assert_eq!(ask(&server.client().await, "status", &json!({})).await["success"], json!(true));
    drop(server);
    tokio::time::timeout(HUNG, worker.end()).await.unwrap();
}

#[tokio::test]
async fn what_a_user_may_not_do_is_said_in_the_servers_words() {
    let users = r#"authorization { users: [ { user: ann, password: right, permissions: { publish: ["foo.>"], subscribe: [">"] } } ] }"#;
    let Some(server) = configured(users) else { return };
    let url = server.url.replace("://", "://ann:right@");
    let bus = || async { connect(&BusOptions { url: url.clone(), creds: None, name: "test".into() }).await.unwrap() };
    let refused = KvState::open(&bus().await, "rosey").await.err().unwrap().to_string();
    assert!(refused.contains("Permissions Violation for Publish to \"$JS.API."), "{refused}");
    let registry = Arc::new(Registry::default());
    let refused = PluginHub::start(&bus().await, registry, PluginOptions::default()).await.err().unwrap().to_string();
    assert!(refused.contains("Permissions Violation for Publish to"), "{refused}");
}

#[tokio::test]
async fn wrong_credentials_are_said_at_once() {
    let Some(server) = configured("authorization { user: ann, password: right }\n") else { return };
    let place = server.url.strip_prefix("nats://").unwrap().to_owned();
    let options = |url: String, creds: Option<&str>| BusOptions {
        url,
        creds: creds.map(|name| server.server.folder().join(name)),
        name: "test".into(),
    };
    let refused =
        async |options: BusOptions| tokio::time::timeout(HUNG, connect(&options)).await.unwrap().err().unwrap();
    for url in [format!("nats://ann:wrong@{place}"), format!("nats://{place}")] {
        let error = refused(options(url, None)).await;
        assert!(matches!(&error, BusError::Connect { url, .. } if *url == server.url), "{error:?}");
        assert!(error.to_string().contains("authorization violation"), "{error}");
        assert!(!format!("{error:?}").contains("wrong"), "{error:?}");
    }
    let error = refused(options(server.url.clone(), Some("missing.creds"))).await;
    assert!(matches!(&error, BusError::Credentials { path, .. } if path.ends_with("missing.creds")), "{error:?}");
    std::fs::write(server.server.folder().join("bad.creds"), "these are none").unwrap();
    let error = refused(options(server.url.clone(), Some("bad.creds"))).await;
    assert!(matches!(&error, BusError::Credentials { .. }), "{error:?}");
    for url in [format!("nats://ann:right@{place}"), format!("nats://ann:%72ight@{place}")] {
        connect(&options(url, None)).await.unwrap();
    }
    let Some(server) = configured("authorization { token: s3cr3t }\n") else { return };
    let place = server.url.strip_prefix("nats://").unwrap();
    connect(&options(format!("nats://s3cr3t@{place}"), None)).await.unwrap();
    refused(options(format!("nats://other@{place}"), None)).await;
}

#[tokio::test]
async fn a_payload_of_two_megabytes_is_an_error_reply() {
    // The server's own limit is a megabyte unless it is raised.
    let Some(server) = configured("max_payload: 8MB\n") else { return };
    let worker = work(&server, Script::of(vec![]), ServiceOptions::default()).await;
    let client = server.client().await;
    ask(&client, "status", &json!({})).await;
    let large = "x".repeat(2_000_000);
    for (operation, payload) in [
        ("chat", chat(&large)),
        ("chat", chat(&"x".repeat(200_000))),
        ("memory.add", json!({"channel": "#a", "content": "x".repeat(500_000)})),
        ("summarize", json!({"text": large})),
        ("nonsense", json!(large)),
    ] {
        let reply = ask(&client, operation, &payload).await;
        assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("too_large")), "{operation}: {reply}");
    }
    assert_eq!(ask(&client, "chat", &chat("hi")).await["success"], json!(true));
    worker.end().await;
}

#[tokio::test]
async fn a_reply_that_is_larger_than_the_bus_takes_is_an_error_reply() {
    let Some(server) = configured("max_payload: 64KB\n") else { return };
    let options = ServiceOptions { allow: vec!["big.*".into()], ..ServiceOptions::default() };
    let worker = work(&server, Script::of(vec![]), options).await;
    let client = server.client().await;
    ask(&client, "status", &json!({})).await;
    for n in 0..20 {
        let parameters = [Parameter::optional("x", ParameterKind::String).describe("y".repeat(5_000))];
        let tool = ToolDefinition::new(format!("big.{n}"), "Is big", input_schema(&parameters), "nats:big".into());
        worker.built.registry.register(tool, handler(|_, _| async { ToolOutcome::success("ran") })).unwrap();
    }
    let reply = ask(&client, "tools.list", &json!({"request_id": "r"})).await;
    assert_eq!((&reply["success"], &reply["code"]), (&json!(false), &json!("too_large")), "{reply}");
    assert_eq!(reply["request_id"], json!("r"), "it says whose it is");
    assert_eq!(ask(&client, "tools.list", &json!({"category": "math"})).await["count"], json!(1));
    // The state is on the same server: what does not fit there is refused, or makes room.
    let reply = ask(&client, "chat", &chat(&"x".repeat(40_000))).await;
    assert_eq!(reply["code"], json!("too_large"), "{reply}");
    let best = json!({"channel": "#a", "content": "the hint is a bird", "importance": 5});
    assert_eq!(ask(&client, "memory.add", &best).await["success"], json!(true));
    for n in 0..30 {
        let fact = json!({"channel": "#a", "content": format!("fact {n} {}", "z".repeat(3_900))});
        assert_eq!(ask(&client, "memory.add", &fact).await["success"], json!(true), "{n}");
    }
    for (query, begins) in [("fact 29", "fact 29 "), ("hint bird", "the hint is a bird")] {
        let found = ask(&client, "memory.recall", &json!({"channel": "#a", "query": query, "limit": 1})).await;
        assert!(found["memories"][0]["content"].as_str().unwrap().starts_with(begins), "{query}: {found}");
    }
    worker.end().await;
}
