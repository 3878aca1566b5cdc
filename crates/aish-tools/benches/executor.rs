//! Overhead of the executor for one built-in call: look-up, validation, gate, run, against calling the tool directly.
//!
//! The overhead of a call is `whole_call` less `direct`, of the calculator `calculator_call` less `calculator_direct`.

use std::sync::Arc;

use aish_safety::{AuditEntry, AuditError, AuditLog, Gate, Nobody, Pin, PinError, PinStore, Policy, Surroundings};
use aish_tools::builtin::calculator::calculate;
use aish_tools::builtin::{Builtins, Ports};
use aish_tools::{Call, Door, Executor, Parameter, ParameterKind, Registry, handler, input_schema};
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

/// What the tool that does nothing does, called without the executor.
#[divan::bench]
fn direct(bencher: divan::Bencher<'_, '_>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    bencher.bench_local(|| runtime.block_on(async { divan::black_box(ToolOutcome::success("same")) }));
}

/// Prepare, gate and run of a tool that does nothing.
#[divan::bench]
fn whole_call(bencher: divan::Bencher<'_, '_>) {
    call(bencher, executor(), "same", r#"{"n": 3}"#);
}

/// The calculator without the executor.
#[divan::bench]
fn calculator_direct(bencher: divan::Bencher<'_, '_>) {
    bencher.bench_local(|| calculate(divan::black_box("47.50 * 15%")).map_err(|error| error.to_string()));
}

/// The calculator as a model calls it.
#[divan::bench]
fn calculator_call(bencher: divan::Bencher<'_, '_>) {
    let registry = Arc::new(Registry::default());
    registry.add(Arc::new(Builtins::all(&Ports::default())));
    call(bencher, Executor::new(registry), "calculator", r#"{"expression": "47.50 * 15%"}"#);
}

/// As far as the gate: look-up, parsing, validation, judgement.
#[divan::bench(args = [r#"{"n": 3}"#, r#"{"n": "3"}"#])]
fn pass(bencher: divan::Bencher<'_, '_>, arguments: &str) {
    let door = door(executor());
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let (call, context) = asked("same", arguments);
    bencher.bench_local(|| {
        let call = Call::read(&call, context.clone()).ok()?;
        Some(runtime.block_on(door.pass(call, &Surroundings::default(), &Nobody::default())))
    });
}

fn door(executor: Executor) -> Door {
    Door::new(Arc::new(executor), Gate::new(Arc::new(Open), Arc::new(Open), Policy::default()))
}

fn asked(name: &str, arguments: &str) -> (ToolCall, CallContext) {
    let call = ToolCall { id: "1".into(), name: name.into(), arguments: arguments.into() };
    (call, CallContext { call: "1".into(), session: "s".into(), user: "me".into(), channel: None, folder: None })
}

fn call(bencher: divan::Bencher<'_, '_>, executor: Executor, name: &str, arguments: &str) {
    let door = door(executor);
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let (call, context) = asked(name, arguments);
    bencher.bench_local(|| {
        let call = Call::read(&call, context.clone()).ok()?;
        let (around, nobody) = (Surroundings::default(), Nobody::default());
        Some(runtime.block_on(door.call(call, &around, &nobody, CancellationToken::new())).outcome())
    });
}
