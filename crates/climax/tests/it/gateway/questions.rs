//! Questions of servers reach the client, in both eras on both sides, and the call runs once.
//!
//! The server is another climax, whose tool asks before it writes.

use serde_json::{Value, json};

use super::fixture::{Newest, Servers};

const CONFIG: &str = "
name: notes
command: sh -c 'echo ran >> \"$0.ran\"; echo wrote \"$1\"'
tools:
  - name: add
    description: Adds a line
    command: FILE
    risk: write
    confirm_message: \"Add {line}?\"
    args: [{name: line, positional: true, required: true}]
";

/// A gateway over a climax that speaks this era to it, and whose tool the gateway itself asks nothing about.
fn servers(protocol: &str) -> (Servers, String) {
    let mut servers = Servers::new();
    let ran = servers.path("add").to_string_lossy().into_owned();
    let config = servers.write("notes.yaml", &CONFIG.replace("FILE", &ran));
    servers.add("up", json!({"command": env!("CARGO_BIN_EXE_climax"), "args": ["run", "--classic", config]}));
    servers.refresh();
    let over = format!("servers: {{up: {{protocol: {protocol}, tools: {{add: {{risk: read}}}}}}}}");
    let over = servers.write("over.yaml", &over);
    (servers, over)
}

fn runs(servers: &Servers) -> usize {
    std::fs::read_to_string(servers.path("add.ran")).unwrap_or_default().lines().count()
}

#[test]
fn a_client_with_a_session_is_asked_by_servers_of_both_eras() {
    for protocol in ["older", "newest"] {
        let (servers, over) = servers(protocol);
        let mut client = servers.client(Some("accept"), &["--config", &over]);
        let called = client.run("up.add", json!({"line": "milk"}));
        assert_eq!(called.text, "wrote milk", "{protocol}");
        assert_eq!(client.asked.len(), 1, "{protocol}: {:?}", client.asked);
        assert!(client.asked[0].starts_with("The MCP server up asks: Add milk?"), "{protocol}: {:?}", client.asked);
        assert_eq!(runs(&servers), 1, "{protocol}");
        client.elicit = Some("decline");
        assert!(client.run("up.add", json!({"line": "tea"})).text.contains("denied"), "{protocol}");
        assert_eq!(runs(&servers), 1, "{protocol}");
    }
}

#[test]
fn a_client_without_a_session_comes_back_with_the_answer_and_the_call_runs_once() {
    for protocol in ["older", "newest"] {
        let (servers, over) = servers(protocol);
        let mut client = Newest::start(&mut servers.command(&["--config", &over]));
        let (called, asked) = client.run("up.add", json!({"line": "milk"}), &json!({}));
        assert_eq!(called.text, "wrote milk", "{protocol}");
        assert_eq!(asked.len(), 1, "{protocol}: {asked:?}");
        assert!(asked[0].starts_with("The MCP server up asks: Add milk?"), "{protocol}: {asked:?}");
        assert_eq!(runs(&servers), 1, "{protocol}");
    }
}

#[test]
fn the_gates_own_questions_and_the_servers_are_told_apart_over_rounds() {
    let (servers, _) = servers("any");
    let mut client = Newest::start(&mut servers.command(&[]));
    let (called, asked) = client.run("up.add", json!({"line": "milk"}), &json!({}));
    assert_eq!(called.text, "wrote milk");
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].contains("up.add") && asked[1].starts_with("The MCP server up asks"), "{asked:?}");
    assert_eq!(runs(&servers), 1);
}

#[test]
fn an_answer_is_good_for_one_run() {
    let (servers, over) = servers("any");
    let notes = servers.path("notes.yaml").to_string_lossy().into_owned();
    let mut classic = std::process::Command::new(env!("CARGO_BIN_EXE_climax"));
    classic.args(["run", "--classic", &notes]).env("XDG_STATE_HOME", servers.path("state"));
    let through = json!({"name": "climax_call", "arguments": {"tool_name": "up.add", "args": {"line": "milk"}}});
    let itself = json!({"name": "add", "arguments": {"line": "milk"}});
    // The question of a server behind climax, and that of climax itself.
    for (mut command, call) in [(servers.command(&["--config", &over]), through), (classic, itself)] {
        let _ = std::fs::remove_file(servers.path("add.ran"));
        let mut client = Newest::start(&mut command);
        let first = client.request("tools/call", call.clone());
        assert_eq!(first["resultType"], "input_required");
        let answers: serde_json::Map<String, Value> = first["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .map(|key| (key.clone(), json!({"action": "accept", "content": {}})))
            .collect();
        let mut again = call;
        again["inputResponses"] = Value::Object(answers);
        again["requestState"] = first["requestState"].clone();
        let done = client.request("tools/call", again.clone());
        assert_eq!(done["content"][0]["text"], "wrote milk");
        let repeated = client.answer("tools/call", again);
        assert!(repeated["error"]["message"].as_str().unwrap().contains("good for one run"), "{repeated}");
        assert_eq!(runs(&servers), 1);
    }
}

/// A server that asks again and again, until it is told no.
const ASKS_WITHOUT_END: &str = r#"
asked=0
ask() {
  asked=$((asked + 1))
  printf '{"jsonrpc":"2.0","id":"q%s","method":"elicitation/create","params":{"message":"And now?","requestedSchema":{"type":"object","properties":{}}}}\n' "$asked"
}
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"tools/call"'*) call=$id; ask ;;
    *'"accept"'*) ask ;;
    *'"id":"q'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"no at %s"}]}}\n' "$call" "$asked" ;;
    *'"method"'*'"id"'* | *'"id"'*'"method"'*)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn a_server_does_not_ask_without_end() {
    let mut servers = Servers::new();
    let script = servers.write("asks.sh", ASKS_WITHOUT_END);
    servers.add("asks", json!({"command": "sh", "args": [script]}));
    servers.refresh();
    let over = servers.write("over.yaml", "servers: {asks: {tools: {go: {risk: read}}}}");
    let mut client = servers.client(Some("accept"), &["--config", &over]);
    assert_eq!(client.run("asks.go", json!({})).text, "no at 65");
    assert_eq!(client.asked.len(), 64);
}
