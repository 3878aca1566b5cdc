//! Finding a session by what a person calls it, and opening it.

use aish_store::{SessionSummary, Sessions};

use crate::base::Base;
use crate::failure::Failure;
use crate::session::ResumedSession;

impl Base {
    /// Returns the kept sessions.
    ///
    /// # Errors
    /// In words for the person, when there is no place for sessions.
    pub fn sessions(&self) -> Result<Sessions, Failure> {
        let state = self.paths.state.as_ref().ok_or_else(|| {
            Failure::user("there is no home folder, so no session is kept").hint("set HOME or XDG_STATE_HOME")
        })?;
        Ok(Sessions::new(std::sync::Arc::clone(&self.store), state.join("sessions"), self.clock.clone()))
    }
}

/// Finds a session: by its id, the name that it was given, the beginning of its id, or the name that was made from its first question. An empty text is the newest one.
///
/// # Errors
/// In words for the person, when none or more than one fits.
pub fn find(sessions: &Sessions, wanted: &str) -> Result<SessionSummary, Failure> {
    let all = sessions.list()?;
    let wanted = wanted.trim();
    if wanted.is_empty() {
        // A file of which nothing can be read, or in which nothing was said, is not what was worked on last.
        return all
            .into_iter()
            .find(|summary| summary.turns > 0)
            .ok_or_else(|| Failure::user("no session was kept yet"));
    }
    let by = |fits: &dyn Fn(&SessionSummary) -> bool| -> Vec<SessionSummary> {
        all.iter().filter(|summary| fits(summary)).cloned().collect()
    };
    let lower = wanted.to_lowercase();
    let steps: [&dyn Fn(&SessionSummary) -> bool; 4] = [
        &|summary| summary.id.as_str() == wanted,
        &|summary| summary.title.as_ref().is_some_and(|title| title.to_lowercase() == lower),
        &|summary| summary.id.as_str().starts_with(wanted),
        &|summary| summary.name().is_some_and(|name| name == lower),
    ];
    for fits in steps {
        match by(fits).as_slice() {
            [] => {}
            [one] => return Ok(one.clone()),
            several => {
                let ids: Vec<&str> = several.iter().take(5).map(|summary| summary.id.as_str()).collect();
                return Err(Failure::user(format!("{} sessions fit {wanted:?}: {}", several.len(), ids.join(", ")))
                    .hint("write more of the id"));
            }
        }
    }
    Err(Failure::user(format!("there is no session {wanted:?}")).hint("`aish sessions list` shows what there is"))
}

/// Opens a session to go on with it, or a fork of it when it is open elsewhere; returns it with what to tell the person.
///
/// # Errors
/// In words for the person.
pub fn open(base: &Base, wanted: &str) -> Result<(ResumedSession, Vec<String>), Failure> {
    let sessions = base.sessions()?;
    let id = find(&sessions, wanted)?.id;
    let mut notices = Vec::new();
    let resumed = match ResumedSession::open(sessions.folder(), id.clone(), base.clock.clone())? {
        Some(resumed) => resumed,
        None => {
            let fork = ResumedSession::fork(&sessions, &id, base.clock.clone())?;
            notices.push(format!("session {id} is open elsewhere; this is a fork of it"));
            fork
        }
    };
    if resumed.session.head.is_none() && resumed.session.turns.is_empty() {
        return Err(Failure::user(format!("nothing can be read in the log of session {id}")));
    }
    notices.extend(resumed.session.warnings.iter().cloned());
    let (turns, name) = (resumed.session.turns.len(), resumed.session.title.as_deref());
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    notices.push(format!("session {}{name} goes on with {turns} messages", resumed.id));
    Ok((resumed, notices))
}
