//! A persistent shell for other agents: its commands run in layers, and tools show what they changed and bring it back.

use std::sync::Arc;

use aish_confine::Layer;
use aish_journal::undo::{Became, Step, UndoJournal};
use aish_tools::schema::Faults;
use aish_tools::{CheckedCall, FixedTools, Parameter, ParameterKind, Plan, Registry, input_schema};
use aish_types::{Risk, SessionId, SourceId, ToolDefinition, ToolOutcome};
use serde_json::Value;

use crate::base::Base;
use crate::confinement;
use crate::failure::{Failure, chain};
use crate::live::Live;
use crate::settling::Apart;
use crate::shell_tool::{CommandRunner, ShellTool};
use crate::tool_server::ServedShell;
use crate::transactions::{Transactions, shown};
use crate::undo::answer::{answer, journal};
use crate::undo::say;

/// The most commands that are listed.
const SHOWN: usize = 20;

/// Adds the shell and its tools to a registry; returns the bash, to be closed, and what the server needs of it.
pub(super) fn add(base: &Base, registry: &Registry, session: &SessionId) -> (Arc<Live>, ServedShell) {
    let transactions = Transactions::of(base);
    let live = Live::headless(&base.config.shell.program, &base.secrets).with_transactions(Arc::clone(&transactions));
    let live = Arc::new(live);
    let runner: Arc<dyn CommandRunner> = Arc::clone(&live) as Arc<_>;
    let timeout_ms = base.config.tools.timeout_s.saturating_mul(1000);
    ShellTool::add_to(registry, &runner, timeout_ms);
    if base.config.undo.enabled {
        registry.add(Arc::new(UndoTools::source(base, session.clone())));
    }
    let shell = ServedShell { around: live.surroundings(base), apart: Apart { transactions, runner } };
    (live, shell)
}

/// The tool that brings back.
const UNDO: &str = "undo";

/// What one of these tools is asked.
enum Asked {
    Changes,
    /// The difference of a step.
    Difference(String),
    /// To bring a step back; the last one where none is named.
    Undo(String),
}

/// The tools `changes` and `undo`.
struct UndoTools {
    base: Base,
    session: SessionId,
}

/// What this session's commands left that can be taken back.
struct Own {
    layers: Vec<Layer>,
    journal: Option<UndoJournal>,
    steps: Vec<Step>,
}

impl UndoTools {
    fn source(base: &Base, session: SessionId) -> FixedTools {
        let id = SourceId::new("undo");
        let define = |name: &str, about: &str, parameter: &str, risk| {
            let mut step = Parameter::optional("step", ParameterKind::String);
            step.description = Some(parameter.to_owned());
            let mut definition = ToolDefinition::new(name, about, input_schema(&[step]), id.clone());
            definition.category = "system".into();
            definition.risk = risk;
            definition.trusted = true;
            definition
        };
        let about = "List what the shell's commands changed, newest first, each command with its step.";
        let changes = define("changes", about, "A step, to be shown with its difference", Risk::Read);
        let about = "Bring back exactly what a command of the shell changed.";
        let undo = define(UNDO, about, "A step as `changes` names it; the last command's without it", Risk::Write);
        let tools = Arc::new(Self { base: base.clone(), session });
        FixedTools::new(id.clone(), [changes, undo], move |call| Arc::clone(&tools).plan(call))
    }

    /// Does what one of these tools is asked.
    fn run(&self, asked: &Asked) -> Result<ToolOutcome, Failure> {
        match asked {
            Asked::Changes => self.changes().map(|lines| ToolOutcome::success(lines.join("\n"))),
            Asked::Difference(step) => self.difference(step).map(|lines| ToolOutcome::success(lines.join("\n"))),
            Asked::Undo(step) => self.undo(step),
        }
    }

