//! The server that the official conformance suite tests: `conformance_server [PORT]`, or `conformance_server stdio`.

mod prompts;
mod resources;
mod tools;

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use aish_mcp::server::{
    CallError, CallScope, Change, Completion, HttpOptions, Prompt, PromptMessage, Resource, ResourceContent,
    ResourceTemplate, ServerHandler, ServerInfo, StdioOptions, serve_http, serve_stdio,
};
use aish_types::{BoxFuture, ToolDefinition, ToolOutcome};
use serde_json::{Map, Value};
use tokio::net::TcpListener;
use tokio::sync::broadcast;

struct Subject {
    changes: broadcast::Sender<Change>,
}

impl ServerHandler for Subject {
    fn info(&self) -> ServerInfo {
        ServerInfo {
            logging: true,
            completions: true,
            ..ServerInfo::new("aish-conformance", env!("CARGO_PKG_VERSION"))
        }
    }

    fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        tools::all()
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ToolOutcome, CallError>> {
        Box::pin(async move {
            match name {
                "test_trigger_tool_change" => drop(self.changes.send(Change::Tools)),
                "test_trigger_prompt_change" => drop(self.changes.send(Change::Prompts)),
                _ => return tools::call(name, &arguments, scope).await,
            }
            Ok(ToolOutcome::success("changed"))
        })
    }

    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        Some(self.changes.subscribe())
    }

    fn resources(&self) -> Vec<Resource> {
        resources::all()
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        resources::templates()
    }

    fn read_resource<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Option<Vec<ResourceContent>>> {
        Box::pin(std::future::ready(resources::read(uri)))
    }

    fn prompts(&self) -> Vec<Prompt> {
        prompts::all()
    }

    fn prompt<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<Vec<PromptMessage>, CallError>> {
        Box::pin(prompts::fill(name, arguments, scope))
    }

    fn complete<'a>(&'a self, request: &'a Completion) -> BoxFuture<'a, Vec<String>> {
        let words = ["paris", "park", "party"].into_iter().filter(|word| word.starts_with(&request.value));
        Box::pin(std::future::ready(words.map(str::to_owned).collect()))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (changes, _) = broadcast::channel(16);
    let subject = Arc::new(Subject { changes });
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("stdio") {
        let served = serve_stdio(subject, StdioOptions::default()).await;
        return if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let port = argument.and_then(|port| port.parse().ok()).unwrap_or(0);
    let Ok(listener) = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).await else {
        return ExitCode::from(2);
    };
    let Ok(address) = listener.local_addr() else { return ExitCode::from(2) };
    let _ = writeln!(std::io::stdout(), "http://{address}/mcp");
    match serve_http(listener, subject, HttpOptions::default()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
