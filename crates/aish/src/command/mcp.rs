//! `aish mcp`: servers from the outside, and aish as one.

mod add;
mod serve;

use std::time::Duration;

use aish_mcp::client::{Ports, test_target};
use serde_json::Value;

use crate::arguments::McpCommand;
use crate::exit::ExitCode;
use crate::servers;
use crate::wiring::Base;

/// How long a call of `aish mcp test` may take.
const CALL: Duration = Duration::from_secs(60);

/// Runs a sub-command.
///
/// # Errors
/// When the report cannot be written as JSON.
pub async fn run(
    base: &Base,
    command: &McpCommand,
    print: &mut dyn FnMut(&str),
    complain: &mut dyn FnMut(&str),
) -> anyhow::Result<ExitCode> {
    match command {
        McpCommand::List => {
            if base.config.mcp.servers.is_empty() {
                print("no MCP server is configured ([mcp.servers.NAME] in the configuration)");
            }
            for (alias, server) in &base.config.mcp.servers {
                let place = match (&server.url, &server.command) {
                    (Some(url), _) => url.clone(),
                    (None, Some(command)) => {
                        std::iter::once(command).chain(&server.args).cloned().collect::<Vec<_>>().join(" ")
                    }
                    (None, None) => "neither url nor command".to_owned(),
                };
                let off = if server.enabled { "" } else { "  (off)" };
                print(&aish_types::sanitize(&format!("{alias}  {place}{off}")));
            }
            Ok(ExitCode::Ok)
        }
        McpCommand::Serve => serve::run(base, complain).await,
        McpCommand::Add(flags) => add::add(base, flags, print, complain),
        McpCommand::Import { file } => add::import_file(base, file, print, complain),
        McpCommand::Test { target, call, args, json } => {
            test(base, target, call.as_deref(), args, *json, print, complain).await
        }
    }
}

async fn test(
    base: &Base,
    target: &str,
    call: Option<&str>,
    args: &str,
    json: bool,
    print: &mut dyn FnMut(&str),
    complain: &mut dyn FnMut(&str),
) -> anyhow::Result<ExitCode> {
    let options = match servers::target(base, target) {
        Ok(options) => options,
        Err(why) => {
            complain(&why);
            return Ok(ExitCode::Usage);
        }
    };
    let arguments = match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) | Err(_) => {
            complain(&format!("--args must be a JSON object, not {args:?}"));
            return Ok(ExitCode::Usage);
        }
    };
    let call = call.map(|tool| (tool.to_owned(), arguments));
    let report = test_target(options, Ports::default(), call, CALL).await;
    if json {
        print(&serde_json::to_string(&report)?);
    } else {
        let clean = |text: &str| aish_types::sanitize(text).into_owned();
        if let Some(protocol) = &report.protocol {
            print(&clean(&format!("connected in {} ms, protocol {protocol}, {} tools", report.ms, report.tools.len())));
        }
        report.tools.iter().for_each(|tool| print(&clean(&format!("  {tool}"))));
        if let Some(result) = &report.result {
            print(&clean(result.get("text").and_then(Value::as_str).unwrap_or_default()));
        }
        if let Some(error) = &report.error {
            complain(&clean(error));
        }
    }
    Ok(if report.ok { ExitCode::Ok } else { ExitCode::Error })
}
