//! The service behind every way in: MCP over stdio and HTTP, and the command line.
//!
//! A call goes through the one door, with whoever can be asked. A tool that is reached through `climax_call` is prepared,
//! judged and run as itself.

mod first_use;
mod gate_policy;
mod handler;
mod keeping;
mod material;
mod server_call;
mod server_material;
mod view;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use aish_journal::PinFile;
use aish_mcp::server::{CallScope, Change};
use aish_safety::{AuditLog, DECLINED, Gate, Mode, Nobody, PinStore, Surroundings};
use aish_tools::index::{Found, SearchRequest, SearchRequestError};
use aish_tools::{Call, DiscoveryTools, Door, Executor, Passed, Ready, Registry, ToolSource};
use aish_types::{CallContext, CallId, SessionId, SourceId, ToolDefinition, ToolName, ToolOutcome};
use serde_json::{Value, json};
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::asker::Asker;
pub use crate::asker::{TerminalUse, ask_at_terminal};
use crate::audit::Audit;
use crate::catalogue::Catalogue;
use crate::expand::Variables;
use crate::gateway::{Clients, Gateway, GatewayParts, Upstream, Wanting};
use crate::http::Hosts;
use crate::meaning::Meanings;
use crate::policy::Headless;
use crate::servers::ServerEntry;
use crate::source::ConfigTools;
use first_use::Tried;
pub use keeping::Refreshed;
use server_call::{Parking, RunningCall};
use view::View;

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
    /// MCP servers, with names that are unlike ([`crate::servers::joined`]).
    pub servers: Vec<ServerEntry>,
    /// The folder for what is kept of servers; without one nothing is.
    pub state: Option<PathBuf>,
    /// How many clients are served.
    pub clients: Clients,
    /// The file of the sentence model, where the user may have one; it need not be there.
    pub sentences: Option<PathBuf>,
}

/// What there is at one moment; replaced as a whole when configurations change.
struct State {
    catalogue: Arc<Catalogue>,
    view: Mutex<Arc<View>>,
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
    gateway: Option<Arc<Gateway>>,
    /// The folder for what is kept of servers.
    kept: Option<PathBuf>,
    tried: Tried,
    parking: Parking,
    meanings: Arc<Meanings>,
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
        let brought = options.folder.as_deref().map(aish_tools::brought);
        let surroundings = Surroundings {
            folder: options.folder.clone(),
            home: options.world.get("HOME"),
            brought: brought.unwrap_or_default(),
            ..Surroundings::default()
        };
        let mut ports = Ports { audit: Arc::new(options.audit), pins: Arc::new(options.pins) };
        let gateway = (!options.servers.is_empty()).then(|| {
            Arc::new(Gateway::new(GatewayParts {
                servers: options.servers,
                state: options.state.clone(),
                world: Arc::clone(&options.world),
                audit: Arc::clone(&ports.audit),
                pins: Arc::clone(&ports.pins),
                clients: options.clients,
            }))
        });
        if let Some(gateway) = &gateway {
            ports.pins = gateway.pins();
        }
        let state =
            State::new(catalogue, &options.world, Hosts::new(options.state.as_deref()), &ports, gateway.as_deref());
        Self {
            state: watch::Sender::new(Arc::new(state)),
            changes: broadcast::Sender::new(16),
            discovery: DiscoveryTools::new("climax_search", "climax_call", SourceId::new("climax")),
            listing: options.listing,
            headless: options.headless,
            terminal: options.terminal,
            ports,
            gateway,
            meanings: Arc::new(Meanings::new(options.sentences, options.state.clone())),
            kept: options.state,
            tried: Tried::default(),
            parking: Parking::default(),
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
        let state =
            State::new(catalogue, &self.world, Hosts::new(self.kept.as_deref()), &self.ports, self.gateway.as_deref());
        self.state.send_replace(Arc::new(state));
        // Nobody need be there to be told.
        let _ = self.changes.send(Change::Tools);
    }

    /// Answers a search with the JSON text of the answer. Servers of which nothing is known are started first, where
    /// somebody agrees to it.
    pub async fn search(&self, arguments: &Value, scope: &CallScope) -> ToolOutcome {
        match self.find(arguments, scope).await.map(|found| serde_json::to_string(&found)) {
            Ok(Ok(text)) => ToolOutcome::success(text),
            Ok(Err(error)) => ToolOutcome::failure(format!("the answer cannot be written: {error}")),
            Err(SearchRequestError(faults)) => invalid(&faults),
        }
    }

