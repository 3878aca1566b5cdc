//! The port to whoever runs the sessions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aish_types::BoxFuture;

use crate::client::Client;
use crate::prompt::Prompt;

/// What an editor wants of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The folder, absolute.
    pub folder: PathBuf,
    /// MCP servers that the session is to have beside the configured ones.
    pub servers: Vec<Server>,
}

/// An MCP server as an editor names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// A program that speaks over its standard streams.
    Program {
        /// Its name.
        name: String,
        /// The program.
        command: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables that it gets.
        variables: BTreeMap<String, String>,
    },
    /// A server at a URL.
    Url {
        /// Its name.
        name: String,
        /// The URL.
        url: String,
        /// Header lines that it gets.
        headers: BTreeMap<String, String>,
    },
}

/// A session that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// Its id.
    pub id: String,
    /// The mode that holds now: the id of one of `modes`.
    pub mode: String,
    /// The modes that it can have.
    pub modes: Vec<Mode>,
}

/// A mode of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub about: String,
}

/// A kept session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its title.
    pub title: Option<String>,
    /// When it was last used, RFC 3339.
    pub used: Option<String>,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The answer is whole.
    End,
    /// The answer was cut at its length.
    Length,
    /// The turn made as many requests as it may.
    Requests,
    /// The model's provider withheld the answer.
    Refusal,
    /// It was cancelled.
    Cancelled,
}

/// Why a host could not do something; the text is for the person at the editor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// There is no model to ask.
    #[error("{0}")]
    NoModel(String),
    /// There is no such session or mode, or what was sent cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(String),
    /// It failed.
    #[error("{0}")]
    Failed(String),
}

/// What an editor is shown of a kept session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// All of it, message by message.
    Replayed,
    /// Nothing: the editor has kept it.
    Silent,
}

/// What the host answers, in its time.
pub type HostFuture<'a, T> = BoxFuture<'a, Result<T, HostError>>;

/// Whoever runs the sessions. Calls of different sessions come at once.
pub trait Host: Send + Sync + 'static {
    /// Opens a new session. Nothing may be shown before this returned.
    fn open<'a>(&'a self, wanted: Wanted, client: Client) -> HostFuture<'a, Opened>;

    /// Opens a kept session; a history that is replayed is shown before this returns.
    fn resume<'a>(&'a self, id: &'a str, wanted: Wanted, client: Client, history: History) -> HostFuture<'a, Opened>;

    /// Lists kept sessions, those of a folder where one is given.
    ///
    /// # Errors
    /// When they cannot be read.
    fn list(&self, folder: Option<&Path>) -> Result<Vec<Listed>, HostError>;

    /// Says that a turn is to be played next: a cancel that comes from now on is for it. Called in the order of the messages.
    fn begin(&self, id: &str);

    /// Plays a turn.
    fn prompt<'a>(&'a self, id: &'a str, prompt: Prompt) -> HostFuture<'a, Stop>;

    /// Stops the turn that a session plays, if it plays one.
    fn cancel(&self, id: &str);

    /// Sets a session's mode.
    ///
    /// # Errors
    /// When there is no such session or mode.
    fn set_mode(&self, id: &str, mode: &str) -> Result<(), HostError>;

    /// Ends a session.
    fn close<'a>(&'a self, id: &'a str) -> HostFuture<'a, ()>;
}
