//! One server: known from its manifest, started when it is needed, stopped when nobody needs it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use aish_journal::WallClock;
use aish_mcp::client::{Endpoint, McpClient, Ports, ServerOptions, ServerState, WrittenEndpoint};
use aish_types::{Risk, SourceId, ToolDefinition};
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::approved::Agreed;
use super::compared::mark_late;
use super::health::{Health, ServerHealth, ServerRow};
use super::local_key::LocalKey;
use super::manifest::{Manifest, ManifestFile, first_sentence};
use super::pins::UpstreamPins;
use crate::servers::{ServerEntry, program_file};

/// What a person can do where a server asks for a token.
const SIGN_IN: &str = "give it a token: `auth_env` or a header in its entry";
/// How long after an empty list, where there was one with tools, it is asked again.
const EMPTY_AGAIN: Duration = Duration::from_secs(5);
/// How long a server that is stopped may take to list what is not kept yet.
const LAST_LIST: Duration = Duration::from_secs(2);
/// How many calls may wait for a place, by how many run at once.
const QUEUE: usize = 8;

/// A server that runs.
struct Live {
    client: Arc<McpClient>,
    _watcher: AbortOnDropHandle<()>,
}

/// One server of the gateway.
pub(crate) struct Upstream {
    pub(crate) entry: ServerEntry,
    pub(crate) source: SourceId,
    pub(crate) health: Health,
    /// Held while it is started or stopped.
    pub(crate) starting: tokio::sync::Mutex<()>,
    options: Result<ServerOptions, String>,
    /// Where programs are looked up.
    path: Option<String>,
    /// The options that name the files of all servers.
    files: String,
    file: Option<ManifestFile>,
    ports: Ports,
    pins: Arc<UpstreamPins>,
    clock: WallClock,
    known: RwLock<Option<Arc<Manifest>>>,
    revision: AtomicU64,
    /// True while a list is not on the disk yet.
    unwritten: AtomicBool,
    changed: watch::Sender<u64>,
    live: Mutex<Option<Live>>,
    slots: Semaphore,
    queued: AtomicUsize,
    held: AtomicUsize,
    used: Mutex<Instant>,
}

/// Keeps a server from being stopped.
pub(crate) struct Hold(Arc<Upstream>);

impl Drop for Hold {
    fn drop(&mut self) {
        *self.0.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.held.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a server is made of, beside its entry.
pub(crate) struct Parts<'p> {
    pub(crate) world: &'p dyn crate::expand::Variables,
    pub(crate) folder: Option<&'p std::path::Path>,
    pub(crate) key: &'p LocalKey,
    /// The options that name the files of all servers.
    pub(crate) files: &'p str,
    pub(crate) ports: Ports,
    pub(crate) pins: Arc<UpstreamPins>,
    pub(crate) changed: watch::Sender<u64>,
}

impl Upstream {
    /// Makes a server that is not started, and reads what is kept of it.
    pub(crate) fn new(entry: ServerEntry, parts: Parts<'_>) -> Self {
        let options = entry.options(parts.world).map(|mut options| {
            options.sign_in_hint = Some(SIGN_IN.to_owned());
            options
        });
        let source = match &options {
            Ok(options) => options.source_id(),
            Err(_) => SourceId::new(format!("mcp:{}", entry.alias)),
        };
        let file = options.as_ref().ok().map(|options| ManifestFile::of(parts.folder, options, parts.key));
        let known = file.as_ref().and_then(ManifestFile::read).map(Arc::new);
        let health = Health::default();
        if let Err(why) = &options {
            health.failed(ServerHealth::Failed, why);
        }
        Self {
            source,
            health,
            starting: tokio::sync::Mutex::new(()),
            options,
            path: parts.world.get("PATH"),
            files: parts.files.to_owned(),
            file,
            ports: parts.ports,
            pins: parts.pins,
            clock: WallClock::default(),
            known: RwLock::new(known),
            revision: AtomicU64::new(0),
            unwritten: AtomicBool::new(false),
            changed: parts.changed,
            live: Mutex::default(),
            slots: Semaphore::new(entry.limits.parallel()),
            queued: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            used: Mutex::new(Instant::now()),
            entry,
        }
    }

    /// Returns the alias.
    pub(crate) fn alias(&self) -> &str {
        &self.entry.alias
    }

    /// Returns how it is reached, as it was written.
    pub(crate) fn reach(&self) -> Option<&WrittenEndpoint> {
        self.entry.reach.as_ref()
    }

