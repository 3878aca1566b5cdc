//! The port that answers, errors and tool calls are published on.

use serde_json::Value;

/// Who hears of what the service does.
pub trait Events: Send + Sync {
    /// Tells of one thing (`response`, `error`, `tool`); must not wait.
    fn publish(&self, kind: &str, payload: Value);
}

/// Nobody hears.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Events for Silent {
    fn publish(&self, _kind: &str, _payload: Value) {}
}
