//! The server: HTTP, reload, the command line beside it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Client, Way, file, names};

const CONFIG: &str = "
name: one
description: One
command: echo
tools: [{name: hello, description: Say hello, command: hello}]
";

fn climax(args: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_climax"))
        .args(args)
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn changed_configs_are_read_again_and_clients_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "one.yaml", CONFIG);
    let mut client = Client::start(&[&path, "--watch"]);
    assert_eq!(client.greeting["serverInfo"]["name"], "one");
    file(&folder, "one.yaml", &CONFIG.replace("hello", "goodbye"));
    client.wait_for("notifications/tools/list_changed");
    assert_eq!(names(&client.search(json!({"query": ""}))), ["goodbye"]);
    assert_eq!(client.run("goodbye", json!({})).text, "goodbye");
}

#[test]
fn a_broken_file_keeps_its_tools_and_a_deleted_one_loses_them() {
    let folder = tempfile::tempdir().unwrap();
    let config = |name: &str| format!("name: {name}\ncommand: echo\ntools:\n  - {{name: {name}_x, description: d}}\n");
    for name in ["c", "d", "e"] {
        file(&folder, &format!("{name}.yaml"), &config(name));
    }
    let mut client =
        Client::start_with(Way::Stdio, &[folder.path().to_str().unwrap(), "--watch", "--classic"], None, |command| {
            command.stderr(Stdio::null());
        });
    assert_eq!(client.tool_names(), ["c_x", "d_x", "e_x"]);
    let told = |client: &mut Client| {
        client.notified.clear();
        client.wait_for("notifications/tools/list_changed");
        client.tool_names()
    };
    file(&folder, "c.yaml", "name: c\ncommand: [\n");
    assert_eq!(told(&mut client), ["c_x", "d_x", "e_x"], "a file that is half written");
    std::fs::remove_file(folder.path().join("d.yaml")).unwrap();
    assert_eq!(told(&mut client), ["c_x", "e_x"]);
    file(&folder, "c.yaml", &config("c").replace("c_x", "c_y"));
    assert_eq!(told(&mut client), ["c_y", "e_x"]);
    std::fs::remove_file(folder.path().join("c.yaml")).unwrap();
    std::fs::remove_file(folder.path().join("e.yaml")).unwrap();
    assert_eq!(told(&mut client), [""; 0]);
}

#[test]
fn a_folder_that_was_replaced_is_watched_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let config = |tool: &str| format!("name: c\ncommand: echo\ntools:\n  - {{name: {tool}, description: d}}\n");
    let write = |place: &str, tool: &str| {
        std::fs::create_dir_all(path(place)).unwrap();
        std::fs::write(path(place).join("c.yaml"), config(tool)).unwrap();
    };
    let told = |client: &mut Client| {
        client.notified.clear();
        client.wait_for("notifications/tools/list_changed");
        client.tool_names()
    };
    for given in ["w", "w/c.yaml"] {
        write("w", "one");
        write("new", "two");
        let args = [path(given).to_str().unwrap().to_owned(), "--watch".into(), "--classic".into()];
        let mut client = Client::start_with(Way::Stdio, &[&args[0], &args[1], &args[2]], None, |command| {
            command.stderr(Stdio::null());
        });
        assert_eq!(client.tool_names(), ["one"]);
        std::fs::rename(path("w"), path("old")).unwrap();
        std::fs::rename(path("new"), path("w")).unwrap();
        while told(&mut client) != ["two"] {}
        write("w", "three");
        while told(&mut client) != ["three"] {}
        // A file that is put in the place of the old one, as editors do.
        std::fs::write(path("w/c.yaml.new"), config("four")).unwrap();
        std::fs::rename(path("w/c.yaml.new"), path("w/c.yaml")).unwrap();
        while told(&mut client) != ["four"] {}
        std::fs::remove_dir_all(path("w")).unwrap();
        while !told(&mut client).is_empty() {}
        write("w", "five");
        while told(&mut client) != ["five"] {}
        std::fs::remove_dir_all(path("old")).unwrap();
    }
}

#[test]
fn one_bad_config_does_not_end_the_server_for_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (file(&folder, "good.yaml", CONFIG), file(&folder, "bad.yaml", "command: [\n"));
    let mut client = Client::start_with(Way::Stdio, &[&bad, &good], None, |command| {
        command.stderr(Stdio::null());
    });
    assert_eq!(client.run("hello", json!({})).text, "hello");
    let (code, _, told) = climax(&["run", &bad]);
    assert_eq!(code, Some(1));
    assert!(told.contains("bad.yaml:") && told.contains("No config could be read."), "{told}");
}

