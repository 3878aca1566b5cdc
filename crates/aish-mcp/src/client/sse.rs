//! Server-sent events, as servers really write them, in messages that can be decoded.
//!
//! The parser of the library ends a stream at the first line that it does not like; this one leaves out the line.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use serde_json::Value;
use sse_stream::{Error, Sse};

use super::normalize::Normalizer;
use super::normalize::repair::{self, Found};

/// Turns a response's bytes into events that each carry one message in shape; what is no message is dropped, but
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
    let state = State { bytes, parser: Parser::new(limit), ready: VecDeque::new(), ended: false };
    futures_util::stream::unfold(state, async |mut state| {
        loop {
            if let Some(event) = state.ready.pop_front() {
                return Some((event, state));
            }
            if state.ended {
                return None;
            }
            let parsed = match state.bytes.next().await {
                Some(Ok(chunk)) => state.parser.push(&chunk),
                Some(Err(error)) => {
                    state.ended = true;
                    state.ready.push_back(Err(Error::Body(Box::new(error))));
                    continue;
                }
                None => {
                    state.ended = true;
                    Ok(state.parser.finish())
                }
            };
            match parsed {
                Ok(parsed) => state.ready.extend(parsed.into_iter().map(Ok)),
                Err(TooLarge) => {
                    state.ended = true;
                    let error = std::io::Error::other("a server-sent event is too large");
                    state.ready.push_back(Err(Error::Body(Box::new(error))));
                }
            }
        }
    })
    .boxed()
}

/// The messages of an event, in shape.
pub(super) fn messages(event: &Sse, normalizer: &Normalizer) -> Vec<Value> {
    let values = match repair::values(event.data.as_deref().unwrap_or_default().trim().as_bytes()) {
        Found::Values(values) | Found::Other(values) => values,
        Found::Unfinished => Vec::new(),
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
    ready: VecDeque<Result<Sse, Error>>,
    ended: bool,
}

struct TooLarge;

/// Splits a stream into events; lines end with LF, CRLF or CR.
struct Parser {
    line: Vec<u8>,
    event: Option<String>,
    data: Option<String>,
    id: Option<String>,
    retry: Option<u64>,
    after_return: bool,
    limit: usize,
}

impl Parser {
    fn new(limit: usize) -> Self {
        Self { line: Vec::new(), event: None, data: None, id: None, retry: None, after_return: false, limit }
    }

    fn push(&mut self, chunk: &[u8]) -> Result<Vec<Sse>, TooLarge> {
        let mut events = Vec::new();
        for &byte in chunk {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(&mut events),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.as_ref().map_or(0, String::len) > self.limit {
                return Err(TooLarge);
            }
        }
        Ok(events)
    }

    /// The end of the stream ends the line and the event that are open.
    fn finish(&mut self) -> Vec<Sse> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut events);
        }
        self.end_event(&mut events);
        events
    }

    fn end_line(&mut self, events: &mut Vec<Sse>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        if line.is_empty() {
            return self.end_event(events);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field.trim() {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => self.event = Some(value.trim().to_owned()),
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            "retry" => self.retry = value.trim().parse().ok(),
            // A message without its field name.
            _ if line.starts_with("{\"") => {
                self.end_event(events);
                self.data = Some(line.to_owned());
                self.end_event(events);
            }
            _ => {}
        }
    }

    fn end_event(&mut self, events: &mut Vec<Sse>) {
        let (event, data) = (self.event.take(), self.data.take());
        let event = Sse { event, data, id: self.id.take(), retry: self.retry.take() };
        if event.data.is_some() || event.id.is_some() || event.retry.is_some() {
            events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(chunks: &[&[u8]]) -> Vec<(Option<String>, Option<String>)> {
        let mut parser = Parser::new(1000);
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(parser.push(chunk).unwrap_or_default());
        }
        events.extend(parser.finish());
        events.into_iter().map(|event| (event.id, event.data)).collect()
    }

    const STREAM: &str = "\u{feff}: hello\r\nid: 1\r\ndata: {\"a\":\r\ndata: \"ü\"}\r\n\r\nevent: x\nevent: y\njunk\n\
                          data:{}\n\nretry: soon\r\r{\"bare\":1}\n\ndata: last";

    fn expected() -> Vec<(Option<String>, Option<String>)> {
        let text = |text: &str| Some(text.to_owned());
        vec![
            (text("1"), text("{\"a\":\n\"ü\"}")),
            (None, text("{}")),
            (None, text("{\"bare\":1}")),
            (None, text("last")),
        ]
    }

    #[test]
    fn junk_is_left_out() {
        assert_eq!(parse(&[STREAM.as_bytes()]), expected());
    }

    #[test]
    fn a_large_event_is_an_error() {
        assert!(Parser::new(10).push(b"data: 0123456789").is_err());
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(cut in 0..STREAM.len(), second in 0..STREAM.len()) {
            let bytes = STREAM.as_bytes();
            let (low, high) = (cut.min(second), cut.max(second));
            prop_assert_eq!(parse(&[&bytes[..low], &bytes[low..high], &bytes[high..]]), expected());
        }
    }
}
