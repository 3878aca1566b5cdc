//! A server's process: its environment, and its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use aish_process::{Command, Environment, Server, SpawnError};
use aish_types::{Secret, sanitize};

use super::health::Ended;

/// What a server inherits of our environment: nothing that could be a key.
#[rustfmt::skip]
const INHERITED: &[&str] = &[
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "SSL_CERT_DIR", "SSL_CERT_FILE", "TERM", "TMPDIR",
    "TZ", "USER", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
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

/// Ends a server. `patience` is how long it may take to end by itself after its input was closed, before TERM.
pub(super) async fn end(server: Server, patience: Duration) -> Ended {
    let stderr = server.stderr().clean_text();
    let exit = server.stop(patience).await;
    let cause = cause(&stderr).map(|line| sanitize(line).chars().take(300).collect());
    Ended::Exited { exit, cause }
}

/// Returns the line of an error stream that most likely says why a program ended: the last one that speaks of an error, else the
/// last that is no frame of a stack, version, rule or bracket.
fn cause(stderr: &str) -> Option<&str> {
    let lines = || stderr.lines().rev().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric)).take(200);
    let told = |line: &&str| !is_frame(line);
    lines().filter(told).find(|line| is_error(line)).or_else(|| lines().find(told)).or_else(|| lines().next())
}

/// A frame of a stack, what runs the program telling its version, or where a log is.
fn is_frame(line: &str) -> bool {
    let beginnings = [
        "at ",
        "File \"",
        "Node.js v",
        "Deno ",
        "Bun v",
        "from ",
        "in <module>",
        "stack backtrace",
        "note: ",
        "npm notice",
    ];
    let frame =
        |rest: &str| rest.split_once(": ").is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    beginnings.iter().any(|begin| line.starts_with(begin)) || frame(line) || line.contains("A complete log of this run")
}

fn is_error(line: &str) -> bool {
    let lower = line.to_lowercase();
    let words = [
        "error",
        "exception",
        "panicked",
        "fatal",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "failed",
        "not found",
        "no such",
        "denied",
        "refused",
        "missing",
        "invalid",
        "required",
        "usage:",
        "unable",
        "unknown",
        "unrecognized",
        "unsupported",
    ];
    words.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_the_line_that_tells_it() {
        for (stderr, expected) in [
            (
                "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/x/server.js'\n    at \
                 Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)\n    at node:internal/main {\n  code: \
                 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
                "Error: Cannot find module '/x/server.js'",
            ),
            (
                "Traceback (most recent call last):\n  File \"/x/server.py\", line 3, in <module>\n    import nothing\n\
                 ModuleNotFoundError: No module named 'nothing'\n",
                "ModuleNotFoundError: No module named 'nothing'",
            ),
            (
                "thread 'main' panicked at src/main.rs:3:5:\nno port given\nnote: run with `RUST_BACKTRACE=1`\n",
                "thread 'main' panicked at src/main.rs:3:5:",
            ),
            (
                "npm error code E404\nnpm error 404 Not Parsed\nnpm error A complete log of this run can be found in: /x\n",
                "npm error 404 Not Parsed",
            ),
            ("listening\nbye\n}\n", "bye"),
            ("Node.js v20.20.2\n", "Node.js v20.20.2"),
        ] {
            assert_eq!(cause(stderr), Some(expected));
        }
        assert_eq!(cause("\n---\n"), None);
    }
}
