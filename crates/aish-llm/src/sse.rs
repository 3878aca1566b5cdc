//! Server-sent events from a body, watched: silence, endless comments and endless events end it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use aish_types::sse::{Parser, Unnamed};
use bytes::Bytes;
use futures_util::Stream;
use tokio::time::{Instant, Sleep, sleep_until};

/// The longest event, in bytes.
const MAX_EVENT: usize = 16 * 1024 * 1024;

/// How long to wait, and for how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// From the request to the first event, and between events while only comments come.
    pub(crate) patience: Duration,
    /// Without a byte before the first event.
    pub(crate) idle_before: Duration,
    /// Without a byte after it.
    pub(crate) idle_after: Duration,
    /// After the completion's end, for what may still trail.
    pub(crate) trailing: Duration,
    /// Bytes of events that say nothing before the end, as the arguments of calls do.
    pub(crate) unsaid: u64,
}

/// Why no further event comes.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SseError {
    /// Nothing came for so long.
    #[error("nothing came for {0:?}")]
    Silent(Duration),
    /// An event without an end.
    #[error("an event is longer than {MAX_EVENT} bytes")]
    TooLong,
    /// The connection broke.
    #[error(transparent)]
    Broken(BodyError),
}

/// A reply's body cannot be read further; in the transport's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BodyError(pub(crate) String);

/// A reply's body.
pub(crate) type Body = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>> + Send>>;

/// The events of one reply.
pub(crate) struct Events {
    body: Body,
    parser: Parser,
    ready: VecDeque<aish_types::sse::Event>,
    watch: Watch,
    ended: bool,
    /// Whether the body ended inside a line.
    pub(crate) torn: bool,
}

impl Events {
    /// Watches a body whose request began at `started`.
    pub(crate) fn new(body: Body, started: Instant, limits: Limits) -> Self {
        Self {
            body,
            parser: Parser::new(MAX_EVENT, Unnamed::Dropped),
            ready: VecDeque::new(),
            watch: Watch::new(started, limits),
            ended: false,
            torn: false,
        }
    }

    /// Shortens the wait: the completion has ended, only usage and the like may follow.
    pub(crate) fn expect_end(&mut self) {
        self.watch.is_trailing = true;
    }

    /// Reads what is left of the body and forgets it.
    pub(crate) fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.poll_event(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(()),
            }
        }
    }

    /// Returns the data of the next event that has any.
    pub(crate) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<String, SseError>>> {
        loop {
            while let Some(event) = self.ready.pop_front() {
                if let Some(data) = event.data {
                    self.watch.event();
                    return Poll::Ready(Some(Ok(data)));
                }
            }
            if self.ended {
                return Poll::Ready(None);
            }
            match self.body.as_mut().poll_next(cx) {
                Poll::Pending => return self.watch.poll_silence(cx).map(|silence| Some(Err(silence))),
                Poll::Ready(Some(Ok(bytes))) => {
                    let taken = self
                        .watch
                        .bytes(bytes.len())
                        .and_then(|()| self.parser.push(&bytes, &mut self.ready).map_err(|_| SseError::TooLong));
                    if let Err(error) = taken {
                        return Poll::Ready(Some(Err(error)));
                    }
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(SseError::Broken(error)))),
                Poll::Ready(None) => {
                    // Servers forget the blank line after the last event.
                    self.ended = true;
                    self.torn = self.parser.is_inside_line();
                    self.parser.finish(&mut self.ready);
                }
            }
        }
    }
}

/// Counts a body's bytes and its silence.
struct Watch {
    limits: Limits,
    last_byte: Instant,
    /// Time since the last event. A gap counts as the idle limit at most: a longer one with bytes at its end is a
    /// suspended machine, not a silent server.
    waited: Duration,
    any_event: bool,
    is_trailing: bool,
    since_event: usize,
    timer: Pin<Box<Sleep>>,
}

impl Watch {
    fn new(started: Instant, limits: Limits) -> Self {
        Self {
            limits,
            last_byte: started,
            waited: Duration::ZERO,
            any_event: false,
            is_trailing: false,
            since_event: 0,
            timer: Box::pin(sleep_until(started + limits.patience)),
        }
    }

    /// Notes an event.
    fn event(&mut self) {
        self.any_event = true;
        self.since_event = 0;
        self.waited = Duration::ZERO;
    }

    /// Notes bytes that came.
    fn bytes(&mut self, count: usize) -> Result<(), SseError> {
        let now = Instant::now();
        self.waited += now.duration_since(self.last_byte).min(self.idle());
        self.last_byte = now;
        self.since_event = self.since_event.saturating_add(count);
        if self.since_event > MAX_EVENT.saturating_add(count) {
            return Err(SseError::TooLong);
        }
        if self.waited > self.limits.patience { Err(SseError::Silent(self.limits.patience)) } else { Ok(()) }
    }

    /// Is ready when nothing has come for too long.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<SseError> {
        let wait = self.idle().min(self.limits.patience.saturating_sub(self.waited));
        let deadline = self.last_byte + wait;
        if self.timer.deadline() != deadline {
            self.timer.as_mut().reset(deadline);
        }
        self.timer.as_mut().poll(cx).map(|()| SseError::Silent(wait))
    }

    /// Returns how long a silence may last from the last byte on.
    fn idle(&self) -> Duration {
        if self.is_trailing {
            self.limits.trailing
        } else if self.any_event {
            self.limits.idle_after
        } else {
            self.limits.idle_before
        }
    }
}
