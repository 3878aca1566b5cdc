//! The MCP servers of the configuration, as sources of tools.

pub mod browser;
pub mod first_start;
pub mod login;
pub mod news;
pub mod person;
pub mod tokens;
pub mod writer;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{Endpoint, Era, Ports, ServerOptions, ServerPool, ServerState, StatusSink, expand};
use aish_tools::Registry;
use aish_types::Secret;

use crate::base::Base;
use crate::config::section::{McpServer, Protocol};
use crate::failure::Failure;
use first_start::ShownCommands;
use tokens::TokenFolder;

/// How long the shell puts its children off, so that they do not take the processors from the first prompt.
pub const BEHIND_THE_PROMPT: Duration = Duration::from_millis(5);

/// What a person does to sign in at a server, as the end of a sentence about one that asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInWords {
    /// In the shell.
    Shell,
    /// In a command line.
    CommandLine,
}

impl SignInWords {
    /// Returns the end of the sentence.
    pub fn hint(self, alias: &str) -> String {
        match self {
            Self::Shell => format!("`:mcp login {alias}` signs in"),
            Self::CommandLine => format!("`aish mcp login {alias}` signs in"),
        }
    }
}

/// The servers of the configuration, those at URLs and those whose command line was shown before under way.
pub struct Servers {
    /// All that were started.
    pub pool: ServerPool,
    /// Those to be started when their line was shown.
    pub waiting: Vec<(String, ServerOptions)>,
    /// What is wrong with the entries.
    pub faults: Vec<String>,
}

impl Servers {
    /// Starts those that waited for their lines to be shown, which the caller has done.
    pub fn start_waiting(&mut self, base: &Base, registry: &Registry) {
        start_shown(base, &self.pool, registry, std::mem::take(&mut self.waiting));
    }
}

/// Starts servers whose lines were shown.
pub fn start_shown(base: &Base, pool: &ServerPool, registry: &Registry, waiting: Vec<(String, ServerOptions)>) {
    if waiting.is_empty() {
        return;
    }
    let mut shown = ShownCommands::open(base.in_state("mcp-commands.json"));
    for (_, options) in waiting {
        shown.note(&options);
        registry.add(pool.add(options));
    }
}

/// Starts all configured servers in the background and registers their tools.
pub fn start(base: &Base, registry: &Arc<Registry>, ports: Ports, words: SignInWords) -> Servers {
    start_some(base, registry, ports, words, |_| true)
}

/// Starts those of the configured servers whose alias is wanted, as [`start`] does.
pub fn start_some(
    base: &Base,
    registry: &Arc<Registry>,
    ports: Ports,
    words: SignInWords,
    wanted: impl Fn(&str) -> bool,
) -> Servers {
    let ports = Ports { tokens: Some(Arc::new(TokenFolder::of(base))), ..ports };
    let mut servers = Servers { pool: ServerPool::new(ports), waiting: Vec::new(), faults: Vec::new() };
    let shown = ShownCommands::open(base.in_state("mcp-commands.json"));
    for (alias, server) in &base.config.mcp.servers {
        if !server.enabled || !wanted(alias) {
            continue;
        }
        match options(base, alias, server) {
            Ok((mut options, warning)) => {
                servers.faults.extend(warning);
                options.sign_in_hint = Some(words.hint(alias));
                if words == SignInWords::Shell {
                    options.start_after = BEHIND_THE_PROMPT;
                }
                match shown.line(&options) {
                    Some(line) => servers.waiting.push((line, options)),
                    None => {
                        registry.add(servers.pool.add(options));
                    }
                }
            }
            Err(why) => servers.faults.push(format!("mcp.servers.{alias}: {}", why.in_a_line())),
        }
    }
    servers
}

/// Returns ports that tell a sink, and nobody else.
pub fn telling(status: Arc<dyn StatusSink>) -> Ports {
    Ports { status, ..Ports::default() }
}

