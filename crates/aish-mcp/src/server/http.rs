//! The server over streamable HTTP, at `/mcp`.
//!
//! Order of a request: path (404), bearer token (401), Host and Origin (403), then the protocol. Clients before 2026-07-28 get
//! sessions; later ones none, so that any number of servers may stand behind a balancer.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use aish_types::Secret;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::adapter::{Adapter, Shared};
use super::handler::ServerHandler;
use super::input::Rounds;
use super::priming;

/// What open connections are given when the server ends.
const END_GRACE: Duration = Duration::from_secs(2);

/// How the server over HTTP behaves.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The token that clients must bring. Without one only a loopback address is served.
    pub token: Option<Secret>,
    /// Names that clients may call it by (`Host`), beside the loopback names; without any, and on another address
    /// than loopback, every name (the token then is the guard).
    pub hosts: Vec<String>,
    /// Origins of web pages that may call it, as `https://host:port`, beside the server's own and, where a token is asked for,
    /// those of loopback.
    pub origins: Vec<String>,
    /// The largest request body, in bytes.
    pub max_body: usize,
    /// How long the body of a request may take to come.
    pub body_timeout: Duration,
    /// Sessions of clients before 2026-07-28 that are open at once; a silent one ends after five minutes.
    pub max_sessions: usize,
    /// Ends the server when it fires.
    pub shutdown: CancellationToken,
}

impl Default for HttpOptions {
    /// Makes options without a token, for bodies of up to 4 MiB that come within 30 s, and 1,000 sessions.
    fn default() -> Self {
        Self {
            token: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            max_body: 4 * 1024 * 1024,
            body_timeout: Duration::from_secs(30),
            max_sessions: 1_000,
            shutdown: CancellationToken::new(),
        }
    }
}

/// Why the server over HTTP did not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeHttpError {
    /// Anybody on the network could have called it.
    #[error("refusing to listen on {0} without a token: only loopback addresses are served without one")]
    Unguarded(IpAddr),
    /// The listener does not tell its address.
    #[error("the address that is listened on is not known")]
    Address(#[source] std::io::Error),
}

/// Serves on a listener until `shutdown` fires.
///
/// # Errors
/// When the listener is not on loopback and there is no token.
pub async fn serve_http(
    listener: TcpListener,
    handler: Arc<dyn ServerHandler>,
    options: HttpOptions,
) -> Result<(), ServeHttpError> {
    let address = listener.local_addr().map_err(ServeHttpError::Address)?;
    guarded(&options, address.ip())?;
    let gone = options.shutdown.child_token();
    let tasks = TaskTracker::new();
    let rounds = Rounds::new();
    let shared = Arc::new(Shared { handler, rounds, gone: gone.clone(), tasks: tasks.clone() });
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(
        move || Ok(Adapter::new(Arc::clone(&shared))),
        Arc::clone(&sessions),
        config(&options, address, gone.clone()),
    );
    let door = Arc::new(Door { service, sessions, options });
    let graceful = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            () = gone.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file handles, mostly: the ones in use will be given back.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let _ = stream.set_nodelay(true);
        let door = Arc::clone(&door);
        let answer = service_fn(move |request| {
            let door = Arc::clone(&door);
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(30))
            .serve_connection(TokioIo::new(stream), answer);
        let watched = graceful.watch(connection);
        tasks.spawn(async move {
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection broke off");
            }
        });
    }
    drop(listener);
    tasks.close();
    let ended = async {
        graceful.shutdown().await;
        tasks.wait().await;
    };
    if tokio::time::timeout(END_GRACE, ended).await.is_err() {
        tracing::debug!("connections were still open when the server ended");
    }
    Ok(())
}

fn guarded(options: &HttpOptions, ip: IpAddr) -> Result<(), ServeHttpError> {
    let has_token = options.token.as_ref().is_some_and(|token| !token.expose().is_empty());
    if ip.is_loopback() || has_token { Ok(()) } else { Err(ServeHttpError::Unguarded(ip)) }
}

