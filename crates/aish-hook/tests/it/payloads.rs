//! Payloads as the agents send them.

use aish_hook::agent::{Agent, Event};
use aish_hook::payload::{CommandCall, Payload, PayloadError, read};
use proptest::prelude::*;
use serde_json::json;

fn call(agent: Agent, event: Event, payload: &serde_json::Value) -> CommandCall {
    match read(agent, event, payload.to_string().as_bytes()) {
        Ok(Payload::Command(call)) => *call,
        other => panic!("{agent:?}: {other:?}"),
    }
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn claude_before() {
    let payload = json!({
        "session_id": "6d1c", "transcript_path": "/h/x.jsonl", "cwd": "/srv/site", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_7", "agent_id": "a1",
        "tool_input": {"command": "rm notes.txt", "description": "Remove notes", "run_in_background": true},
    });
    let expected = CommandCall {
        command: "rm notes.txt".to_owned(),
        folder: some("/srv/site"),
        session: some("6d1c"),
        call: some("toolu_7"),
        sub_agent: some("a1"),
        mode: some("default"),
        background: true,
        status: None,
        caller: None,
        input: payload["tool_input"].as_object().unwrap().clone(),
    };
    assert_eq!(call(Agent::Claude, Event::Before, &payload), expected);
}

#[test]
fn statuses_after_a_command() {
    let base = |event: &str, tool: &str, key: &str, value: serde_json::Value| {
        json!({"session_id": "s", "hook_event_name": event, "tool_name": tool, "tool_use_id": "t", "cwd": "/", "permission_mode": "x",
            "tool_input": {"command": "ls"}, key: value})
    };
    let status = |agent, event, payload| call(agent, event, &payload).status;
    let done = base("PostToolUse", "Bash", "tool_response", json!({"stdout": "", "stderr": "", "interrupted": false}));
    assert_eq!(status(Agent::Claude, Event::After, done), Some(0));
    let failed = base("PostToolUseFailure", "Bash", "error", json!("Exit code 127\nbash: x: not found"));
    assert_eq!(status(Agent::Claude, Event::AfterFailure, failed), Some(127));
    let silent = base("PostToolUse", "Bash", "tool_response", json!("Exit code 3"));
    assert_eq!(status(Agent::Codex, Event::After, silent), None);
    let content = json!({"llmContent": "Command: ls\nExit Code: 2\nSignal: none", "returnDisplay": ""});
    assert_eq!(
        status(Agent::Gemini, Event::After, base("AfterTool", "run_shell_command", "tool_response", content)),
        Some(2)
    );
    let background = base("PostToolUse", "Bash", "tool_response", json!({"stdout": "", "backgroundTaskId": "b1"}));
    assert!(call(Agent::Claude, Event::After, &background).background);
}

#[test]
fn each_agent_names_its_fields_differently() {
    let gemini = json!({"session_id": "9f", "cwd": "/srv/site", "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
        "timestamp": "2026-11-22T10:00:00Z", "tool_input": {"command": "ls", "dir_path": "sub"}});
    assert_eq!(call(Agent::Gemini, Event::Before, &gemini).folder, some("/srv/site/sub"));
    let opencode = json!({"sessionID": "s", "callID": "c", "tool": "bash", "args": {"command": "ls", "workdir": "/x"}, "cwd": "/"});
    let read = call(Agent::Opencode, Event::Before, &opencode);
    assert_eq!((read.folder, read.session, read.call), (some("/x"), some("s"), some("c")));
    let cursor = json!({"conversation_id": "c", "cursor_version": "2.1", "workspace_roots": ["/w"], "command": "ls", "cwd": "/w"});
    assert_eq!(call(Agent::Cursor, Event::Before, &cursor).folder, some("/w"));
    for arguments in [json!({"command": "ls"}), json!("{\"command\": \"ls\"}")] {
        let copilot = json!({"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": arguments});
        assert_eq!(call(Agent::Copilot, Event::Before, &copilot).command, "ls");
    }
    let goose = json!({"event": "PreToolUse", "session_id": "s", "tool_name": "developer__shell",
        "tool_input": {"command": "ls"}, "working_dir": "/g", "tool_call_id": "t"});
    let read = call(Agent::Goose, Event::Before, &goose);
    assert_eq!((read.folder, read.call), (some("/g"), some("t")));
    let crush = json!({"event": "PreToolUse", "session_id": "s", "cwd": "/c", "tool_name": "bash", "tool_input": {"command": "ls"}});
    assert_eq!(call(Agent::Crush, Event::Before, &crush).folder, some("/c"));
}

#[test]
fn others_that_read_claudes_file_are_told_apart() {
    let cursor = json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Shell", "cursor_version": "2", "cwd": "/",
        "tool_input": {"command": "ls"}});
    assert_eq!(call(Agent::Claude, Event::Before, &cursor).caller, Some(Agent::Cursor));
    let copilot = json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "bash", "timestamp": "t", "cwd": "/",
        "tool_input": {"command": "ls"}});
    assert_eq!(call(Agent::Claude, Event::Before, &copilot).caller, Some(Agent::Copilot));
}

#[test]
fn what_is_not_about_the_shell_is_let_by() {
    let edit = json!({"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"command": "rm -rf /"}});
    assert_eq!(read(Agent::Claude, Event::Before, edit.to_string().as_bytes()), Ok(Payload::OtherTool));
    let end = json!({"hook_event_name": "SessionEnd", "session_id": "s"});
    let ended = Payload::SessionEnd { session: some("s") };
    assert_eq!(read(Agent::Claude, Event::SessionEnd, end.to_string().as_bytes()), Ok(ended));
}

#[test]
fn what_is_not_understood_is_an_error() {
    let fault = |bytes: &[u8]| read(Agent::Claude, Event::Before, bytes).unwrap_err();
    for bytes in [&b""[..], b"{", b"[]", b"null", b"{} {}", b"\xff{}", b"{\"a\":1}x"] {
        assert!(matches!(fault(bytes), PayloadError::Malformed(_)), "{bytes:?}");
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(fault(deep.as_bytes()), PayloadError::Malformed(_)));
    assert_eq!(fault(&vec![b' '; (1 << 20) + 1]), PayloadError::TooLarge);
    let say = |value: serde_json::Value| fault(value.to_string().as_bytes());
    let other = say(json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}));
    assert_eq!(other.to_string(), "the hook was started for PreToolUse, but the payload is about PostToolUse");
    for input in [json!({}), json!({"command": 7}), json!({"command": " \n"}), json!("rm"), json!(null)] {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": input});
        assert_eq!(say(payload), PayloadError::NoCommand);
    }
    assert_eq!(say(json!({"hook_event_name": "PreToolUse"})), PayloadError::NoCommand);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), which in 0..9usize) {
        let agent = Agent::ALL[which];
        for event in Event::ALL {
            let _ = read(agent, event, &bytes);
        }
    }
}
