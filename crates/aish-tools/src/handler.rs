//! Tools made of one function each, for what is registered one by one.

use std::sync::Arc;

use aish_types::{BoxFuture, CallContext, SourceId, ToolDefinition, ToolOutcome};
use serde_json::Value;

use crate::plan::Plan;
use crate::schema::Faults;
use crate::source::{Changes, ToolSource};

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

/// A source of exactly one tool.
pub(crate) struct FunctionTool {
    definition: Arc<ToolDefinition>,
    run: Handler,
}

impl FunctionTool {
    pub(crate) fn new(definition: ToolDefinition, run: Handler) -> Self {
        Self { definition: Arc::new(definition), run }
    }
}

impl ToolSource for FunctionTool {
    fn id(&self) -> &SourceId {
        &self.definition.source
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        vec![Arc::clone(&self.definition)]
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    fn plan(
        self: Arc<Self>,
        _definition: &Arc<ToolDefinition>,
        _arguments: &Value,
        _context: &CallContext,
    ) -> Result<Plan, Faults> {
        Ok(Plan::tool(move |call, _context| {
            let call = call.into_call();
            (self.run)(call.arguments, call.context)
        }))
    }
}
