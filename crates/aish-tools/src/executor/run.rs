//! The run of approved calls.

use std::sync::Arc;
use std::time::Duration;

use aish_safety::ApprovedCall;
use aish_types::{Ending, ToolOutcome};
use tokio_util::sync::CancellationToken;

use crate::executor::{Executor, guard};
use crate::plan::{Run, RunContext};
use crate::registry::Tool;

/// How long a source may take to hand over what it has after a timeout or a cancellation.
const GRACE: Duration = Duration::from_millis(150);

/// How the wait for a source ended.
enum Ended {
    Done(Option<ToolOutcome>),
    TimedOut(Option<ToolOutcome>),
    Cancelled(Option<ToolOutcome>),
}

impl Executor {
    /// Runs an approved call once, with its timeout, after checking that the definition is still the one that was approved.
    pub(crate) async fn run(&self, call: ApprovedCall, run: Run, cancel: CancellationToken) -> ToolOutcome {
        let started = self.clock.monotonic();
        let (definition, user) = (Arc::clone(&call.call().definition), call.call().context.user.clone());
        let ignored = call.call().ignored.clone();
        let mut outcome = self.attempt(call, run, cancel).await;
        let ended = self.clock.monotonic();
        if outcome.is_success() {
            self.rates.succeeded(&definition, &user, ended);
        }
        let took = ended.saturating_sub(started).as_millis();
        outcome.duration_ms = u64::try_from(took).unwrap_or(u64::MAX);
        outcome.notes.ignored = ignored;
        outcome
    }

    async fn attempt(&self, call: ApprovedCall, run: Run, cancel: CancellationToken) -> ToolOutcome {
        let prepared = call.call();
        let definition = Arc::clone(&prepared.definition);
        let name = &definition.name;
        let Some(tool) = self.registry.tool(name) else {
            return ToolOutcome::failure(format!("Tool '{name}' is no longer there"));
        };
        if *tool.hash() != prepared.definition_hash || tool.definition.source != definition.source {
            return ToolOutcome::failure(format!("Tool '{name}' has changed since it was approved; it was not run"));
        }
        let user = &prepared.context.user;
        if let Err(wait) = self.rates.check(&definition, user, self.clock.monotonic()) {
            return wait.outcome();
        }
        if cancel.is_cancelled() {
            return ToolOutcome::failure(format!("Tool '{name}' was cancelled before it started"));
        }
        let timeout_ms = definition.timeout_ms.filter(|&ms| ms > 0).unwrap_or(self.timeout_ms);
        match run_source(run, call, timeout_ms, cancel).await {
            Ended::Done(Some(outcome)) => checked(&tool, outcome),
            Ended::Done(None) => {
                tracing::error!(tool = %name, "a tool panicked");
                ToolOutcome::failure(format!("Tool '{name}' crashed"))
            }
            // A source that kept to the limit itself has said so.
            Ended::TimedOut(Some(outcome)) if outcome.ending == Ending::Transport => outcome,
            Ended::TimedOut(partial) => {
                with_partial(format!("Tool '{name}' timed out after {}", seconds(timeout_ms)), partial)
            }
            Ended::Cancelled(partial) => with_partial(format!("Tool '{name}' was cancelled"), partial),
        }
    }
}

/// Runs an approved call that belongs to no registered tool; none when it panicked, or took its whole time.
pub(crate) async fn run_alone(
    run: Run,
    call: ApprovedCall,
    timeout_ms: u64,
    cancel: CancellationToken,
) -> Option<ToolOutcome> {
    match run_source(run, call, timeout_ms, cancel).await {
        Ended::Done(outcome) => outcome,
        Ended::TimedOut(_) | Ended::Cancelled(_) => None,
    }
}

/// Starts what was planned. This is the one place where an effect begins.
async fn run_source(run: Run, call: ApprovedCall, timeout_ms: u64, outer: CancellationToken) -> Ended {
    let cancel = outer.child_token();
    let context = RunContext { cancel: cancel.clone(), timeout_ms };
    let Some(future) = guard::call(|| run(call, context)) else { return Ended::Done(None) };
    let mut running = std::pin::pin!(guard::wait(future));
    let timed_out = tokio::select! {
        biased;
        outcome = &mut running => {
            // A source that saw the cancellation first hands over what it has, which is no ordinary end.
            let cut_off = outer.is_cancelled() && outcome.as_ref().is_some_and(|outcome| !outcome.is_success());
            return if cut_off { Ended::Cancelled(outcome) } else { Ended::Done(outcome) };
        }
        () = outer.cancelled() => false,
        () = tokio::time::sleep(Duration::from_millis(timeout_ms)) => true,
    };
    cancel.cancel();
    let partial = tokio::time::timeout(GRACE, running).await.ok().flatten();
    if timed_out { Ended::TimedOut(partial) } else { Ended::Cancelled(partial) }
}

/// Keeps what a source handed over after it was ended, below the line that says so.
fn with_partial(line: String, partial: Option<ToolOutcome>) -> ToolOutcome {
    match partial {
        Some(outcome) => {
            let text = if outcome.text.is_empty() { line } else { format!("{line}\n{}", outcome.text) };
            let ending = match outcome.ending {
                Ending::Done | Ending::Reported => Ending::Reported,
                Ending::Here | Ending::Transport => Ending::Here,
            };
            ToolOutcome { ending, text, ..outcome }
        }
        None => ToolOutcome::failure(line),
    }
}

/// Checks a structured result against the output schema.
fn checked(tool: &Tool, mut outcome: ToolOutcome) -> ToolOutcome {
    if !outcome.is_success() {
        return outcome;
    }
    let why = match (tool.output(), &outcome.structured) {
        (Some(Ok(schema)), Some(result)) => schema.validate(result).err().map(|faults| faults.to_string()),
        (Some(Err(error)), Some(_)) => Some(error.to_string()),
        (None, _) | (_, None) => None,
    };
    if let Some(why) = why {
        let name = &tool.definition.name;
        outcome.ending = Ending::Reported;
        outcome.structured = None;
        outcome.notes.output_schema = Some(why.clone());
        let line = format!("Tool '{name}' gave a structured result that its own schema refuses: {why}");
        outcome.text = if outcome.text.is_empty() { line } else { format!("{line}\n{}", outcome.text) };
    }
    outcome
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1_000) { format!("{}s", ms / 1_000) } else { format!("{}s", ms as f64 / 1_000.0) }
}
