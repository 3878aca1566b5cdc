//! The log of a session: one line a turn, appended as it happens, and read again to go on.

mod context;
mod hold;
mod outline;
mod record;
mod repair;
mod turns;

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use aish_types::{Message, ProviderState, SessionId, Usage, mask};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::clock::WallClock;
use crate::lines::{AppendError, Durability, LineFile, LoadError, make_folder};
use record::Record;
use turns::Turns;

pub use context::Context;
pub use hold::{Hold, HoldError};
pub use record::{SessionHead, StoredTurn};

/// Lines of a log that are no records and are named one by one.
const BAD_LINES: usize = 5;

/// Why a session cannot be made or gone on with.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The id is outside `[A-Za-z0-9_-]{1,128}` and cannot be a file's name.
    #[error("'{0}' is no session id")]
    InvalidId(String),
    /// There is no such session.
    #[error("there is no session '{0}'")]
    Missing(SessionId),
    /// There is such a session already.
    #[error("there is a session '{0}' already")]
    Exists(SessionId),
    /// The log cannot be read.
    #[error("the session's log cannot be read")]
    Load(#[from] LoadError),
    /// The log cannot be written.
    #[error("the session's log cannot be written")]
    Append(#[from] AppendError),
}

/// A session as its log tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// What was known when it began; none when the first line is lost.
    pub head: Option<SessionHead>,
    /// The name that a person gave it last.
    pub title: Option<String>,
    /// The turns, oldest first; every call has its result.
    pub turns: Vec<StoredTurn>,
    /// Other things that were noted, oldest first: kind and value.
    pub events: Vec<(String, Value)>,
    /// What was wrong with the log and how it was mended, for a person.
    pub warnings: Vec<String>,
}

/// The open log of one session.
#[derive(Debug)]
pub struct SessionLog {
    id: SessionId,
    file: LineFile,
    clock: WallClock,
    next: AtomicU64,
}

impl SessionLog {
    /// Begins a session.
    ///
    /// # Errors
    /// When the id is no file's name or is taken, or the log cannot be written.
    pub fn create(folder: &Path, id: SessionId, head: SessionHead, clock: WallClock) -> Result<Self, SessionError> {
        let path = path_of(folder, &id)?;
        make_folder(&path).map_err(|source| AppendError::Io { path: path.clone(), source })?;
        match OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(SessionError::Exists(id)),
            Err(source) => return Err(AppendError::Io { path, source }.into()),
        }
        let log = Self { id, file: LineFile::new(path, Durability::System), clock, next: AtomicU64::new(1) };
        log.put(&Record::Start { time: log.clock.text(), head })?;
        Ok(log)
    }

    /// Goes on with a session: reads its log, mends it, and returns what it holds.
    ///
    /// # Errors
    /// When there is no such session or its log cannot be read.
    pub fn resume(folder: &Path, id: SessionId, clock: WallClock) -> Result<(Self, Session), SessionError> {
        let file = existing(folder, &id)?;
        let session = read::<Record>(&file)?;
        let next = session.turns.iter().map(|turn| turn.id).max().unwrap_or(0) + 1;
        Ok((Self { id, file, clock, next: AtomicU64::new(next) }, session))
    }

    /// Reads a session without going on with it.
    ///
    /// # Errors
    /// As [`SessionLog::resume`].
    pub fn read(folder: &Path, id: &SessionId) -> Result<Session, SessionError> {
        Ok(read::<Record>(&existing(folder, id)?)?)
    }

    /// Returns the session's id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Returns the log's path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Appends a message with what it used and which model gave it, and returns the turn's number.
    ///
    /// # Errors
    /// When it could not be written whole; the log is then as it was.
    pub fn append(&self, message: &Message, usage: Option<Usage>, model: Option<&str>) -> Result<u64, AppendError> {
        self.append_to(None, message, usage, model)
    }

    /// Appends a message to the exchange of a number: a question and all that followed from it.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn append_to(
        &self,
        exchange: Option<u64>,
        message: &Message,
        usage: Option<Usage>,
        model: Option<&str>,
    ) -> Result<u64, AppendError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (time, message, model) = (self.clock.text(), masked(message), model.map(String::from));
        self.put(&Record::Turn(StoredTurn { id, time, message, usage, exchange, model }))?;
        Ok(id)
    }

    /// Returns the number that the next turn gets.
    pub fn next_turn(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Puts another message in the place of one, or takes it out; the log keeps both.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn amend(&self, id: u64, message: Option<&Message>) -> Result<(), AppendError> {
        self.put(&Record::Amend { id, message: message.map(masked) })
    }

    /// Gives the session a name.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn rename(&self, title: &str) -> Result<(), AppendError> {
        self.put(&Record::Title { time: self.clock.text(), title: title.into() })
    }

    /// Notes something that is no message: a summary, an eviction, a step of an autonomous run.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn note(&self, kind: &str, value: Value) -> Result<(), AppendError> {
        self.put(&Record::Event { time: self.clock.text(), kind: kind.into(), value })
    }

    fn put(&self, record: &Record) -> Result<(), AppendError> {
        self.file.append(record).map(|_| ())
    }
}

