//! Our handler as rmcp's.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_types::ToolOutcome;
use futures_util::FutureExt;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
#[expect(deprecated, reason = "clients before 2026-07-28 still send them")]
use rmcp::model::{LoggingLevel, SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::convert;
use super::handler::{CallError, Change, ServerHandler};
use super::input::Rounds;
use super::material::Completion;
use super::scope::{CallScope, ClientFacts, Wire};

/// What a cancelled handler is given to end what it started.
const CANCEL_GRACE: Duration = Duration::from_secs(5);
/// How often a client that wants progress hears of a call whose handler reports none.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// What all connections of one server share.
pub(super) struct Shared {
    pub(super) handler: Arc<dyn ServerHandler>,
    pub(super) rounds: Rounds,
    /// Fires when the server ends, or a single connection's client is gone.
    pub(super) gone: CancellationToken,
    pub(super) tasks: TaskTracker,
}

/// One connection, or one request of a connection without a session.
#[derive(Clone)]
pub(super) struct Adapter {
    shared: Arc<Shared>,
    level: Arc<AtomicU8>,
    subscribed: Arc<Mutex<BTreeSet<String>>>,
}

impl Adapter {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, level: Arc::new(AtomicU8::new(0)), subscribed: Arc::default() }
    }

    fn scope(
        &self,
        context: &RequestContext<RoleServer>,
        call: &Value,
        state: Option<&str>,
        responses: Option<BTreeMap<String, Value>>,
    ) -> Result<CallScope, ErrorData> {
        let protocol = context.protocol_version();
        let rounds = protocol.as_ref().is_some_and(|version| !version.has_initialize());
        let inputs = if rounds {
            let opened = self.shared.rounds.open(call, state, responses.unwrap_or_default());
            Some(Arc::new(opened.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?))
        } else {
            None
        };
        let level = match (rounds, context.meta.log_level()) {
            (false, _) => Arc::clone(&self.level),
            (true, Some(level)) => Arc::new(AtomicU8::new(rank(&level))),
            (true, None) => Arc::new(AtomicU8::new(u8::MAX)),
        };
        let capabilities = context.client_capabilities().unwrap_or_default();
        let info = context.client_info();
        let client = ClientFacts {
            name: info.as_ref().map(|info| info.name.clone()),
            version: info.map(|info| info.version),
            protocol: protocol.map(|version| version.to_string()),
            elicitation: capabilities
                .elicitation
                .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none()),
            sampling: capabilities.sampling.is_some(),
            roots: capabilities.roots.is_some(),
        };
        let wire = Wire {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            inputs,
            level,
            logging: self.shared.handler.info().logging,
            progressed: false.into(),
            highest: Mutex::new(f64::NEG_INFINITY),
            counters: Default::default(),
        };
        Ok(CallScope::connected(self.shared.gone.child_token(), client, wire))
    }

    /// Runs a handler's future to its end, its panic, its first open question, or the end of its grace.
    async fn run<T>(
        &self,
        scope: &CallScope,
        context: &RequestContext<RoleServer>,
        work: impl Future<Output = T> + Send,
    ) -> Run<T> {
        let started = Instant::now();
        let mut work = std::pin::pin!(AssertUnwindSafe(work).catch_unwind());
        // Not `interval`: to wait for its first turn costs every call a millisecond.
        let mut heartbeat = tokio::time::interval_at(tokio::time::Instant::now() + HEARTBEAT, HEARTBEAT);
        let blocked = async {
            match scope.inputs() {
                Some(inputs) => inputs.blocked().await,
                None => std::future::pending().await,
            }
        };
        let mut blocked = std::pin::pin!(blocked);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done.map_or(Run::Panicked, Run::Done),
                () = &mut blocked => return Run::Blocked,
                () = context.ct.cancelled() => break,
                () = scope.cancel.cancelled() => break,
                _ = heartbeat.tick() => scope.heartbeat(started.elapsed().as_secs_f64()).await,
            }
        }
        scope.cancel.cancel();
        match tokio::time::timeout(CANCEL_GRACE, work).await {
            Ok(done) => done.map_or(Run::Panicked, Run::Done),
            Err(_) => Run::Abandoned,
        }
    }

    async fn tell(&self, peer: &Peer<RoleServer>, change: Change) -> bool {
        let sent = match change {
            Change::Tools => peer.notify_tool_list_changed().await,
            Change::Prompts => peer.notify_prompt_list_changed().await,
            Change::Resources => peer.notify_resource_list_changed().await,
            Change::Resource(uri) => {
                if !self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).contains(&uri) {
                    return true;
                }
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
            }
        };
        sent.is_ok()
    }
}