    /// Answers a search.
    ///
    /// # Errors
    /// Every fault of the arguments at once.
    pub async fn find(&self, arguments: &Value, scope: &CallScope) -> Result<Found, SearchRequestError> {
        self.asked();
        let request = SearchRequest::read(arguments)?;
        if let Some(gateway) = &self.gateway {
            self.learn(gateway, scope, &request).await;
        }
        let view = self.view();
        let mut found = request.answer(&view.index);
        self.meanings.see_to(&view, |view| &view.index);
        // Greeting a client and reading the words of a first request takes code and tables that later ones hardly use.
        self.searched.call_once(|| {
            aish_process::release_code();
        });
        if let Some(gateway) = &self.gateway {
            found.mark(|tool| {
                let upstream = gateway.upstream(tool.group())?;
                let state = if tool.is_late() { "changed" } else { upstream.state().as_str() };
                Some((upstream.alias().to_owned(), state.to_owned()))
            });
            found.leave_out(self.unsearched(gateway, &request));
        }
        Ok(found)
    }

    /// Lets the next search go by meaning, where a sentence model is there and what is missing can be made in this time.
    pub fn prepare_meaning(&self, patience: Duration) {
        self.meanings.see_to_now(&self.view().index, patience);
    }

    /// Runs the tool that a call of `climax_call` names.
    pub async fn call_target(&self, arguments: Value, scope: &CallScope) -> ToolOutcome {
        match self.discovery.target(arguments) {
            Ok((name, arguments)) => self.call_tool(name, arguments, scope).await,
            Err(SearchRequestError(faults)) => invalid(&faults),
        }
    }

    /// Runs a tool by its own name, or by the one that clients are shown.
    pub async fn call_tool(&self, name: ToolName, arguments: Value, scope: &CallScope) -> ToolOutcome {
        self.asked();
        let name = self.view().own_name(name);
        let upstream = self.upstream_of(&name).cloned();
        let Some((gateway, upstream)) = self.gateway.as_ref().zip(upstream) else {
            return match self.pass(name, arguments, self.context(scope), scope).await {
                Ok((state, ready)) => finished(state.door.run(ready, scope.cancel.clone()).await.outcome),
                Err(outcome) => *outcome,
            };
        };
        match self.parking.resume(scope) {
            Ok(Some(running)) => return finished(server_call::follow(running, scope, &self.parking).await),
            Ok(None) => {}
            Err(outcome) => return *outcome,
        }
        let _hold = upstream.hold();
        let asker = self.asker(scope);
        if let Err(why) = self.make_ready(gateway, &upstream, &asker, scope).await {
            return ToolOutcome::failure(why);
        }
        let context = self.context(scope);
        let (line, events) = gateway.relay.open(context.call.clone(), upstream.alias());
        let (state, ready) = match self.pass(name, arguments, context, scope).await {
            Ok(passed) => passed,
            Err(outcome) => return *outcome,
        };
        // Not bound to the client's request: where the client has to come back with an answer, the call goes on meanwhile.
        let cancel = CancellationToken::new();
        let ends = cancel.clone();
        let outcome = tokio::spawn(async move { state.door.run(ready, ends).await.outcome });
        let running = RunningCall { outcome, events, cancel, _line: line, open: None, asked: 0 };
        finished(server_call::follow(running, scope, &self.parking).await)
    }

    /// Takes a call as far as the gate; the error is the outcome of one that does not pass.
    async fn pass(
        &self,
        name: ToolName,
        arguments: Value,
        context: CallContext,
        scope: &CallScope,
    ) -> Result<(Arc<State>, Ready), Box<ToolOutcome>> {
        let state = self.state();
        let asker = self.asker(scope);
        let call = Call { name: name.clone(), arguments, context };
        let passed = state.door.pass(call, &self.surroundings, &asker).await;
        // Nor does running a command take what compiles a schema.
        self.prepared.call_once(|| {
            aish_process::release_code();
        });
        Err(Box::new(match passed {
            Passed::Approved(ready) => return Ok((state, ready)),
            Passed::Refused(outcome) => self.refused_by_server(&name, refused(*outcome)),
            Passed::Declined { reason, .. } => self.with_way_to_agree(&name, denied(&name, &reason), &asker),
            Passed::Halted(judgement) => denied(&name, &judgement.reason),
            // Questions offer no edit here.
            Passed::Edited(_) => denied(&name, "the answer was not understood"),
        }))
    }

    /// Says in the refusal of an unknown tool whether its server is why.
    fn refused_by_server(&self, name: &ToolName, mut outcome: ToolOutcome) -> ToolOutcome {
        let is_unknown = self.state().door.registry().tool(name).is_none();
        if let Some(upstream) = self.upstream_of(name).filter(|_| is_unknown) {
            let (alias, tools) = (upstream.alias(), upstream.tools().len());
            outcome
                .text
                .push_str(&format!(" The server {alias} has {tools} tools, and none of that name that is offered."));
        }
        outcome
    }

