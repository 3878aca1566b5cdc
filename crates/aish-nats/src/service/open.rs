//! The requests that this worker is at, and whether one of its own was left lying.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Keys of the requests that are worked on here.
#[derive(Default)]
pub(crate) struct OpenRequests {
    keys: Mutex<HashSet<String>>,
    put_off: AtomicBool,
}

/// Takes a request off the list when dropped.
pub(crate) struct Open<'a> {
    requests: &'a OpenRequests,
    key: String,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.requests.keys.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

impl OpenRequests {
    pub(crate) fn begin(&self, key: &str) -> Open<'_> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).insert(key.into());
        Open { requests: self, key: key.into() }
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).contains(key)
    }

    /// Notes that a request of ours was left lying.
    pub(crate) fn put_off(&self) {
        self.put_off.store(true, Ordering::Relaxed);
    }

    /// Returns whether one was left lying since the last question.
    pub(crate) fn take_put_off(&self) -> bool {
        self.put_off.swap(false, Ordering::Relaxed)
    }
}
