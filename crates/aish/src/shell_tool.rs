//! The tool `shell`: commands that the model proposes, by `CMD:` lines or as calls; and the two that no model is told of,
//! by which a person lets a command run again that failed: in its layer with the network, or outside.

use std::sync::Arc;

use aish_process::Captured;
use aish_safety::{ApprovedCall, By, Placement, Subject, Verdict};
use aish_tools::schema::Faults;
use aish_tools::{
    COMMAND, CheckedCall, FixedTools, Parameter, ParameterKind, Plan, Registry, RunContext, input_schema,
};
use aish_types::{BoxFuture, CallId, Exit, Risk, SessionId, SourceId, Stopped, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};

use crate::failure::Failure;

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
    /// What of it the sandbox may have stopped.
    pub stopped: Option<Stopped>,
    /// True when the person ended it with Ctrl-C at the terminal.
    pub by_person: bool,
}

impl Ran {
    /// Makes it of a status and what was shown.
    pub fn of(status: i32, output: &Captured, ending: Option<String>) -> Self {
        let (output, truncated) = (output.clean_text(), output.truncated());
        Self { status, output, truncated, ending, stopped: None, by_person: false }
    }
}

/// A command that is to be run apart.
#[derive(Debug, Clone)]
pub struct Order {
    /// The call.
    pub call: CallId,
    /// The session.
    pub session: SessionId,
    /// Where it runs.
    pub placement: Placement,
    /// Whether it was judged to be harmless: it takes no locks, and writes no index that is only refreshed.
    pub harmless: bool,
    /// Whether a person was asked about it just now, who has read it.
    pub asked: bool,
    /// Whether somebody said yes to it, now or for good: the tree's own files of secrets can be read then.
    pub consented: bool,
    /// Whether other hosts can be reached.
    pub network: bool,
}

/// How a command is run.
#[derive(Debug, Clone, Copy)]
pub enum Way<'a> {
    /// In the shell; a person said yes.
    Asked,
    /// In the shell, and nobody was asked: where its output goes to the person at once, the command is shown first.
    Unasked,
    /// Apart from the shell: in a layer, or at least without its secrets.
    Apart(&'a Order),
    /// Outside the sandbox that the shell is in.
    Outside,
}

/// Runs one command line in the shell that belongs to this run.
pub trait CommandRunner: Send + Sync {
    /// Runs a command to its end, or until `bounds.cancel` fires or `bounds.timeout_ms` have passed (0: no limit).
    fn run<'a>(&'a self, command: &'a str, way: Way<'a>, bounds: RunContext) -> BoxFuture<'a, Result<Ran, Failure>>;

    /// Takes over what a command that ran apart set, now that its layer was kept or dropped. Returns what did not come
    /// back, in words for the model.
    fn come_back<'a>(&'a self, _call: &'a CallId) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}

/// The tool that runs a command in the shell.
pub const SHELL: &str = "shell";
/// Its source.
pub const SHELL_SOURCE: &str = "shell";
/// The source of [`OUTSIDE`].
pub const OUTSIDE_SOURCE: &str = "outside";
/// The tool that runs a command outside the sandbox. No model is told of it; a person is asked for each call.
pub const OUTSIDE: &str = "shell_outside";
/// The tool that runs a command in a layer with the network, of which the same is true.
pub const NETWORK: &str = "shell_network";

/// Where the commands of a source run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Shell,
    Outside,
}

/// The tool `shell`, or those of [`OUTSIDE_SOURCE`].
pub struct ShellTool {
    place: Place,
    runner: Arc<dyn CommandRunner>,
    timeout_ms: u64,
}

