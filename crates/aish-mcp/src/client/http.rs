//! A server at a URL: each message is posted, and the answer is made sense of whatever it claims to be.
//!
//! Order for an answer: authorization (401, 403), what the server wants otherwise (406), whether it is ready (429, 503), a
//! lost session (404), then the body, by what it begins with and not by its content type. Answers to notifications do not
//! matter. The probe of the newest protocol is short, and whatever goes wrong with it but the connection itself means that
//! the server speaks an older one. A call is never sent twice.

mod answer;
mod decode;
mod manner;
mod reach;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_types::BoxFuture;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse};
use serde_json::Value;
use sse_stream::{Error as SseError, Sse};
use tokio::time::Instant;

use super::health::Health;
use super::normalize::repair::{self, Parsed};
use super::normalize::{Normalizer, failure};
use super::oauth::{Authorizer, MAX_STEP_UPS};
use super::sse;
pub(super) use answer::{PAUSE, Refused};
use answer::{
    begin, header, is_event_stream, is_labelled, is_lost_session, is_refusal, pause, read, refusal, refused,
    refused_scope, useless,
};
pub(super) use manner::Manner;
use manner::SESSION;
use reach::Repeat;
pub use reach::is_loopback;
pub(super) use reach::{Reach, own_place};

/// The largest body that is read, in bytes.
pub(super) const MAX_BODY: usize = 16 * 1024 * 1024;
/// How often a server that is not ready is asked again.
const MAX_RETRIES: u32 = 2;

/// Why a message could not be exchanged, in words for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct HttpError(pub(super) String);

/// Why a message could not be exchanged, as rmcp has it.
pub(super) type Failure = StreamableHttpError<HttpError>;

/// Posts messages to one server.
#[derive(Clone)]
pub(super) struct HttpClient {
    pub(super) reach: Reach,
    pub(super) manner: Manner,
    pub(super) normalizer: Arc<Normalizer>,
    /// How long the answer to the probe of the newest protocol, to a notification and to the end of a session is waited
    /// for.
    pub(super) probe_timeout: Duration,
    /// Keeps the last failure in words: a start that fails loses them on its way.
    pub(super) health: Health,
    /// Signs in where the server asks for it.
    pub(super) authorizer: Option<Arc<Authorizer>>,
    /// What a person can do where it asks for authorization.
    pub(super) sign_in_hint: Option<String>,
    /// Set when a status refused the greeting.
    pub(super) refused: Arc<Mutex<Option<Refused>>>,
    /// When it last answered a request.
    pub(super) heard: LastAnswer,
    /// True while the server wants a sign-in or a token that it has not got.
    pub(super) signed_out: Arc<AtomicBool>,
}

/// When a server last answered a request.
pub(super) type LastAnswer = Arc<Mutex<Option<Instant>>>;

