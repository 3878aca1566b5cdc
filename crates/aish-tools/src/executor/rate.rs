//! The cooldown of a tool, for each user, counted from the last success.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aish_types::{ToolDefinition, ToolName, ToolOutcome};

/// Entries above which those that are over are thrown away.
const SWEEP_ABOVE: usize = 4_096;

/// The end of each running cooldown, in the clock's monotonic time.
#[derive(Default)]
pub(crate) struct Rates {
    until: Mutex<HashMap<(ToolName, String), Duration>>,
}

/// How long a user has to wait.
pub(crate) struct Wait(Duration);

impl Wait {
    /// Says it to the model, with the milliseconds in the notes.
    pub(crate) fn outcome(&self) -> ToolOutcome {
        // Rounded up to a tenth: who waits as long as it says is through.
        let tenths = self.0.as_millis().div_ceil(100);
        let mut outcome = ToolOutcome::failure(format!("Tool on cooldown. Wait {}.{}s", tenths / 10, tenths % 10));
        let millis = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        outcome.notes.retry_after_ms = Some(millis);
        outcome
    }
}

impl Rates {
    /// Says whether a user may call a tool now.
    pub(crate) fn check(&self, definition: &ToolDefinition, user: &str, now: Duration) -> Result<(), Wait> {
        if cooldown(definition).is_zero() {
            return Ok(());
        }
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        match until.get(&(definition.name.clone(), user.to_owned())) {
            Some(&until) if until > now => Err(Wait(until - now)),
            _ => Ok(()),
        }
    }

    /// Notes a success.
    pub(crate) fn succeeded(&self, definition: &ToolDefinition, user: &str, now: Duration) {
        let cooldown = cooldown(definition);
        if cooldown.is_zero() {
            return;
        }
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if until.len() >= SWEEP_ABOVE {
            until.retain(|_, end| *end > now);
        }
        until.insert((definition.name.clone(), user.to_owned()), now.saturating_add(cooldown));
    }
}

/// Returns the definition's cooldown; what is no positive number is none.
fn cooldown(definition: &ToolDefinition) -> Duration {
    let seconds = definition.cooldown_seconds;
    if seconds > 0.0 { Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX) } else { Duration::ZERO }
}
