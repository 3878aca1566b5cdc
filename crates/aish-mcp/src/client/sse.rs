//! Server-sent events, as servers really write them, in messages that can be decoded.

use std::collections::VecDeque;
use std::sync::Arc;

use aish_types::sse::{Event, Parser, Unnamed};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use serde_json::Value;
use sse_stream::{Error, Sse};

use super::http::PAUSE;
use super::normalize::Normalizer;
use super::normalize::repair::{self, Parsed};

/// Turns a response's bytes into events that each carry one message in shape; other data is dropped, but
/// ids and retry times pass, since a stream is resumed by them.
pub(super) fn events<E>(
    bytes: impl Stream<Item = Result<Bytes, E>> + Send + Unpin + 'static,
    normalizer: Arc<Normalizer>,
    limit: usize,
) -> BoxStream<'static, Result<Sse, Error>>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let cleaned = move |event| match event {
        Ok(event) => clean(event, &normalizer).into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    };
    raw(bytes, limit).flat_map(move |event| futures_util::stream::iter(cleaned(event))).boxed()
}

/// Splits a response's bytes into events, as they are.
pub(super) fn raw<E>(
    bytes: impl Stream<Item = Result<Bytes, E>> + Send + Unpin + 'static,
    limit: usize,
) -> BoxStream<'static, Result<Sse, Error>>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let parser = Parser::new(limit, Unnamed::Event);
    let state = State { bytes, parser, ready: VecDeque::new(), ended: false, looked_at: true };
    futures_util::stream::unfold(state, async |mut state| {
        loop {
            if let Some(event) = state.ready.pop_front() {
                return Some((Ok(event_of(event)), state));
            }
            if state.ended {
                return None;
            }
            let next = if state.looked_at {
                state.bytes.next().await
            } else {
                let Ok(next) = tokio::time::timeout(PAUSE, state.bytes.next()).await else {
                    state.look();
                    continue;
                };
                next
            };
            state.looked_at = false;
            let failed = match next {
                Some(Ok(chunk)) => state.parser.push(&chunk, &mut state.ready).err().map(|_| too_large()),
                Some(Err(error)) => Some(Error::Body(Box::new(error))),
                None => {
                    state.ended = true;
                    state.parser.finish(&mut state.ready);
                    None
                }
            };
            if let Some(error) = failed {
                (state.ended, state.ready) = (true, VecDeque::new());
                return Some((Err(error), state));
            }
        }
    })
    .boxed()
}

/// The messages of an event, in shape.
pub(super) fn messages(event: &Sse, normalizer: &Normalizer) -> Vec<Value> {
    let values = match repair::values(event.data.as_deref().unwrap_or_default().trim().as_bytes()) {
        Parsed::Values(values) | Parsed::Other(values) => values,
        Parsed::Unfinished => Vec::new(),
    };
    values.into_iter().flat_map(|value| normalizer.received(value)).collect()
}

/// Events of messages that came all at once.
pub(super) fn at_once(messages: Vec<Value>) -> BoxStream<'static, Result<Sse, Error>> {
    let events = messages
        .into_iter()
        .map(|message| Ok(Sse { event: None, data: Some(message.to_string()), id: None, retry: None }));
    futures_util::stream::iter(events.collect::<Vec<_>>()).boxed()
}

fn clean(event: Sse, normalizer: &Normalizer) -> Vec<Sse> {
    let messages = messages(&event, normalizer);
    let bare = Sse { event: None, data: None, id: event.id, retry: event.retry };
    if messages.is_empty() {
        return if bare.id.is_some() || bare.retry.is_some() { vec![bare] } else { Vec::new() };
    }
    messages.into_iter().map(|message| Sse { data: Some(message.to_string()), ..bare.clone() }).collect()
}

struct State<S> {
    bytes: S,
    parser: Parser,
    ready: VecDeque<Event>,
    ended: bool,
    /// Whether what came last was looked at for an event without its end.
    looked_at: bool,
}

impl<S> State<S> {
    /// Ends an event that is a whole message: a server that forgets its end and keeps the stream open has said all.
    fn look(&mut self) {
        self.looked_at = true;
        let mut open = VecDeque::new();
        self.parser.clone().finish(&mut open);
        let is_message =
            |event: &Event| event.data.as_deref().is_some_and(|data| repair::is_whole(data.trim().as_bytes()));
        if open.iter().any(is_message) {
            self.parser.finish(&mut self.ready);
        }
    }
}

fn too_large() -> Error {
    Error::Body(Box::new(std::io::Error::other("a server-sent event is too large")))
}

/// Writes an event as rmcp has it.
fn event_of(Event { event, data, id, retry }: Event) -> Sse {
    Sse { event, data, id, retry }
}