fn config(options: &HttpOptions, address: SocketAddr, gone: CancellationToken) -> StreamableHttpServerConfig {
    let ip = address.ip();
    // Any page of this machine may speak for the person where a token guards; else only our own address may.
    let port = if options.token.is_some() { "*".to_owned() } else { address.port().to_string() };
    let mut origins: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .flat_map(|host| [format!("http://{host}:{port}"), format!("https://{host}:{port}")])
        .collect();
    origins.extend(options.origins.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(options.max_body)
        .with_cancellation_token(gone);
    if options.hosts.is_empty() && !ip.is_loopback() {
        return config.disable_allowed_hosts();
    }
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(Into::into).into();
    hosts.extend(options.hosts.iter().cloned());
    hosts.push(ip.to_string());
    config.with_allowed_hosts(hosts)
}

const SESSION: &str = "mcp-session-id";

pub(super) type Body = BoxBody<Bytes, Infallible>;

/// What every request passes.
struct Door {
    service: StreamableHttpService<Adapter, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    options: HttpOptions,
}

impl Door {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if request.uri().path().trim_end_matches('/') != "/mcp" {
            return refuse(StatusCode::NOT_FOUND, "Not Found: the server is at /mcp");
        }
        if let Some(token) = &self.options.token
            && !authorized(request.headers(), token)
        {
            let mut response = refuse(StatusCode::UNAUTHORIZED, "Unauthorized");
            response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
            return response;
        }
        let (method, version) = (request.method().clone(), priming::version_of(request.headers()));
        if method != Method::POST {
            let mut response = self.service.handle(request).await;
            if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
                // The session is gone, and nothing more comes of it.
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            return priming::for_client(response, version.as_deref());
        }
        let (head, body) = request.into_parts();
        let body =
            match tokio::time::timeout(self.options.body_timeout, Limited::new(body, self.options.max_body).collect())
                .await
            {
                Ok(Ok(body)) => body.to_bytes(),
                Ok(Err(error)) if error.is::<LengthLimitError>() => {
                    return refuse(StatusCode::PAYLOAD_TOO_LARGE, "Payload Too Large");
                }
                Ok(Err(_)) => return refuse(StatusCode::BAD_REQUEST, "Bad Request: the body broke off"),
                Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "Request Timeout: the body did not come"),
            };
        let begins = !head.headers.contains_key(SESSION);
        if begins && self.sessions.sessions.read().await.len() >= self.options.max_sessions {
            let mut response = refuse(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable: too many sessions");
            response.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("60"));
            return response;
        }
        let version = version.or_else(|| priming::version_in(&body));
        let is_json =
            head.headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let response = self.service.handle(Request::from_parts(head, Full::new(body.clone()))).await;
        // What is said to be JSON and cannot be taken as a message is no other kind of media.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
            return not_understood(&body);
        }
        priming::for_client(response, version.as_deref())
    }
}

/// Compares without telling by the time taken how much of the token was right.
fn authorized(headers: &HeaderMap, token: &Secret) -> bool {
    let Some(given) = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()) else { return false };
    let Some((scheme, given)) = given.split_once(' ') else { return false };
    let (given, expected) = (given.trim().as_bytes(), token.expose().as_bytes());
    let differing =
        given.iter().zip(expected).fold(given.len() ^ expected.len(), |all, (a, b)| all | usize::from(a ^ b));
    scheme.eq_ignore_ascii_case("bearer") && differing == 0
}

/// Answers a body that is no message of the protocol, as JSON-RPC does.
fn not_understood(body: &[u8]) -> Response<Body> {
    let (id, code, message) = match serde_json::from_slice::<Value>(body) {
        Err(error) => (super::broken::id_of(body.trim_ascii()), -32700, format!("Parse error: {error}")),
        Ok(Value::Array(_)) => {
            (Value::Null, -32600, "Invalid Request: no batches are taken here; send each message by itself".to_owned())
        }
        Ok(value) => {
            let id = value.get("id").filter(|id| id.is_string() || id.is_i64()).cloned().unwrap_or_default();
            (id, -32600, "Invalid Request: the body is no JSON-RPC message of this protocol".to_owned())
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    let mut response = Response::new(Full::new(Bytes::from(answer.to_string())).boxed());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}

fn refuse(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
