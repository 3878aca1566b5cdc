//! The seed of the MCP client: each bullet that is in this crate's reach, against a fake of lmcp 0.5.4.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aish_mcp::client::{McpClient, ServerPool, ServerState};
use aish_safety::{
    Answer, Approver, AuditEntry, AuditError, AuditLog, Gate, Pin, PinError, PinStore, Policy, Question, Surroundings,
};
use aish_testkit::mcp_server::{HttpServer, McpScript};
use aish_tools::{Call, Door, Executor, Passed, Registry, ToolSource};
use aish_types::{BoxFuture, CallContext, Ending, SourceId, ToolName, ToolOutcome};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::fake;

#[derive(Default)]
pub(crate) struct Keeper {
    pub(crate) asked: AtomicUsize,
    audited: Mutex<Vec<AuditEntry>>,
    pins: Mutex<Vec<(SourceId, ToolName, Pin)>>,
}

impl Approver for Keeper {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Answer::Yes))
    }
}

impl AuditLog for Keeper {
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        self.audited.lock().unwrap().push(entry.clone());
        Ok(())
    }
}

impl PinStore for Keeper {
    fn get(&self, source: &SourceId, tool: &ToolName) -> Result<Option<Pin>, PinError> {
        let pins = self.pins.lock().unwrap();
        Ok(pins.iter().rev().find(|(s, t, _)| s == source && t == tool).map(|(_, _, pin)| pin.clone()))
    }

    fn put(&self, source: &SourceId, tool: &ToolName, pin: &Pin) -> Result<(), PinError> {
        self.pins.lock().unwrap().push((source.clone(), tool.clone(), pin.clone()));
        Ok(())
    }
}

/// Passes a call through the one door.
pub(crate) async fn pass(
    client: &Arc<McpClient>,
    keeper: &Arc<Keeper>,
    policy: Policy,
    name: &str,
    arguments: Value,
) -> ToolOutcome {
    let registry = Arc::new(Registry::default());
    registry.add(client.clone());
    let gate = Gate::new(keeper.clone(), keeper.clone(), policy);
    let door = Door::new(Arc::new(Executor::new(registry)), gate);
    let context = CallContext { call: "c1".into(), session: "s".into(), user: "u".into(), channel: None, folder: None };
    let call = Call { name: name.into(), arguments, context };
    match door.call(call, &Surroundings::default(), keeper.as_ref(), CancellationToken::new()).await {
        Passed::Approved(ran) => ran.outcome,
        Passed::Refused(outcome) => *outcome,
        other => panic!("{other:?}"),
    }
}

async fn lmcp() -> (HttpServer, Arc<McpClient>) {
    let server = HttpServer::start(McpScript::lmcp()).unwrap();
    let mut options = fake::http(&server.url());
    options.alias = "boltzmann".into();
    let client = fake::connect(options, fake::ports().0).await.unwrap();
    (server, client)
}

#[tokio::test]
async fn done_when_a_local_lmcp_is_connected_from_the_config_and_one_at_runtime() {
    let (_server, client) = lmcp().await;
    assert_eq!(client.state(), ServerState::Ready);
    let (ports, _) = fake::ports();
    let pool = ServerPool::new(ports);
    let server = HttpServer::start(McpScript::lmcp()).unwrap();
    let mut options = fake::http(&server.url());
    options.alias = ServerPool::alias_of(&server.url());
    let second = pool.add(options);
    second.ready().await.unwrap();
    assert_eq!(pool.rows()[0].alias, "127-0-0-1");
    pool.close().await;
}

#[tokio::test]
async fn done_when_mcp_list_shows_servers_and_mcp_tools_shows_tools() {
    let (_server, client) = lmcp().await;
    let names: Vec<String> = client.definitions().iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, ["boltzmann.list_dir", "boltzmann.fail"]);
    let schema = client.definitions()[0].input_schema.value();
    assert_eq!(schema["required"], json!(["path"]), "`:mcp tool` shows the whole inputSchema");
    let (ports, _) = fake::ports();
    let pool = ServerPool::new(ports);
    pool.add(fake::stdio(&McpScript::default())).ready().await.unwrap();
    let row = &pool.rows()[0];
    assert_eq!((row.alias.as_str(), row.tools, &row.state), ("fake", 2, &ServerState::Ready));
    pool.close().await;
}

