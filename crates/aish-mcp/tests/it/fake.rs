//! Fake servers, and a client of one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aish_mcp::client::{ConnectError, Endpoint, McpClient, Ports, ServerOptions, Status, StatusSink};
use aish_testkit::mcp_server::McpScript;
use aish_types::{Secret, ToolOutcome};
use serde_json::{Map, Value};

pub(crate) use crate::agreeable::gated;

/// Keeps what happens to servers.
#[derive(Default)]
pub(crate) struct Recorder(Mutex<Vec<(String, Status)>>);

impl StatusSink for Recorder {
    fn status(&self, alias: &str, status: Status) {
        self.0.lock().unwrap().push((alias.to_owned(), status));
    }
}

impl Recorder {
    pub(crate) fn all(&self) -> Vec<Status> {
        self.0.lock().unwrap().iter().map(|(_, status)| status.clone()).collect()
    }

    pub(crate) fn lines(&self) -> String {
        self.0.lock().unwrap().iter().map(|(alias, status)| format!("{alias}: {status}\n")).collect()
    }

    /// Waits until something happened.
    pub(crate) async fn wait(&self, wanted: fn(&Status) -> bool) {
        for _ in 0..1000 {
            if self.all().iter().any(wanted) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it did not happen: {}", self.lines());
    }
}

pub(crate) fn ports() -> (Ports, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    (Ports { status: recorder.clone(), ..Ports::default() }, recorder)
}

/// The fake server's program, which is built with this crate's tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("examples/fake_mcp_server");
    assert!(program.exists(), "build the examples first: {}", program.display());
    program
}

pub(crate) fn stdio(script: &McpScript) -> ServerOptions {
    let endpoint = Endpoint::Stdio {
        command: program().to_string_lossy().into_owned(),
        args: vec![serde_json::to_string(script).unwrap()],
        env: BTreeMap::new(),
        cwd: None,
    };
    options(endpoint)
}

pub(crate) fn http(url: &str) -> ServerOptions {
    options(Endpoint::Http { url: url.into(), headers: BTreeMap::new(), token: None })
}

pub(crate) fn http_with_token(url: &str, token: &str) -> ServerOptions {
    let token = Some(Secret::new(token.into()));
    options(Endpoint::Http { url: url.into(), headers: BTreeMap::new(), token })
}

/// Bounds that are short, so that what hangs is seen soon.
fn options(endpoint: Endpoint) -> ServerOptions {
    let mut options = ServerOptions::new("fake", endpoint);
    options.probe_timeout = Duration::from_millis(300);
    options.connect_timeout = Duration::from_secs(10);
    options.list_timeout = Duration::from_secs(5);
    options
}

/// Connects, for a client that calls go to.
pub(crate) async fn connect(options: ServerOptions, ports: Ports) -> Result<Arc<McpClient>, ConnectError> {
    McpClient::connect(options, ports).await.map(Arc::new)
}

/// Calls a tool through the gate; what never reached the server is a failed transport.
pub(crate) async fn call(
    client: &Arc<McpClient>,
    tool: &str,
    arguments: Map<String, Value>,
    within: Duration,
) -> ToolOutcome {
    gated(tool, arguments, within).run(client).await.unwrap_or_else(|why| ToolOutcome::transport(why.to_string()))
}

/// Calls `echo` and returns what came back.
pub(crate) async fn echo(client: &Arc<McpClient>, text: &str) -> Result<String, String> {
    let arguments = [("text".to_owned(), text.into())].into_iter().collect();
    let outcome = call(client, "echo", arguments, Duration::from_secs(10)).await;
    if outcome.is_success() { Ok(outcome.text) } else { Err(outcome.text) }
}

/// Returns whether a process is alive.
pub(crate) fn alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

/// Waits until a process is gone.
pub(crate) async fn gone(pid: &str) {
    for _ in 0..1000 {
        if !alive(pid) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("process {pid} is still there");
}
