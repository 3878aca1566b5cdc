//! Which servers are busy with requests of our own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts our running requests by endpoint; clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct Traffic {
    running: Arc<Mutex<HashMap<String, usize>>>,
}

/// One running request; it ends when this is dropped.
#[derive(Debug)]
pub struct Running {
    traffic: Traffic,
    endpoint: String,
}

impl Traffic {
    /// Notes that a request to an endpoint begins.
    pub fn begin(&self, endpoint: &str) -> Running {
        *self.counts().entry(endpoint.to_owned()).or_default() += 1;
        Running { traffic: self.clone(), endpoint: endpoint.to_owned() }
    }

    /// Returns whether a request of ours to an endpoint is running.
    pub fn is_busy(&self, endpoint: &str) -> bool {
        self.counts().contains_key(endpoint)
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut counts = self.traffic.counts();
        if let Some(count) = counts.get_mut(&self.endpoint) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.endpoint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_busy_until_the_last_request_ends() {
        let traffic = Traffic::default();
        let (one, two) = (traffic.begin("http://a"), traffic.begin("http://a"));
        drop(one);
        assert!(traffic.is_busy("http://a"));
        assert!(!traffic.is_busy("http://b"));
        drop(two);
        assert!(!traffic.is_busy("http://a"));
    }
}
