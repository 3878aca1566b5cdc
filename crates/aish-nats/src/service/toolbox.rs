//! The tools that the service offers, and the way of their calls through the gate, where nobody can be asked.

use std::sync::Arc;

use aish_llm::request::ToolSpec;
use aish_safety::{AuditLog, Gate, Nobody, PinStore, Policy, Surroundings};
use aish_tools::builtin::SOURCE;
use aish_tools::{Call, Door, Executor};
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
        let mut refused: Vec<Option<ToolOutcome>> = Vec::with_capacity(calls.len());
        let mut usable = Vec::new();
        for (call, fault) in calls {
            let read = match fault {
                Some(fault) => Err(ToolOutcome::failure(fault.clone())),
                None => self.read(call, CallContext { call: call.id.clone(), ..context.clone() }),
            };
            refused.push(match read {
                Ok(call) => {
                    usable.push(call);
                    None
                }
                Err(outcome) => Some(outcome),
            });
        }
        let outcomes = self.door.call_all(usable, &Surroundings::default(), &Nobody::default(), cancel).await;
        let mut outcomes = outcomes.into_iter();
        let lost = || ToolOutcome::failure("the call has no result");
        refused.into_iter().map(|refused| refused.or_else(|| outcomes.next()).unwrap_or_else(lost)).collect()
    }

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
        description: definition.description.clone(),
        parameters: definition.input_schema.clone(),
    }
}
