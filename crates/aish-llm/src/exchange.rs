//! One exchange with a server: the request is opened, its events are decoded, and nothing is said twice.
//!
//! The order: open (until the head, within the patience; cancelling ends it at once), then events, then the decoder's
//! end. A body that is over before the decoder has seen the completion's end is [`ChatError::Interrupted`].

use std::borrow::Cow;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use aish_types::BoxFuture;
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::{Instant, timeout};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::event::{ChatError, StreamEvent};
use crate::peek::{Kind, peek};
use crate::provider::EventStream;
use crate::sse::{Body, Events, Limits, SseError};

/// Where a completion stands after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// More is to come.
    More,
    /// The completion's end has been seen; usage may still follow.
    Ending,
    /// Nothing follows.
    Done,
}

/// Turns the events of one wire format into ours.
pub(crate) trait Decoder: Send + 'static {
    /// Takes the data of one event.
    fn event(&mut self, data: &str, out: &mut VecDeque<StreamEvent>) -> Result<Progress, ChatError>;

    /// Takes a whole reply of a server that does not stream.
    fn document(&mut self, body: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ChatError>;

    /// Ends the completion as one that its limit cut.
    fn cut(&mut self);

    /// Releases what is sent only after a good end: calls, usage, the end itself.
    fn finish(&mut self, out: &mut VecDeque<StreamEvent>);
}

/// Reads the JSON of one event.
pub(crate) fn parsed<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, ChatError> {
    serde_json::from_str(data).map_err(|error| {
        if error.is_eof() {
            return ChatError::Interrupted("the stream ended inside an event".into());
        }
        let start: String = data.chars().take(80).collect();
        ChatError::Unreadable(format!("{error} in {start:?}"))
    })
}

/// What opening a request gives.
pub(crate) struct OpenReply {
    /// The media type, in lower case, without parameters.
    pub(crate) kind: String,
    pub(crate) body: Body,
    pub(crate) decoder: Box<dyn Decoder>,
    /// What the person should know of how the request went.
    pub(crate) notices: Vec<&'static str>,
}

/// Plays an exchange; `opening` sends the request and has refused every status but success.
pub(crate) fn exchange(
    opening: BoxFuture<'static, Result<OpenReply, ChatError>>,
    limits: Limits,
    endpoint: String,
    cancel: CancellationToken,
) -> EventStream {
    let start = State::Opening { opening, limits };
    let context = Context { endpoint, cancel, pending: VecDeque::new(), any_token: false, ended: false };
    // In a box, since a stream of this kind moves what it keeps for each item.
    stream::unfold((start, Box::new(context)), |(state, mut context)| async move {
        let (item, state) = step(state, &mut context).await?;
        context.ended |= matches!(item, Ok(StreamEvent::Finished(_)) | Err(_));
        Some((item, (state, context)))
    })
    .boxed()
}

struct Context {
    endpoint: String,
    cancel: CancellationToken,
    pending: VecDeque<StreamEvent>,
    any_token: bool,
    /// The end or an error has been said.
    ended: bool,
}

enum State {
    Opening { opening: BoxFuture<'static, Result<OpenReply, ChatError>>, limits: Limits },
    Open(Box<Open>),
    Over,
}

struct Open {
    events: Events,
    decoder: Box<dyn Decoder>,
    cancelled: Pin<Box<WaitForCancellationFutureOwned>>,
    progress: Progress,
    any_event: bool,
    /// Bytes of events that may still come without saying anything.
    unsaid: u64,
}

type Item = Result<StreamEvent, ChatError>;

async fn step(mut state: State, context: &mut Context) -> Option<(Item, State)> {
    loop {
        if context.cancel.is_cancelled() && !context.ended {
            // What had arrived is not said after the end.
            context.pending.clear();
            return Some((Err(ChatError::Cancelled), State::Over));
        }
        if let Some(event) = context.pending.pop_front() {
            if context.pending.is_empty() && matches!(event, StreamEvent::Finished(_)) {
                state = State::Over;
            }
            return Some((Ok(event), state));
        }
        state = match state {
            State::Over => return None,
            State::Opening { opening, limits } => match open(opening, limits, context).await {
                Ok(state) => state,
                Err(error) => return Some((Err(error), State::Over)),
            },
            State::Open(mut open) => match advance(&mut open, context).await {
                Ok(()) => State::Open(open),
                Err(error) => return Some((Err(error), State::Over)),
            },
        };
    }
}

async fn open(
    opening: BoxFuture<'static, Result<OpenReply, ChatError>>,
    limits: Limits,
    context: &mut Context,
) -> Result<State, ChatError> {
    let started = Instant::now();
    let wait = limits.patience.min(limits.idle_before);
    let cancel = context.cancel.clone();
    let silent = || ChatError::Timeout {
        endpoint: context.endpoint.clone(),
        seconds: wait.as_secs().max(1),
        after_first_token: false,
    };
    let opened = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(ChatError::Cancelled),
        opened = timeout(wait, opening) => opened.map_err(|_| silent())??,
    };
    let OpenReply { kind, body, mut decoder, notices } = opened;
    context.pending.extend(notices.into_iter().map(|text| StreamEvent::Notice(text.into())));
    let left = wait.saturating_sub(started.elapsed());
    let peeked = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(ChatError::Cancelled),
        peeked = timeout(left, peek(&kind, body)) => peeked.map_err(|_| silent())?,
    };
    let (kind, body) = peeked.map_err(|error| ChatError::Interrupted(error.to_string()))?;
    if kind == Kind::Empty {
        return Err(ChatError::Unreadable("it is empty".into()));
    }
    if kind != Kind::Events {
        let body = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ChatError::Cancelled),
            body = timeout(limits.patience, crate::http::read_text(body)) => body.map_err(|_| silent())??,
        };
        if kind == Kind::Page {
            let page = crate::failure::Failure::from_body(&body);
            return Err(ChatError::Unreadable(page.message));
        }
        decoder.document(&whole_letters(&body), &mut context.pending)?;
        decoder.finish(&mut context.pending);
        return Ok(State::Over);
    }
    let unsaid = limits.unsaid;
    let events = Events::new(body, started, limits);
    let cancelled = Box::pin(context.cancel.clone().cancelled_owned());
    Ok(State::Open(Box::new(Open { events, decoder, cancelled, progress: Progress::More, any_event: false, unsaid })))
}

