//! From the bytes of tokens to events: text and reasoning at once, calls when they are whole.

use std::io;

use aish_types::embedded::{Call, EndReason, Event};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::generate::Send;
use crate::output::splitter::{CALL_CLOSE, CALL_OPEN, Calls, Start};
use crate::output::{Piece, Splitter, Utf8};

/// What has been said so far.
#[derive(Debug)]
pub(crate) struct Answer {
    id: u64,
    mark: u32,
    utf8: Utf8,
    splitter: Splitter,
    call: Option<String>,
}

/// A call as the model writes it.
#[derive(Deserialize)]
struct Written<'a> {
    name: String,
    #[serde(borrow)]
    arguments: &'a RawValue,
}

impl Answer {
    /// Starts an answer to a request; `mark` makes the ids of its calls unlike those of other answers.
    pub(crate) fn new(id: u64, calls: Calls, start: Start, mark: u32) -> Self {
        Self { id, mark, utf8: Utf8::default(), splitter: Splitter::new(calls, start), call: None }
    }

    /// Returns whether a call has begun.
    pub(crate) fn is_in_call(&self) -> bool {
        self.call.is_some()
    }

    /// Returns what there is of the calls.
    pub(crate) fn call_text(&self) -> &str {
        self.call.as_deref().unwrap_or_default()
    }

    /// Returns whether the calls so far are whole, and none has begun behind them.
    pub(crate) fn is_whole(&self) -> bool {
        let Some(call) = &self.call else { return false };
        matches!(calls_of(call).as_slice(), [.., _, rest] if rest.trim().is_empty())
    }

    /// Returns whether the text of a control token is one that is looked at.
    pub(crate) fn is_tag(bytes: &[u8]) -> bool {
        ["<think>", "</think>", CALL_OPEN, CALL_CLOSE].iter().any(|tag| tag.as_bytes() == bytes)
    }

    /// Takes the bytes of a token. When a call begins in them, returns what stands behind its tag.
    pub(crate) fn take(&mut self, bytes: &[u8], send: Send<'_>) -> io::Result<Option<String>> {
        let text = self.utf8.push(bytes);
        if let Some(call) = &mut self.call {
            call.push_str(&text);
            return Ok(None);
        }
        let pieces = self.splitter.push(&text);
        self.give(pieces, send)
    }

    /// Begins a call with text that its grammar has already taken.
    pub(crate) fn begin_call(&mut self, text: &str) {
        self.call = Some(text.to_owned());
    }

    /// Ends the answer: sends what was held back and the calls, and returns the reason that holds with them.
    pub(crate) fn finish(&mut self, reason: EndReason, send: Send<'_>) -> io::Result<EndReason> {
        let rest = self.utf8.finish();
        let Some(mut call) = self.call.take() else {
            let mut pieces = self.splitter.push(&rest);
            pieces.extend(self.splitter.finish());
            self.give(pieces, send)?;
            return Ok(reason);
        };
        call.push_str(&rest);
        match reason {
            EndReason::Stop | EndReason::ToolCalls => self.send_calls(&call, send),
            EndReason::Cancelled => Ok(reason),
            EndReason::Length => {
                let reason_text = "it did not come to its end".to_owned();
                send(&Event::BrokenCall { id: self.id, text: call, reason: reason_text })?;
                Ok(reason)
            }
        }
    }

    fn send_calls(&self, text: &str, send: Send<'_>) -> io::Result<EndReason> {
        let mut reason = EndReason::Stop;
        let written = calls_of(text).into_iter().map(|part| part.trim().trim_start_matches(CALL_OPEN).trim());
        for (number, part) in (1..).zip(written.filter(|part| !part.is_empty())) {
            match serde_json::from_str::<Written<'_>>(part) {
                Ok(call) => {
                    let id = format!("call_{:08x}_{number}", self.mark);
                    let call = Call { id, name: call.name, arguments: call.arguments.get().to_owned() };
                    send(&Event::ToolCall { id: self.id, call })?;
                    reason = EndReason::ToolCalls;
                }
                Err(error) => {
                    send(&Event::BrokenCall { id: self.id, text: part.to_owned(), reason: error.to_string() })?;
                }
            }
        }
        Ok(reason)
    }

    fn give(&self, pieces: Vec<Piece>, send: Send<'_>) -> io::Result<Option<String>> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => send(&Event::Text { id: self.id, text })?,
                Piece::Reasoning(text) => send(&Event::Reasoning { id: self.id, text })?,
                Piece::CallBegins { rest } => return Ok(Some(rest)),
            }
        }
        Ok(None)
    }
}

