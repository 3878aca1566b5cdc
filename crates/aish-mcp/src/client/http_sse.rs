//! The HTTP transport of 2024-11-05: a GET holds a stream of events open, whose first names the address that messages
//! are posted to. The answers come over the stream; those that come with the POST are taken, too.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::Method;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::Value;
use sse_stream::{Error as SseError, Sse};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::health::Ended;
use super::http::{Failure, HttpClient, HttpError, MAX_BODY, answer_of, opened, own_place, says_other_than_events};
use super::normalize::failure;
use super::sse;

/// Messages that wait to be posted.
const QUEUE: usize = 64;
/// How long a message waits for the one before it to be taken.
const TAKEN: Duration = Duration::from_secs(2);

/// One server over this transport.
pub(super) struct HttpSseTransport {
    http: HttpClient,
    events: Option<BoxStream<'static, Result<Sse, SseError>>>,
    ready: VecDeque<ServerJsonRpcMessage>,
    queue: mpsc::Sender<Value>,
    posted: mpsc::Receiver<Vec<Value>>,
    _poster: AbortOnDropHandle<()>,
}

/// What is sent with every request.
#[derive(Clone)]
struct Courtesies {
    headers: HeaderMap,
    token: Option<String>,
}

impl HttpSseTransport {
    /// Opens the stream and waits for the address to post to.
    pub(super) async fn open(
        http: HttpClient,
        url: &str,
        headers: HeaderMap,
        token: Option<String>,
    ) -> Result<Self, HttpError> {
        let with = Courtesies { headers, token };
        let opened = http.signed_in(with.token.clone(), |token| Box::pin(open(&http, url, &with, token))).await;
        let (events, endpoint) = opened.map_err(|failure| HttpError(http.words(&failure)))?;
        let (queue, waiting) = mpsc::channel(QUEUE);
        let (answers, posted) = mpsc::channel(QUEUE);
        let poster = Poster { http: http.clone(), endpoint, with, answers };
        let poster = AbortOnDropHandle::new(tokio::spawn(post_all(poster, waiting)));
        Ok(Self { http, events: Some(events), ready: VecDeque::new(), queue, posted, _poster: poster })
    }

    fn push(&mut self, messages: Vec<Value>) {
        for message in messages {
            match serde_json::from_value(message) {
                Ok(message) => self.ready.push_back(message),
                Err(why) => tracing::debug!(%why, "a message of the server cannot be understood"),
            }
        }
    }

    fn end(&mut self, words: String) {
        self.events = None;
        self.http.health.end(Ended::Stream(words));
    }
}

async fn open(
    http: &HttpClient,
    url: &str,
    with: &Courtesies,
    token: Option<String>,
) -> Result<(BoxStream<'static, Result<Sse, SseError>>, Url), Failure> {
    let mut request =
        http.reach.request(Method::GET, url).header(ACCEPT, "text/event-stream").headers(with.headers.clone());
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let none = || StreamableHttpError::Client(HttpError("the server opens no stream of events".into()));
    let opened = async {
        let response = opened(&http.reach, request).await?;
        if says_other_than_events(&response) {
            return Err(none());
        }
        let base = response.url().clone();
        let mut events = sse::raw(response.bytes_stream().boxed(), MAX_BODY);
        while let Some(Ok(event)) = events.next().await {
            let data = event.data.unwrap_or_default();
            let is_named = event.event.as_ref().is_some_and(|name| name.eq_ignore_ascii_case("endpoint"));
            // Some give it no name.
            if is_named
                || event.event.is_none() && ["/", "http"].iter().any(|begin| data.trim_start().starts_with(begin))
            {
                return Ok((events, endpoint(&base, &data).ok_or_else(none)?));
            }
        }
        Err(none())
    };
    tokio::time::timeout(http.probe_timeout, opened).await.unwrap_or_else(|_| Err(none()))
}

/// The address to post to, which is on this server.
fn endpoint(base: &Url, data: &str) -> Option<Url> {
    let told = match serde_json::from_str(data) {
        Ok(Value::String(text)) => text,
        Ok(Value::Object(map)) => ["uri", "url", "endpoint"].iter().find_map(|key| map.get(*key)?.as_str())?.to_owned(),
        Ok(_) | Err(_) => data.trim().to_owned(),
    };
    let joined = base.join(&told).ok().filter(|url| !url.cannot_be_a_base())?;
    Some(own_place(base, &joined))
}

