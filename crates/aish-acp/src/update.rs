//! What an editor is shown and asked, and how the protocol says it.

use std::path::PathBuf;

use agent_client_protocol::v1::schema::{
    self, ContentBlock, ContentChunk, CurrentModeUpdate, MessageId, PermissionOptionKind, SessionUpdate, TextContent,
    ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind, UsageUpdate,
};
use serde_json::Value;

/// One thing that an editor is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// A piece of the answer; another `message` begins another message.
    Text {
        /// The piece.
        text: String,
        /// The message that it is of.
        message: String,
    },
    /// A piece of the model's reasoning.
    Thought {
        /// The piece.
        text: String,
        /// The message that it is of.
        message: String,
    },
    /// What the person said, where history is shown again.
    Person {
        /// The text.
        text: String,
        /// The message that it is of.
        message: String,
    },
    /// A tool is called.
    Call {
        /// The call's id.
        id: String,
        /// What is done, in words: the command line itself, whole.
        title: String,
        /// The tool's name.
        name: String,
        /// What kind of thing it does.
        kind: Kind,
        /// How far it is.
        status: Status,
        /// What it shows.
        content: Vec<Content>,
        /// Files that it is about.
        places: Vec<PathBuf>,
        /// Its arguments.
        input: Value,
    },
    /// A call went on.
    CallChanged {
        /// The call's id.
        id: String,
        /// How far it is.
        status: Status,
        /// What it shows from now on; none leaves what is shown.
        content: Option<Vec<Content>>,
    },
    /// The mode has changed.
    Mode(String),
    /// Tokens of the context that are used, and how many it has.
    Usage {
        /// Tokens that are used.
        used: u64,
        /// Tokens that there are.
        size: u64,
    },
}

/// What kind of thing a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It reads.
    Read,
    /// It edits files.
    Edit,
    /// It searches.
    Search,
    /// It runs a command.
    Execute,
    /// It fetches from the network.
    Fetch,
    /// It does something else.
    Other,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It waits to be judged.
    Pending,
    /// It runs.
    Running,
    /// It succeeded.
    Done,
    /// It failed, or was not allowed.
    Failed,
}

/// What a call shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A file before and after.
    Diff(Diff),
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The file, absolute.
    pub path: PathBuf,
    /// Its text before; none where it is new.
    pub before: Option<String>,
    /// Its text after.
    pub after: String,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    /// The call that it is about.
    pub call: String,
    /// The command line itself, or what is done in words.
    pub title: String,
    /// What kind of thing it does.
    pub kind: Kind,
    /// Why it is asked, and what is known beside.
    pub content: Vec<Content>,
    /// The arguments.
    pub input: Value,
    /// What can be answered.
    pub options: Vec<PermissionOption>,
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// To run it, this once.
    Once,
    /// To run it apart, and decide afterwards.
    Try,
    /// To run it, now and from now on.
    Always,
    /// Not to run it.
    No,
    /// To keep what it changed.
    Keep,
    /// To drop what it changed.
    Drop,
}

/// What can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionOption {
    /// The answer.
    pub reply: Reply,
    /// How the editor calls it.
    pub name: String,
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// This answer; [`Reply::No`] too where the editor sent one that it was not offered.
    Reply(Reply),
    /// The turn was cancelled.
    Cancelled,
    /// Nobody answered: the editor has no such request, is gone, or failed.
    Nobody,
}

impl Update {
    pub(crate) fn into_protocol(self) -> SessionUpdate {
        match self {
            Self::Text { text, message } => SessionUpdate::AgentMessageChunk(chunk(text, message)),
            Self::Thought { text, message } => SessionUpdate::AgentThoughtChunk(chunk(text, message)),
            Self::Person { text, message } => SessionUpdate::UserMessageChunk(chunk(text, message)),
            Self::Call { id, title, name, kind, status, content, places, input } => SessionUpdate::ToolCall(
                schema::ToolCall::new(id, title)
                    .name(name)
                    .kind(kind.into_protocol())
                    .status(status.into_protocol())
                    .content(contents(content))
                    .locations(places.into_iter().map(ToolCallLocation::new).collect::<Vec<_>>())
                    .raw_input(input),
            ),
            Self::CallChanged { id, status, content } => {
                let mut fields = ToolCallUpdateFields::new().status(status.into_protocol());
                fields.content = content.map(contents);
                SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields))
            }
            Self::Mode(mode) => SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode)),
            Self::Usage { used, size } => SessionUpdate::UsageUpdate(UsageUpdate::new(used, size)),
        }
    }
}

impl Reply {
    /// Returns the id by which the answer is known again, and what it means to the editor.
    const fn protocol(self) -> (&'static str, PermissionOptionKind) {
        match self {
            Self::Once => ("once", PermissionOptionKind::AllowOnce),
            Self::Try => ("try", PermissionOptionKind::AllowOnce),
            Self::Always => ("always", PermissionOptionKind::AllowAlways),
            Self::No => ("no", PermissionOptionKind::RejectOnce),
            Self::Keep => ("keep", PermissionOptionKind::AllowOnce),
            Self::Drop => ("drop", PermissionOptionKind::RejectOnce),
        }
    }
}

impl Permission {
    pub(crate) fn call_of_protocol(&self) -> ToolCallUpdate {
        let mut fields = ToolCallUpdateFields::new()
            .title(self.title.clone())
            .kind(self.kind.into_protocol())
            .status(ToolCallStatus::Pending)
            .raw_input(self.input.clone());
        fields.content = Some(contents(self.content.clone()));
        ToolCallUpdate::new(self.call.clone(), fields)
    }

    /// Returns the options as they are sent.
    pub(crate) fn options_of_protocol(&self) -> Vec<schema::PermissionOption> {
        let option = |option: &PermissionOption| {
            let (id, kind) = option.reply.protocol();
            schema::PermissionOption::new(id, option.name.clone(), kind)
        };
        self.options.iter().map(option).collect()
    }

    /// Returns the answer of an id that came back.
    pub(crate) fn reply(&self, id: &str) -> Reply {
        let mut replies = self.options.iter().map(|option| option.reply);
        replies.find(|reply| reply.protocol().0 == id).unwrap_or(Reply::No)
    }
}

impl Kind {
    const fn into_protocol(self) -> ToolKind {
        match self {
            Self::Read => ToolKind::Read,
            Self::Edit => ToolKind::Edit,
            Self::Search => ToolKind::Search,
            Self::Execute => ToolKind::Execute,
            Self::Fetch => ToolKind::Fetch,
            Self::Other => ToolKind::Other,
        }
    }
}

impl Status {
    const fn into_protocol(self) -> ToolCallStatus {
        match self {
            Self::Pending => ToolCallStatus::Pending,
            Self::Running => ToolCallStatus::InProgress,
            Self::Done => ToolCallStatus::Completed,
            Self::Failed => ToolCallStatus::Failed,
        }
    }
}

fn chunk(text: String, message: String) -> ContentChunk {
    let mut chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
    chunk.message_id = Some(MessageId::new(message));
    chunk
}

fn contents(contents: Vec<Content>) -> Vec<ToolCallContent> {
    contents
        .into_iter()
        .map(|content| match content {
            Content::Text(text) => {
                ToolCallContent::Content(schema::Content::new(ContentBlock::Text(TextContent::new(text))))
            }
            Content::Diff(diff) => {
                let mut shown = schema::Diff::new(diff.path, diff.after);
                shown.old_text = diff.before;
                ToolCallContent::Diff(shown)
            }
        })
        .collect()
}