    /// Says how somebody can agree to a call that nobody could be asked about, or that a yes beforehand does not cover: a
    /// definition that changed.
    fn with_way_to_agree(&self, tool: &ToolName, mut outcome: ToolOutcome, asker: &Asker<'_>) -> ToolOutcome {
        if !asker.can_ask() {
            let risk = if self.upstream_of(tool).is_some() {
                "`risk: read` in the server's `tools` of a YAML file"
            } else {
                "A yes at a terminal"
            };
            outcome.text.push_str(&format!(
                "\nNobody could be asked: this client takes no questions, and there is no terminal. {risk}, `approval: {{tools: \
                 {{{tool}: false}}}}` in a policy with `default: enabled`, or --headless-approve lets it run."
            ));
        }
        let beforehand = matches!(asker, Asker::Nobody(Nobody(Mode::HeadlessYes)));
        if let Some(upstream) = self.upstream_of(tool).filter(|_| beforehand) {
            let command = upstream.typed(&format!("climax call {tool}"));
            outcome.text.push_str(&format!(
                "\n--headless-approve agrees to nothing that nobody saw; `{command}` in a terminal asks."
            ));
        }
        outcome
    }

    /// Returns the server that a tool belongs to by its name.
    fn upstream_of(&self, name: &ToolName) -> Option<&Arc<Upstream>> {
        self.gateway.as_ref()?.upstream(name.split().0?)
    }

    fn context(&self, scope: &CallScope) -> CallContext {
        CallContext {
            call: self.next_id(),
            session: self.session.clone(),
            user: scope.client.name.clone().unwrap_or_else(|| self.user.clone()),
            channel: None,
            folder: self.surroundings.folder.clone(),
        }
    }

    fn asker<'c>(&self, scope: &'c CallScope) -> Asker<'c> {
        let headless = self.headless.unwrap_or(self.state().catalogue.policy().approval.headless);
        Asker::choose(scope, self.terminal, headless)
    }

    fn wanting<'w>(&'w self, asker: &'w Asker<'w>, scope: &CallScope) -> Wanting<'w> {
        Wanting {
            approver: asker,
            context: self.context(scope),
            surroundings: &self.surroundings,
            cancel: scope.cancel.clone(),
        }
    }

    /// Returns what clients see at this moment.
    fn view(&self) -> Arc<View> {
        self.state().view(self.gateway.as_deref())
    }

    /// Returns the tools at this moment, under their own names.
    pub fn own_definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.view().index.definitions().cloned().collect()
    }

    /// Returns the tools at this moment, under names that every client takes.
    pub fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.view().listed.clone()
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
    fn new(
        catalogue: Catalogue,
        world: &Arc<dyn Variables>,
        hosts: Hosts,
        ports: &Ports,
        gateway: Option<&Gateway>,
    ) -> Self {
        let catalogue = Arc::new(catalogue);
        let registry = Registry::default();
        let mut sources: Vec<Arc<dyn ToolSource>> =
            vec![Arc::new(ConfigTools::new(Arc::clone(&catalogue), Arc::clone(world), hosts))];
        sources.extend(gateway.map(|gateway| gateway.sources(catalogue.policy())).into_iter().flatten());
        for refused in registry.add_all(sources) {
            tracing::warn!("{refused}");
        }
        let policy = gate_policy::for_gate(&catalogue, gateway);
        let gate = Gate::new(Arc::clone(&ports.audit), Arc::clone(&ports.pins), policy);
        let door = Door::new(Arc::new(Executor::new(Arc::new(registry))), gate);
        let view = match gateway {
            None => View::of_configs(&catalogue),
            Some(gateway) => made_view(&catalogue, gateway, door.registry()),
        };
        Self { catalogue, view: Mutex::new(Arc::new(view)), door }
    }

    /// Returns what clients see, made anew where a server has changed.
    fn view(&self, gateway: Option<&Gateway>) -> Arc<View> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gateway) = gateway
            && view.revision != self.door.registry().revision()
        {
            *view = Arc::new(made_view(&self.catalogue, gateway, self.door.registry()));
        }
        Arc::clone(&view)
    }
}

fn made_view(catalogue: &Catalogue, gateway: &Gateway, registry: &Registry) -> View {
    // Read first: what changes meanwhile is seen at the next look.
    let revision = registry.revision();
    View::new(revision, catalogue, gateway, &registry.list(None))
}

/// Words the refusal of a call.
fn denied(tool: &ToolName, reason: &str) -> ToolOutcome {
    let mut outcome = ToolOutcome::failure(match reason {
        DECLINED => format!("Tool execution denied by user: {tool}"),
        _ => format!("Tool execution was not approved: {tool}: {}", reason.trim_start_matches("not approved: ")),
    });
    outcome.structured = Some(json!({"denied": reason}));
    outcome
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

/// Names ignored keys in the structured result, never in the text.
fn finished(mut outcome: ToolOutcome) -> ToolOutcome {
    if !outcome.notes.ignored.is_empty()
        && let Some(Value::Object(facts)) = &mut outcome.structured
    {
        facts.insert("ignored".into(), json!(outcome.notes.ignored));
    }
    outcome
}
