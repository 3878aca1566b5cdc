//! A server at a URL: each message is posted, and the answer is made sense of whatever it claims to be.
//!
//! Order for an answer: authorization (401, 403), a lost session (404), then the body, by what it begins with and
//! not by its content type. Answers to notifications do not matter. The probe of the newest protocol is short, and
//! whatever goes wrong with it but the connection itself means that the server speaks an older one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, Url};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use serde_json::Value;
use sse_stream::{Error as SseError, Sse};

use super::normalize::{Normalizer, failure};
use super::sse;

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
}

/// What kind of message is posted.
enum Kind {
    Notice,
    Probe(i64),
    Request,
}

impl HttpClient {
    fn note(&self, failure: Failure) -> Failure {
        let text = match &failure {
            StreamableHttpError::Client(error) => error.0.clone(),
            StreamableHttpError::AuthRequired(_) => "the server asks for authorization (HTTP 401)".to_owned(),
            StreamableHttpError::InsufficientScope(error) => refused_scope(error.get_required_scope()),
            other => other.to_string(),
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        failure
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
        let mut body = response.bytes_stream();
        let begin = begin(&mut body).await?;
        if status.is_success() && is_event_stream(kind_of_body.as_deref(), &begin) {
            let rest = futures_util::stream::once(std::future::ready(Ok(begin))).chain(body).boxed();
            let events = sse::events(rest, Arc::clone(&self.normalizer), limit);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let body = read(begin, body).await?;
        let messages: Vec<Value> = serde_json::Deserializer::from_slice(&body)
            .into_iter::<Value>()
            .map_while(Result::ok)
            .flat_map(|value| self.normalizer.received(value))
            .collect();
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

    /// The answer for a server that does not know the probe.
    fn older(&self, id: i64, why: &str) -> Result<StreamableHttpPostResponse, Failure> {
        self.normalizer.forget(id);
        let message = serde_json::from_value(failure(id, -32601, why))?;
        Ok(StreamableHttpPostResponse::Json(message, None))
    }
}

/// The message for a refused scope.
fn refused_scope(scope: Option<&str>) -> String {
    match scope {
        Some(scope) => format!("the server refuses access (HTTP 403): it wants the scope {scope:?}"),
        None => "the server refuses access (HTTP 403)".to_owned(),
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}

/// 401 and 403 end an exchange before its body is looked at.
fn refusal(response: &Response) -> Result<(), Failure> {
    let challenge = header(response, WWW_AUTHENTICATE.as_str());
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge.unwrap_or_default())))
        }
        StatusCode::FORBIDDEN => match challenge {
            Some(challenge) => {
                let scope = parameter(&challenge, "scope");
                Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope)))
            }
            None => Err(StreamableHttpError::Client(HttpError(refused_scope(None)))),
        },
        _ => Ok(()),
    }
}

/// Finds a parameter of a challenge.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find(&format!("{name}="))?;
    let rest = challenge.get(at + name.len() + 1..)?;
    match rest.strip_prefix('"') {
        Some(quoted) => Some(quoted.split('"').next()?.to_owned()),
        None => Some(rest.split([',', ' ']).next()?.to_owned()),
    }
}

/// Says whether a body is a stream of events: by how it begins, and where that says nothing by its content type.
fn is_event_stream(kind: Option<&str>, begin: &[u8]) -> bool {
    let text = begin.trim_ascii_start();
    match text.first() {
        None | Some(b'{' | b'[') => false,
        Some(b':') => true,
        Some(_) => {
            let said = kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"));
            said || ["data:", "event:", "id:", "retry:"].iter().any(|field| text.starts_with(field.as_bytes()))
        }
    }
}

/// Reads until the body shows what it is; a byte order mark is no part of it.
async fn begin(
    body: &mut (impl futures_util::Stream<Item = reqwest::Result<Bytes>> + Unpin),
) -> Result<Bytes, Failure> {
    let mut begin = Vec::new();
    while let Some(chunk) = body.next().await {
        begin.extend_from_slice(&chunk.map_err(|error| StreamableHttpError::Client(sending(error)))?);
        if begin.starts_with(b"\xEF\xBB\xBF") {
            begin.drain(..3);
        }
        let is_mark = b"\xEF\xBB\xBF".starts_with(&begin);
        if !is_mark && begin.iter().any(|byte| !byte.is_ascii_whitespace()) {
            break;
        }
        if begin.len() > MAX_BODY {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: MAX_BODY });
        }
    }
    Ok(begin.into())
}

async fn read(
    begin: Bytes,
    mut body: impl futures_util::Stream<Item = reqwest::Result<Bytes>> + Unpin,
) -> Result<Vec<u8>, Failure> {
    let mut all = begin.to_vec();
    while let Some(chunk) = body.next().await {
        match chunk {
            Ok(chunk) => all.extend_from_slice(&chunk),
            // A body that is whole but for its announced length is still an answer.
            Err(_) if serde_json::from_slice::<Value>(&all).is_ok() => break,
            Err(error) => return Err(StreamableHttpError::Client(sending(error))),
        }
        if all.len() > MAX_BODY {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: MAX_BODY });
        }
    }
    Ok(all)
}

/// Says what is wrong with an answer without a message.
fn useless(status: StatusCode, body: &[u8], request: &Value, retry_after: Option<String>) -> HttpError {
    let method = request.get("method").and_then(Value::as_str).unwrap_or("a message");
    let text = String::from_utf8_lossy(body);
    let text = aish_types::sanitize(text.trim());
    let begin: String = text.lines().next().unwrap_or_default().chars().take(120).collect();
    let mut line = match (status.is_success(), begin.is_empty()) {
        (true, true) => format!("the server answered {method} with nothing"),
        (true, false) => format!("the server answered {method} with what is no message: {begin}"),
        (false, true) => format!("the server answered {method} with HTTP {status}"),
        (false, false) => format!("the server answered {method} with HTTP {status}: {begin}"),
    };
    if let Some(seconds) = retry_after {
        line.push_str(&format!(" (it may be tried again after {})", aish_types::visible(&seconds)));
    }
    HttpError(line)
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
        let mut request = self
            .client
            .post(uri.as_ref())
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .headers(custom_headers.into_iter().collect())
            .body(value.to_string());
        if let Some(token) = &auth_header {
            request = request.bearer_auth(token);
        }
        let has_session = session_id.is_some();
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        let exchange = self.exchange(request, &value, &kind, has_session, limit);
        match kind {
            Kind::Request => exchange.await.map_err(|failure| self.note(failure)),
            Kind::Notice => match tokio::time::timeout(NOTICE_TIMEOUT, exchange).await {
                Ok(Err(
                    failure @ (StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)),
                )) => Err(self.note(failure)),
                _ => Ok(StreamableHttpPostResponse::Accepted),
            },
            Kind::Probe(id) => match tokio::time::timeout(self.probe_timeout, exchange).await {
                Ok(Ok(response)) => Ok(response),
                Ok(Err(
                    failure @ (StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)),
                )) => Err(self.note(failure)),
                Ok(Err(failure)) => self.older(id, &failure.to_string()),
                Err(_) => self.older(id, "no answer to server/discover"),
            },
        }
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
        if let Some(token) = &auth_header {
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
        if let Some(token) = &auth_header {
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
    fn a_scope_is_found_in_a_challenge() {
        let challenge = r#"Bearer error="insufficient_scope", scope="files:write admin", resource_metadata="x""#;
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("files:write admin"));
        assert_eq!(parameter("Bearer scope=a, b=c", "scope").as_deref(), Some("a"));
        assert_eq!(parameter("Bearer", "scope"), None);
    }

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
