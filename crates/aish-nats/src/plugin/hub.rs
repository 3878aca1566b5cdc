//! Who has registered: plugins come, beat, go, and are forgotten when they no longer beat.
//!
//! One task owns the leases. The tools go into the registry as one source a plugin, named by the plugin and never by what
//! a tool says of itself; a name that another source has is refused there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aish_tools::Registry;
use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::bus::{Bus, BusError};
use crate::plugin::legacy::{LegacyTool, legacy};
use crate::plugin::registration::{Accepted, Rejected, examine, source_of};
use crate::plugin::source::source;
use crate::plugin::wire::{Instance, Register};

/// How plugins are listened to.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginOptions {
    /// The first word of every subject.
    pub prefix: String,
    /// Plugins at most.
    pub max_plugins: usize,
    /// Tools of plugins that do not register.
    pub legacy: Vec<LegacyTool>,
}

impl Default for PluginOptions {
    fn default() -> Self {
        Self { prefix: "rosey".into(), max_plugins: 200, legacy: Vec::new() }
    }
}

/// Seconds of a lease: the shortest, the usual, the longest.
const TTL: (f64, f64, f64) = (1.0, 30.0, 300.0);

/// Listens to plugins until it is stopped.
pub struct PluginHub {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl PluginHub {
    /// Starts listening, and asks all plugins to register again.
    ///
    /// # Errors
    /// When the subjects cannot be listened to.
    pub async fn start(bus: &Bus, registry: Arc<Registry>, options: PluginOptions) -> Result<Self, BusError> {
        let client = bus.client.clone();
        let listen = async |operation: &str| {
            let subject = format!("{}.llm.tools.{operation}", options.prefix);
            let subscribed = client.subscribe(subject.clone()).await;
            subscribed.map_err(|error| BusError::Subscribe { subject, cause: error.to_string() })
        };
        let subscriptions = (listen("register").await?, listen("unregister").await?, listen("heartbeat").await?);
        let announce = format!("{}.llm.tools.announce", options.prefix);
        let fail = |cause: String| BusError::Subscribe { subject: announce.clone(), cause };
        bus.settle().await.map_err(|error| fail(error.to_string()))?;
        client.publish(announce.clone(), "{}".into()).await.map_err(|error| fail(error.to_string()))?;
        if !options.legacy.is_empty() {
            let source = legacy(bus.clone(), &options.prefix, options.legacy.clone());
            for refused in registry.add(Arc::new(source)) {
                tracing::warn!(%refused, "a mapped tool cannot be used");
            }
        }
        let stop = CancellationToken::new();
        let leases = Leases { client, registry, options, plugins: HashMap::new() };
        let task = tokio::spawn(leases.run(subscriptions, stop.clone()));
        Ok(Self { task, stop })
    }

