//! MCP servers behind climax: known from the last time, started at the first call, stopped when nobody needs them.
//!
//! Reading order: [`manifest`] (what is kept of a server), [`upstream`] (one server), [`compared`]
//! (what it lists now beside that), [`approved`] and [`start`] (somebody
//! agrees to its command before it runs), [`tools`] (its tools as a source), [`pins`] (what somebody said yes to), [`relay`]
//! (what it says during a call), [`health`], and [`Gateway`], which keeps all of them.

mod approved;
mod compared;
mod health;
mod local_key;
mod manifest;
mod pins;
mod relay;
mod start;
mod status;
mod tools;
mod upstream;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{Ports, Status, StatusSink};
use aish_safety::{Approver, AuditLog, Gate, Level, PinStore, Surroundings, Unrecorded};
use aish_tools::{Call, Door, Executor, Passed, Registry, ToolSource};
use aish_types::CallContext;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::expand::Variables;
use crate::policy::Policy;
use crate::servers::{ServerEntry, file_options};
use approved::Approved;
pub use health::{ServerHealth, ServerRow};
use local_key::LocalKey;
use pins::UpstreamPins;
pub use relay::Clients;
pub(crate) use relay::{Event, OpenLine, Question, Relay};
use start::{Starts, start_name};
pub(crate) use status::StatusFile;
pub use status::{RunningGateway, running};
use tools::ServerTools;
use upstream::Parts;
pub(crate) use upstream::Upstream;

/// How often idle servers are looked for.
const IDLE_LOOK: Duration = Duration::from_millis(500);

/// What a gateway needs.
pub(crate) struct GatewayParts {
    /// The servers, with names that are unlike.
    pub(crate) servers: Vec<ServerEntry>,
    /// The folder for state; without one nothing is kept.
    pub(crate) state: Option<PathBuf>,
    /// The environment's variables.
    pub(crate) world: Arc<dyn Variables>,
    /// Where decisions are written.
    pub(crate) audit: Arc<dyn AuditLog>,
    /// Where pins are kept.
    pub(crate) pins: Arc<dyn PinStore>,
    /// Whom questions may concern.
    pub(crate) clients: Clients,
}

/// All servers.
pub(crate) struct Gateway {
    /// The servers in the order of their files.
    pub(crate) upstreams: Vec<Arc<Upstream>>,
    /// Where the lines of calls are opened.
    pub(crate) relay: Arc<Relay>,
    pins: Arc<UpstreamPins>,
    approved: Arc<Approved>,
    starts: Door,
    changed: watch::Sender<u64>,
}

/// Who wants a server to be started.
pub(crate) struct Wanting<'w> {
    /// Whoever is asked.
    pub(crate) approver: &'w dyn Approver,
    /// Who calls.
    pub(crate) context: CallContext,
    /// What is known around it.
    pub(crate) surroundings: &'w Surroundings,
    /// Ends the start.
    pub(crate) cancel: CancellationToken,
}

impl Gateway {
    /// Makes a gateway; nothing is started.
    pub(crate) fn new(parts: GatewayParts) -> Self {
        let folder = parts.state.as_ref().map(|state| state.join("servers"));
        let key = LocalKey::open(parts.state.as_ref().map(|state| state.join("key")).as_deref());
        let relay = Arc::new(Relay::new(parts.clients));
        let pins = Arc::new(UpstreamPins::new(parts.pins));
        let changed = watch::Sender::new(0);
        let ports = Ports { status: Arc::new(Logged), caller: Some(Arc::clone(&relay) as Arc<_>), ..Ports::default() };
        let files = file_options(&parts.servers);
        let make = |entry: ServerEntry| {
            let parts = Parts {
                world: &*parts.world,
                folder: folder.as_deref(),
                key: &key,
                files: &files,
                ports: ports.clone(),
                pins: Arc::clone(&pins),
                changed: changed.clone(),
            };
            Arc::new(Upstream::new(entry, parts))
        };
        let upstreams: Vec<Arc<Upstream>> = parts.servers.into_iter().map(make).collect();
        let approved_file = parts.state.as_ref().map(|state| state.join("approved-servers.json"));
        let approved = Arc::new(Approved::open(approved_file, key.clone()));
        let registry = Arc::new(Registry::default());
        registry.add(Arc::new(Starts::new(upstreams.clone(), Arc::clone(&approved))));
        // What a policy file says of tools does not start programs. A start that was agreed to is not asked again.
        let policy = aish_safety::Policy {
            level: Level::None,
            unrecorded: Unrecorded::ReadsRun,
            ..aish_safety::Policy::default()
        };
        let gate = Gate::new(parts.audit, Arc::clone(&pins) as Arc<_>, policy);
        let starts = Door::new(Arc::new(Executor::new(registry)), gate);
        Self { upstreams, relay, pins, approved, starts, changed }
    }

