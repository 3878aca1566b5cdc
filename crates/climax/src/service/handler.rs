//! The service as an MCP server.

use std::sync::Arc;

use aish_mcp::server::{
    CallError, CallScope, Change, Prompt, PromptMessage, Resource, ResourceContent, ServerHandler, ServerInfo,
};
use aish_types::{BoxFuture, ToolDefinition, ToolOutcome};
use serde_json::{Map, Value};
use tokio::sync::broadcast;

use super::{Listing, Service, material};

impl ServerHandler for Service {
    fn info(&self) -> ServerInfo {
        self.asked();
        let state = self.state();
        let name = match state.catalogue.configs() {
            [only] => only.name.clone(),
            _ => "climax".to_owned(),
        };
        ServerInfo::new(name, env!("CARGO_PKG_VERSION"))
    }

    fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        self.asked();
        match self.listing {
            Listing::Discovery => self.discovery.definitions().into_iter().map(Arc::new).collect(),
            Listing::Classic => self.state().catalogue.definitions().to_vec(),
        }
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ToolOutcome, CallError>> {
        Box::pin(async move {
            let arguments = Value::Object(arguments);
            Ok(match self.listing {
                Listing::Classic => self.call_tool(name.into(), arguments, scope).await,
                Listing::Discovery if name == self.discovery.search_name().as_str() => self.search(&arguments),
                Listing::Discovery if name == self.discovery.call_name().as_str() => {
                    self.call_target(arguments, scope).await
                }
                Listing::Discovery => {
                    let call = self.discovery.call_name();
                    ToolOutcome::failure(format!("Unknown tool: {name}. Tools are run with {call}."))
                }
            })
        })
    }

    fn resources(&self) -> Vec<Resource> {
        material::resources()
    }

    fn read_resource<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Option<Vec<ResourceContent>>> {
        Box::pin(std::future::ready(material::read(uri)))
    }

    fn prompts(&self) -> Vec<Prompt> {
        material::prompts()
    }

    fn prompt<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        _scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<Vec<PromptMessage>, CallError>> {
        Box::pin(std::future::ready(material::prompt(name, &arguments)))
    }

    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        Some(self.changes.subscribe())
    }
}
