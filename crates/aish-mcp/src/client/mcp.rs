//! One server, kept connected: a source of tools.
//!
//! A task owns the connection. It connects, lists, and waits: for a change of the list, the end of the connection,
//! or the end of the client. After an end it tries again, a bounded number of times; calls that were open failed at
//! once and are not sent again, and the tools are listed and checked anew, so that the gate sees what has changed.

mod supervise;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use aish_safety::pin::Digest;
use aish_safety::{ApprovedCall, definition_hash};
use aish_tools::schema::Faults;
use aish_tools::{CheckedCall, Plan, RunContext, ToolSource};
use aish_types::{CallId, SourceId, ToolDefinition, ToolName, ToolOutcome};
use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, Prompt, ReadResourceRequestParams, Resource, Tool};
use rmcp::service::ServiceError;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::call::{self, RequestError};
use super::connection::Connection;
use super::definition::check;
use super::health::ServerFault;
use super::listing;
use super::open_calls::{self, OpenCalls};
use super::options::{Endpoint, ServerOptions};
use super::ports::{Ports, Status};

/// How long a call waits for a server that is still starting.
const START_WAIT: Duration = Duration::from_secs(10);

/// Where a server stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// It is being reached, for the first time or again.
    Connecting,
    /// It can be called.
    Ready,
    /// It could not be reached. A server at a URL is tried again now and then.
    Failed(ServerFault),
    /// It was disconnected.
    Closed,
}

/// Why a server could not be used. Each is a line for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// It could not be reached.
    #[error(transparent)]
    Failed(ServerFault),
    /// It was disconnected while it was waited for.
    #[error("disconnected")]
    Closed,
    /// It is out of reach; in words, if any are known.
    #[error("not connected{}", .0.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    NotConnected(Option<String>),
    /// It is still being reached.
    #[error("not connected yet")]
    NotYet,
    /// A request failed.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A request had no answer within this time.
    #[error("no answer within {} s", .0.as_secs())]
    NoAnswer(Duration),
    /// The tools could not be listed anew in time.
    #[error("the tools could not be listed")]
    NotListed,
    /// The arguments make no request.
    #[error("{0}")]
    Arguments(String),
}