/// The place of a level among those of RFC 5424, the least important first.
#[expect(deprecated, reason = "log levels are still named so")]
fn rank(level: &LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// How a handler's future ended.
enum Run<T> {
    Done(T),
    Panicked,
    Blocked,
    Abandoned,
}

fn refused(error: CallError) -> ErrorData {
    match &error {
        CallError::UnknownTool(_) | CallError::InvalidRequest(_) => ErrorData::invalid_params(error.to_string(), None),
        CallError::MissingCapability(name) => {
            let data = json!({"requiredCapabilities": {name: {}}});
            ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, error.to_string(), Some(data))
        }
    }
}

/// Receives the next change; a receiver that lagged behind hears that every list changed.
async fn next_changes(changes: &mut broadcast::Receiver<Change>) -> Option<Vec<Change>> {
    match changes.recv().await {
        Ok(change) => Some(vec![change]),
        Err(broadcast::error::RecvError::Lagged(_)) => Some(vec![Change::Tools, Change::Prompts, Change::Resources]),
        Err(broadcast::error::RecvError::Closed) => None,
    }
}

macro_rules! listed {
    ($request:ident, $result:ident, $items:expr, $ttl:expr) => {
        std::future::ready(one_page($request).map(|()| {
            $result::with_all_items($items.into_iter().collect())
                .with_ttl_ms($ttl)
                .with_cache_scope(CacheScope::Private)
        }))
    };
}

/// A list has one page: no cursor was ever given to anybody.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => {
            Err(ErrorData::invalid_params("Invalid cursor: the list has one page; ask for it without one", None))
        }
        None => Ok(()),
    }
}

