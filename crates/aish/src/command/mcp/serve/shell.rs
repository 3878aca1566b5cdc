//! A persistent shell for other agents: what its commands name is put aside before they run, and tools show it and bring
//! it back.

use std::sync::{Arc, Mutex, PoisonError};

use aish_journal::undo::{Became, UndoJournal};
use aish_safety::{PolicyRules, analyse};
use aish_tools::schema::Faults;
use aish_tools::{Changes, Parameter, ParameterKind, Plan, Registry, ToolSource, input_schema};
use aish_types::{BoxFuture, CallContext, Risk, SessionId, SourceId, ToolDefinition, ToolOutcome};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::base::Base;
use crate::failure::Failure;
use crate::live::Live;
use crate::shell_tool::{CommandRunner, Ran, ShellTool, Way, no_sandbox};
use crate::tool_server::Around;
use crate::undo::answer::journal;
use crate::undo::{UndoKeeper, say};

/// The most steps that are listed.
const SHOWN: usize = 20;

/// Runs commands one after the other in one bash, and puts aside what each names.
struct KeptShell {
    live: Arc<Live>,
    around: Around,
    undo: Option<UndoKeeper>,
    session: SessionId,
    /// One bash has one command at a time.
    turn: tokio::sync::Mutex<()>,
}

/// Adds the shell and its tools to a registry; returns the bash, to be closed, and what reads its surroundings.
pub(super) fn add(base: &Base, registry: &Registry, session: &SessionId) -> (Arc<Live>, Around) {
    let live = Arc::new(Live::headless(&base.config.shell.program));
    let around = live.surroundings(base);
    let shell: Arc<dyn CommandRunner> = Arc::new(KeptShell {
        live: Arc::clone(&live),
        around: Arc::clone(&around),
        undo: UndoKeeper::open(base),
        session: session.clone(),
        turn: tokio::sync::Mutex::new(()),
    });
    let timeout_ms = base.config.tools.timeout_s.saturating_mul(1000);
    ShellTool::add_to(registry, &shell, timeout_ms);
    if let Some(journal) = journal(base).filter(|_| base.config.undo.enabled) {
        registry.add(Arc::new(UndoTools::new(journal, session.clone())));
    }
    (live, around)
}

impl CommandRunner for KeptShell {
    fn run<'a>(
        &'a self,
        command: &'a str,
        way: Way<'a>,
        timeout_ms: u64,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Ran, Failure>> {
        Box::pin(async move {
            if matches!(way, Way::Outside) {
                return Err(no_sandbox());
            }
            let _turn = self.turn.lock().await;
            if let Some(undo) = &self.undo {
                let around = (self.around)();
                let changes = analyse(command, &around, &PolicyRules::default()).changes;
                let planned = undo.plan(command, &changes, &around).await;
                let saved = undo.save(&planned, &self.session).await;
                let kept =
                    saved.map_err(|why| format!("not run: what it changes could not be put aside for undo: {why}"));
                kept.map_err(Failure::user)?;
            }
            self.live.run(command, Way::Asked, timeout_ms, cancel).await
        })
    }
}

/// The tools `changes` and `undo`.
struct UndoTools {
    id: SourceId,
    journal: Arc<Mutex<UndoJournal>>,
    session: SessionId,
    definitions: [Arc<ToolDefinition>; 2],
}

impl UndoTools {
    fn new(journal: UndoJournal, session: SessionId) -> Self {
        let id = SourceId::new("undo");
        let define = |name: &str, about: &str, parameters: &[Parameter], risk| {
            let mut definition = ToolDefinition::new(name, about, input_schema(parameters), id.clone());
            definition.category = "system".to_owned();
            definition.risk = risk;
            definition.trusted = true;
            Arc::new(definition)
        };
        let mut step = Parameter::optional("step", ParameterKind::String);
        step.description = Some("A step as `changes` names it; the last command's without it".to_owned());
        let about = "List what the shell's commands changed of the files that they name, newest first, each step with its name.";
        let changes = define("changes", about, &[], Risk::Read);
        let undo = define("undo", "Bring back what a command of the shell changed.", &[step], Risk::Write);
        Self { id, journal: Arc::new(Mutex::new(journal)), session, definitions: [changes, undo] }
    }
}

impl ToolSource for UndoTools {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        self.definitions.to_vec()
    }

    fn plan(
        self: Arc<Self>,
        definition: &Arc<ToolDefinition>,
        arguments: &Value,
        _context: &CallContext,
    ) -> Result<Plan, Faults> {
        let undoes = definition.name.as_str() == "undo";
        let step = arguments.get("step").and_then(Value::as_str).map(str::to_owned);
        Ok(Plan::tool(move |_, _| async move {
            let (journal, session) = (Arc::clone(&self.journal), self.session.clone());
            let done = tokio::task::spawn_blocking(move || {
                let journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
                if undoes { undo(&journal, &session, step.as_deref()) } else { changes(&journal, &session) }
            });
            match done.await {
                Ok(Ok(text)) => ToolOutcome::success(text),
                Ok(Err(why)) => ToolOutcome::reported_failure(why),
                Err(error) => ToolOutcome::failure(error.to_string()),
            }
        }))
    }
}

fn changes(journal: &UndoJournal, session: &SessionId) -> Result<String, String> {
    let steps = journal.steps().map_err(|error| crate::failure::chain(&error))?;
    let own = steps.iter().rev().filter(|step| step.session.as_deref() == Some(session.as_str()));
    let mut lines = Vec::new();
    for step in own.take(SHOWN) {
        lines.push(format!("{}  {}", step.id, step.command.lines().next().unwrap_or_default()));
        for (path, became) in journal.changes_since(step).unwrap_or_default() {
            let word = match became {
                Became::Created => "created",
                Became::Changed => "changed",
                Became::Deleted => "deleted",
            };
            lines.push(format!("  {word} {}", path.display()));
        }
        lines.extend(say::lost(step).into_iter().map(|line| format!("  {line}")));
    }
    Ok(if lines.is_empty() { "nothing was put aside".to_owned() } else { lines.join("\n") })
}

/// Brings a step of this session back; another session's is none of the agent's business.
fn undo(journal: &UndoJournal, session: &SessionId, step: Option<&str>) -> Result<String, String> {
    let chain = |error: aish_journal::undo::UndoError| crate::failure::chain(&error);
    let found = match step {
        Some(name) => journal.named(name).map_err(chain)?,
        None => journal.last(Some(session.as_str())).map_err(chain)?,
    };
    if found.session.as_deref() != Some(session.as_str()) {
        return Err("that step is not of this shell".to_owned());
    }
    let mut lines = say::lost(&found);
    let restored = journal.bring_back(&found).map_err(chain)?;
    lines.extend(say::restored(&restored, &found));
    if restored.failed.is_empty() { Ok(lines.join("\n")) } else { Err(lines.join("\n")) }
}
