//! The official conformance suite, servers of the registries and the official Python client.
//!
//! They need packages that `./test` installs; without them these tests say so and count as skipped.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aish_mcp::client::{Endpoint, Ports, ServerOptions, test_target};
use serde_json::{Value, json};

use crate::fake;

fn skip(what: &str) {
    if let Some(file) = std::env::var_os("AISH_TEST_SKIPPED")
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(file)
    {
        let _ = writeln!(file, "aish-mcp external: {what} is not installed (see ./test)");
    }
}

/// A file of the npm packages, where it is installed.
fn node_file(path: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("AISH_TEST_NODE")?);
    let folder = if folder.ends_with("node_modules") { folder } else { folder.join("node_modules") };
    let file = folder.join(path);
    file.exists().then_some(file)
}

/// A program of the PyPI packages, where it is installed.
fn python_program(name: &str) -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("AISH_TEST_PYTHON")?);
    let file = python.with_file_name(name);
    file.exists().then_some(file)
}

fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join("examples").join(name)
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts our conformance server on a free port.
fn conformance_server() -> (Running, String) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new(example("conformance_server")).arg(port.to_string()).stdout(Stdio::null()).spawn();
    let running = Running(child.unwrap());
    for _ in 0..500 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return (running, format!("http://127.0.0.1:{port}/mcp"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the server did not start");
}

/// The scenarios that a revision requires of a role.
fn required(package: &Path, revision: &str, role: &str) -> Vec<String> {
    let text = std::fs::read_to_string(package.join(format!("requirements/{revision}.yaml"))).unwrap();
    let section = text.split(&format!("\n{role}:\n")).nth(1).unwrap();
    section.lines().map_while(|line| line.strip_prefix("  - ")).map(str::to_owned).collect()
}

/// Runs the suite and returns which required scenarios did not pass, and how many are required.
fn conformance(role: &str, revision: &str, arguments: &[&str]) -> Option<(Vec<String>, usize)> {
    let suite = node_file("@modelcontextprotocol/conformance/dist/index.js");
    let (Some(suite), Some(node)) = (suite, node_file("node/bin/node")) else {
        skip("@modelcontextprotocol/conformance");
        return None;
    };
    let package = suite.parent().and_then(Path::parent).unwrap();
    let wanted = required(package, revision, role);
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(node);
    command.arg(&suite).arg(role).args(arguments).args(["--requirements", revision]).current_dir(folder.path());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let passed = |name: &String| text.contains(&format!("✓ {name}:")) && !text.contains(&format!("✗ {name}:"));
    let missing: Vec<String> = wanted.iter().filter(|name| !passed(name)).cloned().collect();
    Some((missing, wanted.len()))
}

#[test]
fn the_server_passes_the_official_suite() {
    for (revision, count) in [("2025-11-25", 30), ("2026-07-28", 37)] {
        let (_running, url) = conformance_server();
        let Some((missing, wanted)) = conformance("server", revision, &["--url", &url]) else { return };
        assert_eq!((missing, wanted), (Vec::new(), count), "{revision}");
    }
}

#[test]
fn the_client_passes_the_official_suite() {
    let client = example("conformance_client");
    for (revision, count) in [("2025-11-25", 18), ("2026-07-28", 32)] {
        let Some((missing, wanted)) = conformance("client", revision, &["--command", client.to_str().unwrap()]) else {
            return;
        };
        assert_eq!((missing, wanted), (Vec::new(), count), "{revision}");
    }
}

async fn try_server(command: PathBuf, args: Vec<String>, tool: &str, arguments: Value) -> Value {
    let path = std::env::var("PATH").unwrap();
    let node = node_file("node/bin").map(|folder| format!("{}:{path}", folder.display())).unwrap_or(path);
    let env = BTreeMap::from([("PATH".to_owned(), aish_types::Secret::new(node))]);
    let command = command.to_string_lossy().into_owned();
    let mut options = ServerOptions::new("real", Endpoint::Stdio { command, args, env, cwd: None });
    options.connect_timeout = Duration::from_secs(60);
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let call = fake::gated(tool, arguments, Duration::from_secs(30));
    let report = test_target(options, Ports::default(), Some(call)).await;
    assert!(report.ok, "{report:?}");
    assert!(report.tools.contains(&tool.to_owned()), "{report:?}");
    let result = report.result.unwrap();
    assert_eq!(result["is_error"], false, "{result}");
    result
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

const PYTHON_CLIENT: &str = r"
import asyncio, sys
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client import streamable_http
server, url = sys.argv[1:]
async def use(session):
    await session.initialize()
    assert len((await session.list_tools()).tools) == 27
    result = await session.call_tool('test_simple_text', {})
    assert result.content[0].text == 'This is a simple text response for testing.'
    assert len((await session.list_prompts()).prompts) == 5
    read = await session.read_resource('test://static-text')
    assert read.contents[0].text.startswith('This is the content')
async def main():
    async with stdio_client(StdioServerParameters(command=server, args=['stdio'])) as (r, w):
        async with ClientSession(r, w) as session: await use(session)
    async with streamable_http.streamable_http_client(url) as streams:
        async with ClientSession(streams[0], streams[1]) as session: await use(session)
    async with Client(url) as client:
        assert client.protocol_version == '2026-07-28'
        result = await client.call_tool('test_simple_text', {})
        assert result.content[0].text == 'This is a simple text response for testing.'
    print('all well')
asyncio.run(main())
";

#[test]
fn the_official_python_client_uses_our_server_over_both_transports() {
    let Some(python) = python_program("mcp").map(|program| program.with_file_name("python")) else {
        return skip("mcp of PyPI");
    };
    let (_running, url) = conformance_server();
    let mut command = Command::new(python);
    let output = command.args(["-c", PYTHON_CLIENT]).arg(example("conformance_server")).arg(url).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("all well"), "{output:?}");
}

#[test]
fn the_inspector_uses_our_server_over_both_transports() {
    let (Some(inspector), Some(node)) = (node_file(".bin/mcp-inspector"), node_file("node/bin/node")) else {
        return skip("@modelcontextprotocol/inspector");
    };
    let (_running, url) = conformance_server();
    let server = example("conformance_server");
    let targets = [vec![server.to_str().unwrap(), "stdio"], vec![url.as_str(), "--transport", "http"]];
    let path = format!("{}:{}", node.parent().unwrap().display(), std::env::var("PATH").unwrap());
    for target in targets {
        let mut command = Command::new(&node);
        command.arg(&inspector).arg("--cli").args(&target).args(["--method", "tools/call"]).env("PATH", &path);
        let output = command.args(["--tool-name", "test_simple_text"]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("This is a simple text response for testing."), "{target:?}: {output:?}");
    }
}
