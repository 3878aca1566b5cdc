//! One command, run to its end, as the outcome of a call.

use std::time::Duration;

use aish_process::{Command, Exit, RunOutcome, SpawnError, Stdin};
use aish_types::ToolOutcome;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::argv::Invocation;
use crate::docker;
use crate::policy::Executor;

/// What bounds a command.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Seconds that it may run.
    pub timeout_s: f64,
    /// Ends it early.
    pub cancel: CancellationToken,
}

/// Runs a command where the policy says.
///
/// # Errors
/// When it cannot be started.
pub(crate) async fn start(
    invocation: Invocation,
    limits: &Limits,
    executor: &Executor,
) -> Result<RunOutcome, SpawnError> {
    match executor {
        Executor::Local => aish_process::run(&command(invocation, limits.timeout_s), &limits.cancel).await,
        Executor::Docker(_) => docker::run(invocation, limits).await,
    }
}

/// Runs a command as a call. A failure is an outcome: its text is what the model reads, its structure what programs read.
pub(crate) async fn call(invocation: Invocation, limits: Limits, executor: &Executor) -> ToolOutcome {
    let program = invocation.words.first().cloned().unwrap_or_default();
    match start(invocation, &limits, executor).await {
        Ok(outcome) => outcome_of(&outcome, limits.timeout_s),
        Err(error) => failed(&spawn_failure(&program, &error)),
    }
}

/// Makes the command of an invocation.
pub(crate) fn command(invocation: Invocation, timeout_s: f64) -> Command {
    let mut words = invocation.words.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default()).args(words);
    command.timeout = Some(Duration::try_from_secs_f64(timeout_s).unwrap_or(Duration::MAX));
    command.cwd = invocation.folder.map(Into::into);
    if let Some(text) = invocation.stdin {
        command.stdin = Stdin::Bytes(text.into_bytes());
    }
    for (name, value) in invocation.env {
        command = command.env(name, value);
    }
    command
}

fn spawn_failure(program: &str, error: &SpawnError) -> String {
    match error {
        SpawnError::NotFound { .. } => format!("Command not found: {program}"),
        other => other.to_string(),
    }
}

/// A command that could not be started: the same shape as one that failed.
fn failed(message: &str) -> ToolOutcome {
    let mut outcome = ToolOutcome::failure(text("", message, -1));
    outcome.structured =
        Some(json!({"stdout": "", "stderr": message, "exit_code": -1, "truncated": false, "duration_ms": 0}));
    outcome
}

fn outcome_of(run: &RunOutcome, timeout_s: f64) -> ToolOutcome {
    let stdout = run.stdout.clean_text();
    let (stderr, code) = match run.exit {
        Exit::Code(code) => (run.stderr.clean_text(), code),
        // As Python's subprocess says it: the signal's number, negative.
        Exit::Signal(signal) => (run.stderr.clean_text(), -signal),
        Exit::TimedOut => (format!("Command timed out after {}s", seconds(timeout_s)), -1),
        Exit::Cancelled => ("Command was cancelled".to_owned(), -1),
    };
    let truncated = run.stdout.truncated() || run.stderr.truncated();
    let duration_ms = u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX);
    let text = text(&stdout, &stderr, code);
    let mut outcome = if code == 0 { ToolOutcome::success(text) } else { ToolOutcome::reported_failure(text) };
    outcome.truncated = truncated;
    outcome.duration_ms = duration_ms;
    outcome.structured = Some(json!({
        "stdout": stdout, "stderr": stderr, "exit_code": code, "truncated": truncated, "duration_ms": duration_ms,
    }));
    outcome
}

/// Writes what the model reads: standard output, and for a command that failed its standard error and exit code.
fn text(stdout: &str, stderr: &str, code: i32) -> String {
    let mut parts: Vec<String> = Vec::new();
    let stdout = stdout.trim();
    if !stdout.is_empty() {
        parts.push(stdout.to_owned());
    }
    if code != 0 {
        let stderr = stderr.trim();
        if !stderr.is_empty() {
            parts.push(format!("[stderr]\n{stderr}"));
        }
        parts.push(format!("[exit code: {code}]"));
    }
    if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n\n") }
}

/// Writes seconds as the program does that these configurations were written for: `1.0`, `0.5`.
fn seconds(seconds: f64) -> String {
    format!("{seconds:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_result() {
        for (stdout, stderr, code, expected) in [
            ("out\n", "err", 0, "out"),
            ("", "err", 0, "(no output)"),
            ("out\n", "err\n", 3, "out\n\n[stderr]\nerr\n\n[exit code: 3]"),
            ("", "", 2, "[exit code: 2]"),
            ("  a  \n\n", "", 0, "a"),
        ] {
            assert_eq!(text(stdout, stderr, code), expected);
        }
        assert_eq!((seconds(1.0), seconds(0.5), seconds(30.0)), ("1.0".into(), "0.5".into(), "30.0".into()));
    }
}
