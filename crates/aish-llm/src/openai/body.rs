//! The request body of a chat completion.
//!
//! Keys always come in one order, with the messages last: as long as the conversation only grows, an old body up to
//! the end of its messages is a prefix of the next one, and a server's prompt cache hits.

use std::borrow::Cow;

use aish_types::{Block, Message};
use serde::Serialize;
use serde_json::Value;

use super::extras::CallExtras;
use crate::names::WireNames;
use crate::options::{Images, ModelOptions, left_out};
use crate::quirks::Quirks;
use crate::request::ChatRequest;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<WireMessage<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: String,
    description: &'a str,
    parameters: &'a Value,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        name: String,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    r#type: &'static str,
    function: CalledFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: String,
    arguments: &'a str,
}

/// Writes the body.
pub(super) fn body(
    options: &ModelOptions,
    quirks: Quirks,
    names: &WireNames,
    extras: &CallExtras,
    request: &ChatRequest,
) -> serde_json::Result<Vec<u8>> {
    let limit = request.max_tokens.unwrap_or(options.max_tokens);
    let tools = request.tools.iter().map(|tool| Tool {
        r#type: "function",
        function: Function {
            name: names.wire(&tool.name),
            description: &tool.description,
            parameters: &tool.parameters,
        },
    });
    serde_json::to_vec(&Body {
        model: &options.model,
        stream: true,
        stream_options: quirks.stream_options().then_some(StreamOptions { include_usage: true }),
        temperature: quirks.temperature().then_some(request.temperature.unwrap_or(options.temperature)),
        max_tokens: (!quirks.completion_tokens()).then_some(limit),
        max_completion_tokens: quirks.completion_tokens().then_some(limit),
        tools: if quirks.tools() { tools.collect() } else { Vec::new() },
        messages: messages(&request.messages, names, extras, quirks.images(options.images)),
    })
}

fn messages<'a>(
    messages: &'a [Message],
    names: &WireNames,
    extras: &CallExtras,
    images: Images,
) -> Vec<WireMessage<'a>> {
    let mut out = Vec::with_capacity(messages.len());
    // Images of tool results follow the last result of their group: only a user's turn can carry them.
    let mut waiting: Vec<Part<'a>> = Vec::new();
    for message in messages {
        if !matches!(message, Message::Tool { .. }) {
            flush(&mut waiting, &mut out);
        }
        match message {
            Message::System { content } => out.push(WireMessage::System { content }),
            Message::User { content, blocks } => {
                let mut parts = image_parts(blocks, images);
                let content = if parts.is_empty() {
                    // A server of texts alone wants a text, and no list of parts.
                    Content::Text(match left_out(blocks, images) {
                        None => Cow::Borrowed(content.as_str()),
                        Some(note) => Cow::Owned(format!("{content}\n{note}")),
                    })
                } else {
                    parts.insert(0, Part::Text { text: content });
                    Content::Parts(parts)
                };
                out.push(WireMessage::User { content });
            }
            Message::Assistant { content, tool_calls } => {
                let calls = tool_calls.iter().map(|call| Call {
                    id: call.id.as_str(),
                    r#type: "function",
                    function: CalledFunction { name: names.wire(&call.name), arguments: arguments(&call.arguments) },
                    extra_content: extras.of(&call.id),
                });
                let content = (tool_calls.is_empty() || !content.is_empty()).then_some(content.as_str());
                out.push(WireMessage::Assistant { content, tool_calls: calls.collect() });
            }
            Message::Tool { tool_call_id, name, content, blocks } => {
                let content = match left_out(blocks, images) {
                    None => Cow::Borrowed(content.as_str()),
                    Some(note) => Cow::Owned(format!("{content}\n{note}")),
                };
                out.push(WireMessage::Tool { tool_call_id: tool_call_id.as_str(), name: names.wire(name), content });
                waiting.extend(image_parts(blocks, images));
            }
        }
    }
    flush(&mut waiting, &mut out);
    out
}

fn flush<'a>(waiting: &mut Vec<Part<'a>>, out: &mut Vec<WireMessage<'a>>) {
    if !waiting.is_empty() {
        let mut parts = vec![Part::Text { text: "Images from the tool results above." }];
        parts.append(waiting);
        out.push(WireMessage::User { content: Content::Parts(parts) });
    }
}

fn image_parts<'a>(blocks: &[Block], images: Images) -> Vec<Part<'a>> {
    if images == Images::Omitted {
        return Vec::new();
    }
    blocks
        .iter()
        .filter_map(|block| match block {
            Block::Image { media_type, data } => {
                Some(Part::ImageUrl { image_url: ImageUrl { url: format!("data:{media_type};base64,{data}") } })
            }
            Block::Audio { .. } | Block::Resource { .. } => None,
        })
        .collect()
}

/// Returns the arguments as the wire wants them: empty ones are an empty object.
fn arguments(text: &str) -> &str {
    if text.trim().is_empty() { "{}" } else { text }
}
