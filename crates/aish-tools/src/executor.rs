//! Look-up, arguments, validation, rate (`prepare`), then, after the gate, the run.

use aish_safety::{ApprovedCall, PreparedCall};
use aish_types::{CallContext, ToolCall, ToolOutcome};
use tokio_util::sync::CancellationToken;

/// Runs tools, and nothing else but approved calls.
#[derive(Default)]
pub struct Executor {}

impl Executor {
    /// Looks a call up, parses and validates its arguments and checks its rate. The error is the outcome for the model.
    ///
    /// # Errors
    /// An outcome that names every fault at once.
    pub async fn prepare(&self, call: &ToolCall, context: CallContext) -> Result<PreparedCall, Box<ToolOutcome>> {
        let _ = context;
        Err(Box::new(ToolOutcome::failure(format!("Unknown tool: {}", call.name))))
    }

    /// Runs an approved call once, with its timeout, after checking that the definition is still the one that was approved.
    pub async fn run(&self, call: ApprovedCall, cancel: CancellationToken) -> ToolOutcome {
        let _ = (call, cancel);
        ToolOutcome::failure("Unknown tool")
    }
}
