//! The way from a server back to whoever made a call: progress, questions, and what a model is to write.
//!
//! A message belongs to the call that it names. Where a server of an older protocol asks while several of its calls are open,
//! it does not say which one asks: with one client it is the newest call's; with several clients nobody is asked, since the
//! question could reach somebody whom it does not concern.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_mcp::client::Caller;
use aish_types::{BoxFuture, CallId};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

/// Events of one call that wait to be taken; progress that finds no room is dropped.
const WAITING: usize = 64;

/// Something that a server says or asks during a call.
#[derive(Debug)]
pub(crate) enum Event {
    /// How far it is.
    Progress { done: f64, total: Option<f64>, message: Option<String> },
    /// A question to the person.
    Ask(Question<Option<Option<Value>>>),
    /// Something that the model is to write.
    Write(Question<Option<Value>>),
}

/// A question with the way of its answer.
#[derive(Debug)]
pub(crate) struct Question<A> {
    pub(crate) alias: String,
    /// The sentence; empty for what the model is to write.
    pub(crate) message: String,
    /// The form's schema, or the parameters of what is to be written.
    pub(crate) body: Value,
    pub(crate) reply: oneshot::Sender<A>,
}

/// How long questions of a call have been open.
#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    open: usize,
    since: Option<Instant>,
    total: Duration,
}

struct Line {
    id: CallId,
    alias: String,
    events: mpsc::Sender<Event>,
    asked: watch::Sender<Asked>,
}

/// Whether one client is served, or who knows how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clients {
    /// One, on the standard streams.
    One,
    /// Several, over HTTP.
    Several,
}

/// All calls of servers that are under way.
pub(crate) struct Relay {
    clients: Clients,
    lines: Mutex<Vec<Arc<Line>>>,
}

/// Keeps the line of a call open.
pub(crate) struct OpenLine {
    relay: Arc<Relay>,
    line: Arc<Line>,
}

impl Drop for OpenLine {
    fn drop(&mut self) {
        let mut lines = self.relay.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|line| !Arc::ptr_eq(line, &self.line));
    }
}

impl Relay {
    pub(crate) fn new(clients: Clients) -> Self {
        Self { clients, lines: Mutex::default() }
    }

    /// Opens the line of a call to a server.
    pub(crate) fn open(self: &Arc<Self>, id: CallId, alias: &str) -> (OpenLine, mpsc::Receiver<Event>) {
        let (events, taken) = mpsc::channel(WAITING);
        let line = Arc::new(Line { id, alias: alias.to_owned(), events, asked: watch::Sender::default() });
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&line));
        (OpenLine { relay: Arc::clone(self), line }, taken)
    }

    fn line(&self, alias: &str, call: Option<&CallId>) -> Option<Arc<Line>> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of_server = lines.iter().filter(|line| line.alias == alias);
        match (call, self.clients) {
            (Some(call), _) => of_server.find(|line| line.id == *call).cloned(),
            (None, Clients::One) => of_server.next_back().cloned(),
            (None, Clients::Several) => None,
        }
    }

    /// Returns how long questions of a call were open, once none is.
    pub(crate) async fn asked(&self, alias: &str, call: &CallId) -> Duration {
        let Some(line) = self.line(alias, Some(call)) else { return Duration::ZERO };
        let mut asked = line.asked.subscribe();
        let settled = asked.wait_for(|asked| asked.open == 0).await;
        settled.map_or(Duration::ZERO, |asked| asked.total)
    }

    async fn ask<A>(
        &self,
        alias: &str,
        call: Option<&CallId>,
        event: impl FnOnce(oneshot::Sender<A>) -> Event,
    ) -> Option<A> {
        let Some(line) = self.line(alias, call) else {
            tracing::warn!(
                "{alias}: it asks something, and it cannot be told which call it is about; nobody was asked"
            );
            return None;
        };
        let (reply, answer) = oneshot::channel();
        let _open = Open::new(Arc::clone(&line));
        line.events.send(event(reply)).await.ok()?;
        answer.await.ok()
    }
}

/// Counts a question as open until it is dropped.
struct Open(Arc<Line>);

impl Open {
    fn new(line: Arc<Line>) -> Self {
        line.asked.send_modify(|asked| {
            asked.open += 1;
            asked.since.get_or_insert_with(Instant::now);
        });
        Self(line)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.asked.send_modify(|asked| {
            asked.open = asked.open.saturating_sub(1);
            if asked.open == 0 {
                asked.total += asked.since.take().map(|since| since.elapsed()).unwrap_or_default();
            }
        });
    }
}

impl Caller for Relay {
    fn progress(&self, alias: &str, call: &CallId, done: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(line) = self.line(alias, Some(call)) {
            // A client that does not keep up hears of the next one.
            let _ = line.events.try_send(Event::Progress { done, total, message: message.map(str::to_owned) });
        }
    }

    fn ask<'a>(
        &'a self,
        alias: &'a str,
        call: Option<&'a CallId>,
        message: &'a str,
        schema: &'a Value,
    ) -> BoxFuture<'a, Option<Option<Value>>> {
        Box::pin(async move {
            let question = |reply| {
                Event::Ask(Question {
                    alias: alias.to_owned(),
                    message: message.to_owned(),
                    body: schema.clone(),
                    reply,
                })
            };
            self.ask(alias, call, question).await.flatten()
        })
    }

    fn write<'a>(
        &'a self,
        alias: &'a str,
        call: Option<&'a CallId>,
        params: &'a Value,
    ) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move {
            let question = |reply| {
                Event::Write(Question { alias: alias.to_owned(), message: String::new(), body: params.clone(), reply })
            };
            self.ask(alias, call, question).await.flatten()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn answered(relay: &Arc<Relay>, call: Option<&CallId>, events: &mut mpsc::Receiver<Event>) -> Option<Value> {
        let asking = async { Caller::ask(relay.as_ref(), "notes", call, "Which?", &json!({})).await.flatten() };
        let answering = async {
            match events.recv().await {
                Some(Event::Ask(question)) => question.reply.send(Some(Some(json!({"a": 1})))).unwrap(),
                other => panic!("{other:?}"),
            }
        };
        tokio::join!(asking, answering).0
    }

    #[tokio::test]
    async fn a_question_reaches_the_call_that_it_is_about() {
        let relay = Arc::new(Relay::new(Clients::Several));
        let (_first, mut events) = relay.open(CallId::new("1"), "notes");
        let (_second, _others) = relay.open(CallId::new("2"), "notes");
        assert_eq!(answered(&relay, Some(&CallId::new("1")), &mut events).await, Some(json!({"a": 1})));
        assert_eq!(Caller::ask(relay.as_ref(), "notes", None, "Which?", &json!({})).await, None, "nobody was asked");
        assert_eq!(Caller::ask(relay.as_ref(), "other", Some(&CallId::new("1")), "?", &json!({})).await, None);
    }

    #[tokio::test]
    async fn with_one_client_it_reaches_the_newest_call() {
        let relay = Arc::new(Relay::new(Clients::One));
        let (_first, _others) = relay.open(CallId::new("1"), "notes");
        let (_second, mut events) = relay.open(CallId::new("2"), "notes");
        assert_eq!(answered(&relay, None, &mut events).await, Some(json!({"a": 1})));
        assert!(relay.asked("notes", &CallId::new("2")).await > Duration::ZERO);
        assert_eq!(relay.asked("notes", &CallId::new("1")).await, Duration::ZERO);
    }
}
