//! Prompts and resources of servers, in the words of our own server.
//!
//! A prompt has its server's alias before its name; a resource keeps its address, and the first server that lists it is asked.

use std::sync::Arc;

use aish_mcp::server::{Part, Prompt, PromptArgument, PromptMessage, Resource, ResourceContent};
use aish_types::{Block, Role};
use serde_json::Value;

use crate::gateway::{Gateway, Upstream};

/// Lists the prompts of all servers.
pub(super) fn prompts(gateway: &Gateway) -> Vec<Prompt> {
    let mut out = Vec::new();
    for upstream in offered(gateway) {
        let known = upstream.known();
        for prompt in known.iter().flat_map(|known| &known.prompts) {
            let Some(name) = text(prompt, "name") else { continue };
            let arguments = prompt.get("arguments").and_then(Value::as_array).into_iter().flatten();
            let argument = |argument: &Value| {
                Some(PromptArgument {
                    name: text(argument, "name")?,
                    description: text(argument, "description"),
                    required: argument.get("required").and_then(Value::as_bool).unwrap_or(false),
                })
            };
            out.push(Prompt {
                name: format!("{}.{name}", upstream.alias()),
                title: text(prompt, "title"),
                description: text(prompt, "description"),
                arguments: arguments.filter_map(argument).collect(),
            });
        }
    }
    out
}

/// Finds the server of a prompt, and the name that it knows it by.
pub(super) fn prompt<'n>(gateway: &Gateway, name: &'n str) -> Option<(Arc<Upstream>, &'n str)> {
    let (alias, name) = name.split_once('.')?;
    let upstream = offered(gateway).find(|upstream| upstream.alias() == alias)?;
    let known = upstream.known()?;
    known
        .prompts
        .iter()
        .any(|prompt| text(prompt, "name").as_deref() == Some(name))
        .then(|| (Arc::clone(upstream), name))
}

/// Lists the resources of all servers, each address once.
pub(super) fn resources(gateway: &Gateway) -> Vec<Resource> {
    let mut out: Vec<Resource> = Vec::new();
    for upstream in offered(gateway) {
        let known = upstream.known();
        for resource in known.iter().flat_map(|known| &known.resources) {
            let Some(uri) = text(resource, "uri") else { continue };
            if out.iter().any(|other| other.uri == uri) {
                continue;
            }
            out.push(Resource {
                name: text(resource, "name").unwrap_or_else(|| uri.clone()),
                uri,
                title: text(resource, "title"),
                description: text(resource, "description"),
                media_type: text(resource, "mimeType"),
                size: resource.get("size").and_then(Value::as_u64),
            });
        }
    }
    out
}

/// Finds the server of a resource: the first that lists it.
pub(super) fn resource(gateway: &Gateway, uri: &str) -> Option<Arc<Upstream>> {
    let lists = |upstream: &&Arc<Upstream>| {
        let known = upstream.known();
        known.is_some_and(|known| known.resources.iter().any(|resource| text(resource, "uri").as_deref() == Some(uri)))
    };
    offered(gateway).find(lists).cloned()
}

fn offered(gateway: &Gateway) -> impl Iterator<Item = &Arc<Upstream>> {
    gateway.upstreams.iter().filter(|upstream| upstream.entry.enabled)
}

/// Reads a message of a prompt as a server sent it.
pub(super) fn message(message: &Value) -> Option<PromptMessage> {
    let role = match message.get("role").and_then(Value::as_str) {
        Some("assistant") => Role::Assistant,
        _ => Role::User,
    };
    let content = message.get("content")?;
    let part = match content.get("type").and_then(Value::as_str)? {
        "text" => Part::Text(text(content, "text")?),
        "image" => Part::Block(Block::Image { media_type: text(content, "mimeType")?, data: text(content, "data")? }),
        "audio" => Part::Block(Block::Audio { media_type: text(content, "mimeType")?, data: text(content, "data")? }),
        "resource" => Part::Resource(self::content(content.get("resource")?)?),
        "resource_link" => Part::Block(Block::Resource {
            uri: text(content, "uri")?,
            media_type: text(content, "mimeType"),
            data: None,
        }),
        _ => return None,
    };
    Some(PromptMessage { role, part })
}

/// Reads the content of a resource as a server sent it.
pub(super) fn content(content: &Value) -> Option<ResourceContent> {
    let (uri, media_type) = (text(content, "uri")?, text(content, "mimeType"));
    match (text(content, "text"), text(content, "blob")) {
        (Some(text), _) => Some(ResourceContent::Text { uri, media_type, text }),
        (None, Some(data)) => Some(ResourceContent::Binary { uri, media_type, data }),
        (None, None) => None,
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}
