//! The lines of a session's log.

use aish_types::{Message, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is known of a session when it begins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionHead {
    /// The folder in which it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The project (its git root), where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The session that it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// The program's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// One message of a session with what is known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredTurn {
    /// Its number, from 1.
    pub id: u64,
    /// When it was appended, RFC 3339 in UTC.
    pub time: String,
    /// The message as the transcript has it.
    pub message: Message,
    /// What the model call used that gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The question it belongs to, by a number of the session's; none in older logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u64>,
    /// The model that gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Record {
    Start {
        time: String,
        #[serde(flatten)]
        head: SessionHead,
    },
    Turn(StoredTurn),
    /// A turn as it is after a change: a call that was taken out, arguments that were edited; none takes it out.
    Amend {
        id: u64,
        message: Option<Message>,
    },
    Title {
        time: String,
        title: String,
    },
    Event {
        time: String,
        #[serde(rename = "event")]
        kind: String,
        value: Value,
    },
}
