//! The request body of a response. Keys always come in one order, with the input last: old bodies are prefixes of new ones.

use std::borrow::Cow;

use aish_types::{Block, Message};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::call_ids::CallIds;
use crate::options::{Images, Thinking, left_out};
use crate::quirks::Lesson;
use crate::schema::{is_strict, parameters};
use crate::wire::Asked;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    reasoning: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Value>,
    /// The same for all requests of a conversation, so that they meet the same cache.
    prompt_cache_key: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    instructions: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    input: Vec<Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: String,
    description: &'a str,
    parameters: Cow<'a, Value>,
    /// Tools have open schemas, which a strict server refuses.
    strict: bool,
}

/// Writes the body.
pub(super) fn body(asked: &Asked<'_>) -> serde_json::Result<Vec<u8>> {
    let Asked { options, quirks, names, request, .. } = asked;
    let tools = request.tools.iter().map(|tool| Tool {
        r#type: "function",
        name: names.wire(&tool.name),
        description: asked.description(tool),
        parameters: parameters(&tool.parameters),
        strict: false,
    });
    let format = asked.schema().map(|schema| {
        json!({"format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": is_strict(schema)}})
    });
    serde_json::to_vec(&Body {
        model: &options.model,
        stream: true,
        store: false,
        temperature: asked.temperature(),
        max_output_tokens: asked.max_tokens(),
        reasoning: reasoning(asked),
        include: (!quirks.has(Lesson::NoInclude)).then_some(["reasoning.encrypted_content"]),
        text: format,
        prompt_cache_key: cache_key(&request.messages),
        instructions: instructions(&request.messages),
        tools: if quirks.has(Lesson::NoTools) { Vec::new() } else { tools.collect() },
        input: input(asked),
    })
}

fn reasoning(asked: &Asked<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    let is_off = asked.thinking() == Some(Thinking::Off) && !asked.quirks.has(Lesson::NoEffort);
    let effort = asked.effort().or(is_off.then_some("none"));
    if let Some(effort) = effort {
        fields.insert("effort".into(), json!(effort));
    }
    let is_on = matches!(asked.thinking(), Some(Thinking::On | Thinking::Budget(_)));
    if is_on && !asked.quirks.has(Lesson::NoThinking) {
        fields.insert("summary".into(), json!("auto"));
    }
    fields
}

/// Joins the system messages at the head of the conversation.
fn instructions(messages: &[Message]) -> String {
    let texts = messages.iter().map_while(|message| match message {
        Message::System { content } => Some(content.as_str()),
        Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Returns a name for the conversation: what its beginning hashes to (FNV-1a, 64 bits).
fn cache_key(messages: &[Message]) -> String {
    let first = messages.iter().find(|message| matches!(message, Message::User { .. }));
    let bytes = first.map(Message::content).unwrap_or_default().bytes();
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("aish-{hash:016x}")
}

/// Writes the items: the conversation behind the instructions, without ids, since the server keeps nothing.
fn input(asked: &Asked<'_>) -> Vec<Value> {
    let images = asked.quirks.images(asked.options.images);
    let mut items = Vec::new();
    let mut ids = CallIds::default();
    let mut at_head = true;
    for message in &asked.request.messages {
        match message {
            Message::System { .. } if at_head => continue,
            Message::System { content } => items.push(json!({"role": "developer", "content": content})),
            Message::User { content, blocks } => {
                items.push(json!({"role": "user", "content": parts(content, blocks, images)}));
            }
            Message::Assistant { .. } => answer(asked, message, &mut ids, &mut items),
            Message::Tool { tool_call_id, content, blocks, .. } => {
                let call_id = ids.result(tool_call_id.as_str());
                let output = parts(content, blocks, images);
                items.push(json!({"type": "function_call_output", "call_id": call_id, "output": output}));
            }
        }
        at_head = false;
    }
    items
}

/// Writes an answer: as its own server sent it where it goes back there, else text and calls.
fn answer<'a>(asked: &Asked<'a>, message: &'a Message, ids: &mut CallIds<'a>, items: &mut Vec<Value>) {
    let call = |at: &aish_types::ToolCall, wire: String| {
        json!({"type": "function_call", "call_id": wire, "name": asked.names.wire(&at.name),
               "arguments": if at.arguments.trim().is_empty() { "{}" } else { at.arguments.as_str() }})
    };
    let kept = asked.state(Api::Responses, message).and_then(|state| state.data.as_array());
    let said: String = kept.into_iter().flatten().filter_map(|item| item.get("text").and_then(Value::as_str)).collect();
    let kept = kept.filter(|_| said == message.content());
    let mut left: Vec<&aish_types::ToolCall> = message.tool_calls().iter().collect();
    let from = items.len();
    for item in kept.into_iter().flatten() {
        match item.get("type").and_then(Value::as_str).unwrap_or_default() {
            "reasoning" if !asked.quirks.has(Lesson::NoInclude) => items.push(item.clone()),
            "message" => {
                let text = item.get("text").cloned().unwrap_or_default();
                let mut said = json!({"type": "message", "role": "assistant",
                                      "content": [{"type": "output_text", "text": text, "annotations": []}]});
                if let (Some(phase), Some(said)) = (item.get("phase"), said.as_object_mut()) {
                    said.insert("phase".into(), phase.clone());
                }
                items.push(said);
            }
            "function_call" => {
                let id = item.get("call_id").and_then(Value::as_str).unwrap_or_default();
                if let Some(at) = left.iter().position(|call| call.id.as_str() == id) {
                    let known = left.remove(at);
                    items.push(call(known, ids.call(known.id.as_str())));
                }
            }
            _ => {}
        }
    }
    if kept.is_none() && !message.content().trim().is_empty() {
        items.push(json!({"role": "assistant", "content": message.content()}));
    }
    for known in left {
        items.push(call(known, ids.call(known.id.as_str())));
    }
    // Reasoning whose answer is gone has nothing to stand before.
    while items.len() > from && items.last().and_then(|item| item.get("type")?.as_str()) == Some("reasoning") {
        items.pop();
    }
}

/// Writes a content: a text, or parts where there are images.
fn parts(content: &str, blocks: &[Block], images: Images) -> Value {
    let urls = blocks.iter().filter_map(|block| match block {
        Block::Image { media_type, data } => Some(format!("data:{media_type};base64,{data}")),
        Block::Audio { .. } | Block::Resource { .. } => None,
    });
    let urls: Vec<String> = urls.filter(|_| images == Images::Sent).collect();
    let text = match left_out(blocks, images) {
        None => content.to_owned(),
        Some(note) => format!("{content}\n{note}"),
    };
    if urls.is_empty() {
        return Value::String(text);
    }
    let images = urls.into_iter().map(|url| json!({"type": "input_image", "image_url": url}));
    std::iter::once(json!({"type": "input_text", "text": text})).chain(images).collect()
}
