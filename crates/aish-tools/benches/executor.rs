//! Overhead of the executor for one built-in call: look-up, validation, gate aside, run.

use std::sync::Arc;

use aish_safety::{
    AuditEntry, AuditError, AuditLog, Gate, Mode, Nobody, Passage, Pin, PinError, PinStore, Policy, Surroundings,
};
use aish_tools::{Executor, Parameter, ParameterKind, Registry, handler, input_schema};
use aish_types::{CallContext, SourceId, ToolCall, ToolDefinition, ToolName, ToolOutcome};
use tokio_util::sync::CancellationToken;

fn main() {
    divan::main();
}

fn executor() -> Executor {
    let registry = Arc::new(Registry::default());
    let parameters = [
        Parameter::required("n", ParameterKind::Integer),
        Parameter::optional("format", ParameterKind::String).default("full").choices(["full", "short"]),
    ];
    let mut definition = ToolDefinition::new("same", "Returns a text", input_schema(&parameters), "builtin".into());
    definition.trusted = true;
    let run = handler(|_, _| async { ToolOutcome::success("same") });
    if let Err(error) = registry.register(definition, run) {
        tracing::error!(%error, "not registered");
    }
    Executor::new(registry)
}

#[divan::bench(args = [r#"{"n": 3}"#, r#"{"n": "3"}"#])]
fn prepare(bencher: divan::Bencher<'_, '_>, arguments: &str) {
    let executor = executor();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let call = ToolCall { id: "1".into(), name: "same".into(), arguments: arguments.into() };
    let context = CallContext { call: "1".into(), session: "s".into(), user: "me".into(), channel: None, folder: None };
    bencher.bench_local(|| runtime.block_on(executor.prepare(&call, context.clone())));
}

/// Nothing is written: only the way through the gate is measured.
struct Open;

impl AuditLog for Open {
    fn append(&self, _entry: &AuditEntry) -> Result<(), AuditError> {
        Ok(())
    }
}

impl PinStore for Open {
    fn get(&self, _source: &SourceId, _tool: &ToolName) -> Result<Option<Pin>, PinError> {
        Ok(None)
    }

    fn put(&self, _source: &SourceId, _tool: &ToolName, _pin: &Pin) -> Result<(), PinError> {
        Ok(())
    }
}

/// Prepare, gate and run of a tool that does nothing.
#[divan::bench]
fn whole_call(bencher: divan::Bencher<'_, '_>) {
    let executor = executor();
    let gate = Gate::new(Arc::new(Nobody), Arc::new(Open), Arc::new(Open), Policy::default(), Mode::Headless);
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let call = ToolCall { id: "1".into(), name: "same".into(), arguments: r#"{"n": 3}"#.into() };
    let context = CallContext { call: "1".into(), session: "s".into(), user: "me".into(), channel: None, folder: None };
    bencher.bench_local(|| {
        runtime.block_on(async {
            let prepared = executor.prepare(&call, context.clone()).await.ok()?;
            match gate.pass(prepared, &Surroundings::default()).await {
                Passage::Approved(call) => Some(executor.run(call, CancellationToken::new()).await),
                Passage::Declined { .. } | Passage::Edited { .. } | Passage::Halted { .. } => None,
            }
        })
    });
}
