//! A gate where the person always says yes, and nothing is kept.

use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::GatedCall;
use aish_safety::{
    Answer, Approver, AuditEntry, AuditError, AuditLog, Gate, Pin, PinError, PinStore, Policy, Question, Surroundings,
};
use aish_types::{BoxFuture, CallContext, SourceId, ToolName};
use serde_json::{Map, Value};

/// Says yes to everything, and keeps nothing.
pub(crate) struct Agreeable;

impl Approver for Agreeable {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(std::future::ready(Answer::Yes))
    }
}

impl AuditLog for Agreeable {
    fn append(&self, _entry: &AuditEntry) -> Result<(), AuditError> {
        Ok(())
    }
}

impl PinStore for Agreeable {
    fn get(&self, _source: &SourceId, _tool: &ToolName) -> Result<Option<Pin>, PinError> {
        Ok(None)
    }

    fn put(&self, _source: &SourceId, _tool: &ToolName, _pin: &Pin) -> Result<(), PinError> {
        Ok(())
    }
}

/// A call through that gate.
pub(crate) fn gated(tool: &str, arguments: Map<String, Value>, within: Duration) -> GatedCall {
    let yes = Arc::new(Agreeable);
    GatedCall {
        gate: Gate::new(yes.clone(), yes.clone(), Policy::default()),
        approver: yes,
        surroundings: Surroundings::default(),
        context: CallContext { call: "c".into(), session: "s".into(), user: "u".into(), channel: None, folder: None },
        tool: tool.to_owned(),
        arguments,
        within,
    }
}
