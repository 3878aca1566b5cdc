//! A server with one tool for each thing that a tool can do, and a raw client of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aish_mcp::server::{
    CallError, CallScope, Change, ElicitAnswer, ElicitError, Prompt, Resource, ResourceContent, ServerHandler,
    ServerInfo, StdioOptions, serve_streams,
};
use aish_types::{BoxFuture, Risk, SourceId, ToolDefinition, ToolOutcome};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

pub(crate) struct Fixture {
    pub(crate) changes: broadcast::Sender<Change>,
    /// How many slow calls saw that they were cancelled.
    pub(crate) cancelled: AtomicUsize,
    /// How many calls went past their question.
    pub(crate) acted: AtomicUsize,
}

impl Fixture {
    pub(crate) fn new() -> Arc<Self> {
        let (changes, _) = broadcast::channel(16);
        Arc::new(Self { changes, cancelled: AtomicUsize::new(0), acted: AtomicUsize::new(0) })
    }
}

fn tool(name: &str, risk: Risk) -> Arc<ToolDefinition> {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let mut definition = ToolDefinition::new(name, format!("The {name} tool"), schema, SourceId::new("cli:fixture"));
    definition.risk = risk;
    definition.trusted = true;
    Arc::new(definition)
}

impl ServerHandler for Fixture {
    fn info(&self) -> ServerInfo {
        ServerInfo { instructions: Some("Echo things.".into()), logging: true, ..ServerInfo::new("fixture", "1.2.3") }
    }

    fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        vec![tool("echo", Risk::Read), tool("slow", Risk::Write), tool("ask", Risk::Destructive)]
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ToolOutcome, CallError>> {
        Box::pin(async move {
            match name {
                "echo" => {
                    let mut outcome = ToolOutcome::success(arguments["text"].as_str().unwrap_or_default());
                    outcome.structured = Some(json!({"client": scope.client.name}));
                    Ok(outcome)
                }
                "slow" => {
                    scope.progress(1.0, Some(2.0), Some("half")).await;
                    tokio::select! {
                        () = scope.cancel.cancelled() => {
                            self.cancelled.fetch_add(1, Ordering::SeqCst);
                            Ok(ToolOutcome::failure("cancelled"))
                        }
                        () = tokio::time::sleep(Duration::from_secs(60)) => Ok(ToolOutcome::success("slept")),
                    }
                }
                "panic" => panic!("on purpose"),
                "ask" => {
                    let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}});
                    let answer = scope.elicit("Remove it?", schema).await;
                    self.acted.fetch_add(1, Ordering::SeqCst);
                    Ok(match answer {
                        Ok(ElicitAnswer::Accepted(form)) => ToolOutcome::success(format!("accepted {form}")),
                        Ok(ElicitAnswer::Declined) => ToolOutcome::failure("declined"),
                        Ok(ElicitAnswer::Cancelled) => ToolOutcome::failure("dismissed"),
                        Err(ElicitError::Unsupported) => ToolOutcome::failure("nobody to ask"),
                        Err(error) => ToolOutcome::failure(error.to_string()),
                    })
                }
                _ => Err(CallError::UnknownTool(name.to_owned())),
            }
        })
    }

    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        Some(self.changes.subscribe())
    }

    fn resources(&self) -> Vec<Resource> {
        vec![Resource { uri: "test://a".into(), name: "a".into(), ..Resource::default() }]
    }

    fn read_resource<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Option<Vec<ResourceContent>>> {
        Box::pin(async move {
            (uri == "test://a").then(|| {
                vec![ResourceContent::Text {
                    uri: uri.into(),
                    media_type: Some("text/plain".into()),
                    text: "äöü".into(),
                }]
            })
        })
    }

    fn prompts(&self) -> Vec<Prompt> {
        vec![Prompt { name: "greet".into(), ..Prompt::default() }]
    }
}

/// A client that writes and reads lines.
pub(crate) struct Raw {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: Option<WriteHalf<DuplexStream>>,
    pub(crate) server: JoinHandle<()>,
}

impl Raw {
    pub(crate) fn connect(handler: Arc<dyn ServerHandler>) -> Self {
        let (here, there) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(there);
        let options = StdioOptions { drain: Duration::from_millis(300), ..StdioOptions::default() };
        let server = tokio::spawn(async move { serve_streams(handler, read, write, options).await.unwrap() });
        let (read, write) = tokio::io::split(here);
        Self { lines: BufReader::new(read).lines(), write: Some(write), server }
    }

    pub(crate) async fn initialized(handler: Arc<dyn ServerHandler>, version: &str, capabilities: Value) -> Self {
        let mut raw = Self::connect(handler);
        raw.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": capabilities,
            "clientInfo": {"name": "raw", "version": "1"},
        }}))
        .await;
        let answer = raw.read().await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "fixture", "{answer}");
        raw.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        raw
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        let write = self.write.as_mut().unwrap();
        write.write_all(text.as_bytes()).await.unwrap();
        write.write_all(b"\n").await.unwrap();
    }

    /// Reads the next message.
    pub(crate) async fn read(&mut self) -> Value {
        let line = self.read_line().await.expect("the server closed its end");
        serde_json::from_str(&line).unwrap()
    }

    /// Reads the next line; none when the server has closed its end.
    pub(crate) async fn read_line(&mut self) -> Option<String> {
        tokio::time::timeout(Duration::from_secs(60), self.lines.next_line()).await.expect("nothing came").unwrap()
    }

    pub(crate) async fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let message = self.read().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub(crate) async fn close(&mut self) {
        let mut write = self.write.take().unwrap();
        write.shutdown().await.unwrap();
    }
}

/// The `_meta` that a request of the 2026-07-28 era carries.
pub(crate) fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}
