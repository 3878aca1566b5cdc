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
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::adapter::{Adapter, Shared};
use super::handler::ServerHandler;
use super::input::Rounds;

/// What open connections are given when the server ends.
const END_GRACE: Duration = Duration::from_secs(2);

/// How the server over HTTP behaves.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// The token that clients must bring. Without one only a loopback address can be bound.
    pub token: Option<Secret>,
    /// Names that clients may call it by (`Host`), beside the loopback names; without any, and on another address
    /// than loopback, every name (the token then is the guard).
    pub hosts: Vec<String>,
    /// Origins of web pages that may call it, beside those of loopback, as `https://host:port`.
    pub origins: Vec<String>,
    /// The key of input rounds, for several servers behind a balancer; random when none.
    pub state_key: Option<[u8; 32]>,
    /// The largest request body, in bytes.
    pub max_body: usize,
    /// Ends the server when it fires.
    pub shutdown: CancellationToken,
}

impl HttpOptions {
    /// Makes options without a token, for bodies of up to 4 MiB.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            token: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            state_key: None,
            max_body: 4 * 1024 * 1024,
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
    /// The address could not be taken.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Listens and serves until `shutdown` fires.
///
/// # Errors
/// When the address cannot be taken, or must not be without a token.
pub async fn serve_http(handler: Arc<dyn ServerHandler>, options: HttpOptions) -> Result<(), ServeHttpError> {
    guarded(&options, options.address.ip())?;
    let address = options.address;
    let listener = TcpListener::bind(address).await.map_err(|source| ServeHttpError::Bind { address, source })?;
    serve_http_on(listener, handler, options).await
}

/// Serves on a listener that is bound already (its address counts, not that of the options).
///
/// # Errors
/// When the listener is not on loopback and there is no token.
pub async fn serve_http_on(
    listener: TcpListener,
    handler: Arc<dyn ServerHandler>,
    options: HttpOptions,
) -> Result<(), ServeHttpError> {
    let address = listener.local_addr().map_err(|source| ServeHttpError::Bind { address: options.address, source })?;
    guarded(&options, address.ip())?;
    let gone = options.shutdown.child_token();
    let tasks = TaskTracker::new();
    let rounds = Rounds::new(options.state_key);
    let shared = Arc::new(Shared { handler, rounds, gone: gone.clone(), tasks: tasks.clone() });
    let service = StreamableHttpService::new(
        move || Ok(Adapter::new(Arc::clone(&shared))),
        Arc::new(LocalSessionManager::default()),
        config(&options, address.ip(), gone.clone()),
    );
    let token = options.token.map(Arc::new);
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
        let service = service.clone();
        let token = token.clone();
        let answer = service_fn(move |request| answer(request, service.clone(), token.clone()));
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

fn config(options: &HttpOptions, ip: IpAddr, gone: CancellationToken) -> StreamableHttpServerConfig {
    let mut origins: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
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

type Body = BoxBody<Bytes, Infallible>;

async fn answer(
    request: Request<Incoming>,
    service: StreamableHttpService<Adapter, LocalSessionManager>,
    token: Option<Arc<Secret>>,
) -> Result<Response<Body>, Infallible> {
    if request.uri().path().trim_end_matches('/') != "/mcp" {
        return Ok(refuse(StatusCode::NOT_FOUND, "Not Found: the server is at /mcp"));
    }
    if let Some(token) = &token
        && !authorized(request.headers(), token)
    {
        let mut response = refuse(StatusCode::UNAUTHORIZED, "Unauthorized");
        response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
        return Ok(response);
    }
    Ok(service.handle(request).await)
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

fn refuse(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
