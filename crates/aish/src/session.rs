//! The running session: its id, its log, and what the transcript keeps in it.

pub mod found;
pub mod lines;
pub mod search;
#[cfg(test)]
mod strict;
#[cfg(test)]
mod vendors;

use std::collections::BTreeMap;
use std::path::Path;

use aish_journal::session::{Context, Hold, Session};
use aish_journal::{SessionError, SessionHead, SessionLog, StoredTurn, WallClock};
use aish_store::{Sessions, SessionsError};
use aish_turn::{Record, ToolResults, Transcript, Turn};
use aish_types::{Message, SessionId};

use crate::base::Base;
use crate::driver::{self, ContextView};
use crate::project::project_root;

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
    /// What is added to the transcript's exchanges, so that no number comes twice in a log.
    exchanges: u64,
    failed: bool,
    /// What is written once something answers; none where everything is written at once.
    unanswered: Option<Vec<Record>>,
    /// Held while the session is written.
    _hold: Option<Hold>,
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

/// A session that can be gone on with.
pub struct ResumedSession {
    /// Its id.
    pub id: SessionId,
    /// What its log holds.
    pub session: Session,
    log: SessionLog,
    hold: Option<Hold>,
}

impl ResumedSession {
    /// Opens a session to go on with it; none when another process has it open.
    ///
    /// # Errors
    /// When there is no such session or it cannot be read.
    pub fn open(folder: &Path, id: SessionId, clock: WallClock) -> Result<Option<Self>, SessionError> {
        let hold = match Hold::take(folder, &id) {
            Ok(None) => return Ok(None),
            Ok(hold) => hold,
            // Where no lock can be made, nothing can be written either; what follows says so.
            Err(_) => None,
        };
        let (log, session) = SessionLog::resume(folder, id.clone(), clock)?;
        Ok(Some(Self { id, session, log, hold }))
    }

    /// Goes on with a copy of a session, which nobody can open before.
    ///
    /// # Errors
    /// When there is no such session or the copy cannot be written.
    pub fn fork(sessions: &Sessions, id: &SessionId, clock: WallClock) -> Result<Self, SessionsError> {
        let new = new_id(&clock);
        // Held before it is there; where no lock can be made, nothing can be written either.
        let hold = Hold::take(sessions.folder(), &new).unwrap_or_default();
        sessions.fork(id, &new, None)?;
        let (log, session) = SessionLog::resume(sessions.folder(), new.clone(), clock)?;
        Ok(Self { id: new, session, log, hold })
    }

    /// Puts the session's context in the place of a turn's, and returns its log. `model` is the one that answers now.
    pub fn install(self, turn: &mut Turn, model: &str) -> KeptLog {
        let context = self.session.context();
        let mut transcript = Transcript::new(turn.transcript().system());
        let said = |turn: &&StoredTurn| !matches!(turn.message, Message::System { .. });
        let turns: Vec<_> = self.session.turns_in_context().filter(said).collect();
        transcript.restore(turns.iter().map(|turn| (turn.exchange, turn.message.clone())));
        transcript.set_summary(context.summary);
        let ids = transcript.entries().iter().zip(&turns).map(|(entry, turn)| (entry.id, turn.id)).collect();
        let exchanges = self.session.turns.iter().filter_map(|turn| turn.exchange).max().unwrap_or(0);
        *turn.transcript_mut() = transcript;
        if context.results_as_text.as_deref() == Some(model) {
            turn.set_tool_results(ToolResults::Text);
        }
        KeptLog {
            opening: None,
            log: Some(self.log),
            ids,
            exchanges,
            failed: false,
            unanswered: None,
            _hold: self.hold,
        }
    }
}

impl KeptLog {
    /// Makes a log that is opened at the first record; none keeps nothing.
    pub fn new(opening: Option<Opening>) -> Self {
        Self { opening, log: None, ids: BTreeMap::new(), exchanges: 0, failed: false, unanswered: None, _hold: None }
    }

    /// Makes the log of a new session; it keeps nothing where sessions are not kept.
    pub fn of(base: &Base, id: &SessionId) -> Self {
        let folder = base.paths.state.as_ref().filter(|_| base.config.history.sessions);
        Self::new(folder.map(|state| Opening {
            folder: state.join("sessions"),
            id: id.clone(),
            head: SessionHead {
                folder: Some(base.folder.display().to_string()),
                project: project_root(&base.folder).map(|root| root.display().to_string()),
                forked_from: None,
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            },
            clock: base.clock.clone(),
        }))
    }

    /// Keeps nothing before the first answer: a question that got none is asked anew, and not gone on with.
    #[must_use]
    pub fn once_answered(mut self) -> Self {
        self.unanswered = Some(Vec::new());
        self
    }

    /// Returns the log, made if it is not; none when nothing is kept.
    fn log(&mut self) -> Result<Option<&SessionLog>, SessionError> {
        if let Some(opening) = self.opening.take() {
            self._hold = Hold::take(&opening.folder, &opening.id).unwrap_or_default();
            self.log = Some(SessionLog::create(&opening.folder, opening.id, opening.head, opening.clock)?);
        }
        Ok(self.log.as_ref())
    }

    fn write(&mut self, record: &Record, model: &str) -> Result<(), SessionError> {
        if let Some(unanswered) = &mut self.unanswered {
            if matches!(record.message, Some(Message::User { .. }) | None) {
                unanswered.push(record.clone());
                return Ok(());
            }
            let asked = self.unanswered.take().unwrap_or_default();
            asked.iter().try_for_each(|record| self.append(record, model))?;
        }
        self.append(record, model)
    }

    fn append(&mut self, record: &Record, model: &str) -> Result<(), SessionError> {
        let exchange = record.exchange.saturating_add(self.exchanges);
        let known = self.ids.get(&record.id).copied();
        let Some(log) = self.log()? else { return Ok(()) };
        match (known, &record.message) {
            (Some(id), message) => log.amend(id, message.as_ref())?,
            (None, Some(message)) => {
                let model = matches!(message, Message::Assistant { .. }).then_some(model);
                let id = log.append_to(Some(exchange), message, None, model)?;
                self.ids.insert(record.id, id);
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn write_context(&mut self, seen: &ContextView<'_>) -> Result<(), SessionError> {
        let Some(log) = &self.log else { return Ok(()) };
        let from = seen.first.and_then(|first| self.ids.get(&first).copied()).unwrap_or_else(|| log.next_turn());
        let context = Context {
            from,
            summary: seen.summary.map(str::to_owned),
            results_as_text: seen.results_as_text.map(str::to_owned),
        };
        Ok(log.note_context(&context)?)
    }

    /// Returns what to tell the person of a failure; each session tells once.
    fn told(&mut self, written: Result<(), SessionError>) -> Option<String> {
        let error = written.err()?;
        if std::mem::replace(&mut self.failed, true) {
            return None;
        }
        Some(format!("this session is not kept: {}", crate::failure::chain(&error)))
    }
}

impl driver::SessionLog for KeptLog {
    fn keep(&mut self, record: &Record, model: &str) -> Option<String> {
        let written = self.write(record, model);
        self.told(written)
    }

    fn context(&mut self, seen: &ContextView<'_>) -> Option<String> {
        let written = self.write_context(seen);
        self.told(written)
    }
}
