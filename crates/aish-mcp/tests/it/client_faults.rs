//! F20 to F24: servers that die, talk nonsense, do not answer, refuse, flood or do not read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use aish_mcp::client::{Endpoint, McpClient, ServerOptions, ServerState, Status};
use aish_testkit::mcp_server::{HttpServer, McpScript};
use aish_tools::ToolSource;
use aish_types::Ending;
use serde_json::{Map, Value, json};

use crate::fake::{self, echo};

fn script(value: Value) -> McpScript {
    serde_json::from_value(value).unwrap()
}

#[tokio::test]
async fn f20_a_server_that_dies_before_its_greeting_is_an_error_at_once() {
    let started = Instant::now();
    let (ports, _) = fake::ports();
    let options = fake::stdio(&script(json!({"exit": ["initialize", "server/discover"]})));
    let error = fake::connect(options, ports).await.err().unwrap();
    assert!(error.to_string().contains("exited with code 3"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(8));
}

#[tokio::test]
async fn f20_a_server_that_cannot_be_started_is_an_error_at_once() {
    let (ports, _) = fake::ports();
    let mut options = fake::stdio(&McpScript::default());
    if let aish_mcp::client::Endpoint::Stdio { command, .. } = &mut options.endpoint {
        *command = "/no/such/program".into();
    }
    assert!(fake::connect(options, ports).await.is_err());
}

#[tokio::test]
async fn f20_a_call_fails_at_once_when_its_server_dies_and_is_not_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let (ports, recorder) = fake::ports();
    let options = fake::stdio(&script(json!({"exit": ["tools/call"], "trace_file": trace})));
    let client = fake::connect(options, ports).await.unwrap();
    let started = Instant::now();
    let outcome = fake::call(&client, "echo", Map::new(), Duration::from_secs(60)).await;
    assert_eq!(outcome.ending, Ending::Transport);
    assert!(outcome.text.contains("exited with code 3"), "{}", outcome.text);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    recorder.wait(|status| matches!(status, Status::Lost { .. })).await;
    for _ in 0..500 {
        if client.state() == ServerState::Ready && recorder.lines().matches("connected (").count() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(client.state(), ServerState::Ready, "{}", recorder.lines());
    let calls = std::fs::read_to_string(&trace).unwrap();
    assert_eq!(calls.lines().filter(|line| line.ends_with("tools/call")).count(), 1, "{calls}");
    assert_eq!(calls.lines().filter(|line| line.ends_with("tools/list")).count(), 2, "listed again: {calls}");
    client.close().await;
}

#[tokio::test]
async fn f20_restarts_are_bounded_and_others_unharmed() {
    let (ports, recorder) = fake::ports();
    let mut options = fake::stdio(&script(json!({"exit": ["tools/call"]})));
    options.restarts = 1;
    let dying = fake::connect(options, ports.clone()).await.unwrap();
    let other = fake::connect(fake::stdio(&McpScript::default()), ports).await.unwrap();
    for _ in 0..2 {
        assert!(dying.ready().await.is_ok());
        fake::call(&dying, "echo", Map::new(), Duration::from_secs(10)).await;
        recorder.wait(|status| matches!(status, Status::Lost { .. })).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    recorder.wait(|status| matches!(status, Status::Failed(_))).await;
    assert!(dying.definitions().is_empty());
    assert_eq!(echo(&other, "alive").await.unwrap(), "alive");
    dying.close().await;
    other.close().await;
}

#[tokio::test]
async fn f21_garbage_is_skipped_and_a_huge_message_is_an_error() {
    let (ports, _) = fake::ports();
    let huge = format!("{{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"content\":\"{}\"}}}}", "x".repeat(100));
    let garbage =
        json!({"banner": ["\u{0}\u{1}garbage", "{\"jsonrpc\":\"2.0\",", "[[[["], "raw": {"tools/call": huge}});
    let client = fake::connect(fake::stdio(&script(garbage)), ports.clone()).await.unwrap();
    assert_eq!(echo(&client, "x").await.unwrap().len(), 100);
    client.close().await;

    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("huge.sh");
    let lines = r#"#!/bin/sh
read a; printf '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}\n'
read a; printf '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}\n'
read a; read a; printf '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo"}]}}\n'
read a; head -c 20000000 /dev/zero | tr '\0' x; printf '\n'
read a; printf '{"jsonrpc":"2.0","id":4,"result":{"content":"small"}}\n'
read a
"#;
    std::fs::write(&program, lines).unwrap();
    let mut options = fake::stdio(&McpScript::default());
    if let aish_mcp::client::Endpoint::Stdio { command, args, .. } = &mut options.endpoint {
        *command = "/bin/sh".into();
        *args = vec![program.to_string_lossy().into_owned()];
    }
    let client = fake::connect(options, ports).await.unwrap();
    let error = echo(&client, "x").await.unwrap_err();
    assert!(error.contains("16 MiB"), "{error}");
    assert_eq!(echo(&client, "x").await.unwrap(), "small", "the connection goes on");
    client.close().await;
}

#[tokio::test]
async fn f21_a_late_reply_reaches_no_other_call() {
    let (ports, _) = fake::ports();
    let client = fake::connect(fake::stdio(&script(json!({"late": ["tools/call"]}))), ports).await.unwrap();
    let arguments = |text: &str| [("text".to_owned(), json!(text))].into_iter().collect();
    let late = fake::call(&client, "echo", arguments("late"), Duration::from_millis(100)).await;
    assert!(late.ending == Ending::Transport && late.text.contains("no answer within"), "{}", late.text);
    assert_eq!(echo(&client, "mine").await.unwrap(), "mine");
    client.close().await;
}

#[tokio::test]
async fn f22_a_connect_that_times_out_or_is_given_up_leaves_no_child() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let (ports, _) = fake::ports();
    let silent = script(json!({"hang": ["initialize", "server/discover"], "stubborn": true, "trace_file": trace}));
    let mut options = fake::stdio(&silent);
    options.connect_timeout = Duration::from_secs(1);
    let started = Instant::now();
    let error = fake::connect(options.clone(), ports.clone()).await.err().unwrap();
    assert!(error.to_string().contains("no answer within 1 s"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(8));
    let pid = |trace: &std::path::Path| {
        std::fs::read_to_string(trace).unwrap().lines().last().unwrap().split(' ').next().unwrap().to_owned()
    };
    fake::gone(&pid(&trace)).await;

    options.connect_timeout = Duration::from_secs(60);
    std::fs::remove_file(&trace).unwrap();
    let client = McpClient::start(options, ports);
    for _ in 0..500 {
        if trace.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    client.close().await;
    fake::gone(&pid(&trace)).await;
}

#[tokio::test]
async fn f23_a_lost_session_is_renewed_once() {
    let server = HttpServer::start(script(json!({"session": true, "forget_session_after": 5}))).unwrap();
    let (ports, _) = fake::ports();
    let client = fake::connect(fake::http(&server.url()), ports).await.unwrap();
    for text in ["a", "b", "c"] {
        assert_eq!(echo(&client, text).await.unwrap(), text);
    }
    let greetings = server.seen().iter().filter(|seen| seen.body.contains("\"initialize\"")).count();
    assert_eq!(greetings, 2);
    client.close().await;
}

#[tokio::test]
async fn f23_401_is_no_lost_session_and_403_names_the_scope() {
    let (ports, _) = fake::ports();
    let server = HttpServer::start(script(json!({"token": "right"}))).unwrap();
    let error = fake::connect(fake::http_with_token(&server.url(), "wrong"), ports.clone()).await.err().unwrap();
    assert!(error.to_string().contains("401"), "{error}");
    let client = fake::connect(fake::http_with_token(&server.url(), "right"), ports.clone()).await.unwrap();
    assert_eq!(echo(&client, "in").await.unwrap(), "in");
    client.close().await;

    let challenge = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"files:write\"";
    let refusing = json!({"status": {"tools/call": 403}, "headers": {"tools/call": [challenge]}});
    let server = HttpServer::start(script(refusing)).unwrap();
    let client = fake::connect(fake::http(&server.url()), ports).await.unwrap();
    let error = echo(&client, "x").await.unwrap_err();
    assert!(error.contains("files:write"), "{error}");
    client.close().await;
}

#[tokio::test]
async fn f24_a_flood_of_errors_and_a_server_that_does_not_read_are_no_deadlock() {
    let (ports, _) = fake::ports();
    let client = fake::connect(fake::stdio(&script(json!({"stderr_bytes": 2_000_000}))), ports.clone()).await.unwrap();
    assert_eq!(echo(&client, "loud").await.unwrap(), "loud");
    client.close().await;

    let mut options = fake::stdio(&script(json!({"deaf": true})));
    options.list_timeout = Duration::from_secs(1);
    let started = Instant::now();
    let error = fake::connect(options, ports).await.err().unwrap();
    assert!(error.to_string().contains("tools/list"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn nothing_is_left_of_a_server_with_children() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child");
    let (ports, _) = fake::ports();
    let leaving = script(json!({"child_pid_file": file, "stubborn": true}));
    let client = fake::connect(fake::stdio(&leaving), ports).await.unwrap();
    let child = std::fs::read_to_string(&file).unwrap();
    assert!(fake::alive(&child));
    client.close().await;
    fake::gone(&child).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_no_server_is_given_up_with_a_reason() {
    let garbage = "while read line; do echo garbage; done";
    for (command, args, words) in [
        ("sleep", vec!["1000"], "the server does not answer"),
        ("cat", vec![], "only sends back what it is sent"),
        ("sh", vec!["-c", garbage], "what the server prints is no MCP message: garbage"),
        ("yes", vec![], "what the server prints is no MCP message: y"),
        ("true", vec![], "the server exited with code 0"),
    ] {
        let args = args.into_iter().map(str::to_owned).collect();
        let endpoint = Endpoint::Stdio { command: command.into(), args, env: BTreeMap::new(), cwd: None };
        let mut options = ServerOptions::new("none", endpoint);
        options.probe_timeout = Duration::from_millis(500);
        options.stuck_after = Some(Duration::from_secs(3));
        options.connect_timeout = Duration::from_secs(100);
        let started = Instant::now();
        let error = McpClient::connect(options, fake::ports().0).await.err().unwrap();
        assert!(error.to_string().contains(words), "{command}: {error}");
        assert!(started.elapsed() < Duration::from_secs(50), "{command}: {:?}", started.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_busy_is_waited_for() {
    let slow = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 7";
    let args = vec!["-c".to_owned(), slow.to_owned()];
    let endpoint = Endpoint::Stdio { command: "sh".into(), args, env: BTreeMap::new(), cwd: None };
    let mut options = ServerOptions::new("busy", endpoint);
    options.probe_timeout = Duration::from_millis(50);
    options.stuck_after = Some(Duration::from_millis(100));
    options.connect_timeout = Duration::from_secs(100);
    let error = McpClient::connect(options, fake::ports().0).await.err().unwrap();
    assert!(error.to_string().contains("exited with code 7"), "{error}");
}

/// A server that answers one call, closes its input and stays.
const DEAFENS: &str = r#"
while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $line in
    *'"initialize"'*) say='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}' ;;
    *'"tools/list"'*) say='"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) exec 0<&-; say='"result":{"content":[{"type":"text","text":"heard"}]}' ;;
    *'"notifications/'*) continue ;;
    *) say='"error":{"code":-32601,"message":"no"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$say"
  case $line in *'"tools/call"'*) exec sleep 300 ;; esac
done
"#;

#[tokio::test]
async fn a_server_that_closes_its_input_fails_the_call_soon_and_is_ended() {
    let (ports, recorder) = fake::ports();
    let mut options = fake::stdio(&McpScript::default());
    options.endpoint = Endpoint::Stdio {
        command: "sh".into(),
        args: vec!["-c".into(), DEAFENS.into()],
        env: BTreeMap::new(),
        cwd: None,
    };
    let client = fake::connect(options, ports).await.unwrap();
    let call = || fake::call(&client, "echo", Map::new(), Duration::from_secs(60));
    assert_eq!(call().await.text, "heard");
    let started = Instant::now();
    let outcome = call().await;
    assert_eq!((outcome.ending, outcome.text.as_str()), (Ending::Transport, "the server closed its input"));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    recorder.wait(|status| matches!(status, Status::Lost { .. })).await;
}
