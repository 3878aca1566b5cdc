//! The port that every kind of tool implements: built-in, YAML, MCP server, plugin.

use std::sync::Arc;

use aish_safety::{ApprovedCall, Subject};
use aish_types::{BoxFuture, SourceId, ToolDefinition, ToolOutcome};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// What a source is given beside the call.
#[derive(Debug, Clone)]
pub struct RunContext {
    /// Ends the call early; the source kills what it started and returns what it has.
    pub cancel: CancellationToken,
    /// Milliseconds that the call may take; the executor ends it after that all the same, so a source that can
    /// keep partial output watches this itself and returns a little earlier.
    pub timeout_ms: u64,
}

/// How the registry learns that a source's definitions are not what they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// They are the same for as long as the source is registered.
    Never,
    /// They are the same for as long as this number is.
    Revision(u64),
    /// The source cannot tell: the registry compares them at every look-up.
    Unknown,
}

/// A source of tools with one owner, that lists what it has now and runs what the gate approved.
pub trait ToolSource: Send + Sync {
    /// Returns the source's configured identity.
    fn id(&self) -> &SourceId;

    /// Returns the definitions that can be called now, in a stable order, under their full names.
    fn definitions(&self) -> Vec<Arc<ToolDefinition>>;

    /// Says whether the definitions have changed since they were last listed; must be cheap.
    fn changes(&self) -> Changes {
        Changes::Unknown
    }

    /// Says what the gate judges for a call with these (validated) arguments.
    fn subject(&self, definition: &ToolDefinition, arguments: &Value) -> Subject {
        let _ = (definition, arguments);
        Subject::Tool
    }

    /// Says what the source itself finds wrong with (validated) arguments, each fault a sentence; such a call is refused
    /// before anybody is asked.
    fn faults(&self, definition: &ToolDefinition, arguments: &Value) -> Vec<String> {
        let _ = (definition, arguments);
        Vec::new()
    }

    /// Returns the sentence that is asked at the gate, filled in, where the tool has one.
    fn confirm_message<'a>(
        &'a self,
        definition: &'a ToolDefinition,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Option<String>> {
        let _ = (definition, arguments);
        Box::pin(std::future::ready(None))
    }

    /// Runs an approved call. A failure is an outcome, not an error.
    fn call<'a>(&'a self, call: &'a ApprovedCall, context: RunContext) -> BoxFuture<'a, ToolOutcome>;
}
