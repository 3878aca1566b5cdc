//! The service behind every way in: MCP over stdio and HTTP, and the command line.
//!
//! A call goes: look-up, validation (the executor), the gate with whoever can be asked, the run. A tool that is reached
//! through `climax_call` is prepared, judged and run as itself.

mod handler;
mod material;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use aish_journal::PinFile;
use aish_mcp::server::{CallScope, Change};
use aish_safety::{Gate, Passage, PreparedCall, Surroundings};
use aish_tools::index::SearchRequestError;
use aish_tools::{DiscoveryTools, Executor, Index, Registry};
use aish_types::{CallContext, CallId, SessionId, SourceId, ToolCall, ToolOutcome};
use serde_json::{Value, json};
use tokio::sync::{Notify, broadcast, mpsc, watch};

pub use crate::approve::TerminalUse;
use crate::approve::{Asker, Relay};
use crate::audit::{Audit, CallAudit};
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
    executor: Executor,
}

/// The service.
pub struct Service {
    state: watch::Sender<Arc<State>>,
    changes: broadcast::Sender<Change>,
    discovery: DiscoveryTools,
    listing: Listing,
    headless: Option<Headless>,
    terminal: TerminalUse,
    audit: Arc<Audit>,
    pins: Arc<PinFile>,
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
        let surroundings =
            Surroundings { folder: options.folder.clone(), home: options.world.get("HOME"), ..Surroundings::default() };
        Self {
            state: watch::Sender::new(Arc::new(State::new(catalogue, &options.world))),
            changes: broadcast::Sender::new(16),
            discovery: DiscoveryTools::new("climax_search", "climax_call", SourceId::new("climax")),
            listing: options.listing,
            headless: options.headless,
            terminal: options.terminal,
            audit: Arc::new(options.audit),
            pins: Arc::new(options.pins),
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
        self.state.send_replace(Arc::new(State::new(catalogue, &self.world)));
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
    pub async fn call_target(&self, arguments: &Value, scope: &CallScope) -> ToolOutcome {
        match self.discovery.target(self.next_id(), arguments) {
            Ok(call) => self.call(call, scope).await,
            Err(SearchRequestError(faults)) => invalid(&faults),
        }
    }

    /// Runs a tool by its own name.
    pub async fn call_tool(&self, name: &str, arguments: &Value, scope: &CallScope) -> ToolOutcome {
        let call = ToolCall { id: self.next_id(), name: name.into(), arguments: arguments.to_string() };
        self.call(call, scope).await
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

    async fn call(&self, call: ToolCall, scope: &CallScope) -> ToolOutcome {
        self.asked();
        let state = self.state();
        let context = CallContext {
            call: call.id.clone(),
            session: self.session.clone(),
            user: scope.client.name.clone().unwrap_or_else(|| self.user.clone()),
            channel: None,
            folder: self.surroundings.folder.clone(),
        };
        let prepared = match state.executor.prepare(&call, context).await {
            Ok(prepared) => prepared,
            Err(outcome) => return refused(*outcome),
        };
        // Nor does running a command take what compiles a schema.
        self.prepared.call_once(|| {
            aish_process::release_code();
        });
        match self.pass(&state, prepared, scope).await {
            Passage::Approved(approved) => finished(state.executor.run(approved, scope.cancel.clone()).await),
            Passage::Declined { reason, .. } => denied(&call, &reason),
            Passage::Halted { judgement } => denied(&call, &judgement.reason),
            // Questions offer no edit here.
            Passage::Edited { .. } => denied(&call, "the answer was not understood"),
        }
    }

    /// Passes the gate; questions are answered by this task, which has the way back to the client.
    async fn pass(&self, state: &State, call: PreparedCall, scope: &CallScope) -> Passage {
        let policy = state.catalogue.policy();
        let headless = self.headless.unwrap_or(policy.approval.headless);
        let asker = Asker::choose(scope, self.terminal, headless);
        let (relay, mut questions) = mpsc::channel(1);
        let audit = Arc::new(CallAudit::new(Arc::clone(&self.audit), call.definition.risk));
        let gate = Gate::new(
            Arc::new(Relay(relay)),
            Arc::clone(&audit) as Arc<dyn aish_safety::AuditLog>,
            Arc::clone(&self.pins) as Arc<dyn aish_safety::PinStore>,
            policy.for_gate(),
            asker.mode(),
        );
        let mut passing = std::pin::pin!(gate.pass(call, &self.surroundings));
        let passage = loop {
            tokio::select! {
                passage = &mut passing => break passage,
                Some((question, reply)) = questions.recv() => {
                    let answer = asker.ask(&question, scope).await;
                    // The gate waits for it; were it gone, there would be nothing left to approve.
                    let _ = reply.send(answer);
                }
            }
        };
        match passage {
            Passage::Approved(approved) if audit.forbids() => Passage::Declined {
                reason: "the audit log cannot be written, and only tools that read are run then".into(),
                judgement: approved.judgement().clone(),
            },
            passage => passage,
        }
    }
}

impl State {
    fn new(catalogue: Catalogue, world: &Arc<dyn Variables>) -> Self {
        let catalogue = Arc::new(catalogue);
        let index = catalogue.index();
        let registry = Registry::default();
        for refused in registry.add(Arc::new(ConfigTools::new(Arc::clone(&catalogue), Arc::clone(world)))) {
            tracing::warn!("{refused}");
        }
        Self { catalogue, index, executor: Executor::new(Arc::new(registry)) }
    }
}

/// Words faults of the arguments.
fn invalid(faults: &[String]) -> ToolOutcome {
    let lines: String = faults.iter().map(|fault| format!("\n  - {fault}")).collect();
    ToolOutcome::failure(format!("Argument validation failed:{lines}"))
}

/// Words what the executor refused: faults of the arguments as a list, everything else as it is.
fn refused(outcome: ToolOutcome) -> ToolOutcome {
    let faults = outcome.notes.get("faults").and_then(Value::as_array).map(|faults| {
        let texts = faults.iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect::<Vec<String>>()
    });
    faults.map_or(outcome, |faults| invalid(&faults))
}

fn denied(call: &ToolCall, reason: &str) -> ToolOutcome {
    let mut outcome = ToolOutcome::failure(format!("Tool execution denied by user: {}", call.name));
    outcome.structured = Some(json!({"denied": reason}));
    outcome
}

/// Names ignored keys in the structured result, never in the text.
fn finished(mut outcome: ToolOutcome) -> ToolOutcome {
    if let Some(ignored) = outcome.notes.get("ignored").cloned()
        && let Some(Value::Object(facts)) = &mut outcome.structured
    {
        facts.insert("ignored".into(), ignored);
    }
    outcome
}
