//! The chat service, whatever carries its requests.
//!
//! Order of a request: read the payload; a chat is counted against the user's limits and stored (accepted) before a
//! model is asked; the reply is stored before it is sent; what the channel said is kept in between.

pub(crate) mod accepted;
mod answer;
mod chat;
mod course;
mod history;
mod keyed;
mod limits;
mod memories;
mod open;
pub mod options;
mod play;
pub mod recovery;
pub(crate) mod reply;
mod text;
mod toolbox;
mod usage;
mod wire;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_safety::{AuditLog, PinStore};
use aish_tools::{Clock, Executor, MemoryStore, NewMemory, Random, function_schema};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::bus::subject::{is_ours, is_plain};
use crate::events::Events;
use crate::model::Model;
use crate::state::StateStore;
use accepted::Claim;
use memories::ChannelMemory;
use open::OpenRequests;
use options::ServiceOptions;
use reply::{Failure, Reply, success};
use toolbox::Toolbox;
use usage::Meter;

/// Facts that one recall gives at most.
const MAX_RECALL: usize = 100;

/// What the service stands on.
pub struct ServicePorts {
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// What runs tools; its registry is what the service offers from.
    pub executor: Arc<Executor>,
    /// Where decisions about calls are written.
    pub audit: Arc<dyn AuditLog>,
    /// Where the definitions of allowed tools are pinned.
    pub pins: Arc<dyn PinStore>,
    /// Where the state lives.
    pub state: Arc<dyn StateStore>,
    /// Tells the time, for limits, counts and ages.
    pub clock: Arc<dyn Clock>,
    /// Randomness, for ids.
    pub random: Arc<dyn Random>,
    /// Who hears of answers, errors and tool calls.
    pub events: Arc<dyn Events>,
}

/// A reply, with what is still to be done about it.
pub struct Answered {
    /// The JSON object to be sent.
    pub reply: Value,
    /// Where the request wants it, beside the transport's own way; none means there.
    pub reply_to: Option<String>,
    pub(crate) held: Option<Claim>,
}

/// Whether the service works; `status` tells it.
#[derive(Default)]
pub(crate) struct Health {
    /// Why the model gave no answer when it was last asked.
    model_error: Mutex<Option<String>>,
    /// Why the state could not be written when that was last tried.
    state_fault: Mutex<Option<String>>,
}

impl Health {
    /// Notes how the last question to the model went.
    pub(crate) fn note_model(&self, error: Option<String>) {
        *self.model_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }
}

/// The chat service.
pub struct Service {
    pub(crate) options: ServiceOptions,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) toolbox: Toolbox,
    pub(crate) state: Arc<dyn StateStore>,
    pub(crate) events: Arc<dyn Events>,
    pub(crate) worker: String,
    clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    memory: ChannelMemory,
    pub(crate) meter: Meter,
    started: Duration,
    pub(crate) open: OpenRequests,
    health: Health,
}

impl Service {
    /// Makes the service.
    pub fn new(options: ServiceOptions, ports: ServicePorts) -> Self {
        let toolbox = Toolbox::new(ports.executor, ports.audit, ports.pins, &options.allow);
        let worker = id(&*ports.random);
        Self {
            toolbox,
            model: ports.model,
            memory: ChannelMemory { state: Arc::clone(&ports.state), clock: Arc::clone(&ports.clock) },
            state: ports.state,
            events: ports.events,
            worker,
            started: ports.clock.monotonic(),
            clock: ports.clock,
            random: ports.random,
            meter: Meter::default(),
            open: OpenRequests::default(),
            health: Health::default(),
            options,
        }
    }

    /// Returns a memory for the built-in tools: that of the channel in which a tool is called.
    pub fn memory(state: Arc<dyn StateStore>, clock: Arc<dyn Clock>) -> Arc<dyn MemoryStore> {
        Arc::new(ChannelMemory { state, clock })
    }

