//! The other side: a process that offers tools. It registers, beats, registers again when it is asked to, and answers.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use aish_types::BoxFuture;
use async_nats::{Client, Message, Subject};
use futures_util::{FutureExt, StreamExt, stream::select_all};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::bus::{Bus, BusError};
use crate::plugin::wire::{Call, CallFault, CallReply, Instance, Offer, Register};

/// A tool that failed: what the model is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolFailed(pub String);

/// Runs one tool: the arguments, and a token that says that nobody waits any more.
pub type Run = Arc<dyn Fn(Value, CancellationToken) -> BoxFuture<'static, Result<Value, ToolFailed>> + Send + Sync>;

/// A tool that a plugin offers.
#[derive(Clone)]
pub struct HostedTool {
    /// Its name, without the plugin's.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// Discovery category.
    pub category: String,
    /// What runs it.
    pub run: Run,
}

/// A plugin.
#[derive(Clone)]
pub struct Host {
    /// The first word of the service's subjects.
    pub prefix: String,
    /// The plugin's name.
    pub plugin: String,
    /// The name of this process among those that offer the same.
    pub instance: String,
    /// The plugin's version.
    pub version: String,
    /// Seconds for which a registration holds without a beat.
    pub ttl_s: f64,
    /// What is registered, each under the plugin's name.
    pub tools: Vec<HostedTool>,
}

/// How long a registry may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

impl Host {
    /// Offers the tools until `cancel` is given, then takes them back.
    ///
    /// # Errors
    /// When the subjects cannot be listened to.
    pub async fn run(self, bus: &Bus, cancel: CancellationToken) -> Result<(), BusError> {
        let client = bus.client.clone();
        let listen = async |subject: String, queue: Option<String>| {
            let subscribed = match queue {
                Some(queue) => client.queue_subscribe(subject.clone(), queue).await,
                None => client.subscribe(subject.clone()).await,
            };
            subscribed.map_err(|error| BusError::Subscribe { subject, cause: error.to_string() })
        };
        let queue = format!("plugin-{}", self.plugin);
        let (mut calls, mut cancels) = (Vec::new(), Vec::new());
        for tool in &self.tools {
            calls.push(listen(self.subject(tool), Some(queue.clone())).await?);
            cancels.push(listen(format!("{}.cancel", self.subject(tool)), None).await?);
        }
        let mut calls = select_all(calls);
        let mut cancels = select_all(cancels);
        let mut announces = listen(format!("{}.llm.tools.announce", self.prefix), None).await?;
        bus.settle().await.map_err(|error| BusError::Subscribe { subject: queue, cause: error.to_string() })?;
        let mut running: HashMap<String, CancellationToken> = HashMap::new();
        let mut tasks = JoinSet::new();
        let mut beats = tokio::time::interval(Duration::from_secs_f64((self.ttl_s / 3.0).clamp(0.2, 60.0)));
        let mut registered = false;
        loop {
            tokio::select! {
                () = cancel.cancelled() => break,
                _ = beats.tick() => {
                    if !registered || !self.beat(&client).await {
                        registered = self.register(&client).await;
                    }
                }
                Some(_) = announces.next() => registered = self.register(&client).await,
                Some(message) = calls.next() => {
                    if let Some((id, token)) = self.start(&client, message, &mut tasks) {
                        running.insert(id, token);
                    }
                }
                Some(message) = cancels.next() => {
                    let id = serde_json::from_slice::<Value>(&message.payload).ok();
                    let id = id.as_ref().and_then(|value| value.get("call_id")).and_then(Value::as_str);
                    if let Some(token) = id.and_then(|id| running.remove(id)) {
                        token.cancel();
                    }
                }
                Some(done) = tasks.join_next() => {
                    if let Ok(id) = done {
                        running.remove(&id);
                    }
                }
            }
        }
        let me = serde_json::to_vec(&self.me()).unwrap_or_default();
        let _ = client.publish(format!("{}.llm.tools.unregister", self.prefix), me.into()).await;
        let _ = client.flush().await;
        Ok(())
    }

    fn subject(&self, tool: &HostedTool) -> String {
        format!("{}.plugin.{}.{}", self.prefix, self.plugin, tool.name)
    }

