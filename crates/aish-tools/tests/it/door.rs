//! The gate as the tests use it: a person who says yes, an audit and pins in memory.

use std::sync::Arc;
use std::time::Duration;

use aish_safety::pin::{Pin, PinError, PinStore};
use aish_safety::{Answer, Approver, AuditEntry, AuditError, AuditLog, Gate, Policy, Question, Surroundings};
use aish_tools::{Call, Clock, Door, Executor, Passed, Ready};
use aish_types::{BoxFuture, CallContext, SourceId, ToolCall, ToolDefinition, ToolName, ToolOutcome};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(crate) struct Yes;

impl Approver for Yes {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(std::future::ready(Answer::Yes))
    }
}

pub(crate) struct Open;

impl AuditLog for Open {
    fn append(&self, _entry: &AuditEntry) -> Result<(), AuditError> {
        Ok(())
    }
}

impl PinStore for Open {
    fn get(&self, _source: &SourceId, _tool: &ToolName) -> Result<Option<Pin>, PinError> {
        Ok(None)
    }

    fn put(&self, _source: &SourceId, _tool: &ToolName, _pin: &Pin) -> Result<(), PinError> {
        Ok(())
    }
}

/// Puts an executor behind a gate that writes nothing.
pub(crate) fn door(executor: Executor) -> Door {
    Door::new(Arc::new(executor), Gate::new(Arc::new(Open), Arc::new(Open), Policy::default()))
}

/// Takes a call as far as the run.
pub(crate) async fn ready(door: &Door, name: &str, arguments: &str) -> Ready {
    match door.pass(call(name, arguments, "me").unwrap(), &Surroundings::default(), &Yes).await {
        Passed::Approved(ready) => ready,
        other => panic!("not approved: {other:?}"),
    }
}

pub(crate) fn context(user: &str) -> CallContext {
    CallContext { call: "c1".into(), session: "s1".into(), user: user.into(), channel: None, folder: None }
}

pub(crate) fn call(name: &str, arguments: &str, user: &str) -> Result<Call, Box<ToolOutcome>> {
    let call = ToolCall { id: "c1".into(), name: name.into(), arguments: arguments.into() };
    Call::read(&call, context(user))
}

/// Prepares, approves and runs.
pub(crate) async fn through(door: &Door, name: &str, arguments: &str, user: &str) -> ToolOutcome {
    match call(name, arguments, user) {
        Ok(call) => door.call(call, &Surroundings::default(), &Yes, CancellationToken::new()).await.outcome(),
        Err(outcome) => *outcome,
    }
}

pub(crate) fn definition(name: &str, schema: Value, owner: &str) -> ToolDefinition {
    let mut definition = ToolDefinition::new(name, "A tool of the tests", schema, owner.into());
    definition.trusted = true;
    definition
}

/// A clock that stands still until it is told otherwise; the wall shows 2025-01-15T14:30:00.5Z.
#[derive(Default)]
pub(crate) struct Still(std::sync::atomic::AtomicU64);

impl Still {
    pub(crate) fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Clock for Still {
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }

    fn since_epoch(&self) -> Duration {
        Duration::from_millis(1_736_951_400_500) + self.monotonic()
    }
}
