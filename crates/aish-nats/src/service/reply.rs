//! Replies: `{"success": true, …}` or `{"success": false, "error": "…", "code": "…"}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::state::StateError;

/// Why a request was not answered as it wished. The text is the reply's `error`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum Failure {
    /// The request is not answered now: another worker has it, or this one goes on with it later.
    #[error("{0}")]
    Lost(String),
    /// The payload is not one of this operation.
    #[error("{0}")]
    BadRequest(String),
    /// The payload, or what belongs to it, is larger than can be taken, stored or sent.
    #[error("{0}")]
    TooLarge(String),
    /// There is no such operation.
    #[error("there is no operation '{0}'")]
    UnknownOperation(String),
    /// There is no such model.
    #[error("there is no model '{0}'")]
    UnknownProvider(String),
    /// There is no such persona.
    #[error("there is no persona '{name}' ({others})")]
    UnknownPersona {
        /// What was asked for.
        name: String,
        /// What there is instead.
        others: String,
    },
    /// The user asks too often.
    #[error("too many requests; wait before the next one")]
    RateLimited {
        /// Seconds to wait.
        retry_after: f64,
    },
    /// The model gave no answer.
    #[error("{0}")]
    Model(String),
    /// The state was not read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// What is asked for cannot be had now.
    #[error("{0}")]
    Unavailable(&'static str),
    /// A value cannot be written as JSON.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    pub(crate) fn bad_request(error: impl Into<String>) -> Self {
        Self::BadRequest(error.into())
    }

    /// Returns the reply's `code`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Lost(_) => "lost",
            Self::BadRequest(_) => "bad_request",
            Self::TooLarge(_) => "too_large",
            Self::UnknownOperation(_) => "unknown_operation",
            Self::UnknownProvider(_) => "unknown_provider",
            Self::UnknownPersona { .. } => "unknown_persona",
            Self::RateLimited { .. } => "rate_limited",
            Self::Model(_) => "model_failed",
            Self::State(_) | Self::Unavailable(_) => "unavailable",
            Self::Internal(_) => "internal",
        }
    }

    /// Returns whether the store has no room: nothing that is tried soon will go better.
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, Self::State(StateError::Full(_)))
    }

    pub(crate) fn reply(&self) -> Reply {
        let mut fields = Map::new();
        fields.insert("error".into(), self.to_string().into());
        fields.insert("code".into(), self.code().into());
        if let Self::RateLimited { retry_after } = self {
            fields.insert("retry_after".into(), json!(retry_after));
        }
        Reply { success: false, fields }
    }
}

/// A reply as it is stored and sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) success: bool,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

impl Reply {
    /// Puts the request's id in.
    pub(crate) fn named(mut self, request_id: Option<&str>) -> Self {
        if let Some(id) = request_id {
            self.fields.insert("request_id".into(), id.into());
        }
        self
    }

    /// Returns a field.
    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }
}

impl From<Reply> for Value {
    fn from(reply: Reply) -> Self {
        let mut map = Map::new();
        map.insert("success".into(), reply.success.into());
        map.extend(reply.fields);
        Self::Object(map)
    }
}

/// Makes a reply of success.
pub(crate) fn success(fields: Value) -> Reply {
    let fields = match fields {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    Reply { success: true, fields }
}
