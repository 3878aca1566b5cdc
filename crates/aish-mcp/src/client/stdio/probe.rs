//! The probe of the newest protocol: older servers do not know it, and some say nothing at all.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::time::Instant;

use super::Bounds;

/// How often a server that has written nothing yet gets the time of the probe again.
const MAX_EXTENSIONS: u32 = 3;

/// The id of the probe's request, and until when its answer is waited for.
type Pending = Arc<Mutex<Option<(i64, Instant)>>>;

/// The probe of one server.
pub(super) struct Probe {
    pending: Pending,
    pub(super) bounds: Bounds,
    extensions: u32,
    /// Whether its time passed and the server had sent nothing.
    pub(super) is_unanswered: bool,
    /// When a server is given up that was silent at the probe and may be stuck.
    pub(super) mute_at: Option<Instant>,
}

/// Notes a probe when its message is sent.
pub(super) struct Starter {
    pending: Pending,
    deadline: Instant,
}

/// What a server has sent until now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Nothing,
    Messages,
}

/// What becomes of a probe whose time is over.
pub(super) enum Overdue {
    /// It is waited for longer.
    Prolonged,
    /// The server has sent nothing.
    Unanswered,
    /// The server has sent something else.
    Passed,
}

impl Starter {
    /// Begins the wait when a message is the probe.
    pub(super) fn sent(&self, message: &Value) {
        if message.get("method").and_then(Value::as_str) == Some("server/discover")
            && let Some(id) = message.get("id").and_then(Value::as_i64)
        {
            *self.pending.lock().unwrap_or_else(PoisonError::into_inner) = Some((id, self.deadline));
        }
    }
}

impl Probe {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { pending: Pending::default(), bounds, extensions: 0, is_unanswered: false, mute_at: None }
    }

    /// Returns what begins the wait for a message that is sent now.
    pub(super) fn starter(&self) -> Starter {
        Starter { pending: Arc::clone(&self.pending), deadline: Instant::now() + self.bounds.probe_timeout }
    }

    /// Returns the probe that is waited for, and until when.
    pub(super) fn pending(&self) -> Option<(i64, Instant)> {
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the wait when a message is the answer.
    pub(super) fn settle(&self, message: &Value) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.is_some_and(|(id, _)| message.get("id").and_then(Value::as_i64) == Some(id)) {
            *pending = None;
        }
    }

    pub(super) fn forget_mute(&mut self) {
        self.mute_at = None;
    }

    /// Decides what becomes of the probe when its time is over. An interpreter that is still starting takes its time.
    pub(super) fn overdue(&mut self, id: i64, sent: Sent, is_starting: impl FnOnce() -> bool) -> Overdue {
        let may_wait = self.extensions < MAX_EXTENSIONS && is_starting();
        let until = may_wait.then(|| (id, Instant::now() + self.bounds.probe_timeout));
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) = until;
        if may_wait {
            self.extensions += 1;
            return Overdue::Prolonged;
        }
        self.is_unanswered = sent == Sent::Nothing;
        self.mute_at = self.is_unanswered.then(|| Instant::now() + self.bounds.connect_timeout / 2);
        match sent {
            Sent::Messages => Overdue::Passed,
            Sent::Nothing => Overdue::Unanswered,
        }
    }
}
