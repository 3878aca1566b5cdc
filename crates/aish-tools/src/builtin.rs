//! The built-in tools: one source, one file a tool. None reaches files or a network beyond the project's own memory.

pub mod calculator;
mod get_time;
mod remember;
pub mod roll_dice;
mod search_memory;

use std::sync::Arc;

use aish_types::{BoxFuture, CallContext, SourceId, ToolDefinition, ToolOutcome};
use serde_json::Value;

use crate::clock::{Clock, SystemClock};
use crate::memory::MemoryStore;
use crate::near::nearest;
use crate::parameter::{Parameter, input_schema};
use crate::plan::Plan;
use crate::random::{Random, SystemRandom};
use crate::schema::Faults;
use crate::source::{Changes, ToolSource};

/// The id of the built-in source.
pub const SOURCE: &str = "builtin";

/// The built-in tools, in the order in which they are offered.
pub const NAMES: [&str; 5] = ["calculator", "get_time", "roll_dice", "search_memory", "remember"];

/// What the built-in tools stand on.
#[derive(Clone)]
pub struct Ports {
    /// The clock of `get_time`.
    pub clock: Arc<dyn Clock>,
    /// The dice.
    pub random: Arc<dyn Random>,
    /// The memory; without one, the two memory tools are not offered.
    pub memory: Option<Arc<dyn MemoryStore>>,
}

impl Default for Ports {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock::default()), random: Arc::new(SystemRandom), memory: None }
    }
}

/// A name in the list of built-in tools that is none of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no built-in tool '{name}'; did you mean {near}?")]
pub struct UnknownBuiltin {
    /// The name.
    pub name: String,
    /// The nearest one.
    pub near: String,
}

/// One built-in tool.
pub(crate) trait Builtin: Send + Sync {
    fn definition(&self) -> ToolDefinition;

    fn call<'a>(&'a self, arguments: &'a Value, context: &'a CallContext) -> BoxFuture<'a, ToolOutcome>;
}

/// The source of the built-in tools.
pub struct Builtins {
    id: SourceId,
    tools: Vec<(Arc<ToolDefinition>, Box<dyn Builtin>)>,
}

impl Builtins {
    /// Makes a source of all built-in tools that the ports allow.
    pub fn all(ports: &Ports) -> Self {
        Self::make(&NAMES, ports)
    }

    /// Makes a source of the named ones; the memory tools are left out where there is no memory.
    ///
    /// # Errors
    /// When a name is none of [`NAMES`].
    pub fn named<S: AsRef<str>>(names: &[S], ports: &Ports) -> Result<Self, UnknownBuiltin> {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        if let Some(&unknown) = names.iter().find(|name| !NAMES.contains(name)) {
            let near = nearest(unknown, NAMES, 1).first().copied().unwrap_or_default();
            return Err(UnknownBuiltin { name: unknown.into(), near: near.into() });
        }
        Ok(Self::make(&names, ports))
    }

    fn make(names: &[&str], ports: &Ports) -> Self {
        let mut tools: Vec<Box<dyn Builtin>> = Vec::new();
        for name in NAMES.into_iter().filter(|name| names.contains(name)) {
            match (name, &ports.memory) {
                ("calculator", _) => tools.push(Box::new(calculator::Calculator)),
                ("get_time", _) => tools.push(Box::new(get_time::GetTime { clock: Arc::clone(&ports.clock) })),
                ("roll_dice", _) => tools.push(Box::new(roll_dice::RollDice { random: Arc::clone(&ports.random) })),
                ("search_memory", Some(memory)) => {
                    tools.push(Box::new(search_memory::SearchMemory { memory: Arc::clone(memory) }));
                }
                ("remember", Some(memory)) => tools.push(Box::new(remember::Remember { memory: Arc::clone(memory) })),
                _ => {}
            }
        }
        let tools = tools.into_iter().map(|tool| (Arc::new(tool.definition()), tool)).collect();
        Self { id: SOURCE.into(), tools }
    }
}

impl ToolSource for Builtins {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.tools.iter().map(|(definition, _)| Arc::clone(definition)).collect()
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    fn plan(self: Arc<Self>, _definition: &Arc<ToolDefinition>, _arguments: &Value) -> Result<Plan, Faults> {
        Ok(Plan::tool(move |call, _context| async move {
            let call = call.into_call();
            match self.tools.iter().find(|(definition, _)| definition.name == call.definition.name) {
                Some((_, tool)) => tool.call(&call.arguments, &call.context).await,
                None => ToolOutcome::failure("there is no such built-in tool"),
            }
        }))
    }
}

/// Makes the definition of a built-in tool: trusted, read-only.
pub(crate) fn definition(name: &str, description: &str, parameters: &[Parameter]) -> ToolDefinition {
    let mut definition = ToolDefinition::new(name, description, input_schema(parameters), SOURCE.into());
    definition.trusted = true;
    definition.hints.read_only = Some(true);
    definition
}
