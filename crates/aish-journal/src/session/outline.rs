//! A session without what only a model needs, for lists of sessions: a log may have hundreds of megabytes of results.

use std::borrow::Cow;
use std::path::Path;

use aish_types::{CallId, Message, Role, SessionId, ToolCall, ToolName};
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;

use super::record::Record;
use super::{Session, SessionError, SessionHead, SessionLog, StoredTurn, existing, read};

impl SessionLog {
    /// Reads a session without going on with it. It has all its turns; only what the person said has its text, and what was
    /// noted has no value.
    ///
    /// # Errors
    /// As [`SessionLog::resume`].
    pub fn outline(folder: &Path, id: &SessionId) -> Result<Session, SessionError> {
        Ok(read::<Outline>(&existing(folder, id)?)?)
    }
}

/// A record without the texts.
struct Outline(Record);

impl From<Outline> for Record {
    fn from(outline: Outline) -> Self {
        outline.0
    }
}

/// A line of any kind, read without going twice through what it holds.
#[derive(serde::Deserialize)]
struct Line<'a> {
    kind: Kind,
    folder: Option<String>,
    project: Option<String>,
    forked_from: Option<String>,
    version: Option<String>,
    id: Option<u64>,
    #[serde(borrow)]
    message: Option<Said<'a>>,
    title: Option<String>,
    event: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Start,
    Turn,
    Amend,
    Title,
    Event,
}

#[derive(serde::Deserialize)]
struct Said<'a> {
    role: Role,
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(default)]
    tool_calls: Vec<Asked>,
    tool_call_id: Option<CallId>,
    name: Option<ToolName>,
}

#[derive(serde::Deserialize)]
struct Asked {
    id: CallId,
    name: ToolName,
}

impl<'de> Deserialize<'de> for Outline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = Line::deserialize(deserializer)?;
        let message = line.message.map(message).transpose()?;
        let id = || line.id.ok_or_else(|| D::Error::missing_field("id"));
        let time = String::new();
        Ok(Self(match line.kind {
            Kind::Start => {
                let Line { folder, project, forked_from, version, .. } = line;
                Record::Start { time, head: SessionHead { folder, project, forked_from, version } }
            }
            Kind::Turn => {
                let message = message.ok_or_else(|| D::Error::missing_field("message"))?;
                Record::Turn(StoredTurn { id: id()?, time, message, usage: None, exchange: None, model: None })
            }
            Kind::Amend => Record::Amend { id: id()?, message },
            Kind::Title => Record::Title { time, title: line.title.ok_or_else(|| D::Error::missing_field("title"))? },
            Kind::Event => {
                let kind = line.event.ok_or_else(|| D::Error::missing_field("event"))?;
                Record::Event { time, kind, value: Value::Null }
            }
        }))
    }
}

fn message<E: Error>(said: Said<'_>) -> Result<Message, E> {
    let call = |call: Asked| ToolCall { id: call.id, name: call.name, arguments: String::new() };
    Ok(match said.role {
        Role::System => Message::system(""),
        Role::User => Message::user(said.content),
        Role::Assistant => Message::Assistant {
            content: String::new(),
            tool_calls: said.tool_calls.into_iter().map(call).collect(),
            state: None,
        },
        Role::Tool => Message::Tool {
            tool_call_id: said.tool_call_id.ok_or_else(|| E::missing_field("tool_call_id"))?,
            name: said.name.ok_or_else(|| E::missing_field("name"))?,
            content: String::new(),
            blocks: Vec::new(),
        },
    })
}
