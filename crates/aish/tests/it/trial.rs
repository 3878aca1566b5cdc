//! `aish mcp test`: one JSON object, whatever the target is.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use aish_testkit::mcp_server::{HttpServer, McpScript};
use serde_json::{Value, json};

fn test(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aish"));
    command.args(["mcp", "test"]).args(arguments).env_clear().env("HOME", home).current_dir(home);
    command.env("PATH", std::env::var("PATH").unwrap_or_default()).output().unwrap()
}

fn report(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 1, "{output:?}");
    serde_json::from_str(&text).unwrap()
}

fn silent() -> HttpServer {
    let script = json!({"hang": ["initialize", "server/discover"]});
    HttpServer::start(serde_json::from_value::<McpScript>(script).unwrap()).unwrap()
}

#[test]
fn what_cannot_work_is_one_object_with_a_reason() {
    let home = tempfile::tempdir().unwrap();
    let (silent, page) = (silent(), HttpServer::start(serde_json::from_value(json!({
        "raw": {"initialize": "<html>Login</html>", "server/discover": "<html>Login</html>"}, "content_type": "text/html"})).unwrap()).unwrap());
    let (silent, page) = (silent.url(), page.url());
    let targets = [
        "http://127.0.0.1:9/mcp",
        silent.as_str(),
        page.as_str(),
        "true",
        "sh -c 'echo oops >&2; exit 3'",
        "cat",
        "sleep 1000",
        "yes",
        "echo hello",
        "/nonexistent/program",
        "",
        "'unclosed",
        "http://",
        "http://[::1",
    ];
    for target in targets {
        let started = Instant::now();
        let output = test(home.path(), &[target, "--json"]);
        let report = report(&output);
        assert_eq!(report["ok"], false, "{target}: {report}");
        assert!(report["error"].as_str().is_some_and(|error| !error.is_empty()), "{target}: {report}");
        assert_ne!(output.status.code(), Some(0), "{target}");
        // The bound of a greeting is 20 s: what takes so long is not given up by itself.
        assert!(started.elapsed() < Duration::from_secs(19), "{target} took {:?}: {report}", started.elapsed());
    }
    let broken = report(&test(home.path(), &["true", "--call", "x", "--args", "{", "--json"]));
    assert!(broken["error"].as_str().unwrap().contains("--args"), "{broken}");
}

/// A program that answers the probe with an error, then each line with the next of these.
fn program(answers: &[&str]) -> String {
    let first = r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}"#;
    let steps: String = std::iter::once(&first)
        .chain(answers)
        .map(|answer| match answer.strip_prefix("exit ") {
            Some(code) => format!("read a; exit {code}; "),
            None => format!("read a; echo '{answer}'; "),
        })
        .collect();
    // Quoted for aish, whose words are the shell's.
    format!("sh -c {}", shell_quoted(&format!("{steps}read a; read a; sleep 1000")))
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[test]
fn broken_programs_fail_with_their_reason_and_leave_nothing() {
    let home = tempfile::tempdir().unwrap();
    let greeting = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}"#;
    let listed = |answer: &str| program(&[greeting, "", answer]);
    for (target, words) in [
        ("sh -c 'exit 5'".to_owned(), "exited with code 5"),
        ("sh -c 'read a; read a; sleep 1000'".to_owned(), "does not answer (--timeout"),
        (program(&[greeting, "exit 4"]), "exited with code 4"),
        (listed(r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[}"#), "no valid JSON"),
        (listed(r#"{"jsonrpc":"2.0","id":2,"error":"not today"}"#), "not today"),
        // What a server says decides nothing.
        (listed(r#"{"jsonrpc":"2.0","id":2,"error":"no answer within reason"}"#), "no answer within reason"),
        (program(&[greeting]), "does not answer (--timeout"),
        (program(&["{}"]), "does not answer (--timeout"),
    ] {
        let started = Instant::now();
        let output = test(home.path(), &[&target, "--json"]);
        let report = report(&output);
        let error = report["error"].as_str().unwrap_or_default();
        assert!(report["ok"] == false && error.contains(words), "{target}: {report}");
        assert_eq!(error.contains("--timeout"), words.contains("--timeout"), "{target}: {report}");
        assert!(started.elapsed() < Duration::from_secs(19), "{target} took {:?}: {report}", started.elapsed());
    }
}

/// A program whose loop hangs at a method that it does not know works all the same: it is not asked that again.
#[test]
fn a_program_that_hangs_at_the_probe_is_tried_without_it() {
    let home = tempfile::tempdir().unwrap();
    let script = r#"read a
case $a in *server/discover*) sleep 1000;; esac
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}'
read a; read a; echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"one"}]}}'
read a"#;
    let output = test(home.path(), &[&format!("sh -c {}", shell_quoted(script)), "--json"]);
    let report = report(&output);
    assert_eq!((report["ok"].as_bool(), report["tools"][0].as_str()), (Some(true), Some("one")), "{report}");
}

