//! A kept session, shown again.

use std::collections::HashMap;

use aish_acp::{Client, Content, Status, Update};
use aish_journal::session::Session;
use aish_types::Message;

use super::surface::{fenced, kind, places, title};

/// Shows all that was said, calls with their results.
pub(super) fn replay(client: &Client, session: &Session) {
    let results: HashMap<&str, &str> = session
        .turns
        .iter()
        .filter_map(|turn| match &turn.message {
            Message::Tool { tool_call_id, content, .. } => Some((tool_call_id.as_str(), content.as_str())),
            Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => None,
        })
        .collect();
    for turn in &session.turns {
        let message = format!("kept-{}", turn.id);
        match &turn.message {
            Message::User { content, .. } => {
                let text = aish_types::sanitize(aish_types::attachment::typed(content)).into_owned();
                client.show(Update::Person { text, message });
            }
            Message::Assistant { content, tool_calls, .. } => {
                if !content.is_empty() {
                    client.show(Update::Text { text: aish_types::sanitize(content).into_owned(), message });
                }
                for call in tool_calls {
                    let arguments = serde_json::from_str(&call.arguments).unwrap_or(serde_json::Value::Null);
                    let result = results.get(call.id.as_str()).filter(|text| !text.trim().is_empty());
                    client.show(Update::Call {
                        id: call.id.to_string(),
                        title: title(call.name.as_str(), &arguments),
                        name: call.name.to_string(),
                        kind: kind(call.name.as_str()),
                        status: Status::Done,
                        content: result
                            .map(|text| Content::Text(fenced(&aish_types::sanitize(text))))
                            .into_iter()
                            .collect(),
                        places: places(&arguments),
                        input: arguments,
                    });
                }
            }
            Message::System { .. } | Message::Tool { .. } => {}
        }
    }
}
