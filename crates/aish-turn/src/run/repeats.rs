//! The loop breaker: the same call with the same arguments, again and again.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

use aish_safety::pin::canonical;
use aish_safety::{Judgement, Verdict};
use aish_types::{ToolCall, ToolName};

/// How often the same call may be wanted: the third time halts.
const MOST: u32 = 3;

type Key = (ToolName, String);

/// How often each call was wanted since something changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Repeats {
    counts: BTreeMap<Key, u32>,
    /// Calls that changed something once; only the first time makes others worth repeating.
    changes: BTreeMap<Key, ()>,
}

impl Repeats {
    /// Counts a call; with a judgement when it is wanted for the third time, after which the count begins anew.
    pub(super) fn count(&mut self, call: &ToolCall) -> Option<Judgement> {
        let count = self.counts.entry(key(call)).or_default();
        *count += 1;
        if *count < MOST {
            return None;
        }
        *count = 0;
        let reason =
            format!("{} is wanted with the same arguments for the third time, and nothing else changed", call.name);
        Some(Judgement::new(Verdict::Halt, "norris.loop", reason))
    }

    /// Takes note of a call that changes something. Its own count stays, and two calls that change things in turns are
    /// new only once each, so that they do not go on for ever.
    pub(super) fn changed(&mut self, call: &ToolCall) {
        let key = key(call);
        if self.changes.insert(key.clone(), ()).is_none() {
            self.counts.retain(|counted, _| *counted == key);
        }
    }
}

/// The call without what does not matter: its id, and the order and spacing of its arguments.
fn key(call: &ToolCall) -> Key {
    let arguments = match serde_json::from_str(&call.arguments) {
        Ok(value) => canonical(&value),
        Err(_) => call.arguments.trim().to_string(),
    };
    (call.name.clone(), arguments)
}
