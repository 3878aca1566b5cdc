//! One connection to a server, from its start to its end.
//!
//! The newest protocol is tried first. A program that dies of the attempt or falls silent, and a server whose later
//! answer shows that it speaks only the newest, is started a second time with the other way of greeting. One that refuses
//! the version of a greeting is greeted once more with one that it names. An address that takes no messages, or whose name
//! says so, is tried as one of 2024-11-05, with a stream of events.

mod greeting;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_types::Secret;
use http::{HeaderName, HeaderValue};
use rmcp::model::SubscriptionFilter;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::call::{self, RequestError};
use super::handler::Handler;
use super::health::Health;
use super::http::{HttpClient, LastAnswer, Manner, Reach, Refused};
use super::http_sse::HttpSseTransport;
use super::oauth::Authorizer;
use super::open_calls::OpenCalls;
use super::options::{Endpoint, ServerOptions};
use super::ports::Ports;
use super::process;
use super::stdio::{Bounds, ProcessTransport};
use super::watched::WatchedTransport;
pub(super) use greeting::Failed;
use greeting::{Greeting, Way, classify};

/// How many answers of a slow server prolong the time for its greeting.
const ANSWERS: u32 = 3;
/// How long a person may take to sign in.
const SIGN_IN_PATIENCE: Duration = Duration::from_secs(300);

/// How long a connection that is not wanted any more may take to end.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server may take to end after TERM, before KILL.
const GRACE: Duration = Duration::from_secs(1);
/// The same, where a server is tried that may be stuck.
const SHORT_GRACE: Duration = Duration::from_millis(200);

/// A connection that is up.
pub(super) struct Connection {
    pub(super) service: RunningService<RoleClient, Handler>,
    /// Fires when the server says that its tools changed.
    pub(super) tools_changed: Arc<Notify>,
    pub(super) protocol: String,
    pub(super) instructions: Option<String>,
    pub(super) health: Health,
    /// Fires when the transport is closed and dropped, the server's process included.
    gone: CancellationToken,
    _subscription: Option<AbortOnDropHandle<()>>,
}

impl Connection {
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Waits for the answer to a request, or for the end of the connection.
    pub(super) async fn answered<T>(
        &self,
        request: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, RequestError> {
        tokio::select! {
            biased;
            answer = request => answer.map_err(|error| call::failed(error, &self.health)),
            _ = self.health.until_ended() => Err(RequestError::Transport(call::closed(&self.health))),
        }
    }

    /// Ends the connection and waits until the server's process is gone, for [`END_TIMEOUT`] at most.
    pub(super) async fn end(&self) {
        self.service.cancellation_token().cancel();
        let _ = tokio::time::timeout(END_TIMEOUT, self.gone.cancelled()).await;
    }

    /// Returns whether the server says that it has resources, and prompts.
    pub(super) fn offers(&self) -> (bool, bool) {
        let info = self.peer().peer_info();
        info.map_or((false, false), |info| (info.capabilities.resources.is_some(), info.capabilities.prompts.is_some()))
    }
}

/// Connects, within the time that the options give.
pub(super) async fn connect(
    options: &ServerOptions,
    ports: &Ports,
    calls: &Arc<OpenCalls>,
    signed_out: &Arc<AtomicBool>,
) -> Result<Connection, Failed> {
    let deadline = Instant::now() + options.connect_timeout;
    let mut greeting = Greeting::first(options);
    let authorizer = authorizer(options, ports);
    // What is told of a server that takes no posts is why, and not that it has no stream of events either.
    let mut first: Option<Failed> = None;
    loop {
        let (health, heard, signed_out) = (Health::default(), LastAnswer::default(), Arc::clone(signed_out));
        let trial = Trial { health, heard, authorizer: authorizer.clone(), signed_out };
        let work = attempt(options, ports, calls, &greeting, &trial);
        let failed = match patiently(deadline, options.connect_timeout, &trial, work).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(failed)) => failed,
            Err(TimedOut) => {
                let within = options.connect_timeout;
                return Err(Failed::TimedOut { within, words: trial.health.words() });
            }
        };
        match (greeting.next(&failed, options), first) {
            (Some(next), known) => {
                greeting = next;
                first = if matches!(failed, Failed::NoPosts(Some(_))) { Some(failed) } else { known };
            }
            (None, Some(known)) if matches!(failed, Failed::NoStream(_)) => return Err(known),
            (None, _) => return Err(failed),
        }
    }
}

