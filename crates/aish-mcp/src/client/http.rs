//! A server at a URL: each message is posted, and the answer is made sense of whatever it claims to be.
//!
//! Order for an answer: authorization (401, 403), a lost session (404), then the body, by what it begins with and
//! not by its content type. Answers to notifications do not matter. The probe of the newest protocol is short, and
//! whatever goes wrong with it but the connection itself means that the server speaks an older one.

mod answer;
mod decode;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse};
use serde_json::Value;
use sse_stream::{Error as SseError, Sse};

use super::normalize::repair::{self, Found};
use super::normalize::{Normalizer, failure};
use super::oauth::{Authorizer, MAX_STEP_UPS};
use super::sse;
use answer::{begin, header, is_event_stream, is_refusal, read, refusal, refused_scope, useless};

/// The largest body that is read, in bytes.
const MAX_BODY: usize = 16 * 1024 * 1024;
/// How long the answer to a notification is waited for.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a server may take to end a session.
const DELETE_TIMEOUT: Duration = Duration::from_secs(2);
const SESSION: &str = "mcp-session-id";

/// Why a message could not be exchanged, in words for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct HttpError(pub(super) String);

type Failure = StreamableHttpError<HttpError>;

/// Why a client for a URL could not be made.
pub(super) fn client(url: &str) -> Result<reqwest::Client, HttpError> {
    let parsed = Url::parse(url).map_err(|error| HttpError(format!("the URL is not valid: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(HttpError("the URL must begin with http:// or https://".into()));
    }
    // A token must not follow a redirect to another server.
    let origin = parsed.origin();
    let redirect = reqwest::redirect::Policy::custom(move |attempt| {
        if attempt.previous().len() < 4 && attempt.url().origin() == origin { attempt.follow() } else { attempt.stop() }
    });
    let mut builder = reqwest::Client::builder()
        .redirect(redirect)
        .connect_timeout(Duration::from_secs(10))
        .user_agent(concat!("aish/", env!("CARGO_PKG_VERSION")));
    if is_loopback(&parsed) {
        builder = builder.no_proxy();
    }
    if parsed.scheme() == "http" {
        // Reading the certificates of the system costs milliseconds that only https needs.
        builder = builder.tls_certs_only([]);
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder.build().map_err(|error| HttpError(chain(&error)))
}

/// Says whether a URL is on this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
        }
        None => false,
    }
}

/// Writes an error with its causes, without repeating the URL.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    let mut current = Some(error);
    while let Some(error) = current {
        let line = error.to_string();
        if !text.ends_with(&line) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&line);
        }
        current = error.source();
    }
    text
}

fn sending(error: reqwest::Error) -> HttpError {
    HttpError(chain(&error.without_url()))
}

/// Posts messages to one server.
#[derive(Clone)]
pub(super) struct HttpClient {
    pub(super) client: reqwest::Client,
    pub(super) normalizer: Arc<Normalizer>,
    pub(super) probe_timeout: Duration,
    /// The last failure, in words: a start that fails loses them on its way.
    pub(super) last: Arc<Mutex<Option<String>>>,
    /// Signs in where the server asks for it.
    pub(super) authorizer: Option<Arc<Authorizer>>,
    /// What a person can do where it asks for authorization.
    pub(super) sign_in_hint: Option<String>,
}

/// A message on its way.
struct Post {
    uri: Arc<str>,
    value: Value,
    kind: Kind,
    session: Option<Arc<str>>,
    headers: HashMap<HeaderName, HeaderValue>,
    limit: usize,
}

/// What kind of message is posted.
enum Kind {
    Notice,
    Probe(i64),
    Request,
}

impl HttpClient {
    /// Says what a person can do about it.
    fn with_hint(&self, words: String) -> String {
        match &self.sign_in_hint {
            Some(hint) => format!("{words}; {hint}"),
            None => words,
        }
    }

