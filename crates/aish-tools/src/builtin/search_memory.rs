//! `search_memory`: what is remembered about a subject.

use std::fmt::Write;
use std::sync::Arc;

use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};

use crate::builtin::{Builtin, definition};
use crate::memory::{Memory, MemoryStore, Owner};
use crate::parameter::{Parameter, ParameterKind};

const MAX_RESULTS: u64 = 50;

/// The tool.
pub(crate) struct SearchMemory {
    pub(crate) memory: Arc<dyn MemoryStore>,
}

impl Builtin for SearchMemory {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::required("query", ParameterKind::String).describe("What to look for, in a few words"),
            Parameter::optional("limit", ParameterKind::Integer)
                .describe("The largest number of results (1 to 50)")
                .default(5),
        ];
        ToolDefinition {
            category: "memory".into(),
            examples: vec!["what do you know about my project".into()],
            tags: ["memory", "recall", "facts"].map(String::from).into(),
            ..definition("search_memory", "Search stored memories about the user, best match first.", &parameters)
        }
    }

    fn call<'a>(&'a self, arguments: &'a Value, context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default().trim();
            if query.is_empty() {
                return ToolOutcome::failure("No query provided");
            }
            let Some(limit) = arguments.get("limit").and_then(Value::as_u64).filter(|limit| *limit >= 1) else {
                return ToolOutcome::failure("Argument 'limit' must be at least 1");
            };
            let limit = usize::try_from(limit.min(MAX_RESULTS)).unwrap_or(1);
            match self.memory.search(&Owner::of(context), query, limit).await {
                Ok(memories) => found(&memories),
                Err(error) => ToolOutcome::failure(error.to_string()),
            }
        })
    }
}

fn found(memories: &[Memory]) -> ToolOutcome {
    let mut text = String::new();
    for (at, memory) in (1..).zip(memories) {
        let date = jiff::Timestamp::from_millisecond(memory.created_ms).map(|at| at.strftime("%Y-%m-%d").to_string());
        let date = date.unwrap_or_default();
        let _ = writeln!(text, "{at}. [{}, {date}] {}", memory.category, memory.content);
    }
    if text.is_empty() {
        text.push_str("No memories found");
    }
    let list: Vec<Value> = memories
        .iter()
        .map(|memory| {
            json!({"id": memory.id, "content": memory.content, "category": memory.category,
                   "importance": memory.importance, "source": memory.source, "created_ms": memory.created_ms})
        })
        .collect();
    ToolOutcome { structured: Some(json!({ "memories": list })), ..ToolOutcome::success(text.trim_end()) }
}
