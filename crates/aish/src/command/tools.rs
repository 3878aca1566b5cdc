//! `aish tools`: the tools, for people and scripts.

use std::sync::Arc;

use aish_safety::{Mode, Nobody, Passage};
use aish_types::{CallContext, CallId, ToolCall, ToolName, ToolOutcome};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::arguments::ToolsCommand;
use crate::exit::ExitCode;
use crate::wiring::Base;

/// Runs a sub-command.
///
/// # Errors
/// When a definition cannot be written as JSON.
pub async fn run(
    base: &Base,
    command: &ToolsCommand,
    print: &mut dyn FnMut(&str),
    complain: &mut dyn FnMut(&str),
) -> anyhow::Result<ExitCode> {
    let (registry, notices) = base.registry();
    notices.iter().for_each(|notice| complain(notice));
    match command {
        ToolsCommand::List { json: true } => {
            print(&serde_json::to_string_pretty(&registry.schemas(None))?);
            Ok(ExitCode::Ok)
        }
        ToolsCommand::List { json: false } => {
            let tools = registry.list(None);
            let width = tools.iter().map(|tool| tool.name.as_str().len()).max().unwrap_or(0);
            for tool in tools {
                let first = tool.description.lines().next().unwrap_or_default();
                print(&aish_types::sanitize(&format!("{:width$}  {first}", tool.name.as_str())));
            }
            Ok(ExitCode::Ok)
        }
        ToolsCommand::Describe { name } => match registry.get(&ToolName::new(name.as_str())) {
            Some((_, definition)) => {
                print(&serde_json::to_string_pretty(&*definition)?);
                Ok(ExitCode::Ok)
            }
            None => {
                let near: Vec<String> = registry.near(name, 3).iter().map(ToString::to_string).collect();
                complain(&format!("there is no tool {name:?}; near names: {}", near.join(", ")));
                Ok(ExitCode::Error)
            }
        },
        ToolsCommand::Call { name, arguments, json, yes } => {
            let call = ToolCall {
                id: CallId::new("call-1"),
                name: ToolName::new(name.as_str()),
                arguments: arguments.clone(),
            };
            let mode = if *yes { Mode::HeadlessYes } else { Mode::Headless };
            let (outcome, code) = call_once(base, &registry, &call, mode).await;
            if *json {
                print(&serde_json::to_string(&outcome)?);
            } else if outcome.success {
                print(&aish_types::sanitize(&outcome.text));
            } else {
                complain(&aish_types::sanitize(&outcome.text));
            }
            Ok(code)
        }
    }
}

async fn call_once(
    base: &Base,
    registry: &Arc<aish_tools::Registry>,
    call: &ToolCall,
    mode: Mode,
) -> (ToolOutcome, ExitCode) {
    let executor = base.executor(registry);
    let context = CallContext {
        call: call.id.clone(),
        session: "cli".into(),
        user: base.variable("USER").unwrap_or_else(|| "user".to_owned()),
        channel: None,
        folder: Some(base.folder.display().to_string()),
    };
    let prepared = match executor.prepare(call, context).await {
        Ok(prepared) => prepared,
        Err(outcome) => return (*outcome, ExitCode::Error),
    };
    let gate = base.gate(Arc::new(Nobody), mode);
    match gate.pass(prepared, &base.surroundings()).await {
        Passage::Approved(approved) => {
            let outcome = executor.run(approved, CancellationToken::new()).await;
            let code = if outcome.success { ExitCode::Ok } else { ExitCode::Error };
            (outcome, code)
        }
        Passage::Declined { reason, judgement } => {
            let mut outcome = ToolOutcome::failure(reason);
            outcome.notes.insert("rule".into(), json!(judgement.rule));
            (outcome, ExitCode::Halted)
        }
        Passage::Halted { judgement } => (ToolOutcome::failure(judgement.reason), ExitCode::Halted),
        Passage::Edited { .. } => (ToolOutcome::failure("edited, and nobody is there to edit"), ExitCode::Halted),
    }
}
