//! The requests that this worker is at, and whether one of its own was left lying.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Keys of the requests that are worked on here, with how many hold each.
type Keys = Arc<Mutex<HashMap<String, usize>>>;

/// The requests that are worked on here.
#[derive(Default)]
pub(crate) struct OpenRequests {
    keys: Keys,
    put_off: AtomicBool,
}

/// Keeps a request on the list until it is dropped.
pub(crate) struct Open {
    keys: Keys,
    key: String,
}

impl Open {
    /// Returns the request's key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holders) = keys.get_mut(&self.key) {
            *holders -= 1;
            if *holders == 0 {
                keys.remove(&self.key);
            }
        }
    }
}

impl OpenRequests {
    /// Puts a request on the list.
    pub(crate) fn begin(&self, key: &str) -> Open {
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner).entry(key.into()).or_default() += 1;
        Open { keys: Arc::clone(&self.keys), key: key.into() }
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).contains_key(key)
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
