//! What becomes of calls of servers that are slow, end, or cannot be started.

use serde_json::{Value, json};

use super::fixture::{Servers, example, tool};

/// A gateway over one server that does this, whose tool `echo` may run unasked.
fn with(script: Value, limits: &str) -> Servers {
    let mut servers = Servers::new();
    servers.fake("notes", &[tool("echo", "Echoes its text")]);
    servers.refresh();
    let mut script = script;
    script["results"]["tools/list"] = json!({"tools": [tool("echo", "Echoes its text")]});
    servers.script("notes", script);
    servers.forget_requests("notes");
    servers.write("limits.yaml", &format!("servers: {{notes: {{{limits}, tools: {{echo: {{risk: read}}}}}}}}"));
    servers
}

fn config(servers: &Servers) -> String {
    servers.path("limits.yaml").to_string_lossy().into_owned()
}

#[test]
fn a_call_without_an_answer_ends_with_the_servers_name_and_the_limit() {
    let servers = with(json!({"hang": ["tools/call"]}), "timeout_ms: 300");
    let mut client = servers.client(None, &["--config", &config(&servers)]);
    let called = client.run("notes.echo", json!({"text": "x"}));
    assert!(called.is_error);
    assert_eq!(called.text, "notes: echo gave no answer in 0.3 s (limit timeout_ms); it may have run");
    super::fixture::eventually("the server is told", || {
        servers.requests("notes").contains(&"notifications/cancelled".to_owned())
    });
}

#[test]
fn a_server_that_ends_fails_its_call_and_comes_back_until_it_failed_three_times() {
    let servers = with(json!({"exit": ["tools/call"]}), "timeout_ms: 20000");
    let mut client = servers.client(None, &["--config", &config(&servers)]);
    for _ in 0..3 {
        let called = client.run("notes.echo", json!({"text": "x"}));
        assert!(called.is_error && called.text.starts_with("notes: "), "{}", called.text);
    }
    let resting = client.run("notes.echo", json!({"text": "x"})).text;
    assert!(
        resting.contains("failed three times in a minute") && resting.contains("`climax refresh notes --servers /"),
        "{resting}"
    );
    assert_eq!(servers.processes("notes").len(), 3);
}

#[test]
fn a_server_that_cannot_be_started_is_named_with_the_reason() {
    let mut servers = Servers::new();
    servers.add("absent", json!({"command": "/nowhere/at-all"}));
    servers.add("keyed", json!({"command": example(), "env": {"KEY": "${NO_SUCH_KEY_4711}"}}));
    servers.add("off", json!({"command": example(), "disabled": true}));
    servers.add("deaf", json!({"command": "sleep", "args": ["600"]}));
    let yaml = servers.write("deaf.yaml", "servers: {deaf: {start_ms: 300}}");
    let mut client = servers.client(Some("accept"), &["--config", &yaml]);
    let mut text = |tool: &str| client.run(tool, json!({})).text;
    assert!(text("absent.x").starts_with("absent: it did not start:"));
    assert!(text("keyed.x").contains("it needs $NO_SUCH_KEY_4711, which is not set"));
    assert!(text("off.x").contains("switched off"));
    let deaf = text("deaf.x");
    assert!(deaf.contains("deaf: it did not start: ") && deaf.contains("start_ms is 300"), "{deaf}");
    let unknown = text("nobody.x");
    assert!(unknown.starts_with("Unknown tool: nobody.x"), "{unknown}");
}

#[test]
fn a_cancelled_call_is_cancelled_at_its_server() {
    let servers = with(json!({"hang": ["tools/call"]}), "timeout_ms: 600000");
    let mut client = servers.client(None, &["--config", &config(&servers)]);
    let id = client.post("tools/call", json!({"name": "climax_call", "arguments": {"tool_name": "notes.echo"}}));
    super::fixture::eventually("the call reaches the server", || {
        servers.requests("notes").contains(&"tools/call".into())
    });
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    super::fixture::eventually("the server is told", || {
        servers.requests("notes").contains(&"notifications/cancelled".into())
    });
}

#[test]
fn calls_beyond_the_limit_wait_and_several_starts_are_one() {
    let servers = with(json!({"delay_ms": 5}), "max_parallel: 2");
    let mut client = servers.client(None, &["--config", &config(&servers)]);
    let ids: Vec<i64> = (0..8)
        .map(|at| {
            let args = json!({"tool_name": "notes.echo", "args": {"text": at.to_string()}});
            client.post("tools/call", json!({"name": "climax_call", "arguments": args}))
        })
        .collect();
    for (at, id) in ids.into_iter().enumerate() {
        assert_eq!(client.answer_any(id)["content"][0]["text"], at.to_string());
    }
    assert_eq!(servers.processes("notes").len(), 1);
}
