//! What the tests share: requests, models behind a scripted server, and collected answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aish_llm::{
    BookedCall, Broker, BrokerModel, Chain, ChatError, ChatRequest, Endpoint, EventStream, ModelOptions, Pacer,
    PlannedCall, Price, Provider, Purpose, RemoteProvider, SpendGuard, SpendRefusal, StreamEvent, ToolSpec,
};
use aish_testkit::model_server::{ModelServer, Script};
use aish_types::{BoxFuture, Message, ToolName};
use futures_util::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Far more than any answer takes: a real server on a machine with more to do than it can takes two minutes for a long prompt.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);

/// A question of one user message.
pub(crate) fn ask(text: &str) -> ChatRequest {
    ChatRequest::new(vec![Message::system("You are aish."), Message::user(text)], Purpose::Main)
}

/// The same with tools of these names.
pub(crate) fn ask_with_tools(text: &str, tools: &[&str]) -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let tools = tools
        .iter()
        .map(|name| ToolSpec { name: ToolName::new(*name), description: "Does it.".into(), parameters: schema.clone() })
        .collect();
    ChatRequest { tools, ..ask(text) }
}

pub(crate) fn start(script: impl Into<Script>) -> ModelServer {
    ModelServer::start(script).unwrap()
}

pub(crate) fn options() -> ModelOptions {
    ModelOptions {
        timeout: Duration::from_secs(10),
        idle_timeout: Some(Duration::from_secs(5)),
        max_tokens: Some(1024),
        temperature: Some(0.2),
        ..ModelOptions::new("scripted")
    }
}

pub(crate) fn anthropic(server: &ModelServer, options: ModelOptions) -> RemoteProvider {
    RemoteProvider::messages(Endpoint::parse(&server.url()).unwrap(), options)
}

pub(crate) fn openai(server: &ModelServer, options: ModelOptions) -> RemoteProvider {
    RemoteProvider::chat(Endpoint::parse(&server.url()).unwrap(), options)
}

/// What came of a stream.
#[derive(Debug, PartialEq)]
pub(crate) struct Collected {
    pub(crate) events: Vec<StreamEvent>,
    pub(crate) error: Option<ChatError>,
}

impl Collected {
    pub(crate) fn text(&self) -> String {
        let texts = self.events.iter().filter_map(|event| match event {
            StreamEvent::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    pub(crate) fn notices(&self) -> Vec<&str> {
        let notices = self.events.iter().filter_map(|event| match event {
            StreamEvent::Notice(text) => Some(text.as_str()),
            _ => None,
        });
        notices.collect()
    }

    /// Calls as `name(arguments)`, malformed ones with `!` in front.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = self.events.iter().filter_map(|event| match event {
            StreamEvent::ToolCall(call) => Some(format!("{}({})", call.name, call.arguments)),
            StreamEvent::MalformedCall { call, .. } => Some(format!("!{}({})", call.name, call.arguments)),
            _ => None,
        });
        calls.collect()
    }

    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.events.last(), Some(StreamEvent::Finished(_)))
    }

    /// The events with neighbouring texts joined: what must not depend on how the bytes came.
    pub(crate) fn joined(&self) -> Vec<StreamEvent> {
        let mut joined: Vec<StreamEvent> = Vec::new();
        for event in &self.events {
            match (joined.last_mut(), event) {
                (Some(StreamEvent::Text(before)), StreamEvent::Text(text))
                | (Some(StreamEvent::Reasoning(before)), StreamEvent::Reasoning(text)) => before.push_str(text),
                _ => joined.push(event.clone()),
            }
        }
        joined
    }
}

/// Collects a stream to its end; nothing may follow an error or the end.
pub(crate) async fn collect(stream: EventStream) -> Collected {
    tokio::time::timeout(LIMIT, async move {
        let mut stream = stream;
        let mut collected = Collected { events: Vec::new(), error: None };
        while let Some(item) = stream.next().await {
            assert!(collected.error.is_none(), "{item:?} follows {:?}", collected.error);
            assert!(!collected.is_finished(), "{item:?} follows the end");
            match item {
                Ok(event) => collected.events.push(event),
                Err(error) => collected.error = Some(error),
            }
        }
        assert!(collected.error.is_some() || collected.is_finished(), "{collected:?} has no end");
        collected
    })
    .await
    .expect("the stream hangs")
}

pub(crate) async fn run(provider: &dyn Provider, request: ChatRequest) -> Collected {
    collect(provider.stream(request, CancellationToken::new())).await
}

/// Notes waits and does not wait; its random numbers are all one.
#[derive(Default)]
pub(crate) struct FakePacer {
    pub(crate) waits: Mutex<Vec<Duration>>,
}

impl Pacer for FakePacer {
    fn unit(&self) -> f64 {
        0.5
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.waits.lock().unwrap().push(time);
        Box::pin(async {})
    }
}

/// Keeps books, and refuses what would go over a cap.
#[derive(Default)]
pub(crate) struct Books {
    pub(crate) cap_nanos: Option<u64>,
    pub(crate) planned: Mutex<Vec<String>>,
    pub(crate) booked: Mutex<Vec<(String, aish_types::Usage, Option<aish_types::Money>)>>,
}

impl Books {
    pub(crate) fn spent(&self) -> u64 {
        self.booked.lock().unwrap().iter().filter_map(|(_, _, cost)| *cost).map(aish_types::Money::nanos).sum()
    }
}

impl SpendGuard for Books {
    fn check(&self, call: &PlannedCall<'_>) -> Result<(), SpendRefusal> {
        self.planned.lock().unwrap().push(call.model.to_owned());
        match (self.cap_nanos, call.worst_cost) {
            (Some(cap), Some(worst)) if self.spent() + worst.nanos() > cap => Err(SpendRefusal("over the cap".into())),
            _ => Ok(()),
        }
    }

    fn book(&self, call: &BookedCall<'_>) {
        self.booked.lock().unwrap().push((call.model.to_owned(), call.usage, call.cost));
    }
}

/// A broker over scripted servers: the first is the default, the others are the fallbacks, named `a`, `b`, ….
pub(crate) fn broker(servers: &[&ModelServer], price: Option<Price>) -> (Broker, Arc<FakePacer>, Arc<Books>) {
    broker_with(servers, price, Books::default())
}

pub(crate) fn broker_with(
    servers: &[&ModelServer],
    price: Option<Price>,
    books: Books,
) -> (Broker, Arc<FakePacer>, Arc<Books>) {
    let names: Vec<String> = ('a'..).take(servers.len()).map(String::from).collect();
    let models: BTreeMap<String, BrokerModel> = names
        .iter()
        .zip(servers)
        .map(|(name, server)| {
            let options = ModelOptions { model: format!("model-{name}"), ..options() };
            let model = BrokerModel {
                max_tokens: options.max_tokens,
                endpoint: Some(server.url()),
                provider: Arc::new(openai(server, options)),
                price,
            };
            (name.clone(), model)
        })
        .collect();
    let chain = Chain { default: names[0].clone(), fallback: names[1..].to_vec(), ..Chain::default() };
    let (pacer, books) = (Arc::new(FakePacer::default()), Arc::new(books));
    let broker = Broker::new(models, chain).with_pacer(pacer.clone()).with_guard(books.clone());
    (broker, pacer, books)
}
