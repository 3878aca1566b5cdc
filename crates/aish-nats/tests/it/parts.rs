//! What the tests build a service of: a model that answers by a script, ports in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use aish_llm::event::{ChatError, FinishReason, StreamEvent};
use aish_llm::provider::EventStream;
use aish_llm::request::ChatRequest;
use aish_nats::{Events, LocalState, Model, Service, ServiceOptions, ServicePorts, StateStore};
use aish_safety::{AuditEntry, AuditError, AuditLog, Pin, PinError, PinStore};
use aish_tools::builtin::{Builtins, Ports};
use aish_tools::{Clock, Executor, Registry, SystemClock, SystemRandom};
use aish_types::{SourceId, ToolCall, ToolName, Usage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Answers as it is told; when the script is over, it repeats what the person said last.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) answers: Mutex<VecDeque<Vec<StreamEvent>>>,
    pub(crate) requests: Mutex<Vec<ChatRequest>>,
}

impl Script {
    pub(crate) fn of(answers: Vec<Vec<StreamEvent>>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into()), requests: Mutex::default() })
    }

    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap().clone()
    }
}

pub(crate) fn text(text: &str) -> Vec<StreamEvent> {
    vec![
        StreamEvent::Text(text.into()),
        StreamEvent::Usage(Usage { prompt: 10, completion: 2, cached: 0, written: 0, reasoning: 0, estimated: false }),
        StreamEvent::Finished(FinishReason::Stop),
    ]
}

pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> Vec<StreamEvent> {
    let mut events: Vec<StreamEvent> = calls
        .iter()
        .map(|(id, name, arguments)| {
            StreamEvent::ToolCall(ToolCall { id: (*id).into(), name: (*name).into(), arguments: (*arguments).into() })
        })
        .collect();
    events.push(StreamEvent::Usage(Usage {
        prompt: 10,
        completion: 2,
        cached: 0,
        written: 0,
        reasoning: 0,
        estimated: false,
    }));
    events.push(StreamEvent::Finished(FinishReason::ToolCalls));
    events
}

impl Model for Script {
    fn name(&self) -> String {
        "script".into()
    }

    fn has(&self, name: &str) -> bool {
        name == "script"
    }

    fn ask(&self, request: ChatRequest, _named: Option<&str>, _cancel: CancellationToken) -> EventStream {
        let said = request.messages.last().map(|message| message.content().to_owned()).unwrap_or_default();
        self.requests.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or_else(|| text(&format!("you said: {said}")));
        let events: Vec<Result<StreamEvent, ChatError>> = answer.into_iter().map(Ok).collect();
        Box::pin(futures_util::stream::iter(events))
    }
}

#[derive(Default)]
pub(crate) struct Heard(pub(crate) Mutex<Vec<(String, Value)>>);

impl Events for Heard {
    fn publish(&self, kind: &str, payload: Value) {
        self.0.lock().unwrap().push((kind.into(), payload));
    }
}

#[derive(Default)]
pub(crate) struct Books {
    pub(crate) audit: Mutex<Vec<AuditEntry>>,
    pins: Mutex<Vec<(SourceId, ToolName, Pin)>>,
}

impl AuditLog for Books {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        self.audit.lock().unwrap().push(entry.clone());
        Ok(())
    }
}

impl PinStore for Books {
    fn get(&self, source: &SourceId, tool: &ToolName) -> Result<Option<Pin>, PinError> {
        let pins = self.pins.lock().unwrap();
        Ok(pins.iter().rev().find(|(s, t, _)| s == source && t == tool).map(|(_, _, pin)| pin.clone()))
    }

    fn put(&self, source: &SourceId, tool: &ToolName, pin: &Pin) -> Result<(), PinError> {
        self.pins.lock().unwrap().push((source.clone(), tool.clone(), pin.clone()));
        Ok(())
    }
}

pub(crate) struct Built {
    pub(crate) service: Arc<Service>,
    pub(crate) script: Arc<Script>,
    pub(crate) heard: Arc<Heard>,
    pub(crate) books: Arc<Books>,
    pub(crate) registry: Arc<Registry>,
}

pub(crate) fn build(script: Arc<Script>, options: ServiceOptions) -> Built {
    let state = Arc::new(LocalState::default());
    Built { script: script.clone(), ..build_with(state, script, options) }
}

pub(crate) fn build_with(state: Arc<dyn StateStore>, model: Arc<dyn Model>, options: ServiceOptions) -> Built {
    build_at(state, model, options, Arc::new(SystemClock::default()))
}

pub(crate) fn build_at(
    state: Arc<dyn StateStore>,
    model: Arc<dyn Model>,
    options: ServiceOptions,
    clock: Arc<dyn Clock>,
) -> Built {
    let memory = Service::memory(Arc::clone(&state), clock.clone());
    let registry = Arc::new(Registry::default());
    registry.add(Arc::new(Builtins::all(&Ports { memory: Some(memory), ..Ports::default() })));
    let (heard, books) = (Arc::new(Heard::default()), Arc::new(Books::default()));
    let ports = ServicePorts {
        model,
        executor: Arc::new(Executor::new(registry.clone())),
        audit: books.clone(),
        pins: books.clone(),
        state,
        clock,
        random: Arc::new(SystemRandom),
        events: heard.clone(),
    };
    Built { service: Arc::new(Service::new(options, ports)), script: Script::of(Vec::new()), heard, books, registry }
}

impl Built {
    pub(crate) async fn ask(&self, operation: &str, payload: Value) -> Value {
        self.ask_bytes(operation, payload.to_string().as_bytes()).await
    }

    pub(crate) async fn ask_bytes(&self, operation: &str, payload: &[u8]) -> Value {
        let answered = self.service.handle(operation, payload, None, &CancellationToken::new()).await.unwrap();
        let reply = answered.reply.clone();
        self.service.sent(answered).await;
        reply
    }

    pub(crate) async fn chat(&self, message: &str) -> Value {
        self.ask("chat", json!({"channel": "#a", "user": "me", "message": message, "enable_tools": true})).await
    }
}
