//! How one server wants its requests, as it turned out: the session that it last gave out, and how it wants to be told
//! what is accepted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, HeaderValue};

/// The header that a session goes by.
pub(super) const SESSION: &str = "mcp-session-id";

/// What is accepted, as one server or another insists on; the first is the protocol's.
const ACCEPTED: [&str; 4] =
    ["application/json, text/event-stream", "text/event-stream, application/json", "application/json", "*/*"];

/// What is known of one server's manner.
#[derive(Clone, Default)]
pub(in crate::client) struct Manner(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// How many of [`ACCEPTED`] were refused.
    refused: usize,
    session: Session,
}

#[derive(Default)]
enum Session {
    #[default]
    None,
    /// It was given out, and no request with it was answered yet.
    Given(HeaderValue),
    /// Requests with it are answered.
    Known(HeaderValue),
    /// It was given out, and refused at its first request: the server wants none.
    Unwanted(HeaderValue),
}

impl Manner {
    /// Returns what to say that we accept.
    pub(super) fn accepted(&self) -> &'static str {
        let refused = self.lock().refused;
        ACCEPTED.get(refused).or(ACCEPTED.first()).copied().unwrap_or_default()
    }

    /// Notes that this was refused; returns whether there is another way to say it.
    pub(super) fn refused(&self) -> bool {
        let mut state = self.lock();
        state.refused += 1;
        state.refused < ACCEPTED.len()
    }

    /// Begins anew, without a session.
    pub(super) fn greet(&self) {
        self.lock().session = Session::None;
    }

    /// Returns the session to send.
    pub(super) fn session(&self) -> Option<HeaderValue> {
        match &self.lock().session {
            Session::Given(id) | Session::Known(id) => Some(id.clone()),
            Session::None | Session::Unwanted(_) => None,
        }
    }

    /// Takes the session that an answer gives out, whatever it answers.
    pub(super) fn given(&self, headers: &HeaderMap) {
        let Some(id) = headers.get(SESSION).filter(|id| !id.is_empty()) else { return };
        let session = &mut self.lock().session;
        match session {
            Session::None => *session = Session::Given(id.clone()),
            Session::Given(known) | Session::Known(known) => known.clone_from(id),
            Session::Unwanted(_) => {}
        }
    }

    /// Notes that a request with the session was answered.
    pub(super) fn answered(&self) {
        let session = &mut self.lock().session;
        if let Session::Given(id) = session {
            *session = Session::Known(id.clone());
        }
    }

    /// Does without a session that was refused and never known; returns whether that is to be tried.
    pub(super) fn forgo(&self) -> bool {
        let session = &mut self.lock().session;
        let Session::Given(id) = session else { return false };
        *session = Session::Unwanted(id.clone());
        true
    }

    /// Takes the session up again: without it the server does not answer either.
    pub(super) fn resume(&self) {
        let session = &mut self.lock().session;
        if let Session::Unwanted(id) = session {
            *session = Session::Known(id.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gives(id: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(http::HeaderName::from_static(SESSION), HeaderValue::from_static(id))])
    }

    #[test]
    fn the_last_session_is_sent_until_the_next_greeting() {
        let manner = Manner::default();
        manner.given(&gives(""));
        assert_eq!(manner.session(), None);
        manner.given(&gives("a"));
        manner.answered();
        manner.given(&gives("b"));
        assert_eq!(manner.session().unwrap(), "b");
        assert!(!manner.forgo(), "it was known");
        manner.greet();
        assert_eq!(manner.session(), None);
    }

    #[test]
    fn a_session_that_never_worked_is_done_without_once() {
        let manner = Manner::default();
        manner.given(&gives("a"));
        assert!(manner.forgo());
        manner.given(&gives("a"));
        assert_eq!(manner.session(), None);
        manner.resume();
        assert_eq!((manner.session().unwrap().as_bytes(), manner.forgo()), (&b"a"[..], false));
    }

    #[test]
    fn each_way_to_accept_is_tried_once() {
        let manner = Manner::default();
        let mut ways = vec![manner.accepted()];
        while manner.refused() {
            ways.push(manner.accepted());
        }
        assert_eq!(ways, ACCEPTED);
        assert_eq!(manner.accepted(), ACCEPTED[0]);
    }
}
