//! `aish mcp`: servers from the outside, and aish as one.

mod add;
mod install;
mod serve;
mod test;

use std::sync::Arc;

use aish_mcp::client::StatusSink;
use aish_types::mask_words;
use tokio_util::sync::CancellationToken;

use super::ask::spawn_interrupt;
use crate::arguments::{McpCommand, McpInstallFlags};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::run::complain;
use crate::servers;
use crate::servers::login::login;
use crate::servers::news::News;
use test::Trial;

/// Runs a sub-command.
///
/// # Errors
/// When the report cannot be written as JSON.
pub async fn run(base: &Base, command: &McpCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    match command {
        McpCommand::List => {
            if base.config.mcp.servers.is_empty() {
                print("no MCP server is configured ([mcp.servers.NAME] in the configuration)");
            }
            for (alias, server) in &base.config.mcp.servers {
                let place = match (&server.url, &server.command) {
                    (Some(url), _) => url.clone(),
                    (None, Some(command)) => {
                        mask_words(std::iter::once(command).chain(&server.args).map(String::as_str)).join(" ")
                    }
                    (None, None) => "neither url nor command".to_owned(),
                };
                let off = if server.enabled { "" } else { "  (off)" };
                print(&aish_types::sanitize(&aish_types::mask(&format!("{alias}  {place}{off}"))));
            }
            Ok(ExitCode::Ok)
        }
        McpCommand::Serve { serve, shell } => serve::run(base, serve, *shell).await,
        McpCommand::Add(flags) => add::add(base, flags, print),
        McpCommand::Import { file } => add::import_file(base, file, print),
        McpCommand::Install(flags) => install::install(base, flags, print),
        McpCommand::Uninstall(flags) => install::uninstall(base, flags, print),
        McpCommand::Test { target, call, args, json, timeout } => {
            let trial = Trial { target, call: call.as_deref(), arguments: args, json: *json, timeout_s: *timeout };
            test::run(base, &trial, print).await
        }
        McpCommand::Login { alias } => sign_in(base, alias, print).await,
    }
}

/// Takes aish out of a program's settings where it is in them; where there is no home, there are none.
///
/// # Errors
/// When the settings cannot be read, edited or written; then they are as they were.
pub(in crate::command) fn leave(
    base: &Base,
    flags: &McpInstallFlags,
    print: &mut dyn FnMut(&str),
) -> Result<(), Failure> {
    if base.paths.home.is_none() && !flags.project {
        return Ok(());
    }
    if let Some(path) = install::names_climax(base, flags) {
        let (name, project) = (flags.program.name(), if flags.project { " --project" } else { "" });
        let line = format!("{} names climax: climax install {name} --remove{project} takes it out", path.display());
        print(&aish_types::visible(&line));
    }
    install::leave(base, flags, print).map(drop)
}

async fn sign_in(base: &Base, alias: &str, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let status: Arc<dyn StatusSink> = Arc::new(News::new(Arc::default(), |line: String| {
        complain(&aish_types::sanitize(&line));
    }));
    let interrupt = CancellationToken::new();
    spawn_interrupt(interrupt.clone());
    let options = servers::configured(base, alias)?;
    let words = login(base, options, status, &interrupt).await.map_err(|why| why.at(alias))?;
    print(&aish_types::sanitize(&format!("{alias}: {words}")));
    Ok(ExitCode::Ok)
}
