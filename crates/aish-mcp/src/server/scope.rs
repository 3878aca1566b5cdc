//! What a call is given beside its arguments: the way back to its client.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{InputRequest, ProgressNotificationParam, ProgressToken, ServerNotification};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::input::Inputs;

/// Who the client is and what it can be asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientFacts {
    /// The name that it gives itself.
    pub name: Option<String>,
    /// The version that it gives itself.
    pub version: Option<String>,
    /// The protocol version that is spoken.
    pub protocol: Option<String>,
    /// It can put a question to its person.
    pub elicitation: bool,
    /// It can let its model write.
    pub sampling: bool,
    /// It can say which folders it works in.
    pub roots: bool,
}

/// What came back from the person behind the client.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitAnswer {
    /// They filled the form in.
    Accepted(Value),
    /// They said no.
    Declined,
    /// They did not answer.
    Cancelled,
}

/// Why a client could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElicitError {
    /// It did not say that it can be.
    #[error("the client cannot be asked that")]
    Unsupported,
    /// The call was cancelled, or the client is gone.
    #[error("the call was cancelled")]
    Cancelled,
    /// It answered with an error, or with what cannot be understood.
    #[error("the client failed to answer: {0}")]
    Failed(String),
}

/// The level of a log message, as in RFC 5424 (those that are used).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For debugging.
    Debug,
    /// Normal.
    Info,
    /// Something to look at.
    Warning,
    /// Something failed.
    Error,
}

impl LogLevel {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The way back to the client of one call. Everything sent through it belongs to that call.
pub struct CallScope {
    /// Fires when the client cancels the call or is gone, and when the server shuts down.
    pub cancel: CancellationToken,
    /// Who calls.
    pub client: ClientFacts,
    wire: Option<Wire>,
}

/// The connection behind a scope.
pub(super) struct Wire {
    pub(super) peer: Peer<RoleServer>,
    pub(super) token: Option<ProgressToken>,
    /// Set in the era without requests to the client.
    pub(super) inputs: Option<Arc<Inputs>>,
    /// The lowest level that the client wants, as an index into the levels of RFC 5424; past them for none.
    pub(super) level: Arc<AtomicU8>,
    pub(super) logging: bool,
    pub(super) progressed: AtomicBool,
    pub(super) highest: Mutex<f64>,
    pub(super) counters: [AtomicUsize; 3],
}

impl fmt::Debug for CallScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallScope").field("client", &self.client).finish_non_exhaustive()
    }
}

impl CallScope {
    /// Makes a scope with no client behind it: progress goes nowhere and nobody can be asked.
    pub fn detached(cancel: CancellationToken) -> Self {
        Self { cancel, client: ClientFacts::default(), wire: None }
    }

    /// Makes a scope for what goes on after the call was answered: its questions still reach the client. None where there is no
    /// client, and in the era in which a client is asked by the answer itself.
    pub fn outliving(&self) -> Option<Self> {
        let wire = self.wire.as_ref().filter(|wire| wire.inputs.is_none())?;
        let wire = Wire {
            peer: wire.peer.clone(),
            token: None,
            inputs: None,
            level: Arc::clone(&wire.level),
            logging: wire.logging,
            progressed: AtomicBool::new(false),
            highest: Mutex::new(f64::NEG_INFINITY),
            counters: Default::default(),
        };
        Some(Self { cancel: CancellationToken::new(), client: self.client.clone(), wire: Some(wire) })
    }

    pub(super) fn connected(cancel: CancellationToken, client: ClientFacts, wire: Wire) -> Self {
        Self { cancel, client, wire: Some(wire) }
    }

    pub(super) fn inputs(&self) -> Option<&Inputs> {
        self.wire.as_ref()?.inputs.as_deref()
    }

    /// Returns what tells this call from others like it, the same in all of its input rounds; none in the eras without.
    pub fn ticket(&self) -> Option<&str> {
        Some(&self.inputs()?.ticket)
    }

    /// Returns whether the client has answered a question in an earlier round whose key begins like this.
    pub fn has_answered(&self, prefix: &str) -> bool {
        self.inputs().is_some_and(|inputs| inputs.has_answered(prefix))
    }