    fn note(&self, failure: Failure) -> Failure {
        let text = match &failure {
            StreamableHttpError::Client(error) => error.0.clone(),
            StreamableHttpError::AuthRequired(_) => {
                self.with_hint("the server asks for authorization (HTTP 401)".to_owned())
            }
            StreamableHttpError::InsufficientScope(error) => refused_scope(error.get_required_scope()),
            other => other.to_string(),
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        failure
    }

    /// Posts, and signs in where the server asks for it: once for a token, and a bounded number of
    /// times for further scopes.
    async fn post(&self, post: &Post, given: Option<String>) -> Result<StreamableHttpPostResponse, Failure> {
        let mut signed_in = false;
        let mut step_ups = 0;
        loop {
            let own = match (&given, &self.authorizer) {
                (None, Some(authorizer)) => authorizer.token().await,
                (Some(_), _) | (None, None) => None,
            };
            let token = given.as_ref().or(own.as_ref());
            let failure = match self.once(post, token).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let Some(authorizer) = self.authorizer.as_ref().filter(|_| given.is_none()) else { return Err(failure) };
            let done = match &failure {
                StreamableHttpError::AuthRequired(challenge) if !signed_in => {
                    signed_in = true;
                    authorizer.authorize(&challenge.www_authenticate_header, own.as_deref()).await
                }
                StreamableHttpError::InsufficientScope(challenge) => match challenge.get_required_scope() {
                    Some(scope) if step_ups < MAX_STEP_UPS => {
                        step_ups += 1;
                        authorizer.step_up(scope).await
                    }
                    Some(_) | None => return Err(failure),
                },
                _ => return Err(failure),
            };
            done.map_err(|words| StreamableHttpError::Client(HttpError(self.with_hint(words))))?;
            self.normalizer.sent(&post.value);
        }
    }

    /// Posts once, within the time that the kind of message has.
    async fn once(&self, post: &Post, token: Option<&String>) -> Result<StreamableHttpPostResponse, Failure> {
        let mut request = self
            .client
            .post(post.uri.as_ref())
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .headers(post.headers.clone().into_iter().collect())
            .body(post.value.to_string());
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &post.session {
            request = request.header(SESSION, session.as_ref());
        }
        let exchange = self.exchange(request, &post.value, &post.kind, post.session.is_some(), post.limit);
        match post.kind {
            Kind::Request => exchange.await,
            Kind::Notice => match tokio::time::timeout(NOTICE_TIMEOUT, exchange).await {
                Ok(Err(failure)) if is_refusal(&failure) => Err(failure),
                Ok(_) | Err(_) => Ok(StreamableHttpPostResponse::Accepted),
            },
            Kind::Probe(id) => match tokio::time::timeout(self.probe_timeout, exchange).await {
                Ok(Ok(response)) => Ok(response),
                Ok(Err(failure)) if is_refusal(&failure) => Err(failure),
                Ok(Err(failure)) => self.older(id, &failure.to_string()),
                Err(_) => self.older(id, "no answer to server/discover"),
            },
        }
    }

    async fn exchange(
        &self,
        request: reqwest::RequestBuilder,
        value: &Value,
        kind: &Kind,
        has_session: bool,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let response = request.send().await.map_err(|error| StreamableHttpError::Client(sending(error)))?;
        let status = response.status();
        refusal(&response)?;
        if matches!(kind, Kind::Notice) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let session = header(&response, SESSION);
        let retry_after = header(&response, RETRY_AFTER.as_str());
        let kind_of_body = header(&response, CONTENT_TYPE.as_str());
        let encoding = header(&response, CONTENT_ENCODING.as_str());
        let mut body = decode::stream(response.bytes_stream(), encoding.as_deref());
        let begin = begin(&mut body).await?;
        if status.is_success() && is_event_stream(kind_of_body.as_deref(), &begin) {
            let rest = futures_util::stream::once(std::future::ready(Ok(begin))).chain(body).boxed();
            let events = sse::events(rest, Arc::clone(&self.normalizer), limit);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let body = read(begin, body).await?;
        let values = match repair::values(&body) {
            Found::Values(values) => values,
            Found::Other(values) if !values.is_empty() => values,
            // Behind the warnings of a script, or in the call of one.
            Found::Other(_) | Found::Unfinished => repair::embedded(&body).into_iter().collect(),
        };
        let messages: Vec<Value> = values.into_iter().flat_map(|value| self.normalizer.received(value)).collect();
        if messages.is_empty() {
            return Err(StreamableHttpError::Client(useless(status, &body, value, retry_after)));
        }
        if let [message] = messages.as_slice()
            && let Ok(message) = serde_json::from_value(message.clone())
        {
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        Ok(StreamableHttpPostResponse::Sse(sse::at_once(messages), session))
    }

    /// The token of the configuration, or that of a sign-in.
    async fn bearer(&self, given: Option<String>) -> Option<String> {
        match (given, &self.authorizer) {
            (Some(given), _) => Some(given),
            (None, Some(authorizer)) => authorizer.token().await,
            (None, None) => None,
        }
    }

    /// The answer for a server that does not know the probe.
    fn older(&self, id: i64, why: &str) -> Result<StreamableHttpPostResponse, Failure> {
        self.normalizer.forget(id);
        let message = serde_json::from_value(failure(id, -32601, why))?;
        Ok(StreamableHttpPostResponse::Json(message, None))
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_message_with_max_sse_event_size(uri, message, session_id, auth_header, custom_headers, MAX_BODY).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let value = serde_json::to_value(&message)?;
        let id = value.get("id").and_then(Value::as_i64);
        let kind = match (value.get("method").and_then(Value::as_str), id) {
            (Some("server/discover"), Some(id)) => Kind::Probe(id),
            (Some(_), Some(_)) => Kind::Request,
            _ => Kind::Notice,
        };
        self.normalizer.sent(&value);
        let post = Post { uri, value, kind, session: session_id, headers: custom_headers, limit };
        self.post(&post, auth_header).await.map_err(|failure| self.note(failure))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let mut request = self
            .client
            .delete(uri.as_ref())
            .headers(custom_headers.into_iter().collect())
            .header(SESSION, session_id.as_ref())
            .timeout(DELETE_TIMEOUT);
        if let Some(token) = self.bearer(auth_header).await {
            request = request.bearer_auth(token);
        }
        let _ = request.send().await;
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        self.get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, MAX_BODY)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let mut request = self
            .client
            .get(uri.as_ref())
            .header(ACCEPT, "text/event-stream")
            .headers(custom_headers.into_iter().collect());
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(last) = last_event_id {
            request = request.header("last-event-id", last);
        }
        if let Some(token) = self.bearer(auth_header).await {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.map_err(|error| StreamableHttpError::Client(sending(error)))?;
        refusal(&response)?;
        let is_stream = header(&response, CONTENT_TYPE.as_str())
            .is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"));
        if !response.status().is_success() || !is_stream {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(sse::events(response.bytes_stream().boxed(), Arc::clone(&self.normalizer), limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_the_web_are_taken() {
        for url in ["file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "-x", ""] {
            assert!(client(url).is_err(), "{url}");
        }
        client("http://127.0.0.1:1/mcp").unwrap();
        assert!(is_loopback(&Url::parse("http://[::1]:8/").unwrap()));
        assert!(!is_loopback(&Url::parse("http://127.0.0.1.evil.example/").unwrap()));
    }
}