/// The list of tools could not be read.
#[derive(Debug, thiserror::Error)]
#[error("tools/list: {0}")]
struct ListError(#[source] RequestError);

struct Inner {
    options: ServerOptions,
    ports: Ports,
    id: SourceId,
    state: watch::Sender<ServerState>,
    connection: Mutex<Option<Arc<Connection>>>,
    definitions: RwLock<Arc<Vec<Arc<ToolDefinition>>>>,
    /// The tools of the first list, by name: what comes later is approved by nobody yet.
    first: OnceLock<BTreeMap<ToolName, Digest>>,
    calls: Arc<OpenCalls>,
    /// False when the last list broke off before its end.
    whole: AtomicBool,
    signed_out: Arc<AtomicBool>,
    close: CancellationToken,
    refresh: tokio::sync::Notify,
    listed: watch::Sender<u64>,
}

/// One server of the configuration.
pub struct McpClient {
    inner: Arc<Inner>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl McpClient {
    /// Starts to connect in the background and returns at once. Needs a tokio runtime.
    pub fn start(options: ServerOptions, ports: Ports) -> Self {
        let inner = Arc::new(Inner {
            id: options.source_id(),
            options,
            ports,
            state: watch::Sender::new(ServerState::Connecting),
            connection: Mutex::default(),
            definitions: RwLock::default(),
            first: OnceLock::new(),
            calls: Arc::default(),
            whole: AtomicBool::new(false),
            signed_out: Arc::default(),
            close: CancellationToken::new(),
            refresh: tokio::sync::Notify::new(),
            listed: watch::Sender::new(0),
        });
        let task = tokio::spawn(supervise::supervise(Arc::clone(&inner)));
        Self { inner, task: Mutex::new(Some(task)) }
    }

    /// Connects and waits for it.
    ///
    /// # Errors
    /// When the server cannot be reached at the first try.
    pub async fn connect(options: ServerOptions, ports: Ports) -> Result<Self, ConnectError> {
        let client = Self::start(options, ports);
        match client.ready().await {
            Ok(()) => Ok(client),
            Err(error) => {
                client.close().await;
                Err(error)
            }
        }
    }

    /// Waits until the server can be called, or is known to be out of reach.
    ///
    /// # Errors
    /// When it is out of reach.
    pub async fn ready(&self) -> Result<(), ConnectError> {
        let mut state = self.inner.state.subscribe();
        let settled = state.wait_for(|state| *state != ServerState::Connecting).await;
        match settled.as_deref() {
            Ok(ServerState::Ready) => Ok(()),
            Ok(ServerState::Failed(fault)) => Err(ConnectError::Failed(fault.clone())),
            Ok(ServerState::Closed | ServerState::Connecting) | Err(_) => Err(ConnectError::Closed),
        }
    }

    /// Returns where the server stands.
    pub fn state(&self) -> ServerState {
        self.inner.state.borrow().clone()
    }

    /// Returns where the server stands, to wait on.
    pub fn states(&self) -> watch::Receiver<ServerState> {
        self.inner.state.subscribe()
    }

    /// Returns whether the server wants a sign-in or a token that it has not got.
    pub fn is_signed_out(&self) -> bool {
        self.inner.signed_out.load(Ordering::SeqCst)
    }

    /// Returns the alias.
    pub fn alias(&self) -> &str {
        &self.inner.options.alias
    }

    /// Returns how it is reached, for people.
    pub fn shown(&self) -> String {
        self.inner.options.endpoint.shown()
    }

    /// Returns what the configuration says of it.
    pub fn options(&self) -> &ServerOptions {
        &self.inner.options
    }

    /// Returns how many tools it offers.
    pub fn tool_count(&self) -> usize {
        self.definitions().len()
    }

    /// Returns whether this is a server at this URL.
    pub fn is_at(&self, url: &str) -> bool {
        matches!(&self.inner.options.endpoint, Endpoint::Http { url: own, .. } if own == url)
    }

    /// Returns the protocol version that is spoken, while connected.
    pub fn protocol(&self) -> Option<String> {
        Some(self.inner.current()?.protocol.clone())
    }

    /// Returns what the server says that a model should know.
    pub fn instructions(&self) -> Option<String> {
        self.inner.current()?.instructions.clone()
    }

    /// Returns the name and the version that the server gives itself, while connected.
    pub fn server_info(&self) -> Option<(String, String)> {
        let info = self.inner.current()?.peer().peer_info()?.server_info.clone()?;
        Some((info.name, info.version))
    }

    /// Returns why the connection has ended, before the client's state says so.
    pub fn ended(&self) -> Option<String> {
        let health = &self.inner.current()?.health;
        health.ended().map(|ended| health.words().unwrap_or_else(|| ended.to_string()))
    }

    /// Makes a fault of why a request failed.
    pub(super) fn fault(&self, words: String) -> ServerFault {
        match self.inner.current() {
            Some(connection) => connection.health.fault(words),
            None => ServerFault::Failed(words),
        }
    }

    /// Returns whether the last list of tools came to its end; one that broke off is not to be kept.
    pub fn has_whole_list(&self) -> bool {
        self.inner.whole.load(Ordering::SeqCst)
    }

    /// Runs an approved call as one of the tool that the server knows by this name, with these arguments: whoever shows a
    /// tool under another name, or fills arguments in, says here what the server is sent.
    pub async fn run(
        &self,
        call: ApprovedCall,
        tool: &str,
        arguments: Map<String, Value>,
        context: RunContext,
    ) -> ToolOutcome {
        self.inner.run(call.into_call().context.call, tool, arguments, context).await
    }

    /// Returns a counter that grows with each new list of tools, to wait on.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.listed.subscribe()
    }

    /// Has the tools listed anew, in the background.
    pub fn refresh(&self) {
        self.inner.refresh.notify_one();
    }

    /// Lists the tools anew.
    ///
    /// # Errors
    /// When the server cannot be reached, or does not answer in time.
    pub async fn relist(&self) -> Result<usize, ConnectError> {
        self.ready().await?;
        let mut listed = self.inner.listed.subscribe();
        listed.mark_unchanged();
        self.inner.refresh.notify_one();
        let within = self.inner.options.list_timeout + Duration::from_secs(1);
        match tokio::time::timeout(within, listed.changed()).await {
            Ok(Ok(())) => Ok(self.definitions().len()),
            Ok(Err(_)) | Err(_) => Err(ConnectError::NotListed),
        }
    }

    /// Lists the prompts: each with `name`, perhaps `description` and `arguments`.
    ///
    /// # Errors
    /// When the server cannot be reached, or does not answer in time.
    pub async fn prompts(&self) -> Result<Vec<Value>, ConnectError> {
        let connection = self.inner.usable(START_WAIT).await?;
        if !connection.offers().1 {
            return Ok(Vec::new());
        }
        let listed = listing::all::<Prompt>(connection.peer(), self.inner.options.list_timeout).await;
        let prompts = listed.map_err(|error| call::failed(error, &connection.health))?.items;
        Ok(prompts.iter().filter_map(|prompt| serde_json::to_value(prompt).ok()).collect())
    }

    /// Fills a prompt in: a list of messages with `role` and `content`.
    ///
    /// # Errors
    /// When the server refuses, cannot be reached, or does not answer in time.
    pub async fn prompt(&self, name: &str, arguments: Map<String, Value>) -> Result<Vec<Value>, ConnectError> {
        let connection = self.inner.usable(START_WAIT).await?;
        let params: GetPromptRequestParams = serde_json::from_value(json!({"name": name, "arguments": arguments}))
            .map_err(|error| ConnectError::Arguments(error.to_string()))?;
        let work = connection.service.get_prompt(params);
        let result = self.inner.within(work, &connection).await?;
        Ok(result.messages.iter().filter_map(|message| serde_json::to_value(message).ok()).collect())
    }

    /// Lists the resources: each with `uri`, `name`, perhaps `description` and `mimeType`.
    ///
    /// # Errors
    /// When the server cannot be reached, or does not answer in time.
    pub async fn resources(&self) -> Result<Vec<Value>, ConnectError> {
        let connection = self.inner.usable(START_WAIT).await?;
        if !connection.offers().0 {
            return Ok(Vec::new());
        }
        let listed = listing::all::<Resource>(connection.peer(), self.inner.options.list_timeout).await;
        let resources = listed.map_err(|error| call::failed(error, &connection.health))?.items;
        Ok(resources.iter().filter_map(|resource| serde_json::to_value(resource).ok()).collect())
    }

    /// Reads a resource: a list of contents with `uri` and `text` or `blob`.
    ///
    /// # Errors
    /// When the server refuses, cannot be reached, or does not answer in time.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<Value>, ConnectError> {
        let connection = self.inner.usable(START_WAIT).await?;
        let work = connection.service.read_resource(ReadResourceRequestParams::new(uri));
        let result = self.inner.within(work, &connection).await?;
        Ok(result.contents.iter().filter_map(|content| serde_json::to_value(content).ok()).collect())
    }

    /// Disconnects and waits until the server's processes are gone.
    pub async fn close(&self) {
        self.inner.close.cancel();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            let _ = task.await;
        }
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.inner.close.cancel();
    }
}

