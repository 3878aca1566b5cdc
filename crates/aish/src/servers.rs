//! The MCP servers of the configuration, as sources of tools.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{Endpoint, Ports, ServerOptions, ServerPool, ServerState, Status, StatusSink, expand};
use aish_tools::Registry;
use aish_types::Secret;

use crate::config::section::McpServer;
use crate::wiring::Base;

/// Hands what happens to servers to a closure, as one line.
pub struct Lines<F>(pub F);

impl<F: Fn(String) + Send + Sync> StatusSink for Lines<F> {
    fn status(&self, alias: &str, status: Status) {
        match status {
            // These would drown what matters.
            Status::Log { .. } | Status::Progress { .. } | Status::Connected { .. } => {}
            Status::Failed(_)
            | Status::Lost { .. }
            | Status::Refused { .. }
            | Status::Changed { .. }
            | Status::PlainToken
            | Status::SignIn(_) => (self.0)(format!("mcp: {alias}: {status}")),
        }
    }
}

/// Starts all configured servers in the background and registers their tools; returns what is wrong with the entries.
pub fn start(base: &Base, registry: &Arc<Registry>, status: Arc<dyn StatusSink>) -> (ServerPool, Vec<String>) {
    start_some(base, registry, status, |_| true)
}

/// Starts those of the configured servers whose alias is wanted, as [`start`] does.
pub fn start_some(
    base: &Base,
    registry: &Arc<Registry>,
    status: Arc<dyn StatusSink>,
    wanted: impl Fn(&str) -> bool,
) -> (ServerPool, Vec<String>) {
    let pool = ServerPool::new(Ports { status, ..Ports::default() });
    let mut faults = Vec::new();
    for (alias, server) in &base.config.mcp.servers {
        if !server.enabled || !wanted(alias) {
            continue;
        }
        match options(base, alias, server) {
            Ok((options, warning)) => {
                faults.extend(warning);
                let client = pool.add(options);
                registry.add(client);
            }
            Err(why) => faults.push(format!("mcp.servers.{alias}: {why}")),
        }
    }
    (pool, faults)
}

/// Turns an entry of the configuration into options.
fn options(base: &Base, alias: &str, server: &McpServer) -> Result<(ServerOptions, Option<String>), String> {
    // `${env:NAME}` and `${NAME}`, as other programs write them, are variables here, too.
    let filled = |text: &String| {
        expand(text, |name| base.variable(name)).map_err(|name| format!("it needs ${name}, which is not set"))
    };
    let secrets = |pairs: &BTreeMap<String, String>| {
        let pairs = pairs.iter().map(|(name, text)| Ok((name.clone(), Secret::new(filled(text)?))));
        pairs.collect::<Result<_, String>>()
    };
    let mut warning = None;
    let endpoint = match (&server.url, &server.command) {
        (Some(_), Some(_)) => return Err("it has a url and a command; one of them".to_owned()),
        (None, None) => return Err("it needs a url or a command".to_owned()),
        (Some(url), None) => {
            let token = match (&server.auth_token, &server.auth_env) {
                (Some(token), _) => Some(Secret::new(filled(token)?)),
                (None, Some(name)) => {
                    let token = base.variable(name).filter(|token| !token.is_empty());
                    if token.is_none() {
                        warning = Some(format!("mcp.servers.{alias}: ${name} is not set; no token is sent"));
                    }
                    token.map(Secret::new)
                }
                (None, None) => None,
            };
            Endpoint::Http { url: filled(url)?, headers: secrets(&server.headers)?, token }
        }
        (None, Some(command)) => Endpoint::Stdio {
            command: command.clone(),
            // A program may mean something else by `${X}` than we do.
            args: server.args.iter().map(|text| filled(text).unwrap_or_else(|_| text.clone())).collect(),
            env: secrets(&server.env)?,
            cwd: server.cwd.as_ref().map(filled).transpose()?.map(Into::into),
        },
    };
    let mut options = ServerOptions::new(alias, endpoint);
    if let Some(timeout_ms) = server.timeout_ms {
        options.list_timeout = Duration::from_millis(timeout_ms);
    }
    options.roots = vec![base.folder.clone()];
    Ok((options, warning))
}

/// Makes options for a target of the command line: a URL, or a command line in the shell's quoting.
///
/// # Errors
/// When the command line is empty or its quotes do not match.
pub fn target(base: &Base, target: &str) -> Result<ServerOptions, String> {
    let endpoint = if target.starts_with("http://") || target.starts_with("https://") {
        Endpoint::Http { url: target.to_owned(), headers: Default::default(), token: None }
    } else {
        let words = shell_words::split(target).map_err(|error| format!("{target:?}: {error}"))?;
        let Some((command, args)) = words.split_first() else { return Err("the command line is empty".to_owned()) };
        Endpoint::Stdio { command: command.clone(), args: args.to_vec(), env: Default::default(), cwd: None }
    };
    let mut options = ServerOptions::new("target", endpoint);
    options.roots = vec![base.folder.clone()];
    Ok(options)
}

/// Waits until every server is connected or has failed, for `limit` at most.
pub async fn settle(pool: &ServerPool, limit: Duration) {
    let clients = pool.all();
    let waiting = futures_util::future::join_all(clients.iter().map(|client| client.ready()));
    // Those that are late join while the answer is under way.
    let _ = tokio::time::timeout(limit, waiting).await;
}

/// Returns a server's state in words.
pub fn state_words(state: &ServerState) -> String {
    match state {
        ServerState::Connecting => "connecting".to_owned(),
        ServerState::Ready => "connected".to_owned(),
        ServerState::Failed(why) => format!("failed: {why}"),
        ServerState::Closed => "closed".to_owned(),
    }
}
