//! A plugin in Rust: the dice roller as a process of its own.
//!
//! `dice_plugin [URL] [PREFIX] [INSTANCE]` offers `dice.roll` and `dice.wait` until it is stopped.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use aish_nats::plugin::host::{Host, HostedTool, ToolFailed};
use aish_nats::{BusOptions, connect};
use aish_tools::builtin::roll_dice::roll;
use aish_tools::{Parameter, ParameterKind, SystemRandom, input_schema};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

fn text(arguments: &Value, key: &str) -> String {
    arguments.get(key).and_then(Value::as_str).unwrap_or_default().into()
}

fn tools() -> Vec<HostedTool> {
    let notation = Parameter::required("notation", ParameterKind::String).describe("Dice notation, e.g. '4d6kh3'");
    let seconds = Parameter::required("seconds", ParameterKind::Number).describe("How long to wait");
    vec![
        HostedTool {
            name: "roll".into(),
            description: "Roll dice in another process.".into(),
            parameters: input_schema(&[notation]),
            category: "fun".into(),
            run: Arc::new(|arguments, _| {
                Box::pin(async move {
                    let outcome = roll(&text(&arguments, "notation"), &SystemRandom)
                        .map_err(|error| ToolFailed(error.to_string()))?;
                    Ok(Value::String(outcome.text))
                })
            }),
        },
        HostedTool {
            name: "wait".into(),
            description: "Wait, then say so; stops when nobody waits for it any more.".into(),
            parameters: input_schema(&[seconds]),
            category: "fun".into(),
            run: Arc::new(|arguments, cancel| {
                Box::pin(async move {
                    let seconds = arguments.get("seconds").and_then(Value::as_f64).unwrap_or(0.0).clamp(0.0, 600.0);
                    tokio::select! {
                        () = tokio::time::sleep(Duration::from_secs_f64(seconds)) => Ok("waited".into()),
                        () = cancel.cancelled() => Err(ToolFailed("cancelled".into())),
                    }
                })
            }),
        },
    ]
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let url = words.next().unwrap_or_else(|| "nats://127.0.0.1:4222".into());
    let prefix = words.next().unwrap_or_else(|| "rosey".into());
    let instance = words.next().unwrap_or_else(|| std::process::id().to_string());
    let host = Host { prefix, plugin: "dice".into(), instance, version: "1".into(), ttl_s: 3.0, tools: tools() };
    let options = BusOptions { url, creds: None, name: "dice_plugin".into() };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        let _ = tokio::signal::ctrl_c().await;
        stop.cancel();
    });
    let result = match connect(&options).await {
        Ok(bus) => host.run(&bus, cancel).await,
        Err(error) => Err(error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "dice_plugin: {error}");
            ExitCode::FAILURE
        }
    }
}
