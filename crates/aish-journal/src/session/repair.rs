//! The repair of a history that was cut off: every call gets a result, every result has its call.

use std::collections::HashSet;

use aish_types::{Message, ToolCall};

use crate::session::{Session, StoredTurn};

/// What a model reads in place of a result that never came.
const ABORTED: &str = "Error: the call was aborted before it had a result";

/// The calls of the last answer that have no result yet, and where their results belong.
#[derive(Default)]
struct Open {
    calls: Vec<ToolCall>,
    at: usize,
}

/// Puts each result directly behind the answer that asked for it, adds an aborted result for each call without one, and
/// leaves results out that answer no call.
pub(super) fn repair(session: &mut Session) {
    let mut turns: Vec<StoredTurn> = Vec::with_capacity(session.turns.len());
    let mut open = Open::default();
    let mut mended = 0usize;
    for turn in std::mem::take(&mut session.turns) {
        match &turn.message {
            Message::Tool { tool_call_id, .. } => {
                let before = open.calls.len();
                open.calls.retain(|call| call.id != *tool_call_id);
                if open.calls.len() == before {
                    session.warnings.push(format!("turn {} answers no call and was left out", turn.id));
                } else {
                    turns.insert(open.at, turn);
                    open.at += 1;
                }
                continue;
            }
            // The output of a command of the same answer may have been written before the results of its calls.
            Message::User { .. } => {}
            Message::System { .. } | Message::Assistant { .. } => mended += close(&mut open, &mut turns),
        }
        let calls = turn.message.tool_calls();
        if !calls.is_empty() {
            let mut seen = HashSet::new();
            open.calls = calls.iter().filter(|call| seen.insert(call.id.clone())).cloned().collect();
            open.at = turns.len() + 1;
        }
        turns.push(turn);
    }
    mended += close(&mut open, &mut turns);
    if mended > 0 {
        session.warnings.push(format!("{mended} calls had no result; each was given an aborted one"));
    }
    session.turns = turns;
}

/// Adds an aborted result for each open call, and returns how many there were.
fn close(open: &mut Open, turns: &mut Vec<StoredTurn>) -> usize {
    let count = open.calls.len();
    for call in open.calls.drain(..) {
        let before = open.at.checked_sub(1).and_then(|at| turns.get(at));
        let aborted = StoredTurn {
            id: before.map_or(0, |turn| turn.id),
            time: before.map(|turn| turn.time.clone()).unwrap_or_default(),
            message: Message::Tool {
                tool_call_id: call.id,
                name: call.name,
                content: ABORTED.into(),
                blocks: Vec::new(),
            },
            usage: None,
            exchange: before.and_then(|turn| turn.exchange),
            model: None,
        };
        turns.insert(open.at, aborted);
        open.at += 1;
    }
    count
}
