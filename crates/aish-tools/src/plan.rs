//! What a source makes of one call: what is judged, what is asked, and the run itself, made once.

use std::time::Duration;

use aish_safety::{ApprovedCall, Given, Subject};
use aish_types::{BoxFuture, ToolOutcome};
use tokio_util::sync::CancellationToken;

/// What a run is given beside the call.
#[derive(Debug, Clone)]
pub struct RunContext {
    /// Ends the call early; the run kills what it started and returns what it has.
    pub cancel: CancellationToken,
    /// Milliseconds that the call may take; the executor ends it after that all the same, so a run that can
    /// keep partial output watches this itself and returns a little earlier. For a command that a person types, 0: no limit.
    pub timeout_ms: u64,
}

/// Runs a call, once. It takes the approved call, so nothing can run it that the gate has not approved.
pub type Run = Box<dyn FnOnce(ApprovedCall, RunContext) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// One call as its source would run it.
pub struct Plan {
    /// What the gate judges.
    pub subject: Subject,
    /// What a program is given beside its words; judged with them, and shown where somebody is asked.
    pub given: Given,
    /// What is asked in place of the plain question; none for that one.
    pub confirm: Option<Confirm>,
    /// Runs what was judged: it holds the same values as `subject`.
    pub run: Run,
}

impl Plan {
    /// Makes a plan of a run that is judged by the tool's name, arguments and policy.
    pub fn tool<F, Fut>(run: F) -> Self
    where
        F: FnOnce(ApprovedCall, RunContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ToolOutcome> + Send + 'static,
    {
        Self::of(Subject::Tool, run)
    }

    /// Makes a plan of a run that is judged by its subject.
    pub fn of<F, Fut>(subject: Subject, run: F) -> Self
    where
        F: FnOnce(ApprovedCall, RunContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ToolOutcome> + Send + 'static,
    {
        Self {
            subject,
            given: Given::default(),
            confirm: None,
            run: Box::new(move |call, context| Box::pin(run(call, context))),
        }
    }
}

/// Runs work that waits for files beside the other tasks; the work asks whether it was cancelled.
pub(crate) async fn blocking<F>(context: RunContext, run: F) -> ToolOutcome
where
    F: FnOnce(&dyn Fn() -> bool) -> ToolOutcome + Send + 'static,
{
    let cancel = context.cancel;
    let done = tokio::task::spawn_blocking(move || run(&|| cancel.is_cancelled())).await;
    done.unwrap_or_else(|error| ToolOutcome::failure(format!("the files could not be used: {error}")))
}

/// Waits for something from within such work, for so long at most; none where it is not done by then.
pub(crate) fn awaited<F: Future>(future: F, at_most: Duration) -> Option<F::Output> {
    let runtime = tokio::runtime::Handle::try_current().ok()?;
    runtime.block_on(async { tokio::time::timeout(at_most, future).await.ok() })
}

/// The sentence that is asked about a call.
pub struct Confirm {
    /// What is looked up for it. Nothing of it runs unless somebody is asked, and then only what needs no question.
    pub look_ups: Vec<LookUp>,
    /// Words the sentence from the texts that were found, in the order of the look-ups; none for one that found nothing.
    pub word: Box<dyn FnOnce(Vec<Option<String>>) -> String + Send + Sync>,
}

/// A call by which a sentence is filled in: it passes the gate as a call of its own.
pub struct LookUp {
    /// What it finds; the call is written down as one of the tool `TOOL:NAME`.
    pub name: String,
    /// What it runs.
    pub plan: Plan,
    /// Milliseconds that it may take.
    pub timeout_ms: u64,
}
