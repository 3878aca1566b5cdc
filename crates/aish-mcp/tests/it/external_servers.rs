//! Servers of the registries, listed and called; nothing of them is left after.
//!
//! They need packages that `./test` installs; without them these tests say so and count as skipped.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use aish_mcp::client::{Endpoint, Ports, ServerOptions, TargetReport, test_target};
use aish_testkit::ports;
use serde_json::{Value, json};

use crate::external::{Running, node_file, python_program, skip};
use crate::fake;

/// A variable that all processes of a server inherit.
const MARK: &str = "AISH_TEST_MARK";

async fn report(endpoint: Endpoint, tool: &str, arguments: Value) -> TargetReport {
    let mut options = ServerOptions::new("real", endpoint);
    options.connect_timeout = Duration::from_secs(60);
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let call = fake::gated(tool, arguments, Duration::from_secs(30));
    let report = test_target(options, Ports::default(), Some(call)).await;
    assert!(report.ok, "{report:?}");
    assert!(report.tools.contains(&tool.to_owned()), "{report:?}");
    report
}

/// Lists a server's tools, calls one, and sees that no process is left.
async fn try_server(command: PathBuf, args: Vec<String>, tool: &str, arguments: Value) -> Value {
    let path = std::env::var("PATH").unwrap();
    let node = node_file("node/bin").map(|folder| format!("{}:{path}", folder.display())).unwrap_or(path);
    let mark = format!("{}-{:?}", std::process::id(), std::time::SystemTime::now());
    let secret = |text: &str| aish_types::Secret::new(text.to_owned());
    let env = BTreeMap::from([("PATH".to_owned(), secret(&node)), (MARK.to_owned(), secret(&mark))]);
    let command = command.to_string_lossy().into_owned();
    let result = report(Endpoint::Stdio { command, args, env, cwd: None }, tool, arguments).await.result.unwrap();
    assert_eq!(result["is_error"], false, "{result}");
    assert_eq!(marked(&mark), Vec::<String>::new(), "processes are left");
    result
}

/// The processes with a mark in their environment.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let has = |path: PathBuf| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    entries.filter(|entry| has(entry.path())).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_npm_are_listed_and_called() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "hello").unwrap();
    let here = folder.path().to_string_lossy().into_owned();
    let thought = json!({"thought": "x", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1});
    for (package, args, tool, arguments, expected) in [
        ("server-everything", vec![], "echo", json!({"message": "hi"}), "hi"),
        ("server-filesystem", vec![here.clone()], "list_directory", json!({"path": here}), "a.txt"),
        ("server-memory", vec![], "read_graph", json!({}), "entities"),
        ("server-sequential-thinking", vec![], "sequentialthinking", thought, "thoughtNumber"),
    ] {
        let Some(program) = node_file(&format!(".bin/mcp-{package}")) else {
            skip(package);
            continue;
        };
        let result = try_server(program, args, tool, arguments).await;
        assert!(result["text"].as_str().unwrap().contains(expected), "{package}: {result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_pypi_are_listed_and_called() {
    let folder = tempfile::tempdir().unwrap();
    Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().unwrap();
    let here = folder.path().to_string_lossy().into_owned();
    for (program, tool, arguments, expected) in [
        ("mcp-server-time", "get_current_time", json!({"timezone": "UTC"}), "UTC"),
        ("mcp-server-git", "git_status", json!({"repo_path": here}), "No commits yet"),
    ] {
        let Some(path) = python_program(program) else {
            skip(program);
            continue;
        };
        let result = try_server(path, Vec::new(), tool, arguments).await;
        assert!(result["text"].as_str().unwrap().contains(expected), "{program}: {result}");
    }
}

/// A page on this machine, for as long as the test runs.
fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let body = "<html><body><h1>Hello from here</h1></body></html>";
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
            let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    format!("http://{address}/")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fetch_server_of_pypi_is_listed_and_called() {
    let Some(program) = python_program("mcp-server-fetch") else { return skip("mcp-server-fetch of PyPI") };
    let result = try_server(
        program,
        vec!["--ignore-robots-txt".into(), "--allow-private-ips".into()],
        "fetch",
        json!({"url": page(), "raw": true}),
    )
    .await;
    assert!(result["text"].as_str().unwrap().contains("Hello from here"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn climax_mcp_of_pypi_is_listed_and_called() {
    let peer = std::env::var_os("AISH_TEST_PEER_PYTHON").map(|python| PathBuf::from(python).with_file_name("climax"));
    let Some(program) = peer.filter(|program| program.exists()) else { return skip("climax-mcp of PyPI") };
    let result =
        try_server(program, vec!["run".into(), "git".into()], "climax_search", json!({"query": "status"})).await;
    assert!(result["text"].as_str().unwrap().contains("status"), "{result}");
}

/// Starts a server on a free port and waits until it listens.
fn listening(command: &mut Command, port: u16) -> Running {
    let running = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    for _ in 0..2000 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return running;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it does not listen: {command:?}");
}

fn at(url: String) -> Endpoint {
    Endpoint::Http { url, headers: BTreeMap::new(), token: None }
}

/// The everything server, over streamable HTTP and over the transport of 2024-11-05.
#[tokio::test(flavor = "multi_thread")]
async fn the_everything_server_of_npm_is_listed_and_called_over_both_http_transports() {
    let (Some(program), Some(node)) = (node_file(".bin/mcp-server-everything"), node_file("node/bin/node")) else {
        return skip("server-everything of npm");
    };
    for (transport, path) in [("streamableHttp", "mcp"), ("sse", "sse")] {
        let port = ports::unused().unwrap();
        let mut command = Command::new(&node);
        let _running = listening(command.arg(&program).arg(transport).env("PORT", port.to_string()), port);
        let endpoint = at(format!("http://127.0.0.1:{port}/{path}"));
        let result = report(endpoint, "echo", json!({"message": "hi"})).await.result.unwrap();
        assert!(result["text"].as_str().unwrap().contains("hi"), "{transport}: {result}");
    }
}

/// climax-mcp over the transport of 2024-11-05, as the official Python SDK serves it. Its streamable HTTP answers every
/// greeting with status 500.
#[tokio::test(flavor = "multi_thread")]
async fn climax_mcp_of_pypi_is_listed_and_called_over_http_with_sse() {
    let peer = std::env::var_os("AISH_TEST_PEER_PYTHON").map(|python| PathBuf::from(python).with_file_name("climax"));
    let Some(program) = peer.filter(|program| program.exists()) else { return skip("climax-mcp of PyPI") };
    let port = ports::unused().unwrap();
    let mut command = Command::new(program);
    command.args(["run", "git", "--transport", "sse", "--port", &port.to_string()]);
    let _running = listening(&mut command, port);
    let endpoint = at(format!("http://127.0.0.1:{port}/sse"));
    let result = report(endpoint, "climax_search", json!({"query": "status"})).await.result.unwrap();
    assert!(result["text"].as_str().unwrap().contains("status"), "{result}");
}
