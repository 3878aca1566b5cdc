//! The official clients of MCP and the Inspector use `climax run` over both transports.

use std::path::Path;
use std::process::Command;

use aish_testkit::mcp_clients::{OfficialClient, Served, Target, inspect};
use serde_json::json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_climax");
const TOKEN: &str = "sesame-4711";

/// The server over both transports; the one that listens asks for a token.
fn targets(home: &Path, arguments: &[&str]) -> (Served, [Target; 2]) {
    let mut command = Command::new(PROGRAM);
    command.arg("run").args(arguments).args(["--transport", "streamable-http", "--port", "0"]);
    command.args(["--auth-token-env", "TOKEN"]).env("TOKEN", TOKEN).env("HOME", home);
    let served = Served::start(command.env("XDG_STATE_HOME", home.join("state"))).unwrap();
    let words = [PROGRAM, "run"].iter().chain(arguments).map(|word| (*word).to_owned()).collect();
    let http = Target::Http { url: served.url().to_owned(), token: Some(TOKEN.to_owned()) };
    (served, [Target::Stdio { command: words }, http])
}

#[test]
fn the_official_clients_find_and_run_tools_of_bundled_configs() {
    let home = tempfile::tempdir().unwrap();
    let (_served, targets) = targets(home.path(), &["coreutils", "git"]);
    let arguments = json!({"tool_name": "basename", "args": {"path": "/a/b.txt"}});
    for client in OfficialClient::ALL {
        let Some(talks) = client.talk(home.path(), &targets, "climax_call", &arguments).unwrap() else { continue };
        assert_eq!(talks.len(), 2);
        for talk in talks {
            assert_eq!(talk.tools, ["climax_search", "climax_call"], "{client:?}");
            assert_eq!((talk.text.trim(), talk.is_error), ("b.txt", false), "{client:?}");
        }
    }
}

#[test]
fn the_inspector_lists_strictly_and_calls() {
    let home = tempfile::tempdir().unwrap();
    let (_served, targets) = targets(home.path(), &["coreutils", "git"]);
    for (target, era) in targets.iter().zip(["legacy", "modern"]) {
        let strict = ["--method", "tools/list", "--strict", "--protocol-era", era];
        let Some(listed) = inspect(home.path(), target, &strict).unwrap() else { return };
        assert_eq!(listed["result"]["tools"][0]["name"], "climax_search", "{listed}");
        assert_eq!(listed.get("schemaFindings"), None, "{listed}");
        let json = r#"{"tool_name": "basename", "args": {"path": "/a/b.txt"}}"#;
        let call = ["--method", "tools/call", "--tool-name", "climax_call", "--tool-args-json", json];
        let called = inspect(home.path(), target, &call).unwrap().unwrap();
        assert_eq!(called["result"]["content"][0]["text"].as_str().map(str::trim), Some("b.txt"), "{called}");
    }
}

#[test]
fn the_inspector_finds_no_fault_in_any_bundled_tool() {
    let home = tempfile::tempdir().unwrap();
    let listed = Command::new(PROGRAM).arg("list").env("HOME", home.path()).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let names = text.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    let mut command: Vec<String> = [PROGRAM, "run", "--classic"].map(str::to_owned).into();
    command.extend(names.map(|name| name.trim_end_matches("-tools").to_owned()));
    let target = Target::Stdio { command };
    let Some(listed) = inspect(home.path(), &target, &["--method", "tools/list", "--strict"]).unwrap() else { return };
    assert!(listed["result"]["tools"].as_array().unwrap().len() > 300, "{listed}");
    assert_eq!(listed.get("schemaFindings"), None, "{listed}");
}
