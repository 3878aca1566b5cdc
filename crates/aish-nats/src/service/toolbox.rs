//! The tools that the service offers, and the way of their calls through the gate, where nobody can be asked.

use std::sync::Arc;

use aish_llm::request::ToolSpec;
use aish_safety::{ApprovedCall, AuditLog, Gate, Mode, Nobody, Passage, PinStore, Policy, Surroundings};
use aish_tools::Executor;
use aish_tools::builtin::SOURCE;
use aish_types::{CallContext, Risk, ToolCall, ToolDefinition, ToolOutcome};
use tokio_util::sync::CancellationToken;

/// What the service may run.
pub(crate) struct Toolbox {
    executor: Arc<Executor>,
    gate: Gate,
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
        let gate = Gate::new(Arc::new(Nobody), audit, pins, policy.clone(), Mode::Headless);
        Self { executor, gate, policy }
    }

    /// Returns the tools that may be called here; the others are named in the trace.
    pub(crate) fn offered(&self, category: Option<&str>) -> Vec<Arc<ToolDefinition>> {
        let (offered, left_out): (Vec<_>, Vec<_>) =
            self.executor.registry().list(category).into_iter().partition(|definition| self.is_offered(definition));
        if !left_out.is_empty() {
            let names: Vec<&str> = left_out.iter().map(|definition| definition.name.as_str()).collect();
            tracing::debug!(tools = ?names, "not offered: nobody can be asked here");
        }
        offered
    }

    fn is_offered(&self, definition: &ToolDefinition) -> bool {
        let is_harmless = definition.source.as_str() == SOURCE && definition.trusted && definition.risk == Risk::Read;
        let allowed = self.policy.auto_approval(&definition.name).unwrap_or(is_harmless);
        allowed && !definition.requires_confirmation
    }

    /// Runs the calls of one answer, in their order, and returns an outcome for each.
    pub(crate) async fn run(
        &self,
        calls: &[(ToolCall, Option<String>)],
        context: &CallContext,
        cancel: &CancellationToken,
    ) -> Vec<ToolOutcome> {
        let mut outcomes: Vec<Option<ToolOutcome>> = Vec::with_capacity(calls.len());
        let mut approved: Vec<ApprovedCall> = Vec::new();
        for (call, fault) in calls {
            let passed = match fault {
                Some(fault) => Err(ToolOutcome::failure(fault.clone())),
                None => self.pass(call, CallContext { call: call.id.clone(), ..context.clone() }).await,
            };
            match passed {
                Ok(call) => {
                    approved.push(call);
                    outcomes.push(None);
                }
                Err(outcome) => outcomes.push(Some(outcome)),
            }
        }
        let mut ran = self.executor.run_batch(approved, cancel.clone()).await.into_iter();
        let lost = || ToolOutcome::failure("the call has no result");
        outcomes.into_iter().map(|outcome| outcome.or_else(|| ran.next()).unwrap_or_else(lost)).collect()
    }

    async fn pass(&self, call: &ToolCall, context: CallContext) -> Result<ApprovedCall, ToolOutcome> {
        let hidden = self.executor.registry().get(&call.name).is_some_and(|(_, tool)| !self.is_offered(&tool));
        if hidden {
            return Err(ToolOutcome::failure(format!("Tool '{}' is not available here", call.name)));
        }
        let prepared = self.executor.prepare(call, context).await.map_err(|outcome| *outcome)?;
        match self.gate.pass(prepared, &Surroundings::default()).await {
            Passage::Approved(call) => Ok(call),
            Passage::Declined { reason, .. } => Err(ToolOutcome::failure(reason)),
            Passage::Halted { judgement } => Err(ToolOutcome::failure(format!("not approved: {}", judgement.reason))),
            Passage::Edited { .. } => Err(ToolOutcome::failure("the call was changed and not run")),
        }
    }
}

/// Tells a model of a tool.
pub(crate) fn spec(definition: &ToolDefinition) -> ToolSpec {
    ToolSpec {
        name: definition.name.clone(),
        description: definition.description.clone(),
        parameters: definition.input_schema.clone(),
    }
}
