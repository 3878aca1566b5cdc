//! What a program implements to be an MCP server.

use std::sync::Arc;

use aish_types::{BoxFuture, ToolDefinition, ToolOutcome};
use serde_json::{Map, Value};
use tokio::sync::broadcast;

use super::material::{Completion, Prompt, PromptMessage, Resource, ResourceContent, ResourceTemplate};
use super::scope::CallScope;

/// Who the server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// The program's name.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// A title for people.
    pub title: Option<String>,
    /// What a model should know before it uses the tools.
    pub instructions: Option<String>,
    /// Milliseconds that a client may keep the lists of tools, resources and prompts (2026-07-28 and later).
    pub cache_ttl_ms: u64,
    /// Announces that log messages are sent (`CallScope::log`).
    pub logging: bool,
    /// Announces that arguments of prompts and templates are completed (`ServerHandler::complete`).
    pub completions: bool,
}

impl ServerInfo {
    /// Makes the facts of a server with neither instructions, logging nor completions; lists may be kept a minute.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            instructions: None,
            cache_ttl_ms: 60_000,
            logging: false,
            completions: false,
        }
    }
}

/// Why a request was refused before anything ran: these are JSON-RPC errors, which models do not see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// There is no such tool or prompt.
    #[error("Unknown tool: {0}")]
    UnknownTool(String),
    /// The request cannot be understood.
    #[error("{0}")]
    InvalidRequest(String),
    /// The client lacks what the call cannot do without: `elicitation`, `sampling` or `roots`.
    #[error("Missing required client capability")]
    MissingCapability(String),
}

/// Something that clients are told has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// One resource's content, by its URI.
    Resource(String),
}

/// What a program implements to be an MCP server. Several calls run at once.
pub trait ServerHandler: Send + Sync + 'static {
    /// Says who the server is.
    fn info(&self) -> ServerInfo;

    /// Returns the tools in a stable order. Annotations come from `hints`, and from `risk` where it is trusted.
    fn tools(&self) -> Vec<Arc<ToolDefinition>>;

    /// Runs a call. A tool that fails is an outcome; a panic becomes one.
    ///
    /// When `scope.cancel` fires (the client cancelled, or is gone) the handler ends what it started; it has 5
    /// seconds for that.
    ///
    /// # Errors
    /// When there is no such tool, or the request cannot be understood.
    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ToolOutcome, CallError>>;

    /// Returns a receiver of changes, where lists can change while the server runs.
    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        None
    }

    /// Returns the resources in a stable order.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// Returns the templates of resources that are not listed one by one.
    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource; none when there is no such one.
    fn read_resource<'a>(&'a self, uri: &'a str) -> BoxFuture<'a, Option<Vec<ResourceContent>>> {
        let _ = uri;
        Box::pin(std::future::ready(None))
    }

    /// Returns the prompts in a stable order.
    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    /// Fills a prompt in.
    ///
    /// # Errors
    /// When there is no such prompt, or an argument is missing.
    fn prompt<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<Vec<PromptMessage>, CallError>> {
        let _ = (arguments, scope);
        Box::pin(std::future::ready(Err(CallError::InvalidRequest(format!("Unknown prompt: {name}")))))
    }

    /// Completes an argument of a prompt or template; at most the first 100 values are sent.
    fn complete<'a>(&'a self, request: &'a Completion) -> BoxFuture<'a, Vec<String>> {
        let _ = request;
        Box::pin(std::future::ready(Vec::new()))
    }
}