    /// Returns this worker's id.
    pub fn worker(&self) -> &str {
        &self.worker
    }

    /// Answers one request: the operation is the subject behind `PREFIX.llm.`; `inbox` is where the transport sends
    /// replies to. None when another worker has taken the request over meanwhile.
    pub async fn handle(
        &self,
        operation: &str,
        payload: &[u8],
        inbox: Option<&str>,
        cancel: &CancellationToken,
    ) -> Option<Answered> {
        let value = if payload.len() > self.options.max_payload {
            let common = serde_json::from_slice(payload).unwrap_or_default();
            return Some(self.refused(operation, &self.too_large(), common));
        } else if payload.iter().all(u8::is_ascii_whitespace) {
            json!({})
        } else {
            match serde_json::from_slice(payload) {
                Ok(value) => value,
                Err(error) => {
                    let failure = Failure::bad_request(format!("no JSON: {error}"));
                    return Some(self.refused(operation, &failure, wire::Common::default()));
                }
            }
        };
        self.handle_value(operation, value, inbox, cancel).await
    }

    /// Answers one request whose payload has been parsed, as [`Service::handle`] does.
    pub(crate) async fn handle_value(
        &self,
        operation: &str,
        payload: Value,
        inbox: Option<&str>,
        cancel: &CancellationToken,
    ) -> Option<Answered> {
        let common = match wire::common(&payload) {
            Ok(common) => common,
            Err(failure) => return Some(self.refused(operation, &failure, wire::Common::default())),
        };
        match self.try_handle(operation, &payload, &common, inbox, cancel).await {
            Ok(answered) => Some(answered),
            Err(Failure::Lost(_)) => None,
            Err(failure) => Some(self.refused(operation, &failure, common)),
        }
    }

    pub(crate) fn too_large(&self) -> Failure {
        Failure::TooLarge(format!("a payload has at most {} bytes", self.options.max_payload))
    }

    pub(crate) fn refused(&self, operation: &str, failure: &Failure, common: wire::Common) -> Answered {
        let event = json!({"operation": operation, "code": failure.code(), "error": failure.to_string()});
        self.events.publish("error", event);
        let reply_to = common.reply_to.filter(|to| self.may_reply_to(to));
        let reply = failure.reply().named(common.request_id.as_deref());
        Answered { reply: reply.into(), reply_to, held: None }
    }

    fn may_reply_to(&self, subject: &str) -> bool {
        is_plain(subject) && !is_ours(subject, &self.options.prefix)
    }