fn mark(heard: &LastAnswer) {
    *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// The values of a body that ought to be JSON.
fn values_of(body: &[u8]) -> Vec<Value> {
    match repair::values(body) {
        Parsed::Values(values) => values,
        Parsed::Other(values) if !values.is_empty() => values,
        Parsed::Unfinished => repair::closed(body).into_iter().collect(),
        // Behind the warnings of a script, or in the call of one.
        Parsed::Other(_) => repair::embedded(body).into_iter().collect(),
    }
}

/// Asks for a stream of events; what is no success is a failure.
pub(super) async fn opened(reach: &Reach, request: reqwest::RequestBuilder) -> Result<Response, Failure> {
    let response = refusal(reach.send(request, Repeat::Never).await.map_err(StreamableHttpError::Client)?).await?;
    if response.status().is_success() { Ok(response) } else { Err(StreamableHttpError::ServerDoesNotSupportSse) }
}

/// Returns whether an answer says that it is something else than events; some servers say nothing, or only that it is text.
pub(super) fn says_other_than_events(response: &Response) -> bool {
    header(response, CONTENT_TYPE.as_str()).is_some_and(|kind| {
        let kind = kind.trim_start().to_ascii_lowercase();
        !["text/event-stream", "text/plain"].iter().any(|events| kind.starts_with(events))
    })
}

/// Posts a message whose answer comes elsewhere, and returns those that come here all the same.
pub(super) async fn answer_of(
    http: &HttpClient,
    request: reqwest::RequestBuilder,
    message: &Value,
) -> Result<Vec<Value>, Failure> {
    let response = refusal(http.reach.send(request, Repeat::Never).await.map_err(StreamableHttpError::Client)?).await?;
    let status = response.status();
    let encoding = header(&response, CONTENT_ENCODING.as_str());
    let mut body = decode::stream(response.bytes_stream(), encoding.as_deref());
    let begin = begin(&mut body).await?;
    let body = decode::text(read(begin, body).await?);
    let messages: Vec<Value> = values_of(&body).into_iter().flat_map(|value| http.normalizer.received(value)).collect();
    if messages.is_empty() && !status.is_success() {
        return Err(StreamableHttpError::Client(useless(status, &body, message, None)));
    }
    Ok(messages)
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

impl Post {
    fn method(&self) -> Option<&str> {
        self.value.get("method").and_then(Value::as_str)
    }

    /// Returns whether it is a request that may be sent again.
    fn has_no_effects(&self) -> bool {
        matches!(self.kind, Kind::Request) && self.method() != Some("tools/call")
    }
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

    /// Says why an exchange failed.
    pub(super) fn words(&self, failure: &Failure) -> String {
        match failure {
            StreamableHttpError::Client(error) => error.0.clone(),
            StreamableHttpError::AuthRequired(_) => {
                self.with_hint("the server asks for authorization (HTTP 401)".to_owned())
            }
            StreamableHttpError::InsufficientScope(error) => refused_scope(error.get_required_scope()),
            other => other.to_string(),
        }
    }

    /// Has something done with a token, and signs in where the server asks for it: once for a token, and a bounded number
    /// of times for further scopes.
    pub(super) async fn signed_in<'a, T>(
        &self,
        given: Option<String>,
        once: impl Fn(Option<String>) -> BoxFuture<'a, Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let mut signed_in = false;
        let mut step_ups = 0;
        loop {
            let own = match (&given, &self.authorizer) {
                (None, Some(authorizer)) => authorizer.token().await,
                (Some(_), _) | (None, None) => None,
            };
            let failure = match once(given.clone().or_else(|| own.clone())).await {
                Ok(done) => {
                    self.signed_out.store(false, Ordering::SeqCst);
                    return Ok(done);
                }
                Err(failure) => failure,
            };
            if matches!(failure, StreamableHttpError::AuthRequired(_)) {
                self.signed_out.store(true, Ordering::SeqCst);
            }
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
            done.map_err(|error| StreamableHttpError::Client(HttpError(self.with_hint(error.to_string()))))?;
        }
    }

    /// Posts once, within the time that the kind of message has.
    async fn once(&self, post: &Post, token: Option<String>) -> Result<StreamableHttpPostResponse, Failure> {
        self.normalizer.sent(&post.value);
        if post.method() == Some("initialize") {
            self.manner.greet();
        }
        // Where nobody can sign in, a refusal of these says nothing of the rest.
        let asks_for_sign_in = |failure: &Failure| is_refusal(failure) && self.authorizer.is_some();
        let exchange = self.exchange(post, token.as_deref());
        match post.kind {
            Kind::Request => exchange.await,
            Kind::Notice => match tokio::time::timeout(self.probe_timeout, exchange).await {
                Ok(Err(failure)) if asks_for_sign_in(&failure) => Err(failure),
                Ok(_) | Err(_) => Ok(StreamableHttpPostResponse::Accepted),
            },
            Kind::Probe(id) => match tokio::time::timeout(self.probe_timeout, exchange).await {
                Ok(Ok(response)) => Ok(response),
                Ok(Err(failure)) if asks_for_sign_in(&failure) => Err(failure),
                Ok(Err(failure)) => self.older(id, &failure.to_string()),
                Err(_) => self.older(id, "no answer to server/discover"),
            },
        }
    }

    /// Posts, and again where the server wants it otherwise or is not ready.
    async fn exchange(&self, post: &Post, token: Option<&str>) -> Result<StreamableHttpPostResponse, Failure> {
        let mut retries = 0;
        loop {
            let response = self.post(post, token).await?;
            if response.status() == StatusCode::NOT_ACCEPTABLE && self.manner.refused() {
                continue;
            }
            if let Some(pause) = pause(&response, retries).filter(|_| post.has_no_effects() && retries < MAX_RETRIES) {
                retries += 1;
                tokio::time::sleep(pause).await;
                continue;
            }
            return match self.answer(response, post).await {
                Err(StreamableHttpError::SessionExpired) if self.manner.forgo() => {
                    let answer = self.answer(self.post(post, token).await?, post).await;
                    answer.map_err(|_| {
                        self.manner.resume();
                        StreamableHttpError::SessionExpired
                    })
                }
                answer => answer,
            };
        }
    }

    async fn post(&self, post: &Post, token: Option<&str>) -> Result<Response, Failure> {
        let mut request = self
            .reach
            .request(Method::POST, post.uri.as_ref())
            .header(ACCEPT, self.manner.accepted())
            .header(CONTENT_TYPE, "application/json")
            .headers(post.headers.clone().into_iter().collect())
            .body(post.value.to_string());
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = self.manner.session() {
            request = request.header(SESSION, session);
        }
        let repeat = if post.has_no_effects() { Repeat::Once } else { Repeat::Never };
        let response = self.reach.send(request, repeat).await.map_err(StreamableHttpError::Client)?;
        let response = refusal(response).await?;
        self.manner.given(response.headers());
        Ok(response)
    }

    /// Makes sense of an answer.
    async fn answer(&self, response: Response, post: &Post) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        if matches!(post.kind, Kind::Notice) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let has_session = post.session.is_some() && self.manner.session().is_some();
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let session = header(&response, SESSION).filter(|session| !session.is_empty());
        let retry_after = header(&response, RETRY_AFTER.as_str());
        let kind_of_body = header(&response, CONTENT_TYPE.as_str());
        let encoding = header(&response, CONTENT_ENCODING.as_str());
        let mut body = decode::stream(response.bytes_stream(), encoding.as_deref());
        let begin = begin(&mut body).await?;
        if is_event_stream(kind_of_body.as_deref().filter(|_| status.is_success()), &begin) {
            let rest = futures_util::stream::once(std::future::ready(Ok(begin))).chain(body).boxed();
            return Ok(StreamableHttpPostResponse::Sse(self.events(rest, post.limit), session));
        }
        let body = decode::text(read(begin, body).await?);
        if post.method() == Some("initialize") {
            *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = refused(status, &body);
        }
        let messages = self.messages(&body, post);
        if messages.is_empty() {
            if has_session && is_lost_session(status, &body) {
                return Err(StreamableHttpError::SessionExpired);
            }
            if has_session && status == StatusCode::ACCEPTED {
                // The answer comes over the session's own stream.
                return Ok(StreamableHttpPostResponse::Accepted);
            }
            return Err(StreamableHttpError::Client(useless(status, &body, &post.value, retry_after)));
        }
        mark(&self.heard);
        if post.session.is_some() {
            self.manner.answered();
        }
        if let [message] = messages.as_slice()
            && let Ok(message) = serde_json::from_value(message.clone())
        {
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        Ok(StreamableHttpPostResponse::Sse(sse::at_once(messages), session))
    }

    /// The events of an answer, whose messages count as answers.
    fn events(
        &self,
        body: BoxStream<'static, reqwest::Result<bytes::Bytes>>,
        limit: usize,
    ) -> BoxStream<'static, Result<Sse, SseError>> {
        let (heard, manner) = (Arc::clone(&self.heard), self.manner.clone());
        let events = sse::events(body, Arc::clone(&self.normalizer), limit);
        let noted = events.inspect(move |event| {
            if event.as_ref().is_ok_and(|event| event.data.is_some()) {
                mark(&heard);
                manner.answered();
            }
        });
        noted.boxed()
    }

    /// The messages of a body. One that cannot be told by its id is the answer to what was posted.
    fn messages(&self, body: &[u8], post: &Post) -> Vec<Value> {
        let values = values_of(body);
        let messages: Vec<Value> = values.iter().flat_map(|value| self.normalizer.received(value.clone())).collect();
        let id = post.value.get("id").and_then(Value::as_i64);
        match (messages.is_empty(), id, values.as_slice()) {
            (true, Some(id), [Value::Object(only)]) => {
                let mut only = only.clone();
                only.insert("id".into(), id.into());
                self.normalizer.received(Value::Object(only))
            }
            _ => messages,
        }
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
        let post = Post { uri, value, kind, session: session_id, headers: custom_headers, limit };
        let posted = self.signed_in(auth_header, |token| Box::pin(self.once(&post, token))).await;
        posted.inspect_err(|failure| self.health.note_failure(self.words(failure)))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        _session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let Some(session) = self.manner.session() else { return Ok(()) };
        let mut request = self
            .reach
            .request(Method::DELETE, uri.as_ref())
            .headers(custom_headers.into_iter().collect())
            .header(SESSION, session)
            .timeout(self.probe_timeout);
        if let Some(token) = self.bearer(auth_header).await {
            request = request.bearer_auth(token);
        }
        let _ = self.reach.send(request, Repeat::Never).await;
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
            .reach
            .request(Method::GET, uri.as_ref())
            .header(ACCEPT, "text/event-stream")
            .headers(custom_headers.into_iter().collect());
        if let Some(session) = self.manner.session().filter(|_| session_id.is_some()) {
            request = request.header(SESSION, session);
        }
        if let Some(last) = last_event_id {
            request = request.header("last-event-id", last);
        }
        if let Some(token) = self.bearer(auth_header).await {
            request = request.bearer_auth(token);
        }
        let response = opened(&self.reach, request).await?;
        if !is_labelled(header(&response, CONTENT_TYPE.as_str()).as_deref()) {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(sse::events(response.bytes_stream().boxed(), Arc::clone(&self.normalizer), limit))
    }
}