/// Splits data at its lines where each of them is an event: some servers leave the blank line between events out.
fn lines_of(data: &str) -> impl Iterator<Item = &str> {
    let is_event = |line: &str| line == "[DONE]" || serde_json::from_str::<IgnoredAny>(line).is_ok();
    let is_split = data.contains('\n')
        && !is_event(data)
        && data.lines().all(|line| line.trim().is_empty() || is_event(line.trim()));
    let lines = is_split.then(|| data.lines().filter(|line| !line.trim().is_empty()));
    (!is_split).then_some(data).into_iter().chain(lines.into_iter().flatten())
}

/// Replaces escapes of half a letter, which JSON cannot hold: some servers cut a text inside one.
fn whole_letters(json: &str) -> Cow<'_, str> {
    if !json.contains('\\') || !json.contains("\\ud") && !json.contains("\\uD") {
        return Cow::Borrowed(json);
    }
    /// A unit of UTF-16 that an escape gives.
    fn unit(text: &str) -> Option<u16> {
        u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
    }
    let mut whole = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let second = || escape.get(6..).and_then(unit).is_some_and(|unit| matches!(unit, 0xdc00..=0xdfff));
        let length = match unit(escape) {
            Some(0xd800..=0xdbff) if second() => 12,
            Some(0xd800..=0xdfff) => {
                whole.push(char::REPLACEMENT_CHARACTER);
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            _ => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, behind) = escape.split_at_checked(length).unwrap_or((escape, ""));
        whole.push_str(kept);
        rest = behind;
    }
    whole.push_str(rest);
    Cow::Owned(whole)
}

/// How long the body's own end is waited for, once the answer has ended.
const TAIL: Duration = Duration::from_millis(20);

/// Takes events until something is to be said.
async fn advance(open: &mut Open, context: &mut Context) -> Result<(), ChatError> {
    while context.pending.is_empty() {
        let next = poll_fn(|cx| match open.events.poll_event(cx) {
            Poll::Ready(next) => Poll::Ready(Some(next)),
            Poll::Pending => open.cancelled.as_mut().poll(cx).map(|()| None),
        })
        .await;
        let Some(next) = next else { return Err(ChatError::Cancelled) };
        match next {
            Some(Ok(data)) => {
                open.any_event = true;
                for data in lines_of(&whole_letters(&data)) {
                    let progress = open.decoder.event(data, &mut context.pending)?;
                    open.progress = open.progress.max(progress);
                }
                if context.pending.is_empty() {
                    open.unsaid = open.unsaid.saturating_sub(u64::try_from(data.len()).unwrap_or(u64::MAX));
                }
                if open.unsaid == 0 {
                    open.decoder.cut();
                    open.decoder.finish(&mut context.pending);
                    return Ok(());
                }
                if open.progress == Progress::Ending {
                    open.events.expect_end();
                }
            }
            // After the completion's end, a missing tail is no loss.
            None | Some(Err(_)) if open.progress >= Progress::Ending => open.progress = Progress::Done,
            None if !open.any_event && !open.events.torn => {
                return Err(ChatError::Unreadable("its event stream is empty".into()));
            }
            None => return Err(ChatError::Interrupted("the stream ended before the answer did".into())),
            Some(Err(error)) => return Err(context.error(error)),
        }
        context.any_token |= !context.pending.is_empty();
        if open.progress == Progress::Done {
            // A body that was read to its end leaves its connection to the next request.
            drop(timeout(TAIL, poll_fn(|cx| open.events.poll_end(cx))).await);
            open.decoder.finish(&mut context.pending);
            return Ok(());
        }
    }
    Ok(())
}

impl Context {
    fn error(&self, error: SseError) -> ChatError {
        match error {
            SseError::Silent(wait) => ChatError::Timeout {
                endpoint: self.endpoint.clone(),
                seconds: wait.as_secs().max(1),
                after_first_token: self.any_token,
            },
            SseError::Broken(error) => ChatError::Interrupted(error.to_string()),
            SseError::TooLong => ChatError::Unreadable(error.to_string()),
        }
    }
}

#[cfg(test)]
mod cancelled;
#[cfg(test)]
mod recorded;