    /// Tells the client how far the call is, where it wants to know. A value that does not grow is not sent.
    pub async fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(wire) = &self.wire {
            wire.progressed.store(true, Ordering::Relaxed);
        }
        self.send_progress(done, total, message).await;
    }

    /// Tells the client that the call still runs, unless its handler reports progress itself.
    pub(super) async fn heartbeat(&self, seconds: f64) {
        if self.wire.as_ref().is_some_and(|wire| !wire.progressed.load(Ordering::Relaxed)) {
            self.send_progress(seconds, None, Some(&format!("running for {seconds:.0} s"))).await;
        }
    }

    async fn send_progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let Some(wire) = &self.wire else { return };
        let Some(token) = &wire.token else { return };
        {
            let mut highest = wire.highest.lock().unwrap_or_else(PoisonError::into_inner);
            if done.is_nan() || done <= *highest {
                return;
            }
            *highest = done;
        }
        let mut param = ProgressNotificationParam::new(token.clone(), done);
        param.total = total;
        param.message = message.map(Into::into);
        if let Err(error) = wire.peer.notify_progress(param).await {
            tracing::debug!(%error, "progress was not sent");
        }
    }

    /// Sends a log message to the client, where it wants that level; from 2026-07-28 on it must say so with the call.
    pub async fn log(&self, level: LogLevel, data: Value) {
        let Some(wire) = &self.wire else { return };
        let rank = match level {
            LogLevel::Debug => 0,
            LogLevel::Info => 1,
            LogLevel::Warning => 3,
            LogLevel::Error => 4,
        };
        if !wire.logging || rank < wire.level.load(Ordering::Relaxed) {
            return;
        }
        let message = json!({"method": "notifications/message", "params": {"level": level.as_str(), "data": data}});
        let Ok(notification) = serde_json::from_value::<ServerNotification>(message) else { return };
        if let Err(error) = wire.peer.send_notification(notification).await {
            tracing::debug!(%error, "a log message was not sent");
        }
    }

    /// Puts a question to the person behind the client: a sentence and a flat object schema of what is asked for.
    ///
    /// In the 2026-07-28 era the handler is dropped here and runs again from its start with the answer, so it must
    /// have done nothing yet.
    ///
    /// # Errors
    /// When the client cannot be asked, is gone, or answers nonsense. None of these is a yes.
    pub async fn elicit(&self, message: &str, schema: Value) -> Result<ElicitAnswer, ElicitError> {
        self.elicit_as(None, message, schema).await
    }

    /// As [`Self::elicit`], under a key of one's own in the input round.
    ///
    /// # Errors
    /// As for [`Self::elicit`].
    pub async fn elicit_as(
        &self,
        key: Option<&str>,
        message: &str,
        schema: Value,
    ) -> Result<ElicitAnswer, ElicitError> {
        if !self.client.elicitation {
            return Err(ElicitError::Unsupported);
        }
        let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
        let usable = |answer: &Value| {
            matches!(answer.get("action").and_then(Value::as_str), Some("accept" | "decline" | "cancel"))
        };
        let answer = self.ask(0, key, "elicitation/create", Some(params), usable).await?;
        match answer.get("action").and_then(Value::as_str) {
            Some("accept") => Ok(ElicitAnswer::Accepted(answer.get("content").cloned().unwrap_or_default())),
            Some("decline") => Ok(ElicitAnswer::Declined),
            Some("cancel") => Ok(ElicitAnswer::Cancelled),
            _ => Err(ElicitError::Failed("the answer has no action".into())),
        }
    }

    /// Lets the client's model write: `params` as in `sampling/createMessage`, the result as it came.
    ///
    /// # Errors
    /// As for [`Self::elicit`].
    pub async fn sample(&self, key: Option<&str>, params: Value) -> Result<Value, ElicitError> {
        if !self.client.sampling {
            return Err(ElicitError::Unsupported);
        }
        self.ask(1, key, "sampling/createMessage", Some(params), |answer| answer.get("content").is_some()).await
    }

    /// Asks which folders the client works in: a list of objects with `uri` and perhaps `name`.
    ///
    /// # Errors
    /// As for [`Self::elicit`].
    pub async fn roots(&self, key: Option<&str>) -> Result<Vec<Value>, ElicitError> {
        if !self.client.roots {
            return Err(ElicitError::Unsupported);
        }
        let answer = self.ask(2, key, "roots/list", None, |answer| answer.get("roots").is_some()).await?;
        Ok(answer.get("roots").and_then(Value::as_array).cloned().unwrap_or_default())
    }

    async fn ask(
        &self,
        kind: usize,
        key: Option<&str>,
        method: &str,
        params: Option<Value>,
        usable: fn(&Value) -> bool,
    ) -> Result<Value, ElicitError> {
        let wire = self.wire.as_ref().ok_or(ElicitError::Unsupported)?;
        let request = match params {
            Some(params) => json!({"method": method, "params": params}),
            None => json!({"method": method}),
        };
        let failed = |error: &dyn fmt::Display| ElicitError::Failed(error.to_string());
        if let Some(inputs) = &wire.inputs {
            let request: InputRequest = serde_json::from_value(request).map_err(|error| failed(&error))?;
            let number = wire.counters.get(kind).map_or(0, |counter| counter.fetch_add(1, Ordering::Relaxed)) + 1;
            let key = match (key, kind) {
                (Some(key), _) => key.to_owned(),
                (None, 0) => format!("elicit-{number}"),
                (None, 1) => format!("sample-{number}"),
                (None, _) => format!("roots-{number}"),
            };
            return Ok(inputs.answer(key, request, usable).await);
        }
        let request = serde_json::from_value(request).map_err(|error| failed(&error))?;
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(ElicitError::Cancelled),
            answer = wire.peer.send_request(request) => answer.map_err(|error| failed(&error))?,
        };
        serde_json::to_value(answer).map_err(|error| failed(&error))
    }
}
