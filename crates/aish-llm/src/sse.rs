//! Server-sent events from a body, watched: silence, endless comments and endless events end it.

mod lines;
mod utf8;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use sse_stream::{Sse, SseStream};
use tokio::time::{Instant, Sleep, sleep_until};

use lines::DataLines;
use utf8::Mended;

/// The longest event, in bytes.
const MAX_EVENT: usize = 16 * 1024 * 1024;

/// How long to wait.
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
    #[error("{0}")]
    Broken(String),
    /// What came are no events.
    #[error("no event stream: {0}")]
    Malformed(String),
}

/// A reply's body; an error is the transport's words.
pub(crate) type Body = Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>;

/// The events of one reply.
pub(crate) struct Events {
    inner: SseStream<sse_stream::ByteStreamBody<Watched, Bytes>>,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    event: AtomicBool,
    trailing: AtomicBool,
    ended: AtomicBool,
    /// The body ended inside a line.
    torn: AtomicBool,
}

impl Events {
    /// Watches a body whose request began at `started`.
    pub(crate) fn new(body: Body, started: Instant, limits: Limits) -> Self {
        let progress = Arc::new(Progress::default());
        let watched = Watched {
            body,
            limits,
            last_byte: started,
            waited: Duration::ZERO,
            any_event: false,
            since_event: 0,
            timer: Box::pin(sleep_until(started + limits.patience)),
            progress: Arc::clone(&progress),
            lines: DataLines::default(),
            mended: Mended::default(),
            ended: false,
        };
        Self { inner: SseStream::from_bytes_stream(watched), progress }
    }

    /// Shortens the wait: the completion has ended, only usage and the like may follow.
    pub(crate) fn expect_end(&self) {
        self.progress.trailing.store(true, Ordering::Relaxed);
    }

    /// Says whether the body ended inside a line.
    pub(crate) fn is_torn(&self) -> bool {
        self.progress.torn.load(Ordering::Relaxed)
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

    /// Returns the next event that has data.
    pub(crate) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Sse, SseError>>> {
        loop {
            let next = match Pin::new(&mut self.inner).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(next) => next,
            };
            return Poll::Ready(match next {
                Some(Ok(event)) => {
                    if event.data.is_none() {
                        continue;
                    }
                    self.progress.event.store(true, Ordering::Relaxed);
                    Some(Ok(event))
                }
                Some(Err(sse_stream::Error::Body(error))) => Some(Err(match error.downcast::<SseError>() {
                    Ok(known) => *known,
                    Err(other) => SseError::Broken(other.to_string()),
                })),
                // Half a line at the end is a cut, not a fault of the format.
                Some(Err(_)) if self.progress.ended.load(Ordering::Relaxed) => None,
                Some(Err(error)) => Some(Err(SseError::Malformed(error.to_string()))),
                None => None,
            });
        }
    }
}

/// A body that counts its bytes and its silence.
struct Watched {
    body: Body,
    limits: Limits,
    last_byte: Instant,
    /// Time since the last event. A gap counts as the idle limit at most: a longer one with bytes at its end is a
    /// suspended machine, not a silent server.
    waited: Duration,
    any_event: bool,
    since_event: usize,
    timer: Pin<Box<Sleep>>,
    progress: Arc<Progress>,
    lines: DataLines,
    mended: Mended,
    ended: bool,
}

impl Watched {
    /// Returns how long a silence may last from the last byte on.
    fn idle(&self) -> Duration {
        if self.progress.trailing.load(Ordering::Relaxed) {
            self.limits.trailing
        } else if self.any_event {
            self.limits.idle_after
        } else {
            self.limits.idle_before
        }
    }
}

impl Stream for Watched {
    type Item = Result<Bytes, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.ended {
            return Poll::Ready(None);
        }
        if this.progress.event.swap(false, Ordering::Relaxed) {
            this.any_event = true;
            this.since_event = 0;
            this.waited = Duration::ZERO;
        }
        match this.body.as_mut().poll_next(cx) {
            Poll::Ready(Some(Ok(bytes))) => {
                let now = Instant::now();
                this.waited += now.duration_since(this.last_byte).min(this.idle());
                this.last_byte = now;
                this.since_event = this.since_event.saturating_add(bytes.len());
                if this.since_event > MAX_EVENT.saturating_add(bytes.len()) {
                    return Poll::Ready(Some(Err(SseError::TooLong)));
                }
                if this.waited > this.limits.patience {
                    return Poll::Ready(Some(Err(SseError::Silent(this.limits.patience))));
                }
                Poll::Ready(Some(Ok(this.lines.filter(this.mended.mend(bytes)))))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(SseError::Broken(error)))),
            Poll::Ready(None) => {
                // Servers forget the blank line after the last event.
                this.ended = true;
                this.progress.torn.store(!this.lines.is_at_line(), Ordering::Relaxed);
                this.progress.ended.store(true, Ordering::Relaxed);
                Poll::Ready(Some(Ok(Bytes::from_static(b"\n\n"))))
            }
            Poll::Pending => {
                let wait = this.idle().min(this.limits.patience.saturating_sub(this.waited));
                let deadline = this.last_byte + wait;
                if this.timer.deadline() != deadline {
                    this.timer.as_mut().reset(deadline);
                }
                this.timer.as_mut().poll(cx).map(|()| Some(Err(SseError::Silent(wait))))
            }
        }
    }
}