/// Posts messages.
#[derive(Clone)]
struct Poster {
    http: HttpClient,
    endpoint: Url,
    with: Courtesies,
    answers: mpsc::Sender<Vec<Value>>,
}

/// Posts messages in their order; a server that holds one back does not hold the next one up for long.
async fn post_all(poster: Poster, mut waiting: mpsc::Receiver<Value>) {
    let mut under_way = JoinSet::new();
    while let Some(message) = waiting.recv().await {
        let (taken, when_taken) = oneshot::channel::<()>();
        under_way.spawn(poster.clone().post(message, taken));
        let _ = tokio::time::timeout(TAKEN, when_taken).await;
        while under_way.try_join_next().is_some() {}
    }
    while under_way.join_next().await.is_some() {}
}

impl Poster {
    /// Posts one message; `taken` is dropped when the server has taken it.
    async fn post(self, message: Value, taken: oneshot::Sender<()>) {
        let exchange = self.http.signed_in(self.with.token.clone(), |token| Box::pin(self.once(&message, token))).await;
        drop(taken);
        let id = message.get("id").and_then(Value::as_i64).filter(|_| message.get("method").is_some());
        let answers = match (exchange, id) {
            (Ok(answers), _) => answers,
            (Err(why), id) => {
                let words = self.http.words(&why);
                self.http.health.note_failure(words.clone());
                match id {
                    Some(id) if self.http.normalizer.forget(id) => vec![failure(id, -32000, &words)],
                    Some(_) | None => Vec::new(),
                }
            }
        };
        if !answers.is_empty() {
            // The receiver may be gone; then nobody waits for the answer.
            let _ = self.answers.send(answers).await;
        }
    }

    async fn once(&self, message: &Value, token: Option<String>) -> Result<Vec<Value>, Failure> {
        let mut request =
            self.http.reach.request(Method::POST, self.endpoint.as_str()).headers(self.with.headers.clone());
        request =
            request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json, text/event-stream");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        answer_of(&self.http, request.body(message.to_string()), message).await
    }
}

impl Transport<RoleClient> for HttpSseTransport {
    type Error = HttpError;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), HttpError>> + Send + 'static {
        let queue = self.queue.clone();
        let normalizer = Arc::clone(&self.http.normalizer);
        async move {
            let value = serde_json::to_value(&item).map_err(|error| HttpError(error.to_string()))?;
            normalizer.sent(&value);
            queue.send(value).await.map_err(|_| HttpError("the server is gone".into()))
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            let events = self.events.as_mut()?;
            let messages = tokio::select! {
                event = events.next() => match event {
                    Some(Ok(event)) => sse::messages(&event, &self.http.normalizer),
                    Some(Err(why)) => {
                        self.end(format!("the stream of events broke off: {why}"));
                        continue;
                    }
                    None => {
                        self.end("the server ended the stream of events".to_owned());
                        continue;
                    }
                },
                Some(messages) = self.posted.recv() => messages,
            };
            self.push(messages);
        }
    }

    async fn close(&mut self) -> Result<(), HttpError> {
        self.events = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safety_11_messages_are_posted_to_the_configured_server_alone() {
        let base = Url::parse("http://h.example:8/a/sse?x=1").unwrap();
        for (told, expected) in [
            ("/messages?session=1", "http://h.example:8/messages?session=1"),
            ("messages", "http://h.example:8/a/messages"),
            ("http://localhost:8/m/?s=1", "http://h.example:8/m/?s=1"),
            ("https://evil.example/m", "http://h.example:8/m"),
            ("//evil.example/m", "http://h.example:8/m"),
            (" \"/m\" ", "http://h.example:8/m"),
            ("{\"uri\": \"/m\"}", "http://h.example:8/m"),
        ] {
            assert_eq!(endpoint(&base, told).unwrap().as_str(), expected, "{told}");
        }
        assert_eq!(endpoint(&base, "javascript:alert(1)"), None);
    }
}