    /// Returns what somebody agrees to who agrees to its start; none where it cannot be started.
    pub(crate) fn agreed(&self) -> Option<Agreed<'_>> {
        let reach = self.reach()?;
        Some(match &self.options.as_ref().ok()?.endpoint {
            Endpoint::Stdio { command, env, cwd, .. } => {
                let path = env.get("PATH").map(aish_types::Secret::expose).or(self.path.as_deref());
                Agreed { reach, program: program_file(command, path, cwd.as_deref()), folder: cwd.as_deref() }
            }
            Endpoint::Http { .. } => Agreed { reach, program: None, folder: None },
        })
    }

    /// Returns the command that starts it by itself, as one types it in any folder.
    pub(crate) fn refresh(&self) -> String {
        self.typed(&format!("climax refresh {}", self.alias()))
    }

    /// Returns a command of climax that sees the same servers, as one types it in any folder.
    pub(crate) fn typed(&self, command: &str) -> String {
        let command = format!("{command} {}", self.files);
        let here = match (self.reach(), self.options.as_ref().map(|options| &options.endpoint)) {
            (Some(WrittenEndpoint::Stdio { cwd: None, .. }), Ok(Endpoint::Stdio { cwd: Some(folder), .. })) => {
                format!("cd {} && ", shell_words::quote(&folder.to_string_lossy()))
            }
            _ => String::new(),
        };
        format!("{here}{}", command.trim_end())
    }

    /// Returns what would be started or asked: the whole command line, or the URL; secrets are no part of it.
    pub(crate) fn shown(&self) -> String {
        self.options.as_ref().map_or_else(|_| String::new(), |options| options.endpoint.shown())
    }

    /// Returns why it cannot be started whatever anybody agrees to.
    pub(crate) fn fault(&self) -> Option<String> {
        let why = self.options.as_ref().err()?;
        Some(format!("{}: it cannot be started: {why}", self.alias()))
    }

    /// Returns program and arguments; none for a URL.
    pub(crate) fn words(&self) -> Option<Vec<String>> {
        match &self.options.as_ref().ok()?.endpoint {
            Endpoint::Stdio { command, args, .. } => Some(std::iter::once(command).chain(args).cloned().collect()),
            Endpoint::Http { .. } => None,
        }
    }

    /// Milliseconds that a start may take altogether.
    pub(crate) fn start_ms(&self) -> u64 {
        let longest = self.options.as_ref().map(|options| options.connect_timeout * 4 + options.list_timeout);
        u64::try_from(longest.unwrap_or_default().as_millis()).unwrap_or(u64::MAX).saturating_add(2_000)
    }