    /// The layers of this session that were kept, and steps of what was put aside, oldest first.
    fn own(&self, say: &mut dyn FnMut(&str)) -> Result<Own, Failure> {
        let mut layers = confinement::kept(&self.base, say);
        layers.retain(|layer| layer.about.session.as_deref() == Some(self.session.as_str()));
        let journal = journal(&self.base);
        let mut steps = journal.as_ref().map(UndoJournal::steps).transpose()?.unwrap_or_default();
        steps.retain(|step| step.session.as_deref() == Some(self.session.as_str()));
        Ok(Own { layers, journal, steps })
    }

    fn changes(&self) -> Result<Vec<String>, Failure> {
        let mut lines = Vec::new();
        let Own { layers, journal, steps } = self.own(&mut |line| lines.push(line.to_owned()))?;
        let head = |id: &str, command: &str| format!("{id}  {}", command.lines().next().unwrap_or_default());
        let mut all: Vec<(u64, Vec<String>)> = Vec::new();
        for layer in &layers {
            let tree = layer.about.covered.iter().find(|covered| !covered.cache).map(|covered| covered.path.display());
            let tree = tree.map(|tree| format!(", in {tree}:")).unwrap_or_default();
            let mut told = vec![head(&layer.id(), &layer.about.command) + &tree];
            let facts = shown::of_layer(layer)?;
            told.extend(facts.lines().take_while(|line| !line.is_empty()).map(|line| format!("  {line}")));
            all.push((layer.about.time_ms, told));
        }
        for step in &steps {
            let mut told = vec![head(&step.id, &step.command)];
            for (path, became) in journal.as_ref().and_then(|all| all.changes_since(step).ok()).unwrap_or_default() {
                let word = match became {
                    Became::Created => "created",
                    Became::Changed => "changed",
                    Became::Deleted => "deleted",
                };
                told.push(format!("  {word} {}", path.display()));
            }
            told.extend(say::lost(step).into_iter().map(|line| format!("  {line}")));
            all.push((u64::try_from(step.time_ms).unwrap_or(0), told));
        }
        all.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        lines.extend(all.into_iter().take(SHOWN).flat_map(|(_, told)| told));
        if lines.is_empty() {
            lines.push("no command has changed anything that can be brought back".to_owned());
        }
        Ok(lines)
    }

    fn difference(&self, step: &str) -> Result<Vec<String>, Failure> {
        let Own { layers, .. } = self.own(&mut |_| {})?;
        let layer = layers.iter().find(|layer| layer.id() == step);
        let layer = layer.ok_or_else(|| Failure::user("there is no difference of that step of this shell"))?;
        Ok(vec![layer.about.command.clone(), shown::of_layer(layer)?])
    }

    /// Brings a step of this session back; another session's is none of the agent's business.
    fn undo(&self, step: &str) -> Result<ToolOutcome, Failure> {
        let Own { layers, steps, .. } = self.own(&mut |_| {})?;
        let is_own = layers.iter().any(|layer| layer.id() == step) || steps.iter().any(|own| own.id == step);
        if !step.is_empty() && !is_own {
            return Err(Failure::user("that step is not of this shell"));
        }
        let mut lines = Vec::new();
        let all = answer(&self.base, Some(&self.session), ("undo", step), &mut |line| lines.push(line.to_owned()))?;
        let told = lines.join("\n");
        Ok(if all { ToolOutcome::success(told) } else { ToolOutcome::reported_failure(told) })
    }

    fn plan(self: Arc<Self>, call: &CheckedCall) -> Result<Plan, Faults> {
        // A misnamed step would be the last one.
        call.refuse_unknown()?;
        let step = call.arguments.get("step").and_then(Value::as_str).map(str::to_owned);
        let asked = match (call.definition.name.as_str(), step) {
            (UNDO, step) => Asked::Undo(step.unwrap_or_default()),
            (_, Some(step)) => Asked::Difference(step),
            (_, None) => Asked::Changes,
        };
        Ok(Plan::tool(move |_, _| async move {
            let done = tokio::task::spawn_blocking(move || self.run(&asked));
            match done.await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(failure)) => ToolOutcome::reported_failure(failure.in_a_line()),
                Err(error) => ToolOutcome::failure(chain(&error)),
            }
        }))
    }
}
