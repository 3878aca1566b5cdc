//! What a server sent with a call and wants to see again with it: Gemini refuses a conversation without its signatures.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aish_types::CallId;
use serde_json::Value;

/// How many calls are remembered; when there are more, all are forgotten.
const MAX_CALLS: usize = 4096;

/// The extra content of the calls of this session, by their ids.
#[derive(Debug, Default)]
pub(crate) struct CallExtras(Mutex<HashMap<CallId, Value>>);

impl CallExtras {
    pub(super) fn keep(&self, extras: Vec<(CallId, Value)>) {
        if extras.is_empty() {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() > MAX_CALLS {
            kept.clear();
        }
        kept.extend(extras);
    }

    pub(super) fn of(&self, call: &CallId) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(call).cloned()
    }
}