    /// Returns the store in which yeses to servers' tools are looked up and kept.
    pub(crate) fn pins(&self) -> Arc<dyn PinStore> {
        Arc::clone(&self.pins) as Arc<_>
    }

    /// Returns a server by its alias.
    pub(crate) fn upstream(&self, alias: &str) -> Option<&Arc<Upstream>> {
        self.upstreams.iter().find(|upstream| upstream.alias() == alias)
    }

    /// Returns one source of tools a server.
    pub(crate) fn sources(&self, policy: &Arc<Policy>) -> Vec<Arc<dyn ToolSource>> {
        let source = |upstream: &Arc<Upstream>| {
            let (policy, pins, relay) = (Arc::clone(policy), Arc::clone(&self.pins), Arc::clone(&self.relay));
            Arc::new(ServerTools::new(Arc::clone(upstream), policy, pins, relay)) as Arc<dyn ToolSource>
        };
        self.upstreams.iter().map(source).collect()
    }

    /// Returns a counter that grows with each change of a server's tools, prompts or resources.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Says whether somebody agreed to start a server.
    pub(crate) fn is_approved(&self, upstream: &Upstream) -> bool {
        upstream.agreed().is_some_and(|agreed| self.approved.holds(&upstream.source, &agreed))
    }

    /// Sees to it that a server runs. Several who want it share one start.
    ///
    /// # Errors
    /// In words that name the server and what to do, when it cannot be started or nobody agreed to it.
    pub(crate) async fn make_ready(&self, upstream: &Arc<Upstream>, wanting: Wanting<'_>) -> Result<(), String> {
        let alias = upstream.alias();
        if !upstream.entry.enabled {
            return Err(format!("{alias}: it is switched off in its file (enabled: false, or disabled: true)"));
        }
        if let Some(fault) = upstream.fault() {
            return Err(fault);
        }
        if upstream.client().is_some() {
            return Ok(());
        }
        let _starting = upstream.starting.lock().await;
        if upstream.client().is_some() {
            return Ok(());
        }
        if let Some((seconds, why)) = upstream.health.rests() {
            return Err(format!(
                "{alias}: it failed three times in a minute, last: {why}; it is tried again in {seconds} s, and \
                 `{}` tries it now",
                upstream.refresh()
            ));
        }
        let call = Call { name: start_name(alias), arguments: Value::Object(Map::new()), context: wanting.context };
        let passed = self.starts.call(call, wanting.surroundings, wanting.approver, wanting.cancel).await;
        match passed {
            Passed::Approved(ran) if ran.outcome.is_success() => Ok(()),
            Passed::Approved(ran) => Err(ran.outcome.text),
            Passed::Refused(outcome) => Err(format!("{alias}: {}", outcome.text)),
            Passed::Declined { reason, .. } => Err(self.not_started(upstream, &reason)),
            Passed::Halted(judgement) => Err(self.not_started(upstream, &judgement.reason)),
            Passed::Edited(_) => Err(self.not_started(upstream, "the answer was not understood")),
        }
    }

    fn not_started(&self, upstream: &Upstream, reason: &str) -> String {
        let alias = upstream.alias();
        format!(
            "{alias}: it was not started: {reason}. Somebody has to agree to it once: {} (`{}` in a terminal asks)",
            upstream.shown(),
            upstream.refresh()
        )
    }

    /// Stops idle servers, for as long as it is polled.
    pub(crate) async fn stop_idle(&self) {
        loop {
            tokio::time::sleep(IDLE_LOOK).await;
            for upstream in &self.upstreams {
                upstream.stop_if_idle().await;
            }
        }
    }

    /// Stops all servers at once and waits until their processes are gone.
    pub(crate) async fn close(&self) {
        let stops = self.upstreams.iter().map(|upstream| upstream.stop());
        futures_util::future::join_all(stops).await;
    }

    /// Returns a row a server.
    pub(crate) fn rows(&self) -> Vec<ServerRow> {
        self.upstreams.iter().map(|upstream| upstream.row()).collect()
    }
}

/// Writes what happens to servers into the log.
struct Logged;

impl StatusSink for Logged {
    fn status(&self, alias: &str, status: Status) {
        match status {
            Status::Failed(_) | Status::Refused { .. } | Status::PlainToken => tracing::warn!("{alias}: {status}"),
            Status::Lost { .. } | Status::Connected { .. } | Status::Changed { .. } | Status::SignIn(_) => {
                tracing::info!("{alias}: {status}");
            }
            Status::Log { .. } | Status::Progress { .. } => tracing::debug!("{alias}: {status}"),
        }
    }
}
