//! The sessions of the journal: listed, renamed, deleted, forked. The logs are the truth; the database only remembers
//! what was read of a log that has not changed since.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use aish_journal::session::{Context, Session, path_of};
use aish_journal::{SessionError, SessionHead, SessionLog, WallClock};
use aish_types::attachment::typed;
use aish_types::{Message, SessionId, sanitize};
use rusqlite::{Row, params};

use crate::store::{Store, StoreError};

/// Characters of the first words that are shown.
const FIRST_WORDS: usize = 120;

/// What a list shows of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// The id that its log is named after.
    pub id: SessionId,
    /// The name that a person gave it.
    pub title: Option<String>,
    /// The folder in which it began.
    pub folder: Option<String>,
    /// The project in which it began.
    pub project: Option<String>,
    /// How many turns it has.
    pub turns: u64,
    /// The beginning of the first thing that the person said.
    pub first_words: Option<String>,
    /// When its log was last written, in milliseconds since 1970-01-01T00:00:00Z.
    pub modified_ms: i64,
}

/// Words that say nothing of what a question is about.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "can", "could", "do", "does", "for", "how", "i", "in", "is", "it", "me", "my", "of", "on",
    "please", "the", "there", "this", "to", "what", "which", "why", "with", "you",
];
/// Words of a name that is made.
const NAME_WORDS: usize = 5;
/// Characters of it.
const NAME_LENGTH: usize = 40;

impl SessionSummary {
    /// Returns the session's name: the one that a person gave it, or one made from the first question.
    pub fn name(&self) -> Option<String> {
        self.title.clone().or_else(|| self.first_words.as_deref().and_then(made_name))
    }
}

/// Characters of a name that a person gives.
const LONGEST_NAME: usize = 100;

/// Writes a name that a person gives to a session: one line without terminal control, of 100 characters at most.
pub fn as_name(text: &str) -> String {
    let line = sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST_NAME).collect::<String>().trim_end().to_owned()
}

/// Makes a name from what was said first: the words that say something, joined by hyphens.
fn made_name(said: &str) -> Option<String> {
    let lower = said.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let telling: Vec<&str> = words().filter(|word| !EMPTY_WORDS.contains(word)).take(NAME_WORDS).collect();
    let chosen = if telling.is_empty() { words().take(NAME_WORDS).collect() } else { telling };
    let mut name = String::new();
    for word in chosen {
        let sign = if name.is_empty() { "" } else { "-" };
        if name.chars().count() + word.chars().count() + 1 > NAME_LENGTH && !name.is_empty() {
            break;
        }
        name.push_str(sign);
        name.extend(word.chars().take(NAME_LENGTH));
    }
    (!name.is_empty()).then_some(name)
}

/// Why something could not be done with a session.
#[derive(Debug, thiserror::Error)]
pub enum SessionsError {
    /// The log cannot be read or written.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The folder of the logs, or a log, cannot be used.
    #[error("{path} cannot be used")]
    Io {
        /// The folder or log that could not be read.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The session has no such turn.
    #[error("the session has no turn {0}; it has {1}")]
    NoTurn(u64, usize),
}

/// The folder beside the logs for those that are not whole yet.
const UNFINISHED: &str = ".unfinished";

/// The sessions in one folder.
pub struct Sessions {
    store: Arc<Store>,
    folder: PathBuf,
    clock: WallClock,
}

impl Sessions {
    /// Names the folder of the logs; nothing is made.
    pub fn new(store: Arc<Store>, folder: impl Into<PathBuf>, clock: WallClock) -> Self {
        Self { store, folder: folder.into(), clock }
    }

