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
