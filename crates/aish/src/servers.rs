//! The MCP servers of the configuration, as sources of tools.

use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{Endpoint, Ports, ServerOptions, ServerPool, ServerState, Status, StatusSink};
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
    let pool = ServerPool::new(Ports { status, ..Ports::default() });
    let mut faults = Vec::new();
    for (alias, server) in &base.config.mcp.servers {
        if !server.enabled {
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
    let secret = |text: &String| Secret::new(text.clone());
    let mut warning = None;
    let endpoint = match (&server.url, &server.command) {
        (Some(_), Some(_)) => return Err("it has a url and a command; one of them".to_owned()),
        (None, None) => return Err("it needs a url or a command".to_owned()),
        (Some(url), None) => {
            let token = match (&server.auth_token, &server.auth_env) {
                (Some(token), _) => Some(secret(token)),
                (None, Some(name)) => {
                    let token = base.variable(name).filter(|token| !token.is_empty());
                    if token.is_none() {
                        warning = Some(format!("mcp.servers.{alias}: ${name} is not set; no token is sent"));
                    }
                    token.map(Secret::new)
                }
                (None, None) => None,
            };
            let headers = server.headers.iter().map(|(name, value)| (name.clone(), secret(value))).collect();
            Endpoint::Http { url: url.clone(), headers, token }
        }
        (None, Some(command)) => Endpoint::Stdio {
            command: command.clone(),
            args: server.args.clone(),
            env: server.env.iter().map(|(name, value)| (name.clone(), secret(value))).collect(),
            cwd: server.cwd.as_ref().map(Into::into),
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