    async fn try_handle(
        &self,
        operation: &str,
        payload: &Value,
        common: &wire::Common,
        inbox: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<Answered, Failure> {
        if common.reply_to.as_ref().is_some_and(|to| !self.may_reply_to(to)) {
            return Err(Failure::bad_request("reply_to is no subject that a reply can go to"));
        }
        let now_ms = self.now_ms();
        let user = common.user.as_deref();
        let reply = match operation {
            "chat" => return self.accept_chat(payload, common, inbox, cancel).await,
            "complete" | "summarize" => {
                if let Some(user) = user {
                    limits::count(&*self.state, self.options.limits, user, now_ms).await?;
                }
                let (reply, usage) = match operation {
                    "complete" => self.complete(payload, cancel).await?,
                    _ => self.summarize(payload, cancel).await?,
                };
                self.meter.count(user, usage, now_ms);
                reply
            }
            "memory.add" => self.memory_add(payload).await?,
            "memory.recall" => self.memory_recall(payload).await?,
            "status" => self.status(now_ms).await?,
            "usage" => self.usage(user, now_ms).await?,
            "tools.list" => self.tools_list(payload)?,
            other => return Err(Failure::UnknownOperation(shown(other))),
        };
        let reply = reply.named(common.request_id.as_deref()).into();
        Ok(Answered { reply, reply_to: common.reply_to.clone(), held: None })
    }

    async fn usage(&self, user: Option<&str>, now_ms: u64) -> Result<Reply, Failure> {
        let mut fields = self.meter.counts(&*self.state, user, now_ms).await?.fields();
        if let (Some(user), Some(map)) = (user, fields.as_object_mut()) {
            map.insert("user".into(), user.into());
        }
        Ok(success(fields))
    }

    fn tools_list(&self, payload: &Value) -> Result<Reply, Failure> {
        let request: wire::ToolsList = wire::read(payload)?;
        let offered = self.toolbox.offered(request.category.as_deref());
        let schemas: Vec<Value> = offered.iter().map(|definition| function_schema(definition)).collect();
        Ok(success(json!({"count": schemas.len(), "schemas": schemas})))
    }

    async fn memory_add(&self, payload: &Value) -> Result<Reply, Failure> {
        let request: wire::MemoryAdd = wire::read(payload)?;
        let memory = NewMemory {
            content: request.content,
            category: request.category.filter(|word| !word.is_empty()).unwrap_or_else(|| "fact".into()),
            importance: request.importance.unwrap_or(3),
            source: "service".into(),
        };
        let id = self.memory.add_fact(&request.channel, request.user_id.as_deref(), &memory).await?;
        Ok(success(json!({"memory_id": id})))
    }

    async fn memory_recall(&self, payload: &Value) -> Result<Reply, Failure> {
        let request: wire::MemoryRecall = wire::read(payload)?;
        if request.query.trim().is_empty() {
            return Err(Failure::bad_request("query is empty"));
        }
        let limit = request.limit.unwrap_or(5).clamp(1, MAX_RECALL);
        let found = self.memory.recall(&request.channel, request.user_id.as_deref(), &request.query, limit).await?;
        let memories: Vec<Value> = found.iter().map(memories::fields).collect();
        Ok(success(json!({"count": memories.len(), "memories": memories})))
    }

    async fn status(&self, now_ms: u64) -> Result<Reply, Failure> {
        let mut fields = self.meter.counts(&*self.state, None, now_ms).await?.fields();
        if let Some(map) = fields.as_object_mut() {
            let model_error = self.health.model_error.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let state_fault = self.health.state_fault.lock().unwrap_or_else(PoisonError::into_inner).clone();
            map.insert("healthy".into(), (model_error.is_none() && state_fault.is_none()).into());
            if let Some(error) = state_fault {
                map.insert("state_error".into(), error.into());
            }
            if let Some(error) = model_error {
                map.insert("model_error".into(), error.into());
            }
            map.insert("provider".into(), self.model.name().into());
            map.insert("model".into(), self.model.name().into());
            map.insert("worker".into(), self.worker.as_str().into());
            map.insert("tools".into(), self.toolbox.offered(None).len().into());
            map.insert("uptime_s".into(), self.clock.monotonic().saturating_sub(self.started).as_secs().into());
        }
        Ok(success(fields))
    }

    /// Adds what was used to the state; called about once a second, and at the end.
    pub async fn flush(&self) {
        let flushed = self.meter.flush(&*self.state, &self.worker, self.now_ms()).await;
        if !matches!(flushed, Ok(false)) {
            self.note_state(&flushed);
        }
        if let Err(failure) = flushed {
            tracing::warn!(error = %failure, "what was used cannot be written yet");
        }
    }

    /// Remembers whether the state could be written, for those who ask how the service is.
    pub(crate) fn note_state<T>(&self, result: &Result<T, Failure>) {
        let fault = match result {
            Ok(_) => None,
            Err(failure) if failure.is_full() => Some(failure.to_string()),
            // What does not answer comes again by itself; the request in question is put off.
            Err(_) => return,
        };
        *self.health.state_fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.since_epoch().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Returns as much of a name of the request as an error shows.
fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}

/// Makes an id of 128 random bits.
pub(crate) fn id(random: &dyn Random) -> String {
    (0..8).map(|_| format!("{:04x}", random.below(65_536))).collect()
}