#[test]
fn a_call_that_was_typed_is_judged_and_written_down() {
    let home = tempfile::tempdir().unwrap();
    let server = HttpServer::start(McpScript::default()).unwrap();
    let output = test(home.path(), &[&server.url(), "--call", "echo", "--args", "{\"text\":\"hi\"}", "--json"]);
    let told = report(&output);
    assert_eq!((told["ok"].as_bool(), told["result"]["text"].as_str()), (Some(true), Some("hi")), "{told}");
    let audit = std::fs::read_to_string(home.path().join(".local/state/aish/audit.jsonl")).unwrap();
    assert!(audit.contains("target.echo") && audit.contains("\"person\""), "{audit}");
    // A trial approves nothing for later.
    assert!(!home.path().join(".local/state/aish/pins.json").exists());
    let unknown = report(&test(home.path(), &[&server.url(), "--call", "nope", "--json"]));
    assert!(unknown["error"].as_str().unwrap().contains("nope"), "{unknown}");
}

#[test]
fn a_call_whose_result_says_that_it_failed_is_no_success() {
    let home = tempfile::tempdir().unwrap();
    let server = HttpServer::start(McpScript::default()).unwrap();
    for json in [&["--json"][..], &[]] {
        let output = test(home.path(), &[&[server.url().as_str(), "--call", "fail"], json].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("it failed"), "{output:?}");
    }
}

#[test]
fn a_key_says_which_protocols_a_server_is_spoken_to_in() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config/aish/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let era = |protocol: &str| {
        let program = env!("CARGO_BIN_EXE_aish");
        let server = format!("[mcp.servers.own]\ncommand = \"{program}\"\nargs = [\"mcp\", \"serve\"]\n{protocol}");
        std::fs::write(&config, server).unwrap();
        let report = report(&test(home.path(), &["own", "--json"]));
        assert_eq!(report["ok"], true, "{protocol}: {report}");
        (report["era"].as_str().unwrap().to_owned(), report["protocol"].as_str().unwrap().to_owned())
    };
    let (older, newest) =
        (("legacy".to_owned(), "2025-11-25".to_owned()), ("modern".to_owned(), "2026-07-28".to_owned()));
    assert_eq!(era("protocol = \"older\"\n"), older);
    assert_eq!(era("protocol = \"newest\"\n"), newest);
    assert_eq!(era(""), newest);
}

#[test]
fn tools_that_cannot_be_offered_are_told_with_their_reason() {
    let home = tempfile::tempdir().unwrap();
    let mut tools = vec![json!({"name": "fine", "inputSchema": {"type": "object"}})];
    tools.extend((0..12).map(|at| json!({"name": format!("no good {at}"), "inputSchema": {"type": "object"}})));
    let answer = json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": tools}}).to_string();
    let greeting = json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}}, "serverInfo": {"name": "own", "version": "1"}}});
    let output = test(home.path(), &[&program(&[&greeting.to_string(), &answer])]);
    let shown = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(shown.contains(", 1 tool; ") && shown.ends_with(" ms in all\n  fine\n"), "{shown}");
    assert!(told.starts_with("aish: tool no good 0 refused: "), "{told}");
    assert!(told.contains("aish: 2 more tools refused\n"), "{told}");
    assert_eq!(output.status.code(), Some(0), "{told}");
}