/// What is known of one attempt while it goes on.
struct Trial {
    health: Health,
    heard: LastAnswer,
    authorizer: Option<Arc<Authorizer>>,
    signed_out: Arc<AtomicBool>,
}

impl Trial {
    fn is_signing_in(&self) -> bool {
        self.authorizer.as_ref().is_some_and(|authorizer| authorizer.busy.load(Ordering::SeqCst))
    }

    /// When it last answered.
    fn heard(&self) -> Option<Instant> {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sign-in of a server at a URL without a token of its own.
fn authorizer(options: &ServerOptions, ports: &Ports) -> Option<Arc<Authorizer>> {
    let Endpoint::Http { url, token: None, .. } = &options.endpoint else { return None };
    let source = options.source_id();
    Authorizer::new(&options.alias, source.as_str(), url, options.oauth.clone(), ports).map(Arc::new)
}

struct TimedOut;

/// Waits until the deadline, but not for the time that a person takes to sign in, and as long as a server answers one
/// request after the other, each within the time.
async fn patiently<T>(
    mut deadline: Instant,
    within: Duration,
    trial: &Trial,
    work: impl Future<Output = T>,
) -> Result<T, TimedOut> {
    let (last_signed_in, last_heard) = (deadline + SIGN_IN_PATIENCE, deadline + within * ANSWERS);
    let mut work = std::pin::pin!(work);
    loop {
        match timeout_at(deadline, &mut work).await {
            Ok(done) => return Ok(done),
            Err(_) if trial.is_signing_in() && deadline < last_signed_in => deadline += Duration::from_secs(1),
            Err(_) => match trial.heard().map(|heard| heard + within) {
                Some(later) if later > deadline && deadline < last_heard => deadline = later,
                Some(_) | None => return Err(TimedOut),
            },
        }
    }
}

async fn attempt(
    options: &ServerOptions,
    ports: &Ports,
    calls: &Arc<OpenCalls>,
    greeting: &Greeting,
    trial: &Trial,
) -> Result<Connection, Failed> {
    let tools_changed = Arc::new(Notify::new());
    let (changed, version) = (Arc::clone(&tools_changed), greeting.version.clone());
    let handler = Handler::new(options, ports.clone(), Arc::clone(calls), version, changed);
    let (health, gone, refused) = (&trial.health, CancellationToken::new(), Arc::default());
    let greeter = Greeter { handler, calls, health, gone: &gone, lifecycle: greeting.lifecycle() };
    let served = match &options.endpoint {
        Endpoint::Stdio { command, args, env, cwd } => {
            let grace = if options.stuck_after.is_some() { SHORT_GRACE } else { GRACE };
            let started = process::start(command, args, env, cwd.as_ref(), grace).await;
            let server = started.map_err(|error| Failed::Other(error.to_string()))?;
            let bounds = Bounds {
                probe_timeout: greeting.probe_timeout(options),
                connect_timeout: options.connect_timeout,
                stuck_after: options.stuck_after,
            };
            let transport = ProcessTransport::new(server, bounds, health.clone());
            greeter.greet(transport.map_err(|error| Failed::Other(error.to_string()))?).await
        }
        Endpoint::Http { url, headers, token } => {
            let custom = custom_headers(headers)?;
            let http = http_client(url, options, trial, greeting.probe_timeout(options), Arc::clone(&refused))?;
            let token = token.as_ref().map(Secret::expose).filter(|token| !token.is_empty());
            if greeting.way == Way::Events {
                let token = token.map(str::to_owned);
                let opened = HttpSseTransport::open(http, url, custom.into_iter().collect(), token).await;
                greeter.greet(opened.map_err(|error| Failed::NoStream(error.0))?).await
            } else {
                greeter.greet(streamable(http, url, custom, token)).await
            }
        }
    };
    let refused = refused.lock().unwrap_or_else(PoisonError::into_inner).take();
    let service = served.map_err(|error| classify(*error, health, refused))?;
    Ok(connected(service, tools_changed, health.clone(), gone))
}

/// What greets a server over its transport.
struct Greeter<'a> {
    handler: Handler,
    calls: &'a Arc<OpenCalls>,
    health: &'a Health,
    gone: &'a CancellationToken,
    lifecycle: ClientLifecycleMode,
}

impl Greeter<'_> {
    async fn greet<T: Transport<RoleClient> + 'static>(
        self,
        transport: T,
    ) -> Result<RunningService<RoleClient, Handler>, Box<ClientInitializeError>> {
        let watched = WatchedTransport::new(transport, self.calls, self.health, self.gone);
        serve_client_with_lifecycle(self.handler, watched, self.lifecycle).await.map_err(Box::new)
    }
}

