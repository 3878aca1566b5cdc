//! The repair of a history that was cut off: every call gets a result, every result has its call.

use std::collections::HashSet;

use aish_types::{Message, ToolCall};

use crate::session::{Session, StoredTurn};

/// What a model reads in place of a result that never came.
const ABORTED: &str = "Error: the call was aborted before it had a result";

/// Adds an aborted result for each call without one, and leaves results out that answer no call.
pub(super) fn repair(session: &mut Session) {
    let mut turns: Vec<StoredTurn> = Vec::with_capacity(session.turns.len());
    let mut open: Vec<ToolCall> = Vec::new();
    let mut mended = 0usize;
    for turn in std::mem::take(&mut session.turns) {
        match &turn.message {
            Message::Tool { tool_call_id, .. } => {
                let before = open.len();
                open.retain(|call| call.id != *tool_call_id);
                if open.len() == before {
                    session.warnings.push(format!("turn {} answers no call and was left out", turn.id));
                    continue;
                }
            }
            Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => {
                mended += close(&mut open, &mut turns);
                if let Message::Assistant { tool_calls, .. } = &turn.message {
                    let mut seen = HashSet::new();
                    open.extend(tool_calls.iter().filter(|call| seen.insert(call.id.clone())).cloned());
                }
            }
        }
        turns.push(turn);
    }
    mended += close(&mut open, &mut turns);
    if mended > 0 {
        session.warnings.push(format!("{mended} calls had no result; each was given an aborted one"));
    }
    session.turns = turns;
}

/// Appends an aborted result for each open call, and returns how many there were.
fn close(open: &mut Vec<ToolCall>, turns: &mut Vec<StoredTurn>) -> usize {
    let count = open.len();
    for call in open.drain(..) {
        let last = turns.last();
        turns.push(StoredTurn {
            id: last.map_or(0, |turn| turn.id),
            time: last.map(|turn| turn.time.clone()).unwrap_or_default(),
            message: Message::Tool {
                tool_call_id: call.id,
                name: call.name,
                content: ABORTED.into(),
                blocks: Vec::new(),
            },
            usage: None,
            exchange: last.and_then(|turn| turn.exchange),
            model: None,
        });
    }
    count
}
