//! What an editor is shown and asked, and how the protocol says it.

use std::path::PathBuf;

use agent_client_protocol::v1::schema::{
    self, AvailableCommandsUpdate, ContentBlock, ContentChunk, CurrentModeUpdate, MessageId, PermissionOptionKind,
    SessionInfoUpdate, SessionUpdate, TextContent, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind, UsageUpdate,
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
    /// The session's title.
    Title(String),
    /// No slash commands, or these: name and what each does.
    Commands(Vec<(String, String)>),
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

/// What can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionOption {
    /// Its id, by which the answer is known.
    pub id: &'static str,
    /// Its name.
    pub name: String,
    /// Whether it lets the call run.
    pub allows: bool,
    /// Whether it holds from now on.
    pub lasting: bool,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The option of this id.
    Option(String),
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
            Self::Title(title) => SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title)),
            Self::Commands(commands) => SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(
                commands
                    .into_iter()
                    .map(|(name, about)| schema::AvailableCommand::new(name, about))
                    .collect::<Vec<_>>(),
            )),
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
}

impl PermissionOption {
    pub(crate) fn into_protocol(self) -> schema::PermissionOption {
        let kind = match (self.allows, self.lasting) {
            (true, false) => PermissionOptionKind::AllowOnce,
            (true, true) => PermissionOptionKind::AllowAlways,
            (false, false) => PermissionOptionKind::RejectOnce,
            (false, true) => PermissionOptionKind::RejectAlways,
        };
        schema::PermissionOption::new(self.id, self.name, kind)
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