fn http_client(
    url: &str,
    options: &ServerOptions,
    trial: &Trial,
    probe_timeout: Duration,
    refused: Arc<Mutex<Option<Refused>>>,
) -> Result<HttpClient, Failed> {
    Ok(HttpClient {
        reach: Reach::new(url).map_err(|error| Failed::Other(error.0))?,
        manner: Manner::default(),
        normalizer: Arc::default(),
        probe_timeout,
        health: trial.health.clone(),
        authorizer: trial.authorizer.clone(),
        sign_in_hint: options.sign_in_hint.clone(),
        refused,
        heard: Arc::clone(&trial.heard),
        signed_out: Arc::clone(&trial.signed_out),
    })
}

fn streamable(
    http: HttpClient,
    url: &str,
    headers: HashMap<HeaderName, HeaderValue>,
    token: Option<&str>,
) -> StreamableHttpClientTransport<HttpClient> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(headers);
    let mut backoff = ExponentialBackoff::default();
    backoff.max_times = Some(6);
    config.retry_config = Arc::new(backoff);
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    StreamableHttpClientTransport::with_client(http, config)
}

fn custom_headers(headers: &BTreeMap<String, Secret>) -> Result<HashMap<HeaderName, HeaderValue>, Failed> {
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let bad = |_| Failed::Other(format!("the header {} is not valid", aish_types::visible(name)));
        let key: HeaderName = name.parse().map_err(|_| bad(()))?;
        let mut value = HeaderValue::from_str(value.expose()).map_err(|_| bad(()))?;
        value.set_sensitive(true);
        custom.insert(key, value);
    }
    Ok(custom)
}

fn connected(
    service: RunningService<RoleClient, Handler>,
    tools_changed: Arc<Notify>,
    health: Health,
    gone: CancellationToken,
) -> Connection {
    let info = service.peer().peer_info();
    let protocol = info.as_ref().map(|info| info.protocol_version.clone()).unwrap_or_default();
    let announces = info.as_ref().and_then(|info| info.capabilities.tools.as_ref()?.list_changed).unwrap_or_default();
    // In the later era changes come over a subscription.
    let subscription = (announces && !protocol.has_initialize()).then(|| {
        let peer = service.peer().clone();
        let changed = Arc::clone(&tools_changed);
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut filter = SubscriptionFilter::new();
            filter.tools_list_changed = Some(true);
            let Ok(mut subscription) = peer.listen(filter).await else { return };
            while let Ok(Some(_)) = subscription.next().await {
                changed.notify_one();
            }
        }))
    });
    health.clear_failure();
    Connection {
        instructions: info.and_then(|info| info.instructions.clone()),
        protocol: protocol.to_string(),
        service,
        tools_changed,
        health,
        gone,
        _subscription: subscription,
    }
}
