//! The tool `shell`: commands that the model proposes, by `CMD:` lines or as calls.

use std::sync::Arc;

use aish_safety::{ApprovedCall, Subject};
use aish_tools::{Changes, Parameter, ParameterKind, RunContext, ToolSource, input_schema};
use aish_types::{BoxFuture, Risk, SourceId, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The exit code.
    pub status: i32,
    /// Everything it showed, clean, head and tail when it was long.
    pub output: String,
    /// True when output was left out.
    pub truncated: bool,
    /// How it ended, when not by itself.
    pub ending: Option<String>,
}

/// Runs one command line in the shell that belongs to this run.
pub trait CommandRunner: Send + Sync {
    /// Runs a command to its end, or until it is cancelled or `timeout_ms` have passed (0: no limit).
    fn run<'a>(
        &'a self,
        command: &'a str,
        timeout_ms: u64,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Ran, String>>;
}

/// The source of the tool `shell`.
pub struct ShellTool {
    id: SourceId,
    definition: Arc<ToolDefinition>,
    runner: Arc<dyn CommandRunner>,
    timeout_ms: u64,
}

impl ShellTool {
    /// Makes the source over a runner. `timeout_ms` bounds a command; 0 leaves that to the person's Ctrl-C.
    pub fn new(runner: Arc<dyn CommandRunner>, timeout_ms: u64) -> Self {
        let id = SourceId::new("shell");
        let mut parameter = Parameter::required("command", ParameterKind::String);
        parameter.description = Some("The command line, as for bash".to_owned());
        let schema = input_schema(&[parameter]);
        let mut definition =
            ToolDefinition::new("shell", "Run a command line in the user's shell.", schema, id.clone());
        definition.category = "system".to_owned();
        definition.risk = Risk::Write;
        definition.trusted = true;
        // The executor's own limit is far away: the runner keeps partial output when it stops a command.
        definition.timeout_ms =
            Some(if timeout_ms == 0 { 7 * 24 * 3600 * 1000 } else { timeout_ms.saturating_add(5000) });
        Self { id, definition: Arc::new(definition), runner, timeout_ms }
    }
}

impl ToolSource for ShellTool {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    fn definitions(&self) -> Vec<Arc<ToolDefinition>> {
        vec![Arc::clone(&self.definition)]
    }

    fn subject(&self, _definition: &ToolDefinition, arguments: &Value) -> Subject {
        Subject::Command { text: command(arguments).to_owned() }
    }

    fn call<'a>(&'a self, call: &'a ApprovedCall, context: RunContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            match self.runner.run(command(&call.call().arguments), self.timeout_ms, context.cancel).await {
                Ok(ran) => outcome(&ran),
                Err(why) => ToolOutcome::failure(why),
            }
        })
    }
}

fn command(arguments: &Value) -> &str {
    arguments.get("command").and_then(Value::as_str).unwrap_or_default()
}

fn outcome(ran: &Ran) -> ToolOutcome {
    let mut text = ran.output.trim_end().to_owned();
    if text.is_empty() {
        text.push_str("(no output)");
    }
    if let Some(ending) = &ran.ending {
        text.push_str(&format!("\n[{ending}]"));
    }
    text.push_str(&format!("\n[exit code: {}]", ran.status));
    let mut outcome = if ran.status == 0 { ToolOutcome::success(text) } else { ToolOutcome::reported_failure(text) };
    outcome.truncated = ran.truncated;
    outcome.structured = Some(json!({"exit_code": ran.status, "truncated": ran.truncated}));
    outcome
}
