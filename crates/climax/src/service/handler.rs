//! The service as an MCP server.

use std::sync::Arc;

use aish_mcp::server::{
    CallError, CallScope, Change, Prompt, PromptMessage, Resource, ResourceContent, ServerHandler, ServerInfo,
};
use aish_types::{BoxFuture, ToolDefinition, ToolOutcome};
use serde_json::{Map, Value};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::{Listing, Service, material, server_material};

impl ServerHandler for Service {
    fn info(&self) -> ServerInfo {
        self.asked();
        let state = self.state();
        let name = match state.catalogue.configs() {
            [only] if self.gateway.is_none() => only.name.clone(),
            _ => "climax".to_owned(),
        };
        ServerInfo::new(name, env!("CARGO_PKG_VERSION"))
    }

    fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        self.asked();
        match self.listing {
            Listing::Discovery => self.discovery.definitions().into_iter().map(Arc::new).collect(),
            Listing::Classic => self.definitions(),
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
                Listing::Discovery if name == self.discovery.search_name().as_str() => {
                    self.search(&arguments, scope).await
                }
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
        let of_servers = self.gateway.as_deref().map(server_material::resources).unwrap_or_default();
        material::resources().into_iter().chain(of_servers).collect()
    }

    fn read_resource<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Option<Vec<ResourceContent>>> {
        Box::pin(async move {
            if let Some(own) = material::read(uri) {
                return Some(own);
            }
            let gateway = self.gateway.as_ref()?;
            let upstream = server_material::resource(gateway, uri)?;
            let _hold = upstream.hold();
            // What is listed was known from a start that somebody agreed to.
            let scope = CallScope::detached(CancellationToken::new());
            let asker = self.asker(&scope);
            let read = async {
                self.make_ready(gateway, &upstream, &asker, &scope).await?;
                upstream.resource(uri).await
            };
            match read.await {
                Ok(contents) => Some(contents.iter().filter_map(server_material::content).collect()),
                Err(why) => {
                    tracing::warn!("{why}");
                    None
                }
            }
        })
    }

    fn prompts(&self) -> Vec<Prompt> {
        let of_servers = self.gateway.as_deref().map(server_material::prompts).unwrap_or_default();
        material::prompts().into_iter().chain(of_servers).collect()
    }

    fn prompt<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<Vec<PromptMessage>, CallError>> {
        Box::pin(async move {
            let found =
                self.gateway.as_ref().and_then(|gateway| Some((gateway, server_material::prompt(gateway, name)?)));
            let Some((gateway, (upstream, name))) = found else { return material::prompt(name, &arguments) };
            let _hold = upstream.hold();
            let asker = self.asker(scope);
            let filled = async {
                self.make_ready(gateway, &upstream, &asker, scope).await?;
                upstream.prompt(name, arguments).await
            };
            let messages = filled.await.map_err(CallError::InvalidRequest)?;
            Ok(messages.iter().filter_map(server_material::message).collect())
        })
    }

    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        Some(self.changes.subscribe())
    }
}