/// Takes keys out of what a message says: the log outlives them, and is read by more than the one who was told.
fn masked(message: &Message) -> Message {
    let mut message = message.clone();
    match &mut message {
        Message::System { content } | Message::User { content, .. } | Message::Tool { content, .. } => hide(content),
        Message::Assistant { content, tool_calls, state } => {
            hide(content);
            tool_calls.iter_mut().for_each(|call| hide(&mut call.arguments));
            // Reasoning goes back unchanged or not at all.
            let names_a_key = |state: &ProviderState| {
                let written = [state.text.clone(), state.data.to_string()];
                written.iter().any(|text| matches!(mask(text), std::borrow::Cow::Owned(_)))
            };
            if state.as_deref().is_some_and(names_a_key) {
                *state = None;
            }
        }
    }
    message
}

fn hide(text: &mut String) {
    if let std::borrow::Cow::Owned(masked) = mask(text) {
        *text = masked;
    }
}

/// Returns the path of a session's log.
///
/// # Errors
/// When the id cannot be a file's name.
pub fn path_of(folder: &Path, id: &SessionId) -> Result<PathBuf, SessionError> {
    let name = id.as_str();
    let is_plain =
        (1..=128).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if is_plain {
        Ok(folder.join(format!("{name}.jsonl")))
    } else {
        Err(SessionError::InvalidId(name.chars().take(64).collect()))
    }
}

/// Names the log of a session that is there.
fn existing(folder: &Path, id: &SessionId) -> Result<LineFile, SessionError> {
    let path = path_of(folder, id)?;
    if !path.exists() {
        return Err(SessionError::Missing(id.clone()));
    }
    Ok(LineFile::new(path, Durability::System))
}

fn read<R: Into<Record> + DeserializeOwned>(file: &LineFile) -> Result<Session, LoadError> {
    let loaded = file.load::<R>()?;
    let mut session = Session { head: None, title: None, turns: Vec::new(), events: Vec::new(), warnings: Vec::new() };
    if let Some(torn) = &loaded.torn {
        let aside = torn.kept_in.display();
        session.warnings.push(format!("the last line was torn; its {} bytes were set aside in {aside}", torn.bytes));
    }
    let more = loaded.bad.len().saturating_sub(BAD_LINES);
    if more > 0 {
        session.warnings.push(format!("{more} more lines are no records and were left out"));
    }
    for bad in loaded.bad.iter().take(BAD_LINES) {
        session.warnings.push(format!("line {} is no record and was left out: {}", bad.number, bad.why));
    }
    let mut turns = Turns::default();
    for record in loaded.records {
        match record.into() {
            Record::Start { head, .. } => session.head = session.head.or(Some(head)),
            Record::Turn(turn) => turns.push(turn),
            Record::Amend { id, message } => turns.amend(id, message),
            Record::Title { title, .. } => session.title = Some(title).filter(|title| !title.is_empty()),
            Record::Event { kind, value, .. } => session.events.push((kind, value)),
        }
    }
    session.turns = turns.left();
    repair::repair(&mut session);
    Ok(session)
}
