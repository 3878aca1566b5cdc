//! The tools of plugins on the configured bus (`nats.url`), as a source beside the others.

use std::sync::Arc;
use std::time::Duration;

use aish_nats::{BusError, BusOptions, LegacyTool, PluginHub, PluginOptions, connect};
use aish_tools::Registry;
use serde_json::{Map, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::Base;
use crate::config::section::LegacyPlugin;

/// The first wait before the bus is tried again, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// How long no plugin has registered when all are taken to have done so; nothing says how many there are.
const QUIET: Duration = Duration::from_millis(200);
/// How often is looked whether a plugin has registered.
const LOOK: Duration = Duration::from_millis(10);

/// What came of the bus so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    NotYet,
    Failed,
    Listening,
}

/// Listens to plugins in the background until it is closed or dropped.
pub struct Plugins {
    registry: Arc<Registry>,
    reached: watch::Receiver<Reached>,
    task: JoinHandle<()>,
    stop: DropGuard,
}

/// Starts listening where a bus is configured; `status` hears what the person should know, a line each.
pub fn start(
    base: &Base,
    registry: &Arc<Registry>,
    status: impl Fn(String) + Send + Sync + 'static,
) -> Option<Plugins> {
    let url = base.config.nats.url.as_deref()?;
    let options = bus_options(base, url);
    let plugins = plugin_options(base, &base.config.nats.prefix);
    let (reach, reached) = watch::channel(Reached::NotYet);
    let stop = CancellationToken::new();
    let listening = listen(options, plugins, Arc::clone(registry), status, reach, stop.clone());
    let task = tokio::spawn(listening);
    Some(Plugins { registry: Arc::clone(registry), reached, task, stop: stop.drop_guard() })
}

/// Returns how the bus is reached.
pub fn bus_options(base: &Base, url: &str) -> BusOptions {
    let world = |name: &str| base.variable(name);
    let creds = base.config.nats.creds.as_deref().map(|path| climax::expand::path(path, &world).into());
    BusOptions { url: url.to_owned(), creds, name: "aish".to_owned() }
}

/// Returns how plugins are listened to, those of `[nats.legacy]` with them.
pub fn plugin_options(base: &Base, prefix: &str) -> PluginOptions {
    let legacy = base.config.nats.legacy.iter().map(|(name, plugin)| mapped(name, plugin)).collect();
    PluginOptions { prefix: prefix.to_owned(), legacy, ..PluginOptions::default() }
}

/// Reads one mapping. A name without a dot names no action, and is left out where the bus is listened to.
fn mapped(name: &str, plugin: &LegacyPlugin) -> LegacyTool {
    let (owner, action) = name.split_once('.').unwrap_or((name, ""));
    let properties: Map<_, _> = plugin
        .arguments
        .iter()
        .map(|(name, means)| (name.clone(), json!({"type": "string", "description": means})))
        .collect();
    LegacyTool {
        plugin: owner.to_owned(),
        action: action.to_owned(),
        description: plugin.description.clone(),
        parameters: json!({"type": "object", "properties": properties}),
        args_from: plugin.args_from.clone(),
    }
}

impl Plugins {
    /// Says whether the bus is listened to, as soon as that is known.
    async fn is_listening(&self) -> bool {
        let mut reached = self.reached.clone();
        let first = reached.wait_for(|reached| *reached != Reached::NotYet).await.map(|reached| *reached);
        matches!(first, Ok(Reached::Listening))
    }

    /// Waits until a plugin has registered or the bus has failed, for `limit` at most.
    pub async fn wait_for(&self, plugin: &str, limit: Duration) {
        let registered = async {
            let is_its = |name: &str| name.strip_prefix(plugin).is_some_and(|rest| rest.starts_with('.'));
            if !self.is_listening().await {
                return;
            }
            while !self.registry.list(None).iter().any(|tool| is_its(tool.name.as_str())) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let _ = tokio::time::timeout(limit, registered).await;
    }

    /// Waits until the plugins that are there have registered or the bus has failed, for `limit` at most.
    pub async fn settle(&self, limit: Duration) {
        let settled = async {
            if !self.is_listening().await {
                return;
            }
            let mut revision = self.registry.revision();
            loop {
                tokio::time::sleep(QUIET).await;
                let now = self.registry.revision();
                if now == revision {
                    return;
                }
                revision = now;
            }
        };
        // Those that are late join while the answer is under way.
        let _ = tokio::time::timeout(limit, settled).await;
    }

    /// Stops listening.
    pub async fn close(self) {
        drop(self.stop);
        let _ = self.task.await;
    }
}

async fn listen(
    options: BusOptions,
    plugins: PluginOptions,
    registry: Arc<Registry>,
    status: impl Fn(String) + Send + Sync,
    reach: watch::Sender<Reached>,
    stop: CancellationToken,
) {
    let mut wait = WAITS.0;
    let mut failed = false;
    let hub = loop {
        let attempt = tokio::select! {
            attempt = attempt(&options, &plugins, &registry) => attempt,
            () = stop.cancelled() => return,
        };
        match attempt {
            Ok(hub) => break hub,
            Err(error) => {
                if !failed {
                    status(format!("nats: {}; plugins join when it can be reached", crate::failure::chain(&error)));
                }
                failed = true;
                reach.send_replace(Reached::Failed);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = stop.cancelled() => return,
        }
        wait = wait.saturating_mul(2).min(WAITS.1);
    };
    if failed {
        status("nats: connected".to_owned());
    }
    reach.send_replace(Reached::Listening);
    stop.cancelled().await;
    hub.stop().await;
}

async fn attempt(
    options: &BusOptions,
    plugins: &PluginOptions,
    registry: &Arc<Registry>,
) -> Result<PluginHub, BusError> {
    let bus = connect(options).await?;
    PluginHub::start(&bus, Arc::clone(registry), plugins.clone()).await
}
