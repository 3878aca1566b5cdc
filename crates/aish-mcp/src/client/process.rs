//! A server's process: its environment, and its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use aish_process::{Command, Environment, Exit, Server, SpawnError};
use aish_types::{Secret, sanitize};

/// What a server inherits of our environment: nothing that could be a key.
const INHERITED: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// Starts a server; `grace` is what it is given between TERM and KILL.
pub(super) async fn start(
    command: &str,
    args: &[String],
    env: &BTreeMap<String, Secret>,
    cwd: Option<&PathBuf>,
    grace: Duration,
) -> Result<Server, SpawnError> {
    let mut environment = Environment::only(INHERITED);
    for (name, value) in env {
        environment.set(name, value.expose());
    }
    let mut program = Command::new(command).args(args).environment(environment).grace(grace);
    if let Some(cwd) = cwd {
        program = program.cwd(cwd);
    }
    Server::start(&program, aish_process::ServerOptions::default()).await
}

/// Ends a server and says how it ended, with the last thing that it wrote to its error stream. `patience` is what it is
/// given between the end of its input and TERM.
pub(super) async fn end(server: Server, patience: Duration) -> String {
    let stderr = server.stderr().clean_text();
    let exit = server.stop(patience).await;
    exit_reason(exit, &stderr)
}

/// Says how a server ended.
fn exit_reason(exit: Exit, stderr: &str) -> String {
    let how = match exit {
        Exit::Code(code) => format!("exited with code {code}"),
        Exit::Signal(signal) => format!("ended by signal {signal}"),
        Exit::TimedOut | Exit::Cancelled => "was ended".to_owned(),
    };
    let last = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match last {
        Some(line) => format!("{how}: {}", sanitize(line).chars().take(300).collect::<String>()),
        None => how,
    }
}