    /// Returns what is known of it.
    pub(crate) fn known(&self) -> Option<Arc<Manifest>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns its tools, as it gave them.
    pub(crate) fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        self.known().map(|known| known.tools.clone()).unwrap_or_default()
    }

    /// Returns a number that changes with its tools.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    /// Keeps it from being stopped until what is returned is dropped.
    pub(crate) fn hold(self: &Arc<Self>) -> Hold {
        self.held.fetch_add(1, Ordering::SeqCst);
        Hold(Arc::clone(self))
    }

    /// Returns the client, when it can be called. One that ended is forgotten.
    pub(crate) fn client(&self) -> Option<Arc<McpClient>> {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        let client = Arc::clone(&live.as_ref()?.client);
        match (client.state(), client.ended()) {
            (ServerState::Ready, None) => Some(client),
            (ServerState::Ready, Some(why)) => {
                *live = None;
                self.health.failed(ServerHealth::Failed, &why);
                None
            }
            (ServerState::Failed(fault), _) => {
                *live = None;
                self.health.failed(ServerHealth::Failed, &fault.to_string());
                None
            }
            (ServerState::Closed | ServerState::Connecting, _) => {
                *live = None;
                self.health.stopped();
                None
            }
        }
    }

    /// Waits for a place among the calls that run at once.
    ///
    /// # Errors
    /// In words, when too many wait already.
    pub(crate) async fn slot(&self) -> Result<tokio::sync::SemaphorePermit<'_>, String> {
        if let Ok(permit) = self.slots.try_acquire() {
            return Ok(permit);
        }
        let limit = self.entry.limits.parallel();
        let waiting = self.queued.fetch_add(1, Ordering::SeqCst);
        let _queued = Queued(&self.queued);
        if waiting >= limit.saturating_mul(QUEUE) {
            let alias = self.alias();
            return Err(format!(
                "{alias}: {limit} calls run (limit max_parallel) and {waiting} wait; it was not sent; try again later"
            ));
        }
        self.slots.acquire().await.map_err(|_| format!("{}: it is closed", self.alias()))
    }

    /// Starts it, waits until it can be called, and compares its tools with those that were known. The caller holds
    /// [`Upstream::starting`], and somebody agreed.
    ///
    /// # Errors
    /// In words, when it cannot be started.
    pub(crate) async fn launch(self: &Arc<Self>, cancel: &CancellationToken) -> Result<(), String> {
        let options = self.options.clone().map_err(|why| format!("{}: {why}", self.alias()))?;
        self.health.starting();
        let (started, limit) = (Instant::now(), options.connect_timeout);
        let client = Arc::new(McpClient::start(options, self.ports.clone()));
        let ready = tokio::select! {
            ready = client.ready() => ready.map_err(|error| error.to_string()),
            () = cancel.cancelled() => Err("the start was given up".to_owned()),
        };
        if let Err(why) = ready {
            client.close().await;
            let state = if client.is_signed_out() { ServerHealth::SignedOut } else { ServerHealth::Failed };
            self.health.failed(state, &why);
            let alias = self.alias();
            let late = if started.elapsed() >= limit {
                format!(" (its time was up: start_ms is {})", limit.as_millis())
            } else {
                String::new()
            };
            return Err(format!("{alias}: it did not start: {why}{late}; `{}` tries it by itself", self.refresh()));
        }
        self.take_list(&client, Empty::MayBeEarly);
        self.health.ready();
        let watcher = tokio::spawn(watch(Arc::downgrade(self), Arc::clone(&client)));
        let live = Live { client, _watcher: AbortOnDropHandle::new(watcher) };
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = Some(live);
        Ok(())
    }

    /// Takes the list of a running server over: what is new or has changed is marked.
    fn take_list(&self, client: &McpClient, empty: Empty) {
        use aish_tools::ToolSource as _;
        let before = self.known();
        let earlier = if before.is_some() { Vec::new() } else { self.earlier() };
        let compared = match &before {
            Some(before) => Some(before.tools.as_slice()),
            None => Some(earlier.as_slice()).filter(|earlier| !earlier.is_empty()),
        };
        let mut tools = client.definitions();
        if tools.is_empty() && empty == Empty::MayBeEarly && compared.is_some_and(|before| !before.is_empty()) {
            return;
        }
        if let Some(before) = before.as_ref().filter(|_| !client.has_whole_list()) {
            // What did not come this time may be there all the same.
            let is_there = |name| tools.iter().any(|tool| tool.name == name);
            let missing: Vec<_> = before.tools.iter().filter(|tool| !is_there(tool.name.clone())).cloned().collect();
            tools.extend(missing);
        }
        mark_late(&mut tools, compared, &self.pins);
        for tool in &mut tools {
            // As in the manifest: the server's own word on it is no risk.
            Arc::make_mut(tool).risk = Risk::Destructive;
        }
        for stray in crate::servers::strays(&self.entry, &tools) {
            tracing::warn!("{stray}");
        }
        let is_same = before.as_ref().is_some_and(|before| before.tools == tools);
        let (prompts, resources) =
            before.map(|before| (before.prompts.clone(), before.resources.clone())).unwrap_or_default();
        self.keep(Manifest {
            protocol: client.protocol(),
            server_info: client.server_info(),
            instructions: client.instructions().as_deref().and_then(first_sentence),
            taken_ms: self.clock.millis(),
            tools,
            prompts,
            resources,
        });
        if !is_same {
            self.revision.fetch_add(1, Ordering::SeqCst);
            self.changed.send_modify(|count| *count += 1);
        }
    }

    /// Returns what it listed under another credential or to another build, where that is all that is known of it: it is compared
    /// with what it lists now, and shown to nobody.
    fn earlier(&self) -> Vec<Arc<ToolDefinition>> {
        self.file.as_ref().map(ManifestFile::earlier).unwrap_or_default()
    }

    fn keep(&self, manifest: Manifest) {
        self.unwritten.store(true, Ordering::SeqCst);
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(manifest));
    }

    /// Lists its prompts and resources, and keeps everything on the disk.
    pub(crate) async fn complete(&self, client: &McpClient) {
        let (prompts, resources) = tokio::join!(client.prompts(), client.resources());
        let Some(known) = self.known() else { return };
        let mut manifest = Manifest::clone(&known);
        if let Ok(prompts) = prompts {
            manifest.prompts = prompts;
        }
        if let Ok(resources) = resources {
            manifest.resources = resources;
        }
        if manifest.prompts != known.prompts || manifest.resources != known.resources {
            self.changed.send_modify(|count| *count += 1);
        }
        self.keep(manifest.clone());
        if client.has_whole_list()
            && let Some(file) = self.file.clone()
        {
            let _ = tokio::task::spawn_blocking(move || file.write(&manifest)).await;
        }
        self.unwritten.store(false, Ordering::SeqCst);
    }

    /// Stops it when nobody has used it for long enough.
    pub(crate) async fn stop_if_idle(&self) {
        let Some(limit) = self.entry.limits.idle() else { return };
        let is_idle = || {
            self.held.load(Ordering::SeqCst) == 0
                && self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= limit
        };
        if !is_idle() {
            return;
        }
        let Ok(_starting) = self.starting.try_lock() else { return };
        if is_idle() {
            self.stop().await;
        }
    }

    /// Stops it and waits until its processes are gone.
    pub(crate) async fn stop(&self) {
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(live) = live {
            if self.unwritten.load(Ordering::SeqCst) {
                // A command that calls once leaves what it has learned to the next one.
                let _ = tokio::time::timeout(LAST_LIST, self.complete(&live.client)).await;
            }
            live.client.close().await;
            self.health.stopped();
        }
    }

    /// Says where it stands.
    pub(crate) fn state(&self) -> ServerHealth {
        if !self.entry.enabled {
            return ServerHealth::Disabled;
        }
        // One that ended is noticed here.
        drop(self.client());
        let at_rest = if self.known().is_some() { ServerHealth::Cached } else { ServerHealth::Unknown };
        self.health.counts().state.unwrap_or(at_rest)
    }

    /// Returns its row of `climax status`.
    pub(crate) fn row(&self) -> ServerRow {
        let (state, counts, known) = (self.state(), self.health.counts(), self.known());
        let protocol = known.as_ref().and_then(|known| known.protocol.clone());
        let era = protocol.as_deref().map(|protocol| if protocol >= "2026-07-28" { "modern" } else { "legacy" });
        ServerRow {
            server: self.alias().to_owned(),
            state,
            reached: self.shown(),
            era: era.map(str::to_owned),
            protocol,
            tools: known.as_ref().map_or(0, |known| known.tools.len()),
            listed_ms: known.as_ref().map(|known| known.taken_ms),
            last_error: counts.last_error,
            starts: counts.starts,
            calls: counts.calls,
            p50_ms: counts.p50_ms,
            p95_ms: counts.p95_ms,
        }
    }

    /// Fills one of its prompts in.
    ///
    /// # Errors
    /// In words, when it does not run or refuses.
    pub(crate) async fn prompt(&self, name: &str, arguments: Map<String, Value>) -> Result<Vec<Value>, String> {
        let client = self.client().ok_or_else(|| format!("{}: it is not connected", self.alias()))?;
        client.prompt(name, arguments).await.map_err(|error| format!("{}: {error}", self.alias()))
    }

    /// Reads one of its resources.
    ///
    /// # Errors
    /// In words, when it does not run or refuses.
    pub(crate) async fn resource(&self, uri: &str) -> Result<Vec<Value>, String> {
        let client = self.client().ok_or_else(|| format!("{}: it is not connected", self.alias()))?;
        client.read_resource(uri).await.map_err(|error| format!("{}: {error}", self.alias()))
    }
}

struct Queued<'q>(&'q AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a list without tools means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Empty {
    /// The server may not have loaded yet: what was known stays.
    MayBeEarly,
    /// It has none.
    IsEmpty,
}

/// Follows a running server: what it has beside tools, and every change of its list.
async fn watch(upstream: std::sync::Weak<Upstream>, client: Arc<McpClient>) {
    let mut changes = client.changes();
    changes.mark_unchanged();
    let mut empty = Empty::MayBeEarly;
    loop {
        {
            let Some(upstream) = upstream.upgrade() else { return };
            upstream.complete(&client).await;
        }
        let may_be_early = empty == Empty::MayBeEarly && client.tool_count() == 0;
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(EMPTY_AGAIN), if may_be_early => {
                empty = Empty::IsEmpty;
                if client.relist().await.is_err() {
                    continue;
                }
            }
        }
        let Some(upstream) = upstream.upgrade() else { return };
        upstream.take_list(&client, empty);
    }
}
