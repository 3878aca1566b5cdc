//! Replies: `{"success": true, …}` or `{"success": false, "error": "…", "code": "…"}`.

use serde_json::{Map, Value, json};

/// The code of what is larger than can be taken, stored or sent.
pub(crate) const TOO_LARGE: &str = "too_large";

/// Why a request was not answered as it wished.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) code: &'static str,
    pub(crate) error: String,
    /// Seconds to wait.
    pub(crate) retry_after: Option<f64>,
    /// True where the store has no room: nothing that is tried soon will go better.
    pub(crate) is_full: bool,
}

impl Failure {
    pub(crate) fn new(code: &'static str, error: impl Into<String>) -> Self {
        Self { code, error: error.into(), retry_after: None, is_full: false }
    }

    pub(crate) fn bad_request(error: impl Into<String>) -> Self {
        Self::new("bad_request", error)
    }

    pub(crate) fn too_large(error: impl Into<String>) -> Self {
        Self::new(TOO_LARGE, error)
    }

    pub(crate) fn reply(&self) -> Value {
        let mut reply = json!({"success": false, "error": self.error, "code": self.code});
        if let (Some(seconds), Some(map)) = (self.retry_after, reply.as_object_mut()) {
            map.insert("retry_after".into(), seconds.into());
        }
        reply
    }
}

impl From<crate::state::StateError> for Failure {
    fn from(error: crate::state::StateError) -> Self {
        let is_full = matches!(error, crate::state::StateError::Full(_));
        Self { is_full, ..Self::new("unavailable", error.to_string()) }
    }
}

/// Makes a reply of success.
pub(crate) fn success(fields: Value) -> Value {
    let mut reply = Map::new();
    reply.insert("success".into(), true.into());
    if let Value::Object(fields) = fields {
        reply.extend(fields);
    }
    Value::Object(reply)
}
