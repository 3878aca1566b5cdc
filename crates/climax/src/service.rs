//! The service behind every way in: MCP over stdio and HTTP, and the command line.
//!
//! A call goes through the one door, with whoever can be asked. A tool that is reached through `climax_call` is prepared,
//! judged and run as itself.

mod handler;
mod material;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use aish_journal::PinFile;
use aish_mcp::server::{CallScope, Change};
use aish_safety::{AuditLog, DECLINED, Gate, PinStore, Surroundings};
use aish_tools::index::SearchRequestError;
use aish_tools::{Call, DiscoveryTools, Door, Executor, Index, Passed, Registry};
use aish_types::{CallContext, CallId, SessionId, SourceId, ToolName, ToolOutcome};
use serde_json::{Value, json};
use tokio::sync::{Notify, broadcast, watch};

use crate::asker::Asker;
pub use crate::asker::TerminalUse;
use crate::audit::Audit;
use crate::catalogue::Catalogue;
use crate::expand::Variables;
use crate::policy::Headless;
use crate::source::ConfigTools;

/// What a client is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// The two tools that stand for all.
    Discovery,
    /// Every tool.
    Classic,
}

/// How the service behaves.
pub struct ServiceOptions {
    /// What a client is shown.
    pub listing: Listing,
    /// Lets calls run that nobody can be asked about, whatever the policy says.
    pub headless: Option<Headless>,
    /// Whether the controlling terminal may be used for questions.
    pub terminal: TerminalUse,
    /// Where decisions are written.
    pub audit: Audit,
    /// Where pins are kept.
    pub pins: PinFile,
    /// The environment's variables.
    pub world: Arc<dyn Variables>,
    /// The working directory, for the judgement.
    pub folder: Option<String>,
    /// On whose behalf calls run, for the audit.
    pub user: String,
}

/// What there is at one moment; replaced as a whole when configurations change.
struct State {
    catalogue: Arc<Catalogue>,
    index: Index,
    door: Door,
}

/// Where the gate writes and reads.
struct Ports {
    audit: Arc<dyn AuditLog>,
    pins: Arc<dyn PinStore>,
}

/// The service.
pub struct Service {
    state: watch::Sender<Arc<State>>,
    changes: broadcast::Sender<Change>,
    discovery: DiscoveryTools,
    listing: Listing,
    headless: Option<Headless>,
    terminal: TerminalUse,
    ports: Ports,
    world: Arc<dyn Variables>,
    surroundings: Surroundings,
    user: String,
    session: SessionId,
    next_call: AtomicU64,
    /// Fires when something is asked for.
    requests: Notify,
    /// The first search, and the first call whose arguments were read.
    searched: Once,
    prepared: Once,
}

impl Service {
    /// Makes the service over a catalogue.
    pub fn new(catalogue: Catalogue, options: ServiceOptions) -> Self {
        let exists = |path: &str| std::path::Path::new(path).symlink_metadata().is_ok();
        let brought = options.folder.as_deref().map(|folder| aish_safety::brought(folder, &exists));
        let surroundings = Surroundings {
            folder: options.folder.clone(),
            home: options.world.get("HOME"),
            brought: brought.unwrap_or_default(),
            ..Surroundings::default()
        };
        let ports = Ports { audit: Arc::new(options.audit), pins: Arc::new(options.pins) };
        Self {
            state: watch::Sender::new(Arc::new(State::new(catalogue, &options.world, &ports))),
            changes: broadcast::Sender::new(16),
            discovery: DiscoveryTools::new("climax_search", "climax_call", SourceId::new("climax")),
            listing: options.listing,
            headless: options.headless,
            terminal: options.terminal,
            ports,
            world: options.world,
            surroundings,
            user: options.user,
            session: SessionId::new(format!("climax-{}", std::process::id())),
            next_call: AtomicU64::new(1),
            requests: Notify::new(),
            searched: Once::new(),
            prepared: Once::new(),
        }
    }

    /// Puts another catalogue in the place of the present one and tells clients.
    pub fn replace(&self, catalogue: Catalogue) {
        self.state.send_replace(Arc::new(State::new(catalogue, &self.world, &self.ports)));
        // Nobody need be there to be told.
        let _ = self.changes.send(Change::Tools);
    }