    /// Stops listening; the tools stay as they are.
    pub async fn stop(self) {
        self.stop.cancel();
        let _ = self.task.await;
    }
}

/// What is known of one plugin.
struct Plugin {
    tools: Vec<Accepted>,
    /// What the registry did not take of them.
    refused: Vec<Rejected>,
    /// Instances with the ends of their leases.
    instances: HashMap<String, Lease>,
}

struct Lease {
    ttl: Duration,
    end: Instant,
}

struct Leases {
    client: Client,
    registry: Arc<Registry>,
    options: PluginOptions,
    plugins: HashMap<String, Plugin>,
}

impl Leases {
    async fn run(mut self, subscriptions: (Subscriber, Subscriber, Subscriber), stop: CancellationToken) {
        let (mut registers, mut unregisters, mut beats) = subscriptions;
        let mut ticks = tokio::time::interval(Duration::from_millis(250));
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => self.expire(Instant::now()),
                Some(message) = registers.next() => {
                    let reply = self.register(&message.payload);
                    self.reply(message, reply).await;
                }
                Some(message) = unregisters.next() => {
                    let reply = self.unregister(&message.payload);
                    self.reply(message, reply).await;
                }
                Some(message) = beats.next() => {
                    let reply = self.beat(&message.payload);
                    self.reply(message, reply).await;
                }
                else => return,
            }
        }
    }

    async fn reply(&self, message: Message, reply: Value) {
        if let Some(to) = message.reply
            && let Err(error) = self.client.publish(to, reply.to_string().into()).await
        {
            tracing::debug!(%error, "a plugin was not answered");
        }
    }

    fn register(&mut self, payload: &[u8]) -> Value {
        let register: Register = match serde_json::from_slice(payload) {
            Ok(register) => register,
            Err(error) => return refuse("bad_request", &error.to_string()),
        };
        let (tools, rejected) = match examine(&register, &self.options.prefix) {
            Ok(examined) => examined,
            Err(refused) => return refuse(refused.code(), &refused.to_string()),
        };
        let known = self.plugins.get(&register.plugin);
        if known.is_none() && self.plugins.len() >= self.options.max_plugins {
            return refuse("too_many_plugins", "no more plugins are taken");
        }
        let is_same = known.is_some_and(|plugin| same(&plugin.tools, &tools));
        let is_others = known.is_some_and(|plugin| plugin.instances.keys().any(|other| *other != register.instance));
        if is_others && !is_same {
            return refuse("conflict", "another instance of this plugin offers other tools; it must go first");
        }
        let ttl = register.ttl_s.filter(|ttl| ttl.is_finite()).unwrap_or(TTL.1).clamp(TTL.0, TTL.2);
        if !is_same {
            let source = source(source_of(&register.plugin), self.client.clone(), tools.clone());
            let mut refused = Vec::new();
            for tool in self.registry.add(Arc::new(source)) {
                tracing::warn!("{tool}");
                let message = tool.to_string();
                refused.push(Rejected { name: tool.name.to_string(), code: "refused", message });
            }
            let plugin = Plugin { tools, refused, instances: HashMap::new() };
            let old = self.plugins.insert(register.plugin.clone(), plugin);
            if let (Some(old), Some(new)) = (old, self.plugins.get_mut(&register.plugin)) {
                new.instances = old.instances;
            }
        }
        let Some(plugin) = self.plugins.get_mut(&register.plugin) else { return refuse("internal", "not kept") };
        let lease = Lease { ttl: Duration::from_secs_f64(ttl), end: Instant::now() + Duration::from_secs_f64(ttl) };
        plugin.instances.insert(register.instance.clone(), lease);
        let refused = |name: &str| plugin.refused.iter().any(|refused| refused.name == name);
        let accepted: Vec<&str> =
            plugin.tools.iter().map(|tool| tool.definition.name.as_str()).filter(|name| !refused(name)).collect();
        let rejected: Vec<Value> = rejected.iter().chain(&plugin.refused).map(Rejected::json).collect();
        json!({"success": true, "accepted": accepted, "rejected": rejected, "lease": {"ttl_s": ttl}})
    }

    fn unregister(&mut self, payload: &[u8]) -> Value {
        let Ok(who) = serde_json::from_slice::<Instance>(payload) else {
            return refuse("bad_request", "plugin and instance are needed");
        };
        let Some(plugin) = self.plugins.get_mut(&who.plugin) else {
            return refuse("unknown", "there is no such plugin");
        };
        if plugin.instances.remove(&who.instance).is_none() {
            return refuse("unknown", "there is no such instance");
        }
        self.drop_empty();
        json!({"success": true})
    }

    fn beat(&mut self, payload: &[u8]) -> Value {
        let Ok(who) = serde_json::from_slice::<Instance>(payload) else {
            return refuse("bad_request", "plugin and instance are needed");
        };
        let lease = self.plugins.get_mut(&who.plugin).and_then(|plugin| plugin.instances.get_mut(&who.instance));
        match lease {
            Some(lease) => {
                lease.end = Instant::now() + lease.ttl;
                json!({"success": true, "lease": {"ttl_s": lease.ttl.as_secs_f64()}})
            }
            None => refuse("unknown", "the lease has ended; register again"),
        }
    }

    fn expire(&mut self, now: Instant) {
        for plugin in self.plugins.values_mut() {
            plugin.instances.retain(|_, lease| lease.end > now);
        }
        self.drop_empty();
    }

    fn drop_empty(&mut self) {
        let registry = &self.registry;
        self.plugins.retain(|name, plugin| {
            let stays = !plugin.instances.is_empty();
            if !stays {
                registry.remove(&source_of(name));
                tracing::info!(plugin = name, "a plugin has gone");
            }
            stays
        });
    }
}

fn refuse(code: &str, error: &str) -> Value {
    json!({"success": false, "error": error, "code": code})
}

fn same(a: &[Accepted], b: &[Accepted]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.definition == b.definition && a.subject == b.subject)
}
