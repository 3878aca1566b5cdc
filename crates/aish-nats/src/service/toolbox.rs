//! The tools that the service offers, and the way of their calls through the gate, where nobody can be asked.

use std::sync::Arc;

use aish_llm::request::ToolSpec;
use aish_safety::{AuditLog, Gate, Nobody, PinStore, Policy, Surroundings};
use aish_tools::builtin::SOURCE;
use aish_tools::{Call, Door, Executor, Passed, Ready};
use aish_types::{CallContext, Risk, ToolCall, ToolDefinition, ToolOutcome};
use tokio_util::sync::CancellationToken;

/// What the service may run.
pub(crate) struct Toolbox {
    door: Door,
    policy: Policy,
}

impl Toolbox {
    pub(crate) fn new(
        executor: Arc<Executor>,
        audit: Arc<dyn AuditLog>,
        pins: Arc<dyn PinStore>,
        allow: &[String],
    ) -> Self {
        let mut policy = Policy::default();
        policy.auto_approve.extend(allow.iter().map(|name| (name.clone(), true)));
        Self { door: Door::new(executor, Gate::new(audit, pins, policy.clone())), policy }
    }

    /// Returns the tools that may be called here; the others are named in the trace.
    pub(crate) fn offered(&self, category: Option<&str>) -> Vec<Arc<ToolDefinition>> {
        let (offered, left_out): (Vec<_>, Vec<_>) =
            self.door.registry().list(category).into_iter().partition(|definition| self.is_offered(definition));
        if !left_out.is_empty() {
            let names: Vec<&str> = left_out.iter().map(|definition| definition.name.as_str()).collect();
            tracing::debug!(tools = ?names, "not offered: nobody can be asked here");
        }
        offered
    }

    fn is_offered(&self, definition: &ToolDefinition) -> bool {
        // What reaches other machines is asked about, however little it does here.
        let is_here = definition.hints.open_world != Some(true);
        let is_harmless =
            definition.source.as_str() == SOURCE && definition.trusted && definition.risk == Risk::Read && is_here;
        let allowed = self.policy.auto_approval(&definition.name).unwrap_or(is_harmless);
        allowed && !definition.requires_confirmation
    }

    /// Takes a call as far as the gate, where nobody can be asked. The error is the outcome for the model.
    pub(crate) async fn pass(&self, call: &ToolCall, context: &CallContext) -> Result<Ready, ToolOutcome> {
        let call = self.read(call, CallContext { call: call.id.clone(), ..context.clone() })?;
        match self.door.pass(call, &Surroundings::default(), &Nobody::default()).await {
            Passed::Approved(ready) => Ok(ready),
            Passed::Refused(outcome) => Err(*outcome),
            Passed::Declined { reason, .. } => Err(ToolOutcome::failure(reason)),
            Passed::Halted(judgement) => Err(ToolOutcome::failure(format!("not approved: {}", judgement.reason))),
            Passed::Edited(_) => Err(ToolOutcome::failure("the call was changed and not run")),
        }
    }

    /// Runs a call that passed.
    pub(crate) async fn run(&self, ready: Ready, cancel: &CancellationToken) -> ToolOutcome {
        self.door.run(ready, cancel.clone()).await.outcome
    }

    #[expect(clippy::result_large_err, reason = "the outcome is handed on at once")]
    fn read(&self, call: &ToolCall, context: CallContext) -> Result<Call, ToolOutcome> {
        let hidden = self.door.registry().get(&call.name).is_some_and(|(_, tool)| !self.is_offered(&tool));
        if hidden {
            return Err(ToolOutcome::failure(format!("Tool '{}' is not available here", call.name)));
        }
        Call::read(call, context).map_err(|outcome| *outcome)
    }
}

/// Tells a model of a tool.
pub(crate) fn spec(definition: &ToolDefinition) -> ToolSpec {
    ToolSpec {
        name: definition.name.clone(),
        description: definition.description.to_string(),
        parameters: definition.input_schema.value(),
    }
}
