//! Makes messages of the lines that a server writes, whatever else it prints between them.

use std::collections::VecDeque;
use std::sync::Arc;

use rmcp::model::ServerJsonRpcMessage;
use serde_json::Value;

use super::MAX_SPREAD;
use crate::client::normalize::repair::{self, Parsed};
use crate::client::normalize::{Normalizer, failure};

/// The most lines that are no messages, of a server that has sent none.
const MAX_STRAY_LINES: usize = 10_000;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What is wrong with a server that does not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Complaint {
    /// It is a program that copies its input.
    #[error("the server only sends back what it is sent")]
    Repeats,
    /// It is a program that prints something else; the first line.
    #[error("what the server prints is no MCP message: {0}")]
    Prints(String),
    /// Nothing comes.
    #[error("the server does not answer")]
    Silent,
}

/// The messages of one server.
#[derive(Default)]
pub(super) struct Messages {
    pub(super) normalizer: Arc<Normalizer>,
    ready: VecDeque<ServerJsonRpcMessage>,
    /// The lines so far of a message that is spread over several.
    spread: Vec<u8>,
    /// Whether the server has sent a message.
    pub(super) has_any: bool,
    first_stray: Option<String>,
    strays: usize,
}

impl Messages {
    /// Takes the next message that can be handed on.
    pub(super) fn next(&mut self) -> Option<ServerJsonRpcMessage> {
        self.ready.pop_front()
    }

    /// Hands messages on.
    pub(super) fn push(&mut self, messages: Vec<Value>) {
        for message in messages {
            match serde_json::from_value(message) {
                Ok(message) => self.ready.push_back(message),
                Err(why) => tracing::debug!(%why, "a message of the server cannot be understood"),
            }
        }
    }

    /// Returns whether something is waited for that every server answers at once.
    pub(super) fn expects_soon(&self) -> bool {
        self.normalizer.expects_soon()
    }

    /// Returns whether a server that has printed so much and no message is none.
    pub(super) fn is_only_noise(&self) -> bool {
        !self.has_any && self.strays > MAX_STRAY_LINES
    }

    /// Gives a request up; returns whether it was open.
    pub(super) fn forget(&self, id: i64) -> bool {
        self.normalizer.forget(id)
    }

    /// Fails all open requests of a server that goes on.
    pub(super) fn fail_all(&mut self, words: &str) {
        let failed = self.normalizer.fail_all(words);
        self.push(failed);
    }

    /// Says what is wrong with a server that does not answer.
    pub(super) fn complaint(&self) -> Complaint {
        match &self.first_stray {
            _ if self.normalizer.repeats() => Complaint::Repeats,
            Some(line) if !self.has_any => Complaint::Prints(line.clone()),
            Some(_) | None => Complaint::Silent,
        }
    }

    /// Returns the messages of a line, which may be several, a part of one, or what a server prints beside its messages.
    pub(super) fn accept(&mut self, line: &[u8]) -> Vec<Value> {
        let text = trimmed(line);
        if text.is_empty() {
            return Vec::new();
        }
        let goes_on = !self.spread.is_empty();
        if !goes_on && !matches!(text.first(), Some(b'{' | b'[' | b'"')) {
            return match repair::embedded(text) {
                Some(value) => self.received(vec![value]),
                None => {
                    self.note_stray(text);
                    Vec::new()
                }
            };
        }
        match repair::values(text) {
            // A part of a message may be whole in itself.
            Parsed::Values(values) | Parsed::Other(values)
                if !values.is_empty() && (!goes_on || values.iter().any(repair::is_message)) =>
            {
                self.spread.clear();
                self.received(values)
            }
            Parsed::Values(_) | Parsed::Other(_) if !goes_on => {
                self.note_stray(text);
                self.fail_broken(text).into_iter().collect()
            }
            Parsed::Values(_) | Parsed::Other(_) | Parsed::Unfinished => self.collect(text),
        }
    }

    /// Adds a line to the message that is spread over several.
    fn collect(&mut self, text: &[u8]) -> Vec<Value> {
        self.spread.extend_from_slice(text);
        self.spread.push(b'\n');
        match repair::values(&self.spread) {
            Parsed::Values(values) => {
                self.spread.clear();
                self.received(values)
            }
            Parsed::Unfinished if self.spread.len() <= MAX_SPREAD => Vec::new(),
            Parsed::Unfinished | Parsed::Other(_) => {
                self.spread.clear();
                Vec::new()
            }
        }
    }

    fn received(&mut self, values: Vec<Value>) -> Vec<Value> {
        let messages: Vec<Value> = values.into_iter().flat_map(|value| self.normalizer.received(value)).collect();
        self.has_any |= !messages.is_empty();
        messages
    }

    /// Fails the request whose answer a line was meant to be that cannot be read.
    fn fail_broken(&self, text: &[u8]) -> Option<Value> {
        let id = repair::id_of_broken(text).filter(|id| self.normalizer.forget(*id))?;
        Some(failure(id, -32000, "the server's answer is no valid JSON"))
    }

    fn note_stray(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        tracing::debug!(line = %text, "the server printed a line that is no message");
        self.strays += 1;
        if self.first_stray.is_none() {
            self.first_stray = Some(aish_types::sanitize(&text).chars().take(120).collect());
        }
    }
}

/// Takes white space, zero bytes and a byte order mark off a line.
fn trimmed(line: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(start, |at| at + 1);
    text.get(start..end).unwrap_or_default()
}

/// Returns whether an open line is a whole message, whose newline a server forgets.
pub(super) fn is_whole_message(line: &[u8]) -> bool {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let end = line.iter().rposition(|byte| !matches!(byte, 0 | b'\r' | b' ')).map_or(0, |at| at + 1);
    let text = line.get(..end).unwrap_or(line).trim_ascii_start();
    text.first() == Some(&b'{') && text.last() == Some(&b'}') && repair::is_whole(text)
}
