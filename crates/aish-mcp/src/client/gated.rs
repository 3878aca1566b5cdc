//! A call of one server alone, through the gate: what a person typed, or a test.

use std::sync::Arc;
use std::time::Duration;

use aish_safety::{Approver, Gate, Surroundings};
use aish_tools::{Call, Door, Executor, Passed, Registry};
use aish_types::{CallContext, ToolName, ToolOutcome};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::mcp::McpClient;

/// A call never reached its server: no such tool, arguments that do not fit, or a no at the gate; in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotCalled(String);

/// A call of a tool, and the gate that it passes.
pub struct GatedCall {
    /// The gate, with where decisions are written down.
    pub gate: Gate,
    /// Answers the gate's question.
    pub approver: Arc<dyn Approver>,
    /// What is known around it.
    pub surroundings: Surroundings,
    /// Who calls.
    pub context: CallContext,
    /// The tool's name as the server knows it.
    pub tool: String,
    /// What the tool is called with, as the server knows its parameters.
    pub arguments: Map<String, Value>,
    /// How long it may take.
    pub within: Duration,
}

impl GatedCall {
    /// Prepares, judges and runs the call.
    ///
    /// # Errors
    /// [`NotCalled`] when it never reached the server.
    pub async fn run(self, client: &Arc<McpClient>) -> Result<ToolOutcome, NotCalled> {
        let registry = Arc::new(Registry::default());
        registry.add(Arc::clone(client) as Arc<_>);
        let within_ms = u64::try_from(self.within.as_millis()).unwrap_or(u64::MAX);
        let executor = Executor::new(registry).with_timeout_ms(within_ms);
        let name = ToolName::new(format!("{}.{}", client.alias(), self.tool));
        let door = Door::new(Arc::new(executor), self.gate);
        let call = Call { name, arguments: Value::Object(self.arguments), context: self.context };
        match door.call(call, &self.surroundings, self.approver.as_ref(), CancellationToken::new()).await {
            Passed::Approved(ran) => Ok(ran.outcome),
            passed => Err(NotCalled(passed.outcome().text)),
        }
    }
}
