//! One connection to a server, from its start to its end.
//!
//! The newest protocol is tried first. A server that dies of the attempt, or whose later answer shows that it speaks
//! only the newest, is started a second time with the other way of greeting.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::model::{ProtocolVersion, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;

use super::handler::Handler;
use super::http::{HttpClient, client};
use super::lines::{Obituary, ProcessTransport};
use super::oauth::Authorizer;
use super::options::{Endpoint, Era, ServerOptions};
use super::ports::Ports;
use super::process;

/// How long a person may take to sign in.
const SIGN_IN_PATIENCE: Duration = Duration::from_secs(300);

/// A connection that is up.
pub(super) struct Connection {
    pub(super) service: RunningService<RoleClient, Handler>,
    /// Fires when the server says that its tools changed.
    pub(super) tools_changed: Arc<Notify>,
    pub(super) protocol: String,
    pub(super) instructions: Option<String>,
    last: Obituary,
    _subscription: Option<AbortOnDropHandle<()>>,
}

impl Connection {
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// What is known of the last failure of the transport, in words.
    pub(super) fn last_words(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the server says that it has resources or prompts.
    pub(super) fn offers(&self) -> (bool, bool) {
        let info = self.peer().peer_info();
        info.map_or((false, false), |info| (info.capabilities.resources.is_some(), info.capabilities.prompts.is_some()))
    }
}

/// How a greeting is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Greeting {
    /// The newest protocol, and the older ones when that is not known.
    Probe,
    /// The older ones alone.
    Older,
    /// The newest alone.
    Newest,
}

impl Greeting {
    fn lifecycle(self) -> ClientLifecycleMode {
        let newest = vec![ProtocolVersion::V_2026_07_28];
        match self {
            Self::Probe => ClientLifecycleMode::Auto { preferred_versions: newest, legacy_version: None },
            Self::Older => ClientLifecycleMode::Initialize,
            Self::Newest => ClientLifecycleMode::Discover { preferred_versions: newest },
        }
    }
}

/// Connects, within the time that the options give.
pub(super) async fn connect(options: &ServerOptions, ports: &Ports) -> Result<Connection, String> {
    let deadline = Instant::now() + options.connect_timeout;
    let mut greeting = match options.era {
        Era::Any => Greeting::Probe,
        Era::Older => Greeting::Older,
        Era::Newest => Greeting::Newest,
    };
    let authorizer = authorizer(options, ports);
    loop {
        let last = Obituary::default();
        let work = attempt(options, ports, greeting, Arc::clone(&last), authorizer.clone());
        let tried = patiently(deadline, authorizer.as_deref(), work);
        let words = |last: &Obituary| last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let error = match tried.await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) => error,
            Err(TimedOut) => {
                let seconds = options.connect_timeout.as_secs_f64();
                return Err(words(&last).unwrap_or_else(|| format!("no answer within {seconds:.0} s")));
            }
        };
        let next = match (&error, greeting, &options.endpoint) {
            // It ended at a method that it does not know.
            (Failed::Ended, Greeting::Probe, Endpoint::Stdio { .. }) => Greeting::Older,
            (Failed::OnlyNewest, Greeting::Probe, _) => Greeting::Newest,
            _ => return Err(error.text(words(&last))),
        };
        greeting = next;
    }
}

/// The sign-in of a server at a URL without a token of its own.
fn authorizer(options: &ServerOptions, ports: &Ports) -> Option<Arc<Authorizer>> {
    let Endpoint::Http { url, token: None, .. } = &options.endpoint else { return None };
    let source = options.source_id();
    Authorizer::new(&options.alias, source.as_str(), url, options.oauth.clone(), ports).map(Arc::new)
}

struct TimedOut;

/// Waits until the deadline, but not for the time that a person takes to sign in.
async fn patiently<T>(
    mut deadline: Instant,
    authorizer: Option<&Authorizer>,
    work: impl Future<Output = T>,
) -> Result<T, TimedOut> {
    let last = deadline + SIGN_IN_PATIENCE;
    let mut work = std::pin::pin!(work);
    loop {
        match timeout_at(deadline, &mut work).await {
            Ok(done) => return Ok(done),
            Err(_) => {
                let signing_in = authorizer.is_some_and(|authorizer| authorizer.busy.load(Ordering::SeqCst));
                if !signing_in || deadline >= last {
                    return Err(TimedOut);
                }
                deadline += Duration::from_secs(1);
            }
        }
    }
}

