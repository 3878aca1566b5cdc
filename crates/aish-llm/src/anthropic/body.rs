//! The request body of a message. Keys always come in one order, with the messages last.

use std::borrow::Cow;

use aish_types::{Block, Message};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::call_ids::CallIds;
use crate::names::WireNames;
use crate::options::{Images, ModelOptions, left_out};
use crate::quirks::Quirks;
use crate::request::ChatRequest;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
    #[serde(skip_serializing_if = "str::is_empty")]
    system: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Turn<'a>>,
}

/// At the top it marks the last block of whatever the body grows to, so that the body's beginning stays as it is.
#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: String,
    description: &'a str,
    input_schema: Cow<'a, Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Speaker {
    User,
    Assistant,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: Speaker,
    content: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    Image { source: Source<'a> },
    ToolUse { id: String, name: String, input: Box<RawValue> },
    ToolResult { tool_use_id: String, content: Vec<Part<'a>> },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

/// Writes the body.
pub(super) fn body(
    options: &ModelOptions,
    quirks: Quirks,
    names: &WireNames,
    request: &ChatRequest,
) -> serde_json::Result<Vec<u8>> {
    let temperature = request.temperature.unwrap_or(options.temperature).clamp(0.0, 1.0);
    let tools = request.tools.iter().map(|tool| Tool {
        name: names.wire(&tool.name),
        description: &tool.description,
        input_schema: object_schema(&tool.parameters),
    });
    serde_json::to_vec(&Body {
        model: &options.model,
        stream: true,
        max_tokens: request.max_tokens.unwrap_or(options.max_tokens),
        temperature: quirks.temperature().then_some(temperature),
        cache_control: quirks.cache_control().then_some(CacheControl { r#type: "ephemeral" }),
        system: system(&request.messages),
        tools: if quirks.tools() { tools.collect() } else { Vec::new() },
        messages: turns(&request.messages, names, quirks.images(options.images)),
    })
}

/// Returns the schema with the `type` that the API demands.
fn object_schema(schema: &Value) -> Cow<'_, Value> {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => Cow::Borrowed(schema),
        _ => {
            let mut fixed = schema.as_object().cloned().unwrap_or_default();
            fixed.insert("type".into(), "object".into());
            Cow::Owned(Value::Object(fixed))
        }
    }
}

/// Joins the system messages at the head of the conversation.
fn system(messages: &[Message]) -> Cow<'_, str> {
    let mut texts = messages.iter().map_while(|message| match message {
        Message::System { content } => Some(content.as_str()),
        Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    let first = texts.next().unwrap_or_default();
    texts.fold(Cow::Borrowed(first), |joined, text| Cow::Owned(format!("{joined}\n\n{text}")))
}

/// Writes the turns: neighbours of one role are one turn, results are the user's, empty texts are left out.
fn turns<'a>(messages: &'a [Message], names: &WireNames, images: Images) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    let mut ids = CallIds::default();
    let mut at_head = true;
    for message in messages {
        let (role, parts) = match message {
            Message::System { .. } if at_head => continue,
            Message::System { content } => (Speaker::User, text(content)),
            Message::User { content, blocks } => {
                let mut parts = text(content);
                parts.extend(image_parts(blocks, images));
                parts.extend(left_out(blocks, images).map(|text| Part::Text { text }));
                (Speaker::User, parts)
            }
            Message::Assistant { content, tool_calls } => {
                let mut parts = text(content);
                parts.extend(tool_calls.iter().map(|call| Part::ToolUse {
                    id: ids.call(call.id.as_str()),
                    name: names.wire(&call.name),
                    input: input(&call.arguments),
                }));
                (Speaker::Assistant, parts)
            }
            Message::Tool { tool_call_id, content, blocks, .. } => {
                let mut parts = text(content);
                parts.extend(image_parts(blocks, images));
                parts.extend(left_out(blocks, images).map(|text| Part::Text { text }));
                (
                    Speaker::User,
                    vec![Part::ToolResult { tool_use_id: ids.result(tool_call_id.as_str()), content: parts }],
                )
            }
        };
        at_head = false;
        match turns.last_mut() {
            Some(last) if last.role == role => last.content.extend(parts),
            _ if parts.is_empty() => {}
            _ => turns.push(Turn { role, content: parts }),
        }
    }
    turns
}

fn text(text: &str) -> Vec<Part<'_>> {
    if text.trim().is_empty() { Vec::new() } else { vec![Part::Text { text }] }
}

fn image_parts(blocks: &[Block], images: Images) -> impl Iterator<Item = Part<'_>> {
    blocks.iter().filter(move |_| images == Images::Sent).filter_map(|block| match block {
        Block::Image { media_type, data } => {
            Some(Part::Image { source: Source { r#type: "base64", media_type, data } })
        }
        Block::Audio { .. } | Block::Resource { .. } => None,
    })
}

/// Returns the arguments as they came; what is no JSON object (it was never run) is an empty one.
fn input(arguments: &str) -> Box<RawValue> {
    let object = Some(arguments).filter(|text| text.trim_start().starts_with('{'));
    object.and_then(|text| RawValue::from_string(text.trim().to_owned()).ok()).unwrap_or_else(empty_object)
}

fn empty_object() -> Box<RawValue> {
    serde_json::value::to_raw_value(&serde_json::Map::new()).unwrap_or_default()
}