impl ShellTool {
    /// Adds the tools to a registry, over a runner. `timeout_ms` bounds a command; 0 leaves that to the person's Ctrl-C.
    pub fn add_to(registry: &Registry, runner: &Arc<dyn CommandRunner>, timeout_ms: u64) {
        for place in [Place::Shell, Place::Outside] {
            let (id, tools): (_, &[_]) = match place {
                Place::Shell => (SHELL_SOURCE, &[(SHELL, "Run a command line in the user's shell.")]),
                Place::Outside => (
                    OUTSIDE_SOURCE,
                    &[
                        (OUTSIDE, "Run a command line outside the sandbox; a person is asked."),
                        (NETWORK, "Run a command line in a layer with the network; a person is asked."),
                    ],
                ),
            };
            let id = SourceId::new(id);
            let definitions = tools.iter().map(|(name, about)| Self::definition(place, &id, name, about, timeout_ms));
            let tool = Arc::new(Self { place, runner: Arc::clone(runner), timeout_ms });
            let plan = move |call: &CheckedCall| Arc::clone(&tool).plan(call);
            registry.add(Arc::new(FixedTools::new(id.clone(), definitions, plan)));
        }
    }

    fn definition(place: Place, id: &SourceId, name: &str, description: &str, timeout_ms: u64) -> ToolDefinition {
        let mut parameter = Parameter::required(COMMAND, ParameterKind::String);
        parameter.description = Some("The command line, as for bash".to_owned());
        let schema = input_schema(&[parameter]);
        let mut definition = ToolDefinition::new(name, description, schema, id.clone());
        definition.category = "system".into();
        definition.risk = Risk::Write;
        definition.trusted = true;
        definition.requires_confirmation = place == Place::Outside;
        // The executor's own limit is far away: the runner keeps partial output when it stops a command.
        definition.timeout_ms =
            Some(if timeout_ms == 0 { 7 * 24 * 3600 * 1000 } else { timeout_ms.saturating_add(5000) });
        definition
    }

    fn plan(self: Arc<Self>, call: &CheckedCall) -> Result<Plan, Faults> {
        // Such as a time limit that there is not.
        call.refuse_unknown()?;
        let command = call.arguments.get(COMMAND).and_then(Value::as_str).unwrap_or_default().to_owned();
        let with_network = call.definition.name.as_str() == NETWORK;
        Ok(Plan::of(Subject::Command { text: command.clone() }, move |call, context| async move {
            let order = order(&call);
            let way = match (self.place, order.placement) {
                (Place::Shell, Placement::Open) if call.approved_by() != By::Person => Way::Unasked,
                (Place::Shell, Placement::Open) => Way::Asked,
                (Place::Shell, Placement::Clean | Placement::Reading | Placement::Layer(_)) => Way::Apart(&order),
                (Place::Outside, Placement::Layer(_)) if with_network => Way::Apart(&order),
                (Place::Outside, _) if with_network => {
                    return ToolOutcome::failure("there is no layer here that it could run in");
                }
                (Place::Outside, _) => Way::Outside,
            };
            let bounds = RunContext { timeout_ms: self.timeout_ms, ..context };
            match self.runner.run(&command, way, bounds).await {
                Ok(ran) => outcome(&ran),
                Err(why) => ToolOutcome::failure(why.to_string()),
            }
        }))
    }
}

/// Says how an approved command is run apart.
fn order(call: &ApprovedCall) -> Order {
    let context = &call.call().context;
    Order {
        call: context.call.clone(),
        session: context.session.clone(),
        placement: call.placement(),
        harmless: call.judgement().verdict == Verdict::Allow,
        asked: call.approved_by() == By::Person,
        consented: matches!(call.approved_by(), By::Person | By::Kept),
        network: call.network(),
    }
}

/// Returns the line that ends the text of every command.
pub fn exit_line(code: i32) -> String {
    format!("\n[exit code: {code}]")
}

fn outcome(ran: &Ran) -> ToolOutcome {
    let mut text = ran.output.trim_end().to_owned();
    if text.is_empty() {
        text.push_str("(no output)");
    }
    let stopped = ran.stopped.as_ref().map(|stopped| &stopped.what);
    if let Some(ending) = ran.ending.as_ref().or(stopped) {
        text.push_str(&format!("\n[{ending}]"));
    }
    text.push_str(&exit_line(ran.status));
    let mut outcome = if ran.status == 0 { ToolOutcome::success(text) } else { ToolOutcome::reported_failure(text) };
    outcome.truncated = ran.truncated;
    outcome.structured = Some(json!({"exit_code": ran.status, "truncated": ran.truncated}));
    outcome.exit = Some(Exit { code: ran.status, by_person: ran.by_person, stopped: ran.stopped.clone() });
    outcome
}
