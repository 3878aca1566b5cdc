//! `aish tools`: the tools, for people and scripts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_mcp::client::ServerState;
use aish_safety::{Mode, Nobody};
use aish_tools::{Call, Door, Passed, Ran, Registry};
use aish_types::{CallContext, CallId, ToolCall, ToolName, ToolOutcome};
use tokio_util::sync::CancellationToken;

use crate::arguments::ToolsCommand;
use crate::base::Base;
use crate::conversation::gate;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::plugins::{self, Plugins};
use crate::run::complain;
use crate::servers::news::News;
use crate::servers::{self, Servers, SignInWords};
use crate::toolset;

/// How long a list waits for the configured MCP servers.
const LIST_SERVERS: Duration = Duration::from_secs(3);
/// How long a plugin may take to register.
const PLUGINS: Duration = Duration::from_secs(3);
/// How long a call waits for its server.
const CALL_SERVER: Duration = Duration::from_secs(20);

/// Runs a sub-command.
///
/// # Errors
/// When a definition cannot be written as JSON.
pub async fn run(base: &Base, command: &ToolsCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let (registry, notices) = toolset::registry(base, Arc::new(base.memory()), Some(Arc::new(toolset::files(base))));
    notices.iter().for_each(|notice| complain(notice));
    let servers = with_servers(base, &registry, command).await;
    let plugins = with_plugins(base, &registry, command).await;
    let ended = perform(base, &registry, command, print).await;
    servers.pool.close().await;
    if let Some(plugins) = plugins {
        plugins.close().await;
    }
    ended
}

/// Returns the tool that the command is about, where it is about one.
fn named(command: &ToolsCommand) -> Option<&str> {
    match command {
        ToolsCommand::List { .. } => None,
        ToolsCommand::Describe { name } | ToolsCommand::Call { name, .. } => Some(name),
    }
}

/// Starts the MCP servers that the command is about, and waits for them.
async fn with_servers(base: &Base, registry: &Arc<Registry>, command: &ToolsCommand) -> Servers {
    let named = named(command);
    let wanted =
        |alias: &str| named.is_none_or(|name| name.strip_prefix(alias).is_some_and(|rest| rest.starts_with('.')));
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&heard);
    let news = News::new(Arc::default(), move |line| sink.lock().unwrap_or_else(PoisonError::into_inner).push(line));
    let ports = servers::telling(Arc::new(news));
    let mut started = servers::start_some(base, registry, ports, SignInWords::CommandLine, wanted);
    started.faults.iter().for_each(|fault| complain(&aish_types::sanitize(fault)));
    started.waiting.iter().for_each(|(line, _)| complain(&aish_types::sanitize(line)));
    started.start_waiting(base, registry);
    // A call is for one server, which may take its time.
    let limit = if named.is_some() { CALL_SERVER } else { LIST_SERVERS };
    servers::settle(&started.pool, limit).await;
    for line in heard.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        complain(&aish_types::sanitize(&line));
    }
    for row in started.pool.rows() {
        if row.state == ServerState::Connecting {
            complain(&format!("mcp: {}: not connected yet; its tools are missing here", row.alias));
        }
    }
    started
}

/// Listens to the plugins on the configured bus, unless the tool that the command is about is there already, or is none
/// of a plugin's, which have the plugin's name before a dot.
async fn with_plugins(base: &Base, registry: &Arc<Registry>, command: &ToolsCommand) -> Option<Plugins> {
    let plugin = match named(command) {
        Some(name) if registry.get(&ToolName::new(name)).is_some() => return None,
        Some(name) => Some(name.split_once('.')?.0),
        None => None,
    };
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&heard);
    let tell = move |line| sink.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    let plugins = plugins::start(base, registry, tell)?;
    match plugin {
        Some(plugin) => plugins.wait_for(plugin, PLUGINS).await,
        None => plugins.settle(PLUGINS).await,
    }
    for line in heard.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        complain(&aish_types::sanitize(&line));
    }
    Some(plugins)
}

async fn perform(
    base: &Base,
    registry: &Arc<Registry>,
    command: &ToolsCommand,
    print: &mut dyn FnMut(&str),
) -> Result<ExitCode, Failure> {
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
            let (outcome, code) = call_once(base, registry, &call, mode).await;
            if *json {
                print(&serde_json::to_string(&outcome)?);
            } else if outcome.is_success() {
                print(&aish_types::sanitize(&outcome.text));
            } else {
                complain(&aish_types::sanitize(&outcome.text));
            }
            Ok(code)
        }
    }
}

async fn call_once(base: &Base, registry: &Arc<Registry>, call: &ToolCall, mode: Mode) -> (ToolOutcome, ExitCode) {
    let context = CallContext {
        call: call.id.clone(),
        session: "cli".into(),
        user: base.variable("USER").unwrap_or_else(|| "user".to_owned()),
        channel: None,
        folder: Some(base.folder.display().to_string()),
    };
    let call = match Call::read(call, context) {
        Ok(call) => call,
        Err(outcome) => return (*outcome, ExitCode::Error),
    };
    let door = Door::new(toolset::executor(base, registry), gate(base));
    match door.call(call, &base.surroundings(), &Nobody(mode), CancellationToken::new()).await {
        Passed::Approved(Ran { outcome, .. }) => {
            let code = if outcome.is_success() { ExitCode::Ok } else { ExitCode::Error };
            (outcome, code)
        }
        Passed::Refused(outcome) => (*outcome, ExitCode::Error),
        Passed::Declined { reason, judgement } => {
            let mut outcome = ToolOutcome::failure(reason);
            outcome.notes.rule = Some(judgement.rule.to_string());
            (outcome, ExitCode::Halted)
        }
        Passed::Halted(judgement) => (ToolOutcome::failure(judgement.reason), ExitCode::Halted),
        Passed::Edited(_) => (ToolOutcome::failure("edited, and nobody is there to edit"), ExitCode::Halted),
    }
}