    fn me(&self) -> Instance {
        Instance { plugin: self.plugin.clone(), instance: self.instance.clone() }
    }

    fn start(
        &self,
        client: &Client,
        message: Message,
        tasks: &mut JoinSet<String>,
    ) -> Option<(String, CancellationToken)> {
        let reply_to = message.reply.clone()?;
        let (token, client) = (CancellationToken::new(), client.clone());
        let tool = self.tools.iter().find(|tool| self.subject(tool) == message.subject.as_str())?.clone();
        let call: Call = match serde_json::from_slice(&message.payload) {
            Ok(call) => call,
            Err(error) => {
                tasks.spawn(async move {
                    reply(&client, reply_to, None, Err(coded("bad_request", error.to_string()))).await;
                    String::new()
                });
                return None;
            }
        };
        let (cancelled, id) = (token.clone(), call.call_id.clone());
        tasks.spawn(async move {
            let running = AssertUnwindSafe(async move { (tool.run)(call.arguments, cancelled).await });
            let result = match running.catch_unwind().await {
                Ok(result) => result.map_err(|failed| CallFault::Text(failed.0)),
                Err(_) => Err(coded("crashed", "the tool crashed".into())),
            };
            reply(&client, reply_to, Some(call.call_id.clone()), result).await;
            call.call_id
        });
        Some((id, token))
    }

    async fn register(&self, client: &Client) -> bool {
        let tools = self.tools.iter().map(|tool| {
            let offer = Offer {
                name: tool.name.clone(),
                description: tool.description.clone(),
                parameters: tool.parameters.clone(),
                subject: self.subject(tool),
                category: Some(tool.category.to_string()),
                requires_confirmation: false,
                cooldown_seconds: 0.0,
                timeout_ms: None,
                read_only: None,
                destructive: None,
                tags: Vec::new(),
            };
            serde_json::to_value(offer).unwrap_or_else(|_| json!({}))
        });
        let register = Register {
            plugin: self.plugin.clone(),
            instance: self.instance.clone(),
            version: self.version.clone(),
            ttl_s: Some(self.ttl_s),
            tools: tools.collect(),
        };
        let payload = serde_json::to_vec(&register).unwrap_or_default();
        self.succeeds(client, "register", payload).await
    }

    async fn beat(&self, client: &Client) -> bool {
        let payload = serde_json::to_vec(&self.me()).unwrap_or_default();
        self.succeeds(client, "heartbeat", payload).await
    }

    async fn succeeds(&self, client: &Client, operation: &str, payload: Vec<u8>) -> bool {
        let request = async_nats::Request::new().payload(payload.into()).timeout(Some(PATIENCE));
        let reply = client.send_request(format!("{}.llm.tools.{operation}", self.prefix), request).await;
        let reply = reply.ok().and_then(|message| serde_json::from_slice::<Value>(&message.payload).ok());
        let success = reply.as_ref().and_then(|reply| reply.get("success")).and_then(Value::as_bool).unwrap_or(false);
        if !success && let Some(reply) = reply {
            tracing::warn!(%reply, operation, "the registry refused");
        }
        success
    }
}

fn coded(code: &str, message: String) -> CallFault {
    CallFault::Coded { code: code.into(), message, retry_after_ms: None }
}

/// Answers a call; a result that is larger than the bus takes is an error.
async fn reply(client: &Client, to: Subject, tool_call_id: Option<String>, result: Result<Value, CallFault>) {
    let write = |result: Result<Value, CallFault>| {
        let (success, error) = (result.is_ok(), result.as_ref().err().cloned());
        let reply = CallReply { tool_call_id: tool_call_id.clone(), success, result: result.ok(), error };
        serde_json::to_vec(&reply).unwrap_or_default()
    };
    let mut bytes = write(result);
    let most = client.max_payload();
    if bytes.len() > most {
        let why = format!("the result has {} bytes; the bus takes {most}", bytes.len());
        bytes = write(Err(coded("too_large", why)));
    }
    if let Err(error) = client.publish(to, bytes.into()).await {
        tracing::warn!(%error, "a call was not answered");
    }
}