impl ToolSource for McpClient {
    fn id(&self) -> &SourceId {
        &self.inner.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.inner.definitions.read().unwrap_or_else(PoisonError::into_inner).as_ref().clone()
    }

    fn plan(self: Arc<Self>, _call: &CheckedCall) -> Result<Plan, Faults> {
        let inner = Arc::clone(&self.inner);
        Ok(Plan::tool(move |call, context| async move {
            let call = call.into_call();
            let (_, tool) = call.definition.name.split();
            let Value::Object(arguments) = call.arguments else {
                return ToolOutcome::failure("the arguments are no object");
            };
            inner.run(call.context.call, tool, arguments, context).await
        }))
    }
}

impl Inner {
    fn current(&self) -> Option<Arc<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether it may work again by itself: a server at a URL is started by others, a program by us alone.
    fn comes_back(&self) -> bool {
        matches!(self.options.endpoint, Endpoint::Http { .. }) && self.options.restarts > 0
    }

    fn say(&self, status: Status) {
        self.ports.status.status(&self.options.alias, status);
    }

    async fn usable(&self, within: Duration) -> Result<Arc<Connection>, ConnectError> {
        let mut state = self.state.subscribe();
        let settled = tokio::time::timeout(within, state.wait_for(|state| *state != ServerState::Connecting)).await;
        let gone = || ConnectError::NotConnected(None);
        match settled.map_err(|_| ConnectError::NotYet)?.map_err(|_| gone())?.clone() {
            ServerState::Ready => self.current().ok_or_else(gone),
            ServerState::Failed(fault) => Err(ConnectError::NotConnected(Some(fault.to_string()))),
            ServerState::Closed | ServerState::Connecting => Err(gone()),
        }
    }