fn post(port: u16, headers: &str, body: &Value) -> (String, String) {
    post_text(port, headers, &body.to_string())
}

fn post_text(port: u16, headers: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?} to {headers:?}"));
    (head.to_owned(), body.to_owned())
}

#[test]
fn http_answers_with_a_token_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "one.yaml", CONFIG);
    let mut child = Command::new(env!("CARGO_BIN_EXE_climax"))
        .args([&path, "--transport", "streamable-http", "--port", "0", "--auth-token-env", "TOKEN"])
        .env("TOKEN", "sesame")
        .env("XDG_STATE_HOME", folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().strip_prefix("Serving MCP on http://127.0.0.1:").and_then(|rest| rest.strip_suffix("/mcp"));
    let port: u16 = port.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let (refused, _) = post(port, "", &hello);
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    let (head, body) = post(port, "Authorization: Bearer sesame\r\n", &hello);
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("\"serverInfo\""), "{head}\n{body}");
    let session = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| format!("Mcp-Session-Id: {value}\r\n"))
    });
    let headers =
        format!("Authorization: Bearer sesame\r\nMCP-Protocol-Version: 2025-06-18\r\n{}", session.unwrap_or_default());
    post(port, &headers, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let (_, list) = post(port, &headers, &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    assert!(list.contains("climax_search") && list.contains("climax_call"), "{list}");
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "climax_call", "arguments": {"tool_name": "hello"}}});
    let (_, called) = post(port, &headers, &call);
    assert!(called.contains("\"text\":\"hello\""), "{called}");
    let (strange, _) = post(port, &format!("{headers}Origin: http://evil.example\r\n"), &call);
    assert!(strange.starts_with("HTTP/1.1 403"), "{strange}");
    for (body, code, id) in [
        ("{\"jsonrpc\":", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"[{"jsonrpc": "2.0", "id": 7, "method": "ping"}]"#, -32600, Value::Null),
        (r#"{"id": 7, "text": "x"}"#, -32600, json!(7)),
        ("5", -32600, Value::Null),
    ] {
        let (head, answer) = post_text(port, &headers, body);
        let answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{body}: {error}: {head}\n{answer}"));
        assert!(head.starts_with("HTTP/1.1 400"), "{body}: {head}");
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{body}: {answer}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_network_is_not_served_without_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "one.yaml", CONFIG);
    let (code, _, told) = climax(&[&path, "--transport", "streamable-http", "--host", "0.0.0.0", "--port", "0"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("without a token"), "{told}");
}

#[test]
fn the_command_line_gives_the_same_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "one.yaml", CONFIG);
    let (code, text, _) = climax(&["call", "hello", "--in", &path]);
    assert_eq!((code, text.as_str()), (Some(0), "hello\n"));
    let (code, text, _) = climax(&["search", "hello", "--in", &path, "--json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, names(&found)), (Some(0), vec!["hello"]));
    let (code, text, _) = climax(&["list", &path]);
    assert!(code == Some(0) && text.contains("one: One (1 tools)") && text.contains("hello  Say hello"), "{text}");
    assert_eq!(climax(&["validate"]).0, Some(0), "all bundled configs are valid");
    assert_eq!(climax(&["call", "nope", "--in", &path]).0, Some(1));
    assert_eq!(climax(&["--no-such-flag"]).0, Some(2));
    assert_eq!(climax(&["run"]).0, Some(2));
    for (word, hint) in [("serch", "did you mean `climax search`?"), ("dokcer", "did you mean 'docker'?")] {
        let (code, _, told) = climax(&[word, "x"]);
        assert!(code == Some(2) && told.contains(hint), "{told}");
    }
    let bad = file(&folder, "bad.yaml", "command: x\ntools:\n  - name: a\n   bad: 1\n");
    let (code, _, told) = climax(&["validate", &bad]);
    assert!(code == Some(1) && told.contains("bad.yaml:4:4: error:") && !told.contains(" at char "), "{told}");
    let (_, version, _) = climax(&["-V"]);
    assert!(version.starts_with("climax "), "{version}");
    assert!(climax(&["completions", "bash"]).1.contains("climax"));
    let page = climax(&["manual"]).1;
    assert!(page.contains(".TH climax 1") && page.contains("climax\\-validate"), "{page}");
    assert!(climax(&["skill"]).1.starts_with("---\nname: climax"));
}