    /// Answers a search with the JSON text of the answer.
    pub fn search(&self, arguments: &Value) -> ToolOutcome {
        let answer = self.discovery.find(&self.state().index, arguments);
        // Greeting a client and reading the words of a first request takes code and tables that later ones hardly use.
        self.searched.call_once(|| {
            aish_process::release_code();
        });
        self.asked();
        match answer.map(|found| serde_json::to_string(&found)) {
            Ok(Ok(text)) => ToolOutcome::success(text),
            Ok(Err(error)) => ToolOutcome::failure(format!("the answer cannot be written: {error}")),
            Err(SearchRequestError(faults)) => invalid(&faults),
        }
    }

    /// Runs the tool that a call of `climax_call` names.
    pub async fn call_target(&self, arguments: Value, scope: &CallScope) -> ToolOutcome {
        match self.discovery.target(arguments) {
            Ok((name, arguments)) => self.call_tool(name, arguments, scope).await,
            Err(SearchRequestError(faults)) => invalid(&faults),
        }
    }

    /// Runs a tool by its own name.
    pub async fn call_tool(&self, name: ToolName, arguments: Value, scope: &CallScope) -> ToolOutcome {
        self.asked();
        let state = self.state();
        let context = CallContext {
            call: self.next_id(),
            session: self.session.clone(),
            user: scope.client.name.clone().unwrap_or_else(|| self.user.clone()),
            channel: None,
            folder: self.surroundings.folder.clone(),
        };
        let headless = self.headless.unwrap_or(state.catalogue.policy().approval.headless);
        let asker = Asker::choose(scope, self.terminal, headless);
        let call = Call { name: name.clone(), arguments, context };
        let passed = state.door.pass(call, &self.surroundings, &asker).await;
        // Nor does running a command take what compiles a schema.
        self.prepared.call_once(|| {
            aish_process::release_code();
        });
        match passed {
            Passed::Approved(ready) => finished(state.door.run(ready, scope.cancel.clone()).await.outcome),
            Passed::Refused(outcome) => refused(*outcome),
            Passed::Declined { reason, .. } => denied(&name, &reason),
            Passed::Halted(judgement) => denied(&name, &judgement.reason),
            // Questions offer no edit here.
            Passed::Edited(_) => denied(&name, "the answer was not understood"),
        }
    }

    fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.borrow())
    }

    fn next_id(&self) -> CallId {
        CallId::new(format!("call-{}", self.next_call.fetch_add(1, Ordering::Relaxed)))
    }

    /// Waits until something is asked for, or returns at once when something was since the last wait.
    pub async fn next_request(&self) {
        self.requests.notified().await;
    }

    fn asked(&self) {
        self.requests.notify_one();
    }
}

impl State {
    fn new(catalogue: Catalogue, world: &Arc<dyn Variables>, ports: &Ports) -> Self {
        let catalogue = Arc::new(catalogue);
        let index = catalogue.index();
        let registry = Registry::default();
        for refused in registry.add(Arc::new(ConfigTools::new(Arc::clone(&catalogue), Arc::clone(world)))) {
            tracing::warn!("{refused}");
        }
        let gate = Gate::new(Arc::clone(&ports.audit), Arc::clone(&ports.pins), catalogue.policy().for_gate());
        Self { catalogue, index, door: Door::new(Arc::new(Executor::new(Arc::new(registry))), gate) }
    }
}

/// Words faults of the arguments.
fn invalid(faults: &[String]) -> ToolOutcome {
    let lines: String = faults.iter().map(|fault| format!("\n  - {fault}")).collect();
    ToolOutcome::failure(format!("Argument validation failed:{lines}"))
}

/// Words what the executor refused: faults of the arguments as a list, everything else as it is.
fn refused(outcome: ToolOutcome) -> ToolOutcome {
    if outcome.notes.faults.is_empty() { outcome } else { invalid(&outcome.notes.faults) }
}

fn denied(tool: &ToolName, reason: &str) -> ToolOutcome {
    let mut outcome = ToolOutcome::failure(match reason {
        DECLINED => format!("Tool execution denied by user: {tool}"),
        _ => format!("Tool execution was not approved: {tool}: {}", reason.trim_start_matches("not approved: ")),
    });
    outcome.structured = Some(json!({"denied": reason}));
    outcome
}

/// Names ignored keys in the structured result, never in the text.
fn finished(mut outcome: ToolOutcome) -> ToolOutcome {
    if !outcome.notes.ignored.is_empty()
        && let Some(Value::Object(facts)) = &mut outcome.structured
    {
        facts.insert("ignored".into(), json!(outcome.notes.ignored));
    }
    outcome
}
