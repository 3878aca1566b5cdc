//! The two tools that stand for all when there are too many to be shown: one finds, one calls.
//!
//! The one that finds is a tool of the registry like any other. The one that calls is none: a call of it becomes a call of
//! its target before it is prepared, so that the target is judged by its own name, arguments and policy.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use aish_tools::{DiscoveryTools, Index, Registry, handler};
use aish_types::{SourceId, ToolCall, ToolDefinition, ToolOutcome};
use serde_json::Value;

use crate::shell_tool::OUTSIDE_SOURCE;

/// The source of the tool that finds.
const SOURCE: &str = "discovery";
/// The name of the tool that finds.
const FIND: &str = "search_tools";
/// The name of the tool that calls.
const CALL: &str = "call_tool";
/// The share of the token budget that schemas may take before the two tools stand for them: one in this many.
const BUDGET_SHARE: u64 = 4;

/// What the model is shown of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// All of them.
    Direct,
    /// The two tools that find and call them.
    Discovery,
}

/// The tools that find and call all others of a registry.
#[derive(Clone)]
pub struct Discovery {
    tools: DiscoveryTools,
    definitions: [Arc<ToolDefinition>; 2],
    limit: usize,
}

impl Discovery {
    /// Makes the two tools and registers the one that finds; `limit` is the count of tools that are shown directly at most.
    pub fn over(registry: &Arc<Registry>, builtin: &BTreeSet<String>, limit: usize) -> Self {
        let tools = DiscoveryTools::new(FIND, CALL, SourceId::new(SOURCE));
        let definitions = tools.definitions().map(Arc::new);
        let [find, _] = &definitions;
        let finder = Arc::new(Finder {
            tools: tools.clone(),
            registry: Arc::downgrade(registry),
            builtin: builtin.clone(),
            index: Mutex::new(None),
        });
        let run = handler(move |arguments, _| {
            let finder = Arc::clone(&finder);
            async move { finder.find(&arguments) }
        });
        // Where another source has a tool of that name, that one stays.
        let _ = registry.refresh(find.as_ref().clone(), run);
        Self { tools, definitions, limit }
    }

    /// Decides what the model is shown of so many tools, whose schemas take so many tokens of the budget.
    pub fn listing(&self, tools: usize, schema_tokens: u64, budget: u64) -> Listing {
        if tools > self.limit || schema_tokens > budget / BUDGET_SHARE { Listing::Discovery } else { Listing::Direct }
    }

    /// Returns the two definitions.
    pub fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.definitions.to_vec()
    }

    /// Turns a call of the tool that calls into one of its target, under the same id; other calls stay as they are.
    ///
    /// # Errors
    /// The outcome for the model, when no target is named.
    pub fn resolve(&self, call: &ToolCall) -> Result<ToolCall, Box<ToolOutcome>> {
        if call.name != *self.tools.call_name() {
            return Ok(call.clone());
        }
        let arguments = serde_json::from_str(&call.arguments)
            .map_err(|error| Box::new(ToolOutcome::failure(format!("the arguments are no JSON: {error}"))))?;
        let target = self.tools.target(arguments);
        let (name, arguments) = target.map_err(|error| Box::new(ToolOutcome::failure(error.to_string())))?;
        Ok(ToolCall { id: call.id.clone(), name, arguments: arguments.to_string() })
    }
}

/// Says whether the model may be told of a tool: of built-in ones, those that are configured; of what runs outside the
/// sandbox never.
pub fn is_offered(definition: &ToolDefinition, builtin: &BTreeSet<String>) -> bool {
    match definition.source.as_str() {
        SOURCE | OUTSIDE_SOURCE => false,
        "builtin" => builtin.contains(definition.name.as_str()),
        _ => true,
    }
}

/// What the tool that finds searches.
struct Finder {
    tools: DiscoveryTools,
    // The registry owns the tool.
    registry: Weak<Registry>,
    builtin: BTreeSet<String>,
    /// The index, with the revision of the registry that it was made of.
    index: Mutex<Option<(u64, Arc<Index>)>>,
}

impl Finder {
    fn index(&self) -> Arc<Index> {
        let Some(registry) = self.registry.upgrade() else { return Arc::default() };
        let revision = registry.revision();
        let mut kept = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, index)) if *of == revision => Arc::clone(index),
            Some(_) | None => {
                let offered = registry.list(None).into_iter().filter(|tool| is_offered(tool, &self.builtin));
                let index = Arc::new(Index::of(offered));
                *kept = Some((revision, Arc::clone(&index)));
                index
            }
        }
    }

    fn find(&self, arguments: &Value) -> ToolOutcome {
        match self.tools.find(&self.index(), arguments) {
            Ok(found) => match serde_json::to_string(&found) {
                Ok(text) => ToolOutcome::success(text),
                Err(error) => ToolOutcome::failure(format!("the answer cannot be written: {error}")),
            },
            Err(error) => ToolOutcome::failure(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "call-7".into(), name: name.into(), arguments: arguments.to_owned() }
    }

    #[test]
    fn a_call_becomes_its_target_under_the_same_id() {
        let registry = Arc::new(Registry::default());
        let discovery = Discovery::over(&registry, &BTreeSet::new(), 32);
        let check = |arguments: &str| discovery.resolve(&call(CALL, arguments)).map_err(|outcome| outcome.text);
        assert_eq!(
            check(r#"{"tool_name": "git_log", "args": {"count": 2}}"#),
            Ok(call("git_log", r#"{"count":2}"#)),
            "name and arguments are the target's"
        );
        assert!(check("{}").unwrap_err().contains("tool_name"));
        assert!(check("{").unwrap_err().contains("JSON"));
        assert_eq!(discovery.resolve(&call("git_log", "{")).unwrap(), call("git_log", "{"), "others are not touched");
    }

    #[test]
    fn too_many_tools_or_tokens_are_not_shown() {
        let discovery = Discovery::over(&Arc::new(Registry::default()), &BTreeSet::new(), 32);
        assert_eq!(discovery.listing(32, 1000, 4096), Listing::Direct);
        assert_eq!(discovery.listing(33, 1000, 4096), Listing::Discovery);
        assert_eq!(discovery.listing(3, 1025, 4096), Listing::Discovery);
    }
}