    /// Returns the folder of the logs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Lists the sessions, the last written first. A log that cannot be read is left out with a warning in the trace.
    ///
    /// # Errors
    /// When the folder is there and cannot be read.
    pub fn list(&self) -> Result<Vec<SessionSummary>, SessionsError> {
        let fail = |source| SessionsError::Io { path: self.folder.clone(), source };
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fail(error)),
        };
        let mut known = self.known();
        let (mut all, mut fresh) = (Vec::new(), Vec::new());
        for entry in entries {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            // A pipe or a device would never end.
            let Some(meta) = fs::metadata(&path).ok().filter(fs::Metadata::is_file) else { continue };
            let state = LogState::of(&meta);
            if let Some((_, summary)) = known.remove(name).filter(|(known, _)| *known == state) {
                all.push(summary);
                continue;
            }
            let id = SessionId::new(name);
            match SessionLog::outline(&self.folder, &id) {
                Ok(session) => fresh.push((state, summarise(&id, state.modified_ms, session))),
                Err(error) => tracing::warn!(session = name, %error, "a session cannot be listed"),
            }
        }
        if let Err(error) = self.keep(&fresh) {
            tracing::debug!(%error, "sessions are not kept in the index");
        }
        all.extend(fresh.into_iter().map(|(_, summary)| summary));
        all.sort_by(|a, b| b.modified_ms.cmp(&a.modified_ms).then_with(|| b.id.cmp(&a.id)));
        Ok(all)
    }

    /// Gives a session a name, as [`as_name`] writes it; an empty one takes its name away.
    ///
    /// # Errors
    /// When there is no such session or its log cannot be written.
    pub fn rename(&self, id: &SessionId, title: &str) -> Result<(), SessionsError> {
        let (log, _) = SessionLog::resume(&self.folder, id.clone(), self.clock.clone())?;
        log.rename(&as_name(title)).map_err(SessionError::from)?;
        Ok(())
    }

    /// Removes a session and its log for good.
    ///
    /// # Errors
    /// When there is no such session or its log cannot be removed.
    pub fn delete(&self, id: &SessionId) -> Result<(), SessionsError> {
        let path = path_of(&self.folder, id)?;
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(SessionError::Missing(id.clone()).into());
            }
            Err(source) => return Err(SessionsError::Io { path, source }),
        }
        let forgotten =
            self.store.with(|connection| connection.execute("DELETE FROM session WHERE id = ?1", [id.as_str()]));
        if let Err(error) = forgotten {
            tracing::warn!(%error, "a deleted session stays in the index");
        }
        Ok(())
    }

    /// Copies a session, up to and with the turn of the given number, into a new one, which is there when it is whole.
    ///
    /// # Errors
    /// When there is no such session, the new id is taken, or the new log cannot be written.
    pub fn fork(&self, id: &SessionId, new: &SessionId, last_turn: Option<u64>) -> Result<(), SessionsError> {
        let path = path_of(&self.folder, new)?;
        if path.exists() {
            return Err(SessionError::Exists(new.clone()).into());
        }
        let unfinished = self.folder.join(UNFINISHED);
        let copied = self.copy(id, &unfinished, new, last_turn);
        let written = path_of(&unfinished, new)?;
        let moved = copied.and_then(|()| {
            fs::rename(&written, &path).map_err(|source| SessionsError::Io { path: path.clone(), source })
        });
        if moved.is_err() {
            // It may never have been made.
            let _ = fs::remove_file(&written);
        }
        moved
    }

    /// Writes a copy of a session's log into another folder.
    fn copy(
        &self,
        id: &SessionId,
        folder: &Path,
        new: &SessionId,
        last_turn: Option<u64>,
    ) -> Result<(), SessionsError> {
        let session = SessionLog::read(&self.folder, id)?;
        if let Some(last) = last_turn.filter(|last| !session.turns.iter().any(|turn| turn.id == *last)) {
            return Err(SessionsError::NoTurn(last, session.turns.len()));
        }
        let context = session.context();
        let head = SessionHead { forked_from: Some(id.as_str().into()), ..session.head.unwrap_or_default() };
        let log = SessionLog::create(folder, new.clone(), head, self.clock.clone())?;
        let mut from = None;
        for turn in session.turns.iter().filter(|turn| last_turn.is_none_or(|last| turn.id <= last)) {
            let new = log.append_to(turn.exchange, &turn.message, turn.usage, turn.model.as_deref());
            let new = new.map_err(SessionError::from)?;
            if turn.id >= context.from {
                from.get_or_insert(new);
            }
        }
        // A fork from before the eviction has everything in its context.
        let went_on = last_turn.is_none_or(|last| last >= context.from);
        if context != Context::default() && went_on {
            let context = Context { from: from.unwrap_or_else(|| log.next_turn()), ..context };
            log.note_context(&context).map_err(SessionError::from)?;
        }
        if let Some(title) = &session.title {
            log.rename(title).map_err(SessionError::from)?;
        }
        Ok(())
    }

    /// Returns what the index knows of logs, by their names.
    fn known(&self) -> HashMap<String, (LogState, SessionSummary)> {
        let known = self.store.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, title, folder, project, turns, first_words, modified_ms, size FROM session",
            )?;
            let rows = statement.query_map([], |row| {
                let summary = summary(row)?;
                let state = LogState { size: row.get(7)?, modified_ms: summary.modified_ms };
                Ok((summary.id.as_str().to_owned(), (state, summary)))
            })?;
            rows.collect()
        });
        known.unwrap_or_default()
    }

    /// Keeps what was read of logs, in one transaction: each by itself waits for the disk.
    fn keep(&self, fresh: &[(LogState, SessionSummary)]) -> Result<(), StoreError> {
        if fresh.is_empty() {
            return Ok(());
        }
        self.store.with(|connection| {
            let transaction = connection.transaction()?;
            let mut statement = transaction.prepare_cached(
                "INSERT OR REPLACE INTO session
                     (id, size, modified_ms, title, folder, project, turns, first_words)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for (state, fresh) in fresh {
                statement.execute(params![
                    fresh.id.as_str(),
                    state.size,
                    state.modified_ms,
                    fresh.title,
                    fresh.folder,
                    fresh.project,
                    i64::try_from(fresh.turns).unwrap_or(i64::MAX),
                    fresh.first_words
                ])?;
            }
            drop(statement);
            transaction.commit()
        })
    }
}

