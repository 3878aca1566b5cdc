//! A session as JSON: `{v, id, title, folder, …, turns: [{id, time, role, content, …}]}`.

use aish_types::{Block, Message};
use serde_json::{Map, Value, json};

use super::Exported;

/// The version of the document; a change that readers must know of raises it.
const VERSION: u32 = 1;

pub(super) fn write(exported: &Exported<'_>) -> String {
    let head = exported.session.head.clone().unwrap_or_default();
    let turns: Vec<Value> = exported
        .session
        .turns
        .iter()
        .map(|turn| {
            let mut object = message(&turn.message);
            object.insert("id".into(), turn.id.into());
            object.insert("time".into(), turn.time.clone().into());
            object.extend(turn.model.clone().map(|model| ("model".to_owned(), model.into())));
            Value::Object(object)
        })
        .collect();
    let document = json!({
        "v": VERSION, "id": exported.id.as_str(), "title": exported.session.title, "folder": head.folder,
        "project": head.project, "forked_from": head.forked_from, "version": head.version, "turns": turns,
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn message(message: &Message) -> Map<String, Value> {
    let mut object = Map::new();
    let (role, blocks): (_, &[Block]) = match message {
        Message::System { .. } => ("system", &[]),
        Message::User { blocks, .. } => ("user", blocks),
        Message::Assistant { tool_calls, .. } => {
            let calls: Vec<Value> = tool_calls
                .iter()
                .map(|call| json!({ "id": call.id.as_str(), "name": call.name.as_str(), "arguments": call.arguments }))
                .collect();
            if !calls.is_empty() {
                object.insert("tool_calls".into(), calls.into());
            }
            ("assistant", &[])
        }
        Message::Tool { tool_call_id, name, blocks, .. } => {
            object.insert("tool_call_id".into(), tool_call_id.as_str().into());
            object.insert("name".into(), name.as_str().into());
            ("tool", blocks)
        }
    };
    object.insert("role".into(), role.into());
    object.insert("content".into(), message.content().into());
    if !blocks.is_empty() {
        object.insert("blocks".into(), blocks.iter().map(block).collect());
    }
    object
}

fn block(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } => json!({ "type": "image", "media_type": media_type, "data": data }),
        Block::Audio { media_type, data } => json!({ "type": "audio", "media_type": media_type, "data": data }),
        Block::Resource { uri, media_type, data } => {
            json!({ "type": "resource", "uri": uri, "media_type": media_type, "data": data })
        }
    }
}
