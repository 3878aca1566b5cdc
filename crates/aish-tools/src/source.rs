//! The port that every kind of tool implements: built-in, YAML, MCP server, plugin.

use std::sync::Arc;

use aish_types::{CallContext, Risk, SourceId, ToolDefinition};
use serde_json::Value;

use crate::plan::Plan;
use crate::schema::{Faults, unknown_argument};

/// Unknown arguments that are told of one call.
const MAX_TOLD: usize = 20;

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

/// A call that a source plans: who calls from where, and what.
pub struct CheckedCall {
    /// The tool as the source listed it.
    pub definition: Arc<ToolDefinition>,
    /// The arguments, checked against the definition's schema.
    pub arguments: Value,
    /// Keys that the schema does not know, taken out of the arguments; a source may refuse them.
    pub ignored: Vec<String>,
    /// Who calls, from where.
    pub context: CallContext,
}

impl CheckedCall {
    /// Refuses a call with arguments that the tool does not have, but for a tool that only reads: what somebody misnames may be
    /// what keeps a call from doing more than they want.
    ///
    /// # Errors
    /// Every such name, with the one that may be meant.
    pub fn refuse_unknown(&self) -> Result<(), Faults> {
        if self.ignored.is_empty() || (self.definition.trusted && self.definition.risk == Risk::Read) {
            return Ok(());
        }
        let schema = self.definition.input_schema.value();
        let known = schema.get("properties").and_then(Value::as_object);
        let known = || known.into_iter().flatten().map(|(name, _)| name.as_str());
        let told = self.ignored.iter().take(MAX_TOLD).map(|name| unknown_argument(name, known()));
        let more = self.ignored.len().saturating_sub(MAX_TOLD);
        let more = (more > 0).then(|| format!("Unknown arguments: {more} more"));
        Err(Faults(told.chain(more).collect()))
    }
}

/// A source of tools with one owner, that lists what it has now and plans calls of it.
pub trait ToolSource: Send + Sync {
    /// Returns the source's configured identity.
    fn id(&self) -> &SourceId;

    /// Returns the definitions that can be called now, in a stable order, under their full names.
    fn definitions(&self) -> Vec<Arc<ToolDefinition>>;

    /// Says whether the definitions have changed since they were last listed; must be cheap.
    fn changes(&self) -> Changes {
        Changes::Unknown
    }

    /// Plans a call. Nothing happens yet: no file is written, no process and no connection is started.
    ///
    /// # Errors
    /// What the source itself finds wrong with the arguments, each fault a sentence; nobody is asked then.
    fn plan(self: Arc<Self>, call: &CheckedCall) -> Result<Plan, Faults>;
}
