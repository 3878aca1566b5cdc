//! Tools made of functions: a source of tools that stay as they are, and handlers that are registered one by one.

use std::sync::Arc;

use aish_types::{BoxFuture, CallContext, SourceId, ToolDefinition, ToolOutcome};
use serde_json::Value;

use crate::plan::Plan;
use crate::schema::Faults;
use crate::source::{Changes, CheckedCall, ToolSource};

/// A function that runs one tool: validated arguments and who calls, to an outcome.
pub type Handler = Arc<dyn Fn(Value, CallContext) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// Makes a handler of an asynchronous function.
pub fn handler<F, Fut>(run: F) -> Handler
where
    F: Fn(Value, CallContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ToolOutcome> + Send + 'static,
{
    Arc::new(move |arguments, context| Box::pin(run(arguments, context)))
}

type Planner = dyn Fn(&CheckedCall) -> Result<Plan, Faults> + Send + Sync;

/// A source whose tools never change, with one function that plans their calls.
pub struct FixedTools {
    id: SourceId,
    definitions: Vec<Arc<ToolDefinition>>,
    plan: Box<Planner>,
}

impl FixedTools {
    /// Makes the source of these tools.
    pub fn new(
        id: SourceId,
        definitions: impl IntoIterator<Item = ToolDefinition>,
        plan: impl Fn(&CheckedCall) -> Result<Plan, Faults> + Send + Sync + 'static,
    ) -> Self {
        Self { id, definitions: definitions.into_iter().map(Arc::new).collect(), plan: Box::new(plan) }
    }

    /// Makes a source of one tool, which a handler runs.
    pub(crate) fn of_handler(definition: ToolDefinition, run: Handler) -> Self {
        Self::new(definition.source.clone(), [definition], move |_call| {
            let run = Arc::clone(&run);
            Ok(Plan::tool(move |call, _context| {
                let call = call.into_call();
                run(call.arguments, call.context)
            }))
        })
    }
}

impl ToolSource for FixedTools {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.definitions.clone()
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    fn plan(self: Arc<Self>, call: &CheckedCall) -> Result<Plan, Faults> {
        (self.plan)(call)
    }
}
