//! Overhead of the executor for one built-in call: look-up, validation, gate aside, run.

use std::sync::Arc;

use aish_tools::{Executor, Parameter, ParameterKind, Registry, handler, input_schema};
use aish_types::{CallContext, ToolCall, ToolDefinition, ToolOutcome};

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