/// Why an attempt failed.
enum Failed {
    /// The transport ended.
    Ended,
    /// The server does not know `initialize`.
    OnlyNewest,
    /// In words.
    Other(String),
}

impl Failed {
    fn text(self, last: Option<String>) -> String {
        match self {
            Self::Ended => last.unwrap_or_else(|| "the connection ended before the greeting".into()),
            Self::OnlyNewest => "the server speaks no protocol version that we do".into(),
            Self::Other(text) => text,
        }
    }
}

async fn attempt(
    options: &ServerOptions,
    ports: &Ports,
    greeting: Greeting,
    last: Obituary,
    authorizer: Option<Arc<Authorizer>>,
) -> Result<Connection, Failed> {
    let tools_changed = Arc::new(Notify::new());
    let handler = Handler::new(options, ports.clone(), Arc::clone(&tools_changed));
    let probe_timeout = match greeting {
        Greeting::Newest => options.connect_timeout,
        Greeting::Probe | Greeting::Older => options.probe_timeout,
    };
    let lifecycle = greeting.lifecycle();
    let served = match &options.endpoint {
        Endpoint::Stdio { command, args, env, cwd } => {
            let started = process::start(command, args, env, cwd.as_ref()).await;
            let server = started.map_err(|error| Failed::Other(error.to_string()))?;
            let transport = ProcessTransport::new(server, probe_timeout, options.stuck_after, Arc::clone(&last))
                .map_err(|error| Failed::Other(error.to_string()))?;
            serve_client_with_lifecycle(handler, transport, lifecycle).await
        }
        Endpoint::Http { url, headers, token } => {
            let mut custom = HashMap::new();
            for (name, value) in headers {
                let bad = |_| Failed::Other(format!("the header {} is not valid", aish_types::visible(name)));
                let key: HeaderName = name.parse().map_err(|_| bad(()))?;
                let mut value = HeaderValue::from_str(value.expose()).map_err(|_| bad(()))?;
                value.set_sensitive(true);
                custom.insert(key, value);
            }
            let http = HttpClient {
                client: client(url).map_err(|error| Failed::Other(error.0))?,
                normalizer: Arc::default(),
                probe_timeout,
                last: Arc::clone(&last),
                authorizer,
                sign_in_hint: options.sign_in_hint.clone(),
            };
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str()).custom_headers(custom);
            let mut backoff = ExponentialBackoff::default();
            backoff.max_times = Some(6);
            config.retry_config = Arc::new(backoff);
            if let Some(token) = token.as_ref().filter(|token| !token.expose().is_empty()) {
                config = config.auth_header(token.expose());
            }
            let transport = StreamableHttpClientTransport::with_client(http, config);
            serve_client_with_lifecycle(handler, transport, lifecycle).await
        }
    };
    let service = served.map_err(|error| classify(error, &last))?;
    Ok(connected(service, tools_changed, last))
}

fn classify(error: ClientInitializeError, last: &Mutex<Option<String>>) -> Failed {
    let last = last.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => match *fallback {
            ClientInitializeError::JsonRpcError(error) if error.code.0 == -32022 || error.code.0 == -32601 => {
                Failed::OnlyNewest
            }
            other => plain(other, last),
        },
        other => plain(other, last),
    }
}

fn plain(error: ClientInitializeError, last: Option<String>) -> Failed {
    match error {
        ClientInitializeError::ConnectionClosed(_) => match last {
            Some(words) if !words.starts_with("the server exited") && !words.starts_with("the server ended") => {
                Failed::Other(words)
            }
            _ => Failed::Ended,
        },
        ClientInitializeError::JsonRpcError(error) => {
            let text = error.message.to_string();
            // The transport ends what is waited for with how the server ended.
            if last.as_deref() == Some(text.as_str()) { Failed::Ended } else { Failed::Other(text) }
        }
        other => Failed::Other(last.unwrap_or_else(|| other.to_string())),
    }
}

fn connected(service: RunningService<RoleClient, Handler>, tools_changed: Arc<Notify>, last: Obituary) -> Connection {
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
    *last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    Connection {
        instructions: info.and_then(|info| info.instructions.clone()),
        protocol: protocol.to_string(),
        service,
        tools_changed,
        last,
        _subscription: subscription,
    }
}

/// How long a connection that is not wanted any more may take to end.
pub(super) const END_TIMEOUT: Duration = Duration::from_secs(5);
