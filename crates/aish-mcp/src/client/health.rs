//! How a connection fares: the last exchange that failed, whether an answer never came, and its end, which is told once.

use std::fmt;
use std::sync::Arc;

use aish_process::Exit;
use tokio::sync::watch;

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// The server's process ended, or closed its output and was ended.
    Exited {
        /// How it ended.
        exit: Exit,
        /// The line of its error stream that most likely says why.
        cause: Option<String>,
    },
    /// The program took the probe of the newest protocol, stayed silent and did nothing.
    Mute,
    /// The stream of events ended; in words.
    Stream(String),
    /// Nothing more is known.
    Closed,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { exit, cause } => {
                match exit {
                    Exit::Code(code) => write!(f, "the server exited with code {code}"),
                    Exit::Signal(signal) => write!(f, "the server ended by signal {signal}"),
                    Exit::TimedOut | Exit::Cancelled => f.write_str("the server was ended"),
                }?;
                cause.as_ref().map_or(Ok(()), |cause| write!(f, ": {cause}"))
            }
            Self::Mute => f.write_str("the server does not answer"),
            Self::Stream(words) => f.write_str(words),
            Self::Closed => f.write_str("the connection ended"),
        }
    }
}

/// Why a server is out of reach, or failed a request; in words for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerFault {
    /// It did not answer: it may need more time.
    #[error("{0}")]
    Unanswered(String),
    /// It failed otherwise.
    #[error("{0}")]
    Failed(String),
}

/// What is known of one connection. Transports tell it; calls and the task that owns the connection wait on it.
#[derive(Debug, Clone, Default)]
pub(super) struct Health(Arc<watch::Sender<Report>>);

#[derive(Debug, Default)]
struct Report {
    failure: Option<String>,
    left_unanswered: bool,
    ended: Option<Ended>,
}

impl Health {
    /// Notes why an exchange failed; the connection may go on.
    pub(super) fn note_failure(&self, words: String) {
        self.0.send_modify(|known| known.failure = Some(words));
    }

    /// Notes that a request was given up whose answer did not come.
    pub(super) fn note_unanswered(&self) {
        self.0.send_modify(|known| known.left_unanswered = true);
    }

    /// Returns whether a request was given up whose answer did not come.
    pub(super) fn left_unanswered(&self) -> bool {
        self.0.borrow().left_unanswered
    }

    /// Makes a fault of why a request failed.
    pub(super) fn fault(&self, words: String) -> ServerFault {
        if self.left_unanswered() { ServerFault::Unanswered(words) } else { ServerFault::Failed(words) }
    }

    /// Forgets the failures of the greeting.
    pub(super) fn clear_failure(&self) {
        self.0.send_modify(|known| (known.failure, known.left_unanswered) = (None, false));
    }

    /// Tells the end. The first to tell it knows best.
    pub(super) fn end(&self, ended: Ended) {
        self.0.send_if_modified(|known| {
            let is_first = known.ended.is_none();
            known.ended.get_or_insert(ended);
            is_first
        });
    }

    /// Returns the end, if it has come.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.0.borrow().ended.clone()
    }

    /// Waits for the end.
    pub(super) async fn until_ended(&self) -> Ended {
        let mut known = self.0.subscribe();
        let ended = known.wait_for(|known| known.ended.is_some()).await;
        // The sender lives as long as `self`.
        ended.ok().and_then(|known| known.ended.clone()).unwrap_or(Ended::Closed)
    }

    /// Says why the connection ended, or else why the last exchange failed.
    pub(super) fn words(&self) -> Option<String> {
        let known = self.0.borrow();
        match &known.ended {
            Some(Ended::Closed) | None => known.failure.clone(),
            Some(ended) => Some(ended.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_end_is_the_one_that_is_told() {
        let health = Health::default();
        let waiting = tokio::spawn({
            let health = health.clone();
            async move { health.until_ended().await }
        });
        health.note_failure("HTTP 500".into());
        assert_eq!((health.ended(), health.words().as_deref()), (None, Some("HTTP 500")));
        let exited = Ended::Exited { exit: Exit::Code(3), cause: Some("no port".into()) };
        health.end(exited.clone());
        health.end(Ended::Closed);
        assert_eq!(waiting.await.unwrap(), exited);
        assert_eq!(health.words().as_deref(), Some("the server exited with code 3: no port"));
    }

    #[test]
    fn an_end_of_which_nothing_is_known_is_told_by_the_last_failure() {
        let health = Health::default();
        health.note_failure("HTTP 401".into());
        health.end(Ended::Closed);
        assert_eq!(health.words().as_deref(), Some("HTTP 401"));
        health.clear_failure();
        assert_eq!(health.words(), None);
    }
}
