//! The request body of a message. Keys always come in one order, with the messages last.

use std::borrow::Cow;

use aish_types::{Block, Message};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::state::{Placed, placed};
use crate::api::Api;
use crate::call_ids::CallIds;
use crate::options::{Images, Thinking, left_out};
use crate::quirks::Lesson;
use crate::schema::parameters;
use crate::wire::{Asked, Written};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
    #[serde(skip_serializing_if = "str::is_empty")]
    system: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: &'a [Turn<'a>],
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
#[serde(untagged)]
enum Part<'a> {
    /// A block as it came.
    Whole(Value),
    Made(Made<'a>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Made<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source<'a>,
    },
    ToolUse {
        id: String,
        name: String,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<Part<'a>>,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

/// The longest answer that is asked for where nobody says another: what every model of today gives.
const MAX_TOKENS: u32 = 8192;

/// Writes the body, and says what the answer will stand behind: a signature of thinking holds only there.
pub(super) fn body(asked: &Asked<'_>) -> serde_json::Result<Written> {
    let Asked { options, quirks, names, request, .. } = asked;
    let tools = request.tools.iter().map(|tool| Tool {
        name: names.wire(&tool.name),
        description: asked.description(tool),
        input_schema: parameters(&tool.parameters),
    });
    let tools: Vec<Tool<'_>> = if quirks.has(Lesson::NoTools) { Vec::new() } else { tools.collect() };
    let system = system(&request.messages);
    let mut prefix = Prefix::default();
    prefix.add(&system)?;
    prefix.add(&tools)?;
    let (turns, is_whole) = turns(asked, &mut prefix)?;
    // The API always wants a limit; more than the model gives is refused with the number.
    let limit = asked.max_tokens().unwrap_or(MAX_TOKENS);
    let limit = asked.most_tokens.map_or(limit, |most| limit.min(most));
    let effort = asked.effort().map(|effort| ("effort", json!(effort)));
    let format = asked.schema().map(|schema| ("format", json!({"type": "json_schema", "schema": schema})));
    let output_config: Map<String, Value> =
        effort.into_iter().chain(format).map(|(key, value)| (key.to_owned(), value)).collect();
    let body = serde_json::to_vec(&Body {
        model: &options.model,
        stream: true,
        max_tokens: limit,
        temperature: asked.temperature().map(|temperature| temperature.clamp(0.0, 1.0)),
        thinking: thinking(asked, limit, is_whole),
        output_config: (!output_config.is_empty()).then_some(Value::Object(output_config)),
        cache_control: (!quirks.has(Lesson::NoCacheControl)).then_some(CacheControl { r#type: "ephemeral" }),
        system,
        tools,
        messages: &turns,
    })?;
    Ok(Written { body, bound: Some(prefix.hash()) })
}

/// Returns how the model is told to think. `is_whole` says that no call is without the thinking before it, which a
/// fixed budget demands.
fn thinking(asked: &Asked<'_>, limit: u32, is_whole: bool) -> Option<Value> {
    if asked.quirks.has(Lesson::NoThinking) {
        return None;
    }
    match asked.thinking()? {
        // Without a word about it, newer models hide what they think.
        Thinking::On => Some(json!({"type": "adaptive", "display": "summarized"})),
        Thinking::Off => Some(json!({"type": "disabled"})),
        Thinking::Budget(_) if !is_whole => None,
        Thinking::Budget(tokens) => {
            let budget = tokens.clamp(1024, limit.saturating_sub(1).max(1024));
            Some(json!({"type": "enabled", "budget_tokens": budget}))
        }
    }
}

/// A hash of what has been written so far (FNV-1a, 64 bits).
struct Prefix(u64);

impl Default for Prefix {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Prefix {
    fn add(&mut self, part: &impl Serialize) -> serde_json::Result<()> {
        for byte in serde_json::to_vec(part)? {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }

    fn hash(&self) -> String {
        format!("{:016x}", self.0)
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

/// Writes the turns: neighbours of one role are one turn, results are the user's, empty texts are left out. Thinking goes
/// back only behind exactly what it came behind. Says, too, whether every call of the running loop has its thinking.
fn turns<'a>(asked: &Asked<'a>, prefix: &mut Prefix) -> serde_json::Result<(Vec<Turn<'a>>, bool)> {
    let images = asked.quirks.images(asked.options.images);
    let mut turns: Vec<Turn<'a>> = Vec::new();
    let mut ids = CallIds::default();
    let mut hashed = 0;
    let mut at_head = true;
    let mut is_whole = true;
    for message in &asked.request.messages {
        let (role, parts) = match message {
            Message::System { .. } if at_head => continue,
            Message::System { content } => (Speaker::User, text(content)),
            Message::User { content, blocks } => {
                let mut parts = text(content);
                parts.extend(image_parts(blocks, images));
                parts.extend(left_out(blocks, images).and_then(made_text));
                is_whole = true;
                (Speaker::User, parts)
            }
            Message::Assistant { content, tool_calls, .. } => {
                // All turns before an answer are as they will stay.
                let follows = turns.last().is_none_or(|last| last.role == Speaker::User);
                for turn in turns.iter().skip(hashed).filter(|_| follows) {
                    prefix.add(turn)?;
                    hashed += 1;
                }
                let state = asked
                    .state(Api::Messages, message)
                    .filter(|state| follows && state.bound.as_ref().is_none_or(|bound| *bound == prefix.hash()));
                let placed = state.and_then(|state| placed(state, message));
                is_whole &= tool_calls.is_empty() || placed.is_some();
                let parts = match placed {
                    Some(placed) => placed.into_iter().filter_map(|placed| part(placed, asked, &mut ids)).collect(),
                    None => {
                        let calls = tool_calls.iter().filter_map(|call| part(Placed::Call(call), asked, &mut ids));
                        text(content).into_iter().chain(calls).collect()
                    }
                };
                (Speaker::Assistant, parts)
            }
            Message::Tool { tool_call_id, content, blocks, .. } => {
                let mut parts = text(content);
                parts.extend(image_parts(blocks, images));
                parts.extend(left_out(blocks, images).and_then(made_text));
                let tool_use_id = ids.result(tool_call_id.as_str());
                (Speaker::User, vec![Part::Made(Made::ToolResult { tool_use_id, content: parts })])
            }
        };
        at_head = false;
        match turns.last_mut() {
            Some(last) if last.role == role => last.content.extend(parts),
            _ if parts.is_empty() => {}
            _ => turns.push(Turn { role, content: parts }),
        }
    }
    for turn in turns.iter().skip(hashed) {
        prefix.add(turn)?;
    }
    Ok((turns, is_whole))
}

/// Writes one block of an answer; an empty text is none.
fn part<'a>(placed: Placed<'a>, asked: &Asked<'a>, ids: &mut CallIds<'a>) -> Option<Part<'a>> {
    Some(match placed {
        Placed::Thinking(block) => Part::Whole(block),
        Placed::Text(text) if text.trim().is_empty() => return None,
        Placed::Text(text) => Part::Made(Made::Text { text: Cow::Owned(text) }),
        Placed::Call(call) => Part::Made(Made::ToolUse {
            id: ids.call(call.id.as_str()),
            name: asked.names.wire(&call.name),
            input: input(&call.arguments),
        }),
    })
}

fn made_text(text: &str) -> Option<Part<'_>> {
    (!text.trim().is_empty()).then_some(Part::Made(Made::Text { text: Cow::Borrowed(text) }))
}

fn text(text: &str) -> Vec<Part<'_>> {
    made_text(text).into_iter().collect()
}

fn image_parts(blocks: &[Block], images: Images) -> impl Iterator<Item = Part<'_>> {
    blocks.iter().filter(move |_| images == Images::Sent).filter_map(|block| match block {
        Block::Image { media_type, data } => {
            Some(Part::Made(Made::Image { source: Source { r#type: "base64", media_type, data } }))
        }
        Block::Audio { .. } | Block::Resource { .. } => None,
    })
}

/// Returns the arguments as they came; anything but a JSON object, which never ran, becomes an empty object.
fn input(arguments: &str) -> Box<RawValue> {
    let object = Some(arguments).filter(|text| text.trim_start().starts_with('{'));
    object.and_then(|text| RawValue::from_string(text.trim().to_owned()).ok()).unwrap_or_else(empty_object)
}

fn empty_object() -> Box<RawValue> {
    serde_json::value::to_raw_value(&serde_json::Map::new()).unwrap_or_default()
}
