//! The request body of a chat completion.
//!
//! Keys always come in one order, with the messages last: as long as the conversation only grows, an old body up to
//! the end of its messages is a prefix of the next one, and a server's prompt cache hits.

use std::borrow::Cow;

use aish_types::{Block, CallId, Message, ToolCall};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::state::ChatState;
use crate::api::Api;
use crate::call_ids::short;
use crate::options::{Images, Thinking, left_out};
use crate::quirks::Lesson;
use crate::schema::{is_strict, parameters};
use crate::wire::Asked;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(flatten)]
    thinking: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
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
    parameters: Cow<'a, Value>,
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
        content: Option<AssistantContent<'a>>,
        #[serde(flatten)]
        fields: Map<String, Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        name: String,
        content: Cow<'a, str>,
    },
}

/// What the model said: text, or the parts that its server wants to see again.
#[derive(Serialize)]
#[serde(untagged)]
enum AssistantContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Value>),
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
    id: Cow<'a, str>,
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
pub(super) fn body(asked: &Asked<'_>) -> serde_json::Result<Vec<u8>> {
    let Asked { options, quirks, names, request, .. } = asked;
    let limit = asked.max_tokens();
    let by_completion = quirks.has(Lesson::CompletionTokens);
    let tools = request.tools.iter().map(|tool| Tool {
        r#type: "function",
        function: Function {
            name: names.wire(&tool.name),
            description: asked.description(tool),
            parameters: parameters(&tool.parameters),
        },
    });
    let tools: Vec<Tool<'_>> = if quirks.has(Lesson::NoTools) { Vec::new() } else { tools.collect() };
    // Under a grammar a model of most servers can call no tool: there the answer is asked for again without tools.
    let schema = asked.schema().filter(|_| tools.is_empty() || asked.is_at(&SCHEMA_BESIDE_TOOLS));
    let schema = schema.map(|schema| {
        json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": is_strict(schema)}})
    });
    serde_json::to_vec(&Body {
        model: &options.model,
        stream: true,
        stream_options: (!quirks.has(Lesson::NoStreamOptions)).then_some(StreamOptions { include_usage: true }),
        temperature: asked.temperature(),
        max_tokens: limit.filter(|_| !by_completion),
        max_completion_tokens: limit.filter(|_| by_completion),
        reasoning_effort: asked.effort().or_else(|| no_effort(asked)),
        thinking: thinking(asked),
        response_format: schema,
        tools,
        messages: messages(asked),
    })
}

/// Returns the effort that stands for no thinking where there is no other word for it.
fn no_effort(asked: &Asked<'_>) -> Option<&'static str> {
    let is_off = asked.thinking() == Some(Thinking::Off) && !asked.quirks.has(Lesson::NoEffort);
    (is_off && asked.is_at(&["api.openai.com", "api.groq.com", "mistral.ai", "api.x.ai"])).then_some("none")
}

/// Returns how the server is told whether to think; each family has a word of its own.
fn thinking(asked: &Asked<'_>) -> Map<String, Value> {
    let Some(thinking) = asked.thinking().filter(|_| !asked.quirks.has(Lesson::NoThinking)) else {
        return Map::new();
    };
    let on = thinking != Thinking::Off;
    let fields = if on && asked.is_at(&["z.ai", "bigmodel.cn"]) {
        // Else it forgets what it thought before its calls.
        json!({"thinking": {"type": "enabled", "clear_thinking": false}})
    } else if asked.is_at(&THINKING_TYPE) {
        json!({"thinking": {"type": if on { "enabled" } else { "disabled" }}})
    } else if asked.is_at(&["openrouter.ai"]) {
        match thinking {
            Thinking::Budget(tokens) => json!({"reasoning": {"max_tokens": tokens}}),
            Thinking::On | Thinking::Off => json!({"reasoning": {"enabled": on}}),
        }
    } else if asked.is_at(&UNTOLD) {
        return Map::new();
    } else {
        json!({"chat_template_kwargs": {"enable_thinking": on}})
    };
    fields.as_object().cloned().unwrap_or_default()
}

/// Servers that take a schema for the answer beside tools.
const SCHEMA_BESIDE_TOOLS: [&str; 3] = ["api.openai.com", "openrouter.ai", "api.x.ai"];
/// Servers that are told by an effort alone, or that cannot be told.
const UNTOLD: [&str; 7] =
    ["api.openai.com", "api.groq.com", "mistral.ai", "api.x.ai", "googleapis.com", "minimax.io", "minimaxi.com"];
/// Servers that take `thinking.type`.
const THINKING_TYPE: [&str; 6] = ["deepseek.com", "moonshot.cn", "moonshot.ai", "kimi.com", "z.ai", "bigmodel.cn"];
/// Servers that refuse calls whose reasoning is not sent back, even where there was none.
const WANT_REASONING: [&str; 4] = ["deepseek.com", "moonshot.cn", "moonshot.ai", "kimi.com"];
/// What Google's servers accept in the place of a signature that is not theirs.
const SKIP_SIGNATURE: &str = "skip_thought_signature_validator";

/// Returns what an assistant message carries beside its text and calls.
fn fields(asked: &Asked<'_>, state: Option<&ChatState>, has_calls: bool) -> Map<String, Value> {
    // Without calls, reasoning is of no use to any server, and old ones refuse it.
    let mut fields = Map::new();
    if !has_calls {
        return fields;
    }
    if let Some(state) = state {
        fields = state.fields.clone();
        if fields.contains_key("reasoning_details") {
            fields.remove("reasoning");
            fields.remove("reasoning_content");
        }
    }
    let wants = asked.quirks.has(Lesson::WantsReasoning) || asked.is_at(&WANT_REASONING);
    let is_off = asked.thinking() == Some(Thinking::Off);
    if fields.is_empty() && wants && !is_off {
        fields.insert("reasoning_content".into(), Value::String(String::new()));
    }
    fields
}

fn messages<'a>(asked: &Asked<'a>) -> Vec<WireMessage<'a>> {
    let Asked { names, request, .. } = asked;
    let images = asked.quirks.images(asked.options.images);
    let messages = &request.messages;
    let wants_signature = asked.quirks.has(Lesson::WantsSignature)
        || asked.is_at(&["googleapis.com"]) && asked.options.model.contains("gemini");
    let mut out = Vec::with_capacity(messages.len());
    // Images of tool results follow the last result of their group: only a user's turn can carry them.
    let mut waiting: Vec<Part<'a>> = Vec::new();
    for message in messages {
        if !matches!(message, Message::Tool { .. }) {
            flush(&mut waiting, &mut out);
        }
        match message {
            Message::System { content } => out.push(WireMessage::System { content }),
            Message::User { content, blocks } => out.push(user(content, blocks, images)),
            Message::Assistant { content, tool_calls, .. } => {
                out.push(assistant(asked, message, content, tool_calls, wants_signature));
            }
            Message::Tool { tool_call_id, name, content, blocks } => {
                let content = with_note(content, left_out(blocks, images));
                let tool_call_id = call_id(asked, tool_call_id);
                out.push(WireMessage::Tool { tool_call_id, name: names.wire(name), content });
                waiting.extend(image_parts(blocks, images));
            }
        }
    }
    flush(&mut waiting, &mut out);
    out
}