impl rmcp::ServerHandler for Adapter {
    fn get_info(&self) -> ServerConfig {
        let handler = &self.shared.handler;
        let info = handler.info();
        let changes = handler.changes().is_some();
        let list = if changes { json!({"listChanged": true}) } else { json!({}) };
        let documents = if changes { json!({"subscribe": true, "listChanged": true}) } else { json!({}) };
        let has_documents = !handler.resources().is_empty() || !handler.resource_templates().is_empty();
        let capabilities: JsonObject = [
            ("tools", Some(list.clone())),
            ("resources", has_documents.then_some(documents)),
            ("prompts", (!handler.prompts().is_empty()).then_some(list)),
            ("logging", info.logging.then(|| json!({}))),
            ("completions", info.completions.then(|| json!({}))),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();
        let capabilities: ServerCapabilities = serde_json::from_value(Value::Object(capabilities)).unwrap_or_default();
        let mut implementation = Implementation::new(info.name, info.version);
        implementation.title = info.title;
        let mut config = ServerConfig::new(capabilities).with_server_info(implementation);
        config.instructions = info.instructions;
        config
    }

    fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<DiscoverResult, ErrorData>> + Send + '_ {
        let versions = self.supported_protocol_versions().into_owned();
        let ttl = self.shared.handler.info().cache_ttl_ms;
        std::future::ready(Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(ttl)))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        let handler = &self.shared.handler;
        let tools = handler.tools();
        listed!(request, ListToolsResult, tools.iter().map(|tool| convert::tool(tool)), handler.info().cache_ttl_ms)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let call = json!({"name": request.name, "arguments": arguments});
        let scope = self.scope(&context, &call, request.request_state.as_deref(), request.input_responses)?;
        let work = self.shared.handler.call(&request.name, arguments, &scope);
        match self.run(&scope, &context, work).await {
            Run::Done(Ok(outcome)) => Ok(CallToolResponse::Complete(convert::result(outcome))),
            Run::Done(Err(error)) => Err(refused(error)),
            Run::Blocked => {
                let open = scope.inputs().and_then(|inputs| self.shared.rounds.close(inputs));
                open.map(CallToolResponse::InputRequired)
                    .ok_or_else(|| ErrorData::internal_error("the question could not be asked", None))
            }
            Run::Panicked => {
                tracing::error!(tool = %request.name, "a tool's handler panicked");
                let outcome = ToolOutcome::failure(format!("Internal error in tool {}", request.name));
                Ok(CallToolResponse::Complete(convert::result(outcome)))
            }
            Run::Abandoned => {
                tracing::warn!(tool = %request.name, "a cancelled call did not end in time");
                Ok(CallToolResponse::Complete(convert::result(ToolOutcome::failure("The call was cancelled"))))
            }
        }
    }

    fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + Send + '_ {
        let handler = &self.shared.handler;
        listed!(
            request,
            ListResourcesResult,
            handler.resources().into_iter().map(convert::resource),
            handler.info().cache_ttl_ms
        )
    }

    fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListResourceTemplatesResult, ErrorData>> + Send + '_ {
        let handler = &self.shared.handler;
        let templates = handler.resource_templates().into_iter().map(convert::template);
        listed!(request, ListResourceTemplatesResult, templates, handler.info().cache_ttl_ms)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let work = AssertUnwindSafe(self.shared.handler.read_resource(&request.uri)).catch_unwind();
        let read = work.await.map_err(|_| ErrorData::internal_error("Internal error", None))?;
        let Some(contents) = read else {
            return Err(ErrorData::resource_not_found("Resource not found", Some(json!({"uri": request.uri}))));
        };
        let contents = contents.into_iter().map(convert::contents).collect();
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(contents)))
    }

    fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListPromptsResult, ErrorData>> + Send + '_ {
        let handler = &self.shared.handler;
        listed!(
            request,
            ListPromptsResult,
            handler.prompts().into_iter().map(convert::prompt),
            handler.info().cache_ttl_ms
        )
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments: JsonObject = request.arguments.unwrap_or_default().into_iter().collect();
        let call = json!({"prompt": request.name, "arguments": arguments});
        let scope = self.scope(&context, &call, request.request_state.as_deref(), request.input_responses)?;
        let work = self.shared.handler.prompt(&request.name, arguments, &scope);
        match self.run(&scope, &context, work).await {
            Run::Done(Ok(messages)) => {
                let messages = messages.into_iter().map(convert::message).collect();
                Ok(GetPromptResponse::Complete(GetPromptResult::new(messages)))
            }
            Run::Done(Err(error)) => Err(refused(error)),
            Run::Blocked => {
                let open = scope.inputs().and_then(|inputs| self.shared.rounds.close(inputs));
                open.map(GetPromptResponse::InputRequired)
                    .ok_or_else(|| ErrorData::internal_error("the question could not be asked", None))
            }
            Run::Panicked | Run::Abandoned => Err(ErrorData::internal_error("Internal error", None)),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let of = request.r#ref.as_prompt_name().or_else(|| request.r#ref.as_resource_uri()).unwrap_or_default();
        let completion = Completion {
            of: of.to_owned(),
            argument: request.argument.name.clone(),
            value: request.argument.value.clone(),
        };
        let work = AssertUnwindSafe(self.shared.handler.complete(&completion)).catch_unwind();
        let mut values = work.await.map_err(|_| ErrorData::internal_error("Internal error", None))?;
        let total = u32::try_from(values.len()).ok();
        let more = values.len() > CompletionInfo::MAX_VALUES;
        values.truncate(CompletionInfo::MAX_VALUES);
        let info = CompletionInfo::with_pagination(values, total, more).unwrap_or_default();
        Ok(CompleteResult::new(info))
    }

    #[expect(deprecated, reason = "clients before 2026-07-28 still send it")]
    fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.level.store(rank(&request.level), Ordering::Relaxed);
        std::future::ready(Ok(()))
    }

    fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).insert(request.uri);
        std::future::ready(Ok(()))
    }

    fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        std::future::ready(Ok(()))
    }

    fn on_initialized(&self, context: NotificationContext<RoleServer>) -> impl Future<Output = ()> + Send + '_ {
        if let Some(mut changes) = self.shared.handler.changes() {
            let adapter = self.clone();
            self.shared.tasks.spawn(async move {
                let mut look = tokio::time::interval(Duration::from_secs(30));
                loop {
                    tokio::select! {
                        () = adapter.shared.gone.cancelled() => return,
                        _ = look.tick() => if context.peer.is_transport_closed() { return },
                        next = next_changes(&mut changes) => {
                            let Some(next) = next else { return };
                            for change in next {
                                if !adapter.tell(&context.peer, change).await { return }
                            }
                        }
                    }
                }
            });
        }
        std::future::ready(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.shared.handler.changes().is_some().then(|| requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(mut changes) = self.shared.handler.changes() else { return Ok(()) };
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.shared.gone.cancelled() => return Ok(()),
                next = next_changes(&mut changes) => {
                    let Some(next) = next else { return Ok(()) };
                    for change in next {
                        let sink = context.sink();
                        let sent = match change {
                            Change::Tools => sink.notify_tool_list_changed().await,
                            Change::Prompts => sink.notify_prompt_list_changed().await,
                            Change::Resources => sink.notify_resource_list_changed().await,
                            Change::Resource(uri) => sink.notify_resource_updated(uri).await,
                        };
                        if let Err(error) = sent {
                            tracing::debug!(%error, "a change was not sent");
                        }
                    }
                }
            }
        }
    }
}