/// What tells whether a log has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LogState {
    size: i64,
    modified_ms: i64,
}

impl LogState {
    fn of(meta: &fs::Metadata) -> Self {
        let modified = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        Self {
            size: i64::try_from(meta.len()).unwrap_or(i64::MAX),
            modified_ms: i64::try_from(modified.as_millis()).unwrap_or(i64::MAX),
        }
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<SessionSummary> {
    Ok(SessionSummary {
        id: SessionId::new(row.get::<_, String>(0)?),
        title: row.get(1)?,
        folder: row.get(2)?,
        project: row.get(3)?,
        turns: u64::try_from(row.get::<_, i64>(4)?).unwrap_or(0),
        first_words: row.get(5)?,
        modified_ms: row.get(6)?,
    })
}

fn summarise(id: &SessionId, modified_ms: i64, session: Session) -> SessionSummary {
    let said = session.turns.iter().find_map(|turn| match &turn.message {
        Message::User { content, .. } => {
            let words = typed(content).split_whitespace().collect::<Vec<_>>().join(" ");
            (!words.is_empty()).then_some(words)
        }
        Message::System { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    let head = session.head.unwrap_or_default();
    SessionSummary {
        id: id.clone(),
        title: session.title,
        folder: head.folder,
        project: head.project,
        turns: session.turns.len() as u64,
        first_words: said.map(|said| said.chars().take(FIRST_WORDS).collect()),
        modified_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::{as_name, made_name};

    #[test]
    fn names_are_one_short_line() {
        for (text, name) in [
            ("my build", "my build"),
            (" a\nb\t\u{1b}[31mc\u{202e} ", "a b c"),
            ("\n", ""),
            (&"x".repeat(500), &*"x".repeat(100)),
        ] {
            assert_eq!(as_name(text), name, "{text:?}");
        }
    }

    #[test]
    fn names_are_made_of_the_words_that_say_something() {
        for (said, name) in [
            ("What is the capital of France?", Some("capital-france")),
            ("why does `cargo build` fail with E0432 in src/main.rs", Some("cargo-build-fail-e0432-src")),
            ("how do I do this", Some("how-do-i-do-this")),
            ("größte Dateien finden", Some("größte-dateien-finden")),
            ("列出最大的文件", Some("列出最大的文件")),
            ("?!", None),
            (&"x".repeat(200), Some(&*"x".repeat(40))),
        ] {
            assert_eq!(made_name(said).as_deref(), name, "{said}");
        }
    }
}