fn user<'a>(content: &'a str, blocks: &'a [Block], images: Images) -> WireMessage<'a> {
    let mut parts = image_parts(blocks, images);
    if parts.is_empty() {
        // A server of texts alone wants a text, and no list of parts.
        return WireMessage::User { content: Content::Text(with_note(content, left_out(blocks, images))) };
    }
    parts.insert(0, Part::Text { text: content });
    WireMessage::User { content: Content::Parts(parts) }
}

fn assistant<'a>(
    asked: &Asked<'a>,
    message: &'a Message,
    content: &'a str,
    tool_calls: &'a [ToolCall],
    wants_signature: bool,
) -> WireMessage<'a> {
    let state = asked.state(Api::Chat, message).map(ChatState::of);
    let calls = tool_calls.iter().enumerate().map(|(at, call)| {
        let own = state.as_ref().and_then(|state| state.calls.get(call.id.as_str()).cloned());
        // The first call of a step has the signature; parallel ones have none.
        let foreign = state.as_ref().is_none_or(|state| state.calls.is_empty());
        let skipped =
            (at == 0 && foreign && wants_signature).then(|| json!({"google": {"thought_signature": SKIP_SIGNATURE}}));
        Call {
            id: call_id(asked, &call.id),
            r#type: "function",
            function: CalledFunction { name: asked.names.wire(&call.name), arguments: arguments(&call.arguments) },
            extra_content: own.or(skipped),
        }
    });
    let calls = calls.collect();
    let said = match &state {
        Some(ChatState { content, .. }) if !content.is_empty() => Some(AssistantContent::Parts(content.clone())),
        Some(ChatState { raw: Some(raw), .. }) => Some(AssistantContent::Text(Cow::Owned(raw.clone()))),
        _ => (tool_calls.is_empty() || !content.is_empty()).then_some(AssistantContent::Text(Cow::Borrowed(content))),
    };
    let fields = fields(asked, state.as_ref(), !tool_calls.is_empty());
    WireMessage::Assistant { content: said, fields, tool_calls: calls }
}

/// Returns a call's id; Mistral's servers and templates want nine letters and digits, wherever the call comes from.
fn call_id<'a>(asked: &Asked<'_>, id: &'a CallId) -> Cow<'a, str> {
    let id = id.as_str();
    if asked.quirks.has(Lesson::ShortIds) || asked.is_at(&["mistral.ai"]) {
        return short(id);
    }
    Cow::Borrowed(id)
}

/// Adds the note about what was left out.
fn with_note<'a>(content: &'a str, note: Option<&str>) -> Cow<'a, str> {
    match note {
        None => Cow::Borrowed(content),
        Some(note) => Cow::Owned(format!("{content}\n{note}")),
    }
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

#[cfg(test)]
mod tests;
