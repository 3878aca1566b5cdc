//! The official clients of MCP, which a server of ours is tried with: the SDKs in TypeScript and Python, in both of
//! their generations, and the command line of the Inspector.
//!
//! They come from the packages that `./test` installs and names in `AISH_TEST_NODE`, `AISH_TEST_PYTHON` and
//! `AISH_TEST_PEER_PYTHON`; without them a test is counted as skipped.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::skip;

const TYPESCRIPT: &str = include_str!("mcp_clients/typescript.cjs");
const PYTHON: &str = include_str!("mcp_clients/python.py");

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Target {
    /// A program that is started.
    Stdio {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// A server that listens.
    Http {
        /// Its URL.
        url: String,
        /// The bearer token that it asks for.
        #[serde(skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    },
}

/// An official client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfficialClient {
    /// `@modelcontextprotocol/sdk`.
    TypeScript1,
    /// `@modelcontextprotocol/client`, its successor.
    TypeScript2,
    /// `mcp` before version 2.
    Python1,
    /// `mcp` from version 2 on.
    Python2,
}

/// What a client saw of a server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Talk {
    /// The names of its tools.
    pub tools: Vec<String>,
    /// The text of the called tool's result.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl OfficialClient {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::TypeScript1, Self::TypeScript2, Self::Python1, Self::Python2];

    /// Has the tools of servers listed and one called, each after the other; none when the client is not installed.
    /// `home` is the home folder of the client and of the servers that it starts.
    ///
    /// # Errors
    /// In words, when the client cannot be started, or fails.
    pub fn talk(
        self,
        home: &Path,
        servers: &[Target],
        tool: &str,
        arguments: &Value,
    ) -> Result<Option<Vec<Talk>>, String> {
        let Some((mut command, generation)) = self.command() else {
            skip(&format!("{self:?}"), "the official client is not installed (see ./test)");
            return Ok(None);
        };
        let modules = std::env::var("AISH_TEST_NODE").unwrap_or_default();
        let job = json!({"modules": modules, "generation": generation, "servers": servers, "tool": tool,
            "arguments": arguments});
        command.arg(job.to_string());
        let output = run(command, home)?;
        serde_json::from_slice(&output.stdout).map(Some).map_err(|error| format!("{self:?}: {error}: {output:?}"))
    }

    fn command(self) -> Option<(Command, u8)> {
        let (program, flag, script, generation) = match self {
            Self::TypeScript1 => (node_with("@modelcontextprotocol/sdk")?, "-e", TYPESCRIPT, 1),
            Self::TypeScript2 => (node_with("@modelcontextprotocol/client")?, "-e", TYPESCRIPT, 2),
            Self::Python1 => (python("AISH_TEST_PEER_PYTHON")?, "-c", PYTHON, 1),
            Self::Python2 => (python("AISH_TEST_PYTHON")?, "-c", PYTHON, 2),
        };
        let mut command = Command::new(program);
        command.args([flag, script]);
        if flag == "-e" {
            // What follows is for the script, whose own name stands before it elsewhere.
            command.args(["--", "typescript.cjs"]);
        }
        Some((command, generation))
    }
}

/// Runs the Inspector's command line on a server, and returns the object that it prints; none when it is not installed.
///
/// # Errors
/// In words, when it fails: its exit code is not 0, or it prints something else.
pub fn inspect(home: &Path, server: &Target, options: &[&str]) -> Result<Option<Value>, String> {
    let launcher =
        node_modules().map(|modules| modules.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
    let (Some(node), Some(launcher)) = (node_with("@modelcontextprotocol/inspector"), launcher) else {
        skip("the Inspector", "it is not installed (see ./test)");
        return Ok(None);
    };
    let mut command = Command::new(node);
    command.arg(launcher).arg("--cli");
    match server {
        Target::Stdio { command: words } => drop(command.args(words)),
        Target::Http { url, token } => {
            command.args([url, "--transport", "http"]);
            if let Some(token) = token {
                command.arg("--header").arg(format!("Authorization: Bearer {token}"));
            }
        }
    }
    // Behind the mark stand the Inspector's own options, whatever the server's are.
    if matches!(server, Target::Stdio { .. }) {
        command.arg("--");
    }
    command.args(options).args(["--format", "json"]);
    let output = run(command, home)?;
    serde_json::from_slice(&output.stdout).map(Some).map_err(|error| format!("the Inspector: {error}: {output:?}"))
}

fn run(mut command: Command, home: &Path) -> Result<Output, String> {
    command.env_clear().env("HOME", home).env("PATH", path()).current_dir(home).stdin(Stdio::null());
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(output) } else { Err(format!("{output:?}")) }
}

/// The search path with the node of the packages first.
fn path() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let node = node_modules().map(|modules| modules.join("node/bin"));
    let folders = node.into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap_or(path)
}

fn node_modules() -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("AISH_TEST_NODE")?).join("node_modules"))
}

/// The node of the packages, where it and this package are installed.
fn node_with(package: &str) -> Option<PathBuf> {
    let modules = node_modules()?;
    let node = modules.join("node/bin/node");
    (node.exists() && modules.join(package).exists()).then_some(node)
}

fn python(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|python| python.exists())
}

/// A server of ours over HTTP, ended when it is dropped.
#[derive(Debug)]
pub struct Served {
    child: Child,
    url: String,
}

impl Served {
    /// Starts a program that tells its URL on its standard error, and reads it.
    ///
    /// # Errors
    /// When it cannot be started, or ends without having told a URL.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let told = child.stderr.take().map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok);
        let mut told = Box::new(told);
        let url = told.find_map(|line| Some(line.get(line.find("http://")?..)?.trim().to_owned()));
        // It must never wait for somebody to read.
        std::thread::spawn(move || told.for_each(drop));
        let mut served = Self { child, url: String::new() };
        served.url = url.ok_or_else(|| std::io::Error::other("the server told no URL"))?;
        Ok(served)
    }

    /// Returns its URL.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