/// Splits at the closing tags, but not at one that stands inside a JSON string: there it is what the model says.
fn calls_of(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut in_string, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '<' if !in_string && at >= start && text.get(at..).is_some_and(|rest| rest.starts_with(CALL_CLOSE)) => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + CALL_CLOSE.len();
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tokens: &[&str], reason: EndReason) -> (Vec<String>, EndReason) {
        let mut events = Vec::new();
        let mut send = |event: &Event| {
            events.push(serde_json::to_string(event).unwrap());
            Ok(())
        };
        let mut answer = Answer::new(1, Calls::Watched, Start::Answer, 7);
        for token in tokens {
            if let Some(rest) = answer.take(token.as_bytes(), &mut send).unwrap() {
                answer.begin_call(&rest);
            }
        }
        let reason = answer.finish(reason, &mut send).unwrap();
        (events, reason)
    }

    #[test]
    fn text_comes_at_once_and_calls_when_they_are_whole() {
        let tokens = ["Let me", " see.<tool", "_call>\n{\"name\":\"a\",", "\"arguments\":{\"x\": 1}}\n</tool_call>"];
        let (events, reason) = run(&tokens, EndReason::Stop);
        assert_eq!(
            events,
            [
                r#"{"event":"text","id":1,"text":"Let me"}"#,
                r#"{"event":"text","id":1,"text":" see."}"#,
                r#"{"event":"tool_call","id":1,"call":{"id":"call_00000007_1","name":"a","arguments":"{\"x\": 1}"}}"#,
            ]
        );
        assert_eq!(reason, EndReason::ToolCalls);
    }

    #[test]
    fn several_calls_have_several_ids() {
        let call = "{\"name\":\"a\",\"arguments\":{}}</tool_call>";
        let (events, _) = run(&["<tool_call>", call, "\n<tool_call>", call], EndReason::Stop);
        assert!(events[0].contains("call_00000007_1") && events[1].contains("call_00000007_2"), "{events:?}");
    }

    #[test]
    fn a_closing_tag_inside_a_string_closes_nothing() {
        let call = r#"{"name":"a","arguments":{"x":"\"</tool_call> }}"}}</tool_call>"#;
        let (events, reason) = run(&["<tool_call>", call], EndReason::Stop);
        assert_eq!((events.len(), reason), (1, EndReason::ToolCalls), "{events:?}");
        assert!(events[0].contains(r#""name":"a""#), "{events:?}");
    }

    #[test]
    fn calls_are_whole_between_one_and_the_next() {
        let mut answer = Answer::new(1, Calls::Watched, Start::Answer, 7);
        assert!(!answer.is_whole(), "nothing is called");
        answer.begin_call("");
        for (token, whole) in [
            ("\n{\"name\":\"a\",\"arguments\":", false),
            ("{\"x\":\"</tool_call>", false),
            ("\"}}\n", false),
            ("</tool_call>", true),
            ("\n", true),
            ("<tool_call>", false),
            ("{\"name\":\"a\",\"arguments\":{}}</tool_call>", true),
        ] {
            answer.take(token.as_bytes(), &mut |_| Ok(())).unwrap();
            assert_eq!(answer.is_whole(), whole, "{token:?}");
        }
    }

    #[test]
    fn a_cut_call_is_never_a_call() {
        let (events, reason) = run(&["<tool_call>{\"name\":\"a\""], EndReason::Length);
        assert!(events[0].starts_with(r#"{"event":"broken_call""#), "{events:?}");
        assert_eq!(reason, EndReason::Length);
        assert_eq!(run(&["<tool_call>{\"name\":\"a\""], EndReason::Cancelled).0, [""; 0]);
    }
}
