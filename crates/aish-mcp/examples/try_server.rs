//! Tries a server: `try_server [--call TOOL JSON] URL | COMMAND ARGUMENTS…`; prints what came of it as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{Endpoint, Ports, ServerOptions, Status, StatusSink, test_target};

struct Print;

impl StatusSink for Print {
    fn status(&self, alias: &str, status: Status) {
        let _ = writeln!(std::io::stderr(), "[aish] mcp: {alias}: {status}");
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut call = None;
    if words.first().map(String::as_str) == Some("--call") && words.len() >= 3 {
        let mut given = words.drain(..3).skip(1);
        let (tool, json) = (given.next().unwrap_or_default(), given.next().unwrap_or_default());
        call = Some((tool, serde_json::from_str(&json).unwrap_or_default()));
    }
    if words.is_empty() {
        return ExitCode::from(2);
    }
    let first = words.remove(0);
    let endpoint = if first.starts_with("http://") || first.starts_with("https://") {
        Endpoint::Http { url: first, headers: BTreeMap::new(), token: None }
    } else {
        Endpoint::Stdio { command: first, args: words, env: BTreeMap::new(), cwd: None }
    };
    let mut options = ServerOptions::new("target", endpoint);
    options.connect_timeout = Duration::from_secs(60);
    let ports = Ports { status: Arc::new(Print), ..Ports::default() };
    let report = test_target(options, ports, call, Duration::from_secs(30)).await;
    let _ = writeln!(std::io::stdout(), "{}", serde_json::to_string(&report).unwrap_or_default());
    if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