    async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, ServiceError>>,
        connection: &Connection,
    ) -> Result<T, ConnectError> {
        match tokio::time::timeout(self.options.list_timeout, connection.answered(work)).await {
            Ok(done) => Ok(done?),
            Err(_) => Err(ConnectError::NoAnswer(self.options.list_timeout)),
        }
    }

    async fn run(&self, id: CallId, tool: &str, arguments: Map<String, Value>, context: RunContext) -> ToolOutcome {
        // A little earlier than the executor, so that the server hears of it.
        let within = Duration::from_millis(context.timeout_ms.saturating_sub(context.timeout_ms / 50).max(1));
        let _open = self.calls.open(id.clone());
        let call = self.call(&id, tool, arguments, within, &context.cancel);
        open_calls::within(id.clone(), call).await
    }

    async fn call(
        &self,
        id: &CallId,
        tool: &str,
        arguments: Map<String, Value>,
        within: Duration,
        cancel: &CancellationToken,
    ) -> ToolOutcome {
        let started = Instant::now();
        let work = async {
            let connection = match self.usable(START_WAIT.min(within)).await {
                Ok(connection) => connection,
                Err(error) => return ToolOutcome::transport(error.to_string()),
            };
            let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
            params.meta = Some(open_calls::mark(id));
            match connection.answered(connection.service.call_tool(params)).await {
                Ok(result) => call::outcome(result),
                Err(error) => ToolOutcome::transport(error.to_string()),
            }
        };
        // Dropping the request tells the server that it is cancelled.
        let ended = tokio::select! {
            outcome = work => Some(outcome),
            () = cancel.cancelled() => None,
            () = tokio::time::sleep(within) => None,
        };
        // Where this process was kept waiting, the executor ends a call whose time was over before.
        let mut outcome = match ended {
            Some(outcome) => outcome,
            None if started.elapsed() < within => ToolOutcome::transport("cancelled"),
            None => {
                self.current().iter().for_each(|connection| connection.health.note_unanswered());
                ToolOutcome::transport(format!("no answer within {:.1} s", within.as_secs_f64()))
            }
        };
        outcome.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        outcome
    }

    /// Lists the tools and takes them over.
    async fn list(&self, connection: &Connection) -> Result<(), ListError> {
        let listed = listing::all::<Tool>(connection.peer(), self.options.list_timeout).await;
        let listed = listed.map_err(|error| ListError(call::failed(error, &connection.health)));
        if let Err(ListError(RequestError::TimedOut(_))) = &listed {
            connection.health.note_unanswered();
        }
        let listed = listed?;
        self.whole.store(listed.whole, Ordering::SeqCst);
        let tools = listed.items;
        let mut checked = check(&self.options.alias, &self.id, connection.instructions.as_deref(), tools);
        if let Some(limit) = self.options.call_timeout {
            let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            checked.definitions.iter_mut().for_each(|tool| Arc::make_mut(tool).timeout_ms = Some(limit_ms));
        }
        let first = self.first.get_or_init(|| {
            checked.definitions.iter().map(|tool| (tool.name.clone(), definition_hash(tool))).collect()
        });
        for tool in &mut checked.definitions {
            if first.get(&tool.name) != Some(&definition_hash(tool)) {
                Arc::make_mut(tool).late = true;
            }
        }
        for (tool, reason) in checked.refused {
            self.say(Status::Refused { tool, reason });
        }
        let before = {
            let mut definitions = self.definitions.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *definitions, Arc::new(checked.definitions))
        };
        let after = Arc::clone(&self.definitions.read().unwrap_or_else(PoisonError::into_inner));
        let first = *self.listed.borrow() == 0;
        self.listed.send_modify(|count| *count += 1);
        if !first {
            let old: BTreeMap<_, _> = before.iter().map(|tool| (&tool.name, tool)).collect();
            let new: BTreeMap<_, _> = after.iter().map(|tool| (&tool.name, tool)).collect();
            let added = new.iter().filter(|(name, tool)| old.get(*name) != Some(tool)).count();
            let removed = old.keys().filter(|name| !new.contains_key(*name)).count();
            if added + removed > 0 {
                self.say(Status::Changed { added, removed });
            }
        }
        Ok(())
    }

    fn take(&self, connection: Option<Arc<Connection>>) -> Option<Arc<Connection>> {
        std::mem::replace(&mut *self.connection.lock().unwrap_or_else(PoisonError::into_inner), connection)
    }
}