/// Returns the options of a configured server.
///
/// # Errors
/// In words, when there is none of that alias, or its entry is wrong.
pub fn configured(base: &Base, alias: &str) -> Result<ServerOptions, Failure> {
    let server = base.config.mcp.servers.get(alias).ok_or_else(|| {
        let known: Vec<&str> = base.config.mcp.servers.keys().map(String::as_str).collect();
        match known.is_empty() {
            true => Failure::user(format!("there is no server {alias:?}"))
                .hint("none is configured; `aish mcp add` adds one"),
            false => {
                Failure::user(format!("there is no server {alias:?}")).hint(format!("there are: {}", known.join(", ")))
            }
        }
    })?;
    let (options, _) = options(base, alias, server).map_err(|why| why.at(format_args!("mcp.servers.{alias}")))?;
    Ok(options)
}

/// Turns an entry of the configuration into options.
fn options(base: &Base, alias: &str, server: &McpServer) -> Result<(ServerOptions, Option<String>), Failure> {
    // `${env:NAME}` and `${NAME}`, as other programs write them, are variables here, too.
    let filled =
        |text: &String| expand(text, |name| base.variable(name)).map_err(|unset| Failure::config(unset.to_string()));
    let secrets = |pairs: &BTreeMap<String, String>| {
        let pairs = pairs.iter().map(|(name, text)| Ok((name.clone(), Secret::new(filled(text)?))));
        pairs.collect::<Result<_, Failure>>()
    };
    let mut warning = None;
    let endpoint = match (&server.url, &server.command) {
        (Some(_), Some(_)) => return Err(Failure::config("it has a url and a command; one of them")),
        (None, None) => return Err(Failure::config("it needs a url or a command")),
        (Some(url), None) => {
            let token = match (&server.auth_token, &server.auth_env) {
                (Some(token), _) => Some(Secret::new(filled(token)?)),
                (None, Some(name)) => {
                    let token = base.variable(name).filter(|token| !token.is_empty());
                    if token.is_none() {
                        let section = format!("mcp.servers.{alias}");
                        warning = Some(crate::secrets::unset(&section, "auth_env", name, "no token is sent"));
                    }
                    token.map(Secret::new)
                }
                (None, None) => None,
            };
            Endpoint::Http { url: filled(url)?, headers: secrets(&server.headers)?, token }
        }
        (None, Some(command)) if server.cwd.is_none() && is_another_in_each_folder(command) => {
            let why = format!("{command} is another program in each folder");
            return Err(Failure::config(why).hint("write its whole path, or set `cwd`"));
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
    options.call_timeout = server.timeout_ms.map(Duration::from_millis);
    options.elicitation = server.elicitation;
    options.sampling = server.sampling;
    options.era = match server.protocol {
        Protocol::Any => Era::Any,
        Protocol::Older => Era::Older,
        Protocol::Newest => Era::Newest,
    };
    options.oauth.client_id = server.client_id.as_ref().map(filled).transpose()?;
    options.roots = vec![base.folder.clone()];
    Ok((options, warning))
}

/// Says whether a program's path begins where the shell happens to stand. A bare name is looked up in `PATH`.
pub fn is_another_in_each_folder(command: &str) -> bool {
    command.contains('/') && !command.starts_with('/')
}

/// Makes options for a target of the command line: a URL, or a command line in the shell's quoting.
///
/// # Errors
/// When the command line is empty or its quotes do not match.
pub fn target(base: &Base, target: &str) -> Result<ServerOptions, Failure> {
    let endpoint = if target.starts_with("http://") || target.starts_with("https://") {
        Endpoint::Http { url: target.to_owned(), headers: Default::default(), token: None }
    } else {
        let words = shell_words::split(target).map_err(|error| Failure::user(format!("{target:?}: {error}")))?;
        let Some((command, args)) = words.split_first() else { return Err(Failure::user("the command line is empty")) };
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
