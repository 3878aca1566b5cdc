//! The tools of a catalogue as a source of the executor: nothing runs here that the gate has not approved.

use std::sync::Arc;

use aish_safety::command::judge_argv;
use aish_safety::{ApprovedCall, Subject, Surroundings, Verdict};
use aish_tools::{Changes, RunContext, ToolSource};
use aish_types::{BoxFuture, Risk, SourceId, ToolDefinition, ToolOutcome};
use serde_json::{Map, Value};

use crate::argv::{self, Invocation, Refused};
use crate::catalogue::{Catalogue, Entry};
use crate::config::Tool;
use crate::expand::Variables;
use crate::policy::Executor;
use crate::run::{self, Limits};
use crate::{confirm, docker};

/// The tools of one catalogue.
pub struct ConfigTools {
    id: SourceId,
    catalogue: Arc<Catalogue>,
    world: Arc<dyn Variables>,
}

/// A tool with what is started for one call of it.
pub(crate) struct Prepared<'c> {
    pub(crate) entry: &'c Entry,
    pub(crate) tool: &'c Tool,
    pub(crate) invocation: Invocation,
}

impl ConfigTools {
    /// Makes the source; `world` knows the environment's variables.
    pub fn new(catalogue: Arc<Catalogue>, world: Arc<dyn Variables>) -> Self {
        Self { id: SourceId::new("cli"), catalogue, world }
    }

    /// Works out what is started for a call.
    fn prepare(&self, name: &str, arguments: &Value) -> Result<Prepared<'_>, Refused> {
        let unknown = || Refused(vec![format!("Unknown tool: {name}")]);
        let entry = self.catalogue.get(name).ok_or_else(unknown)?;
        let tool = entry.tool().ok_or_else(unknown)?;
        let none = Map::new();
        let arguments = arguments.as_object().unwrap_or(&none);
        let mut invocation = argv::build(&entry.config, tool, arguments, &*self.world)?;
        if let Executor::Docker(container) = &self.catalogue.policy().executor {
            docker::wrap(&mut invocation, container, &*self.world);
        }
        Ok(Prepared { entry, tool, invocation })
    }

    fn risk(tool: &Tool, words: &[String]) -> Risk {
        let judgement = judge_argv(words, &Surroundings::default());
        if judgement.verdict == Verdict::Halt { Risk::Destructive } else { tool.risk }
    }
}

impl ToolSource for ConfigTools {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.catalogue.definitions().to_vec()
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    fn faults(&self, definition: &ToolDefinition, arguments: &Value) -> Vec<String> {
        let name = definition.name.as_str();
        let mut faults = match self.prepare(name, arguments) {
            Ok(_) => Vec::new(),
            Err(Refused(faults)) => faults,
        };
        let tool = self.catalogue.get(name).and_then(Entry::tool);
        if let (Some(tool), Some(arguments)) = (tool, arguments.as_object()) {
            faults.extend(self.catalogue.policy().violations(tool, arguments));
        }
        faults
    }

    fn subject(&self, definition: &ToolDefinition, arguments: &Value) -> Subject {
        match self.prepare(definition.name.as_str(), arguments) {
            Ok(prepared) => Subject::Argv { words: prepared.invocation.words },
            Err(_) => Subject::Tool,
        }
    }

    fn confirm_message<'a>(
        &'a self,
        definition: &'a ToolDefinition,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let prepared = self.prepare(definition.name.as_str(), arguments).ok()?;
            let risk = Self::risk(prepared.tool, &prepared.invocation.words);
            // Look-ups cost time: they run only for a question that will be asked.
            if !self.catalogue.policy().asks(&prepared.tool.name, risk) {
                return None;
            }
            Some(confirm::message(&prepared, arguments, &*self.world).await)
        })
    }

    fn call<'a>(&'a self, call: &'a ApprovedCall, context: RunContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let call = call.call();
            match self.prepare(call.definition.name.as_str(), &call.arguments) {
                Ok(prepared) => {
                    let limits = Limits { timeout_s: prepared.tool.timeout_s, cancel: context.cancel };
                    match &self.catalogue.policy().executor {
                        Executor::Local => run::run(prepared.invocation, limits).await,
                        Executor::Docker(_) => docker::run(prepared.invocation, limits).await,
                    }
                }
                Err(refused) => ToolOutcome::failure(refused.to_string()),
            }
        })
    }
}
