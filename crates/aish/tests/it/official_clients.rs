//! The official clients of MCP and the Inspector use `aish mcp serve` over both transports.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use aish_testkit::mcp_clients::{OfficialClient, Served, Target, inspect};
use serde_json::json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_aish");
const TOKEN: &str = "sesame-4711";

fn serve(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["mcp", "serve"]).args(arguments).env_clear().env("HOME", home).env("TOKEN", TOKEN);
    command.env("PATH", std::env::var("PATH").unwrap()).current_dir(home);
    command
}

/// The server over both transports; the one that listens asks for a token.
fn targets(home: &Path) -> (Served, [Target; 2]) {
    let arguments = ["--transport", "streamable-http", "--port", "0", "--auth-token-env", "TOKEN"];
    let served = Served::start(&mut serve(home, &arguments)).unwrap();
    let command = [PROGRAM, "mcp", "serve"].map(str::to_owned).into();
    let http = Target::Http { url: served.url().to_owned(), token: Some(TOKEN.to_owned()) };
    (served, [Target::Stdio { command }, http])
}

#[test]
fn the_official_clients_list_and_call() {
    let home = tempfile::tempdir().unwrap();
    let (_served, targets) = targets(home.path());
    for client in OfficialClient::ALL {
        let arguments = json!({"expression": "17*23"});
        let Some(talks) = client.talk(home.path(), &targets, "calculator", &arguments).unwrap() else { continue };
        assert_eq!(talks.len(), 2);
        for talk in talks {
            assert!(talk.tools.contains(&"get_time".to_owned()), "{client:?}: {talk:?}");
            assert_eq!((talk.text.as_str(), talk.is_error), ("391", false), "{client:?}");
        }
    }
    let audit = std::fs::read_to_string(home.path().join(".local/state/aish/audit.jsonl")).unwrap();
    assert!(audit.lines().count() >= 2 && audit.contains("calculator"), "each call is written down: {audit}");
}

#[test]
fn the_inspector_lists_strictly_and_calls() {
    let home = tempfile::tempdir().unwrap();
    let (_served, targets) = targets(home.path());
    for (target, era) in targets.iter().zip(["modern", "legacy"]) {
        let strict = ["--method", "tools/list", "--strict", "--protocol-era", era];
        let Some(listed) = inspect(home.path(), target, &strict).unwrap() else { return };
        assert!(listed["result"]["tools"].to_string().contains("\"calculator\""), "{listed}");
        assert_eq!(listed.get("schemaFindings"), None, "{listed}");
        let call = ["--method", "tools/call", "--tool-name", "calculator", "--tool-arg", "expression=17*23"];
        let called = inspect(home.path(), target, &call).unwrap().unwrap();
        assert_eq!(called["result"]["content"][0]["text"], "391", "{called}");
    }
}

/// The status line of a POST with these headers.
fn status(url: &str, headers: &str) -> String {
    let authority = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let mut stream = TcpStream::connect(authority).unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {authority}\r\n") };
    let head = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n";
    write!(stream, "POST /mcp HTTP/1.1\r\n{host}{head}{headers}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn safety_12_host_origin_and_token_are_checked_and_the_network_needs_a_token() {
    let home = tempfile::tempdir().unwrap();
    let (served, _) = targets(home.path());
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    for (headers, expected) in [
        (String::new(), "401"),
        ("Authorization: Bearer other\r\n".to_owned(), "401"),
        (format!("{token}Origin: http://evil.example\r\n"), "403"),
        (format!("{token}Host: evil.example\r\n"), "403"),
    ] {
        let line = status(served.url(), &headers);
        assert!(line.contains(expected), "{headers:?}: {line}");
    }
    let refused = serve(home.path(), &["--transport", "streamable-http", "--host", "0.0.0.0", "--port", "0"]);
    let output = { refused }.output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("without a token"), "{output:?}");
    assert_ne!(output.status.code(), Some(0));
    let empty = serve(home.path(), &["--transport", "streamable-http", "--auth-token-env", "NOT_SET"]);
    assert!(String::from_utf8_lossy(&{ empty }.output().unwrap().stderr).contains("NOT_SET holds no token"));
}