#[tokio::test]
async fn done_when_a_call_is_dispatched_to_the_right_server_and_its_result_comes_back() {
    let (_server, client) = lmcp().await;
    let keeper = Arc::new(Keeper::default());
    let outcome = pass(&client, &keeper, Policy::default(), "boltzmann.list_dir", json!({"path": "/tmp"})).await;
    assert_eq!((outcome.is_success(), outcome.text.as_str()), (true, "/tmp"));
    assert_eq!(keeper.audited.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn done_when_auto_approve_runs_without_the_prompt_and_others_still_prompt() {
    let (_server, client) = lmcp().await;
    for (rule, asked) in [(("boltzmann.list_dir", true), 0), (("boltzmann.*", true), 0), (("other.*", true), 1)] {
        let keeper = Arc::new(Keeper::default());
        let mut policy = Policy::default();
        policy.auto_approve.insert(rule.0.into(), rule.1);
        pass(&client, &keeper, policy, "boltzmann.list_dir", json!({"path": "/"})).await;
        assert_eq!(keeper.asked.load(Ordering::SeqCst), asked, "{rule:?}");
    }
}

#[tokio::test]
async fn checkpoint_1_the_handshake_is_as_lmcp_wants_it() {
    let (server, client) = lmcp().await;
    assert_eq!(client.protocol().as_deref(), Some("2025-03-26"));
    let seen = server.seen();
    let methods: Vec<String> = seen
        .iter()
        .filter_map(|seen| Some(serde_json::from_str::<Value>(&seen.body).ok()?["method"].as_str()?.to_owned()))
        .collect();
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    assert!(seen.iter().all(|seen| seen.verb == "POST"), "no channel is opened to a server without sessions");
    assert!(seen.iter().all(|seen| seen.header("content-type") == Some("application/json")));
    assert!(seen.iter().all(|seen| seen.header("accept").is_some_and(|accept| accept.contains("application/json"))));
    assert!(seen.iter().all(|seen| seen.header("authorization").is_none()), "no token, no header");
}

#[tokio::test]
async fn checkpoint_1_the_bearer_token_is_sent() {
    let server = HttpServer::start(McpScript { token: Some("t0ken".into()), ..McpScript::lmcp() }).unwrap();
    let client = fake::connect(fake::http_with_token(&server.url(), "t0ken"), fake::ports().0).await.unwrap();
    assert!(server.seen().iter().all(|seen| seen.header("authorization") == Some("Bearer t0ken")));
    client.close().await;
}

#[tokio::test]
async fn risk_connect_at_startup_blocks_nothing() {
    let (ports, recorder) = fake::ports();
    let pool = ServerPool::new(ports);
    let silent: McpScript = serde_json::from_value(json!({"hang": ["initialize", "server/discover"]})).unwrap();
    let started = std::time::Instant::now();
    for _ in 0..5 {
        pool.add(fake::stdio(&silent));
        pool.add(fake::http("http://127.0.0.1:9/mcp"));
    }
    let good = pool.add(fake::stdio(&McpScript::default()));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    good.ready().await.unwrap();
    recorder.wait(|status| matches!(status, aish_mcp::client::Status::Failed(_))).await;
    pool.close().await;
}

#[tokio::test]
async fn risk_a_tool_handler_exception_is_for_the_model_unchanged() {
    let (_server, client) = lmcp().await;
    let keeper = Arc::new(Keeper::default());
    let outcome = pass(&client, &keeper, Policy::default(), "boltzmann.fail", json!({})).await;
    assert_eq!(outcome.ending, Ending::Reported);
    assert_eq!(outcome.text, "Error: it failed");
}

#[tokio::test]
async fn risk_a_json_rpc_error_from_tools_call_is_a_status_and_no_tool_turn() {
    let mut script = McpScript::lmcp();
    script
        .results
        .insert("tools/list".into(), json!({"tools": [{"name": "no_such", "inputSchema": {"type": "object"}}]}));
    let server = HttpServer::start(script).unwrap();
    let client = fake::connect(fake::http(&server.url()), fake::ports().0).await.unwrap();
    let outcome = fake::call(&client, "no_such", Map::new(), Duration::from_secs(5)).await;
    assert_eq!(outcome.ending, Ending::Transport);
    assert_eq!(outcome.text, "Tool not found");
}

#[tokio::test]
async fn risk_an_empty_list_of_tools_is_no_error() {
    let script: McpScript = serde_json::from_value(json!({"results": {"tools/list": {"tools": []}}})).unwrap();
    let client = fake::connect(fake::stdio(&script), fake::ports().0).await.unwrap();
    assert!(client.definitions().is_empty());
    client.close().await;
}
