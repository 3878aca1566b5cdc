//! The built-in tools: one source, one file a tool. They reach the memory, and files of the tree around the call's folder.

pub mod calculator;
mod files;
mod get_time;
mod remember;
pub mod roll_dice;
mod search_memory;
mod todo;
mod web_fetch;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use files::{Editor, FilePlaces, Files};
pub use web_fetch::{Page, PageError, Pages};

use aish_types::near::nearest;
use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use serde_json::Value;

use crate::clock::{Clock, SystemClock};
use crate::handler::FixedTools;
use crate::memory::MemoryStore;
use crate::parameter::{Parameter, input_schema};
use crate::plan::Plan;
use crate::random::{Random, SystemRandom};
use crate::schema::Faults;

/// The id of the built-in source.
pub const SOURCE: &str = "builtin";

/// How a built-in tool is made over the ports; none where it lacks one.
type Make = fn(&Ports) -> Option<Arc<dyn Builtin>>;

/// The built-in tools by name, in the order in which they are offered.
const BUILTINS: &[(&str, Make)] = &[
    ("calculator", |_| Some(Arc::new(calculator::Calculator))),
    ("get_time", |ports| Some(Arc::new(get_time::GetTime { clock: Arc::clone(&ports.clock) }))),
    ("roll_dice", |ports| Some(Arc::new(roll_dice::RollDice { random: Arc::clone(&ports.random) }))),
    ("search_memory", |ports| Some(Arc::new(search_memory::SearchMemory { memory: ports.memory.clone()? }))),
    ("remember", |ports| Some(Arc::new(remember::Remember { memory: ports.memory.clone()? }))),
    ("read_file", |ports| Some(Arc::new(files::read_file::ReadFile(ports.files.clone()?)))),
    ("find_files", |ports| Some(Arc::new(files::find_files::FindFiles(ports.files.clone()?)))),
    ("search_files", |ports| Some(Arc::new(files::search_files::SearchFiles(ports.files.clone()?)))),
    ("edit_file", |ports| Some(Arc::new(files::edit_file::EditFile(ports.files.clone()?)))),
    ("write_file", |ports| Some(Arc::new(files::write_file::WriteFile(ports.files.clone()?)))),
    ("apply_patch", |ports| Some(Arc::new(files::apply_patch::ApplyPatch(ports.files.clone()?)))),
    ("web_fetch", |ports| Some(Arc::new(web_fetch::WebFetch { pages: ports.pages.clone()? }))),
    ("todo", |_| Some(Arc::new(todo::Todo))),
];

/// Returns the names of the built-in tools, in the order in which they are offered.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    BUILTINS.iter().map(|(name, _)| *name)
}

/// What the built-in tools stand on.
#[derive(Clone)]
pub struct Ports {
    /// The clock of `get_time`.
    pub clock: Arc<dyn Clock>,
    /// The dice.
    pub random: Arc<dyn Random>,
    /// The memory; without one, the two memory tools are not offered.
    pub memory: Option<Arc<dyn MemoryStore>>,
    /// Files; without, the tools for them are not offered.
    pub files: Option<Arc<Files>>,
    /// Pages of the web; without, the tool for them is not offered.
    pub pages: Option<Arc<dyn Pages>>,
}

impl Default for Ports {
    fn default() -> Self {
        let (clock, random) = (Arc::new(SystemClock::default()), Arc::new(SystemRandom));
        Self { clock, random, memory: None, files: None, pages: None }
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
pub(crate) trait Builtin: Send + Sync + 'static {
    fn definition(&self) -> ToolDefinition;

    /// Runs a call of a tool that leaves its plan to [`Builtin::plan`].
    fn call<'a>(&'a self, _arguments: &'a Value, _context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::failure("the call was not planned")))
    }

    /// Plans a call; a tool whose call is more than its name and arguments does so itself.
    fn plan(self: Arc<Self>, _arguments: &Value, _context: &CallContext) -> Result<Plan, Faults> {
        Ok(Plan::tool(move |call, _context| async move {
            let call = call.into_call();
            self.call(&call.arguments, &call.context).await
        }))
    }
}

/// Makes the source of the built-in tools.
pub struct Builtins;

impl Builtins {
    /// Makes a source of all built-in tools that the ports allow.
    pub fn all(ports: &Ports) -> FixedTools {
        Self::make(|_| true, ports)
    }

    /// Makes a source of the named ones; the memory tools are left out where there is no memory.
    ///
    /// # Errors
    /// When a name is none of [`names`].
    pub fn named<S: AsRef<str>>(wanted: &[S], ports: &Ports) -> Result<FixedTools, UnknownBuiltin> {
        let is_known = |name: &&S| names().any(|known| known == name.as_ref());
        if let Some(unknown) = wanted.iter().find(|name| !is_known(name)).map(AsRef::as_ref) {
            let near = nearest(unknown, names(), 1).first().copied().unwrap_or_default();
            return Err(UnknownBuiltin { name: unknown.into(), near: near.into() });
        }
        Ok(Self::make(|name| wanted.iter().any(|wanted| wanted.as_ref() == name), ports))
    }

    fn make(is_wanted: impl Fn(&str) -> bool, ports: &Ports) -> FixedTools {
        let wanted = BUILTINS.iter().filter(|(name, _)| is_wanted(name));
        let tools: BTreeMap<&str, Arc<dyn Builtin>> =
            wanted.clone().filter_map(|(name, make)| Some((*name, make(ports)?))).collect();
        let definitions: Vec<ToolDefinition> =
            wanted.filter_map(|(name, _)| tools.get(name)).map(|tool| tool.definition()).collect();
        FixedTools::new(SOURCE.into(), definitions, move |call| match tools.get(call.definition.name.as_str()) {
            Some(tool) => Arc::clone(tool).plan(&call.arguments, &call.context),
            None => Err(Faults(vec!["there is no such built-in tool".to_owned()])),
        })
    }
}

/// Makes the definition of a built-in tool: trusted, read-only.
pub(crate) fn definition(name: &str, description: &str, parameters: &[Parameter]) -> ToolDefinition {
    let mut definition = ToolDefinition::new(name, description, input_schema(parameters), SOURCE.into());
    definition.trusted = true;
    definition.hints.read_only = Some(true);
    definition
}
