//! The running session: its id, its log, and what the transcript keeps in it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use aish_journal::{SessionHead, SessionLog, WallClock};
use aish_turn::Record;
use aish_types::{Message, SessionId};

use crate::driver;
use crate::wiring::Base;

/// Makes a new session id: the time to the second, and enough of chance that two never meet.
pub fn new_id(clock: &WallClock) -> SessionId {
    let time: String = clock.text().chars().filter(char::is_ascii_digit).take(14).collect();
    let pid = std::process::id();
    let noise = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), pid);
    SessionId::new(format!("{time}-{:08x}", noise & 0xffff_ffff))
}

/// Writes records of the transcript into a session's log, which is made at the first one.
pub struct KeptLog {
    opening: Option<Opening>,
    log: Option<SessionLog>,
    /// The transcript's ids and the log's.
    ids: BTreeMap<u64, u64>,
    failed: bool,
}

/// How the log is made when there is something to write.
pub struct Opening {
    /// The folder of the logs.
    pub folder: std::path::PathBuf,
    /// The session.
    pub id: SessionId,
    /// What is known at the beginning.
    pub head: SessionHead,
    /// The clock.
    pub clock: WallClock,
}

impl KeptLog {
    /// Makes a log that is opened at the first record; none keeps nothing.
    pub fn new(opening: Option<Opening>) -> Self {
        Self { opening, log: None, ids: BTreeMap::new(), failed: false }
    }

    /// Goes on with a session's log; returns its messages and what was mended.
    ///
    /// # Errors
    /// When there is no such session or it cannot be read.
    pub fn resume(
        folder: &Path,
        id: SessionId,
        clock: WallClock,
    ) -> Result<(Self, Vec<Message>, Vec<String>), aish_journal::SessionError> {
        let (log, session) = SessionLog::resume(folder, id, clock)?;
        // The transcript numbers loaded messages from 0, in order.
        let ids = session.turns.iter().enumerate().map(|(at, turn)| (at as u64, turn.id)).collect();
        let messages = session.turns.into_iter().map(|turn| turn.message).collect();
        Ok((Self { opening: None, log: Some(log), ids, failed: false }, messages, session.warnings))
    }

    fn write(&mut self, record: &Record) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if self.log.is_none() {
            let Some(opening) = self.opening.take() else { return Ok(()) };
            self.log = Some(SessionLog::create(&opening.folder, opening.id, opening.head, opening.clock)?);
        }
        let Some(log) = &self.log else { return Ok(()) };
        match (self.ids.get(&record.id), &record.message) {
            (Some(&id), message) => log.amend(id, message.as_ref())?,
            (None, Some(message)) => {
                let id = log.append(message, None, None)?;
                self.ids.insert(record.id, id);
            }
            (None, None) => {}
        }
        Ok(())
    }
}

impl driver::SessionLog for KeptLog {
    fn keep(&mut self, record: &Record) -> Option<String> {
        let error = self.write(record).err()?;
        if self.failed {
            return None;
        }
        self.failed = true;
        Some(format!("this session is not kept: {}", crate::failure::chain(error.as_ref())))
    }
}

/// Finds a session by its id, or the newest one for an empty id, and goes on with it.
///
/// # Errors
/// In words for the person.
pub fn resume(base: &Base, wanted: &str) -> Result<(SessionId, KeptLog, Vec<Message>, Vec<String>), String> {
    let folder = base.paths.state.as_ref().ok_or("there is no home folder, so no session was kept")?.join("sessions");
    let id = if wanted.is_empty() {
        list(&folder).into_iter().next().map(|(id, _)| id).ok_or("no session was kept yet")?
    } else {
        SessionId::new(wanted)
    };
    let (log, messages, warnings) =
        KeptLog::resume(&folder, id.clone(), base.clock.clone()).map_err(|error| crate::failure::chain(&error))?;
    Ok((id, log, messages, warnings))
}

/// Lists the kept sessions with the time of their last change, newest first.
pub fn list(folder: &Path) -> Vec<(SessionId, SystemTime)> {
    let mut sessions: Vec<(SessionId, SystemTime)> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let id = SessionId::new(name.strip_suffix(".jsonl")?);
            Some((id, entry.metadata().ok()?.modified().ok()?))
        })
        .collect();
    sessions.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| b.0.cmp(&a.0)));
    sessions
}
