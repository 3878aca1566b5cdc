//! `remember`: keeps a fact.

use std::sync::Arc;

use aish_types::{BoxFuture, CallContext, Risk, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};

use crate::builtin::{Builtin, definition};
use crate::memory::{MemoryStore, NewMemory, Owner};
use crate::parameter::{Parameter, ParameterKind};

/// Characters of a fact.
const MAX_CHARS: usize = 4_000;
/// Characters of a category.
const MAX_CATEGORY: usize = 64;

/// The tool.
pub(crate) struct Remember {
    pub(crate) memory: Arc<dyn MemoryStore>,
}

impl Builtin for Remember {
    fn definition(&self) -> ToolDefinition {
        let parameters = [
            Parameter::required("content", ParameterKind::String).describe("The fact, as one whole sentence"),
            Parameter::optional("category", ParameterKind::String)
                .describe("What kind of fact it is (e.g., 'fact', 'preference', 'project')")
                .default("fact"),
            Parameter::optional("importance", ParameterKind::Integer)
                .describe("From 1 (least) to 5")
                .default(3)
                .choices([1, 2, 3, 4, 5]),
        ];
        let mut definition = ToolDefinition {
            category: "memory".into(),
            risk: Risk::Write,
            examples: vec!["remember that I prefer tabs".into()],
            tags: ["memory", "store", "facts"].map(String::from).into(),
            ..definition("remember", "Keep a fact about the user for later sessions.", &parameters)
        };
        definition.hints.read_only = Some(false);
        definition.hints.destructive = Some(false);
        definition
    }

    fn call<'a>(&'a self, arguments: &'a Value, context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
            let content = text("content");
            if content.is_empty() {
                return ToolOutcome::failure("No content provided");
            }
            if content.chars().count() > MAX_CHARS {
                return ToolOutcome::failure(format!("A memory has at most {MAX_CHARS} characters"));
            }
            let importance = arguments.get("importance").and_then(Value::as_u64).unwrap_or(3).clamp(1, 5);
            let category = Some(text("category")).filter(|category| !category.is_empty());
            if category.as_ref().is_some_and(|category| category.chars().count() > MAX_CATEGORY) {
                return ToolOutcome::failure(format!("A category has at most {MAX_CATEGORY} characters"));
            }
            let memory = NewMemory {
                content,
                category: category.unwrap_or_else(|| "fact".into()),
                importance: u8::try_from(importance).unwrap_or(3),
                source: "model".into(),
            };
            match self.memory.add(&Owner::of(context), memory).await {
                Ok(id) => ToolOutcome {
                    structured: Some(json!({ "memory_id": id })),
                    ..ToolOutcome::success(format!("Remembered (id {id})"))
                },
                Err(error) => ToolOutcome::failure(error.to_string()),
            }
        })
    }
}
