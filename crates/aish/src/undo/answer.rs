//! The journal of undo in this person's state folder, and what `:undo` and `aish undo` answer from it.

use std::time::Duration;

use aish_journal::undo::{UndoError, UndoJournal, UndoOptions};
use aish_types::SessionId;

use super::{UndoKeeper, say};
use crate::base::Base;
use crate::failure::chain;

impl UndoKeeper {
    /// Opens the journal of this person; none where undo is switched off or there is no folder for state.
    pub fn open(base: &Base) -> Option<Self> {
        if !base.config.undo.enabled {
            return None;
        }
        Some(Self::new(journal(base)?))
    }
}

/// Names the journal; none where there is no folder for state.
fn journal(base: &Base) -> Option<UndoJournal> {
    let folder = base.paths.state.as_ref()?.join("undo");
    let keep = Duration::from_secs(base.config.undo.keep_days.saturating_mul(24 * 60 * 60));
    let options = UndoOptions { max_bytes: base.config.undo.max_bytes, keep };
    Some(UndoJournal::new(folder, options, base.clock.clone()))
}

/// `:undo` and `aish undo`: `list`, the name of a step, or nothing for the last command, of a session where one is
/// given. What cannot be brought back is said before anything is done. Returns whether everything came back.
///
/// # Errors
/// In words for the person.
pub fn answer(base: &Base, session: Option<&SessionId>, what: &str, say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let journal = journal(base).ok_or("there is no home folder, so nothing was put aside")?;
    let session = session.map(SessionId::as_str);
    if what == "list" {
        journal.prune().map_err(|error| chain(&error))?;
        let steps = journal.steps().map_err(|error| chain(&error))?;
        say::list(&steps, session).iter().for_each(|line| say(line));
        return Ok(true);
    }
    let found = if what.is_empty() { journal.last(session) } else { journal.named(what) };
    let step = found.map_err(|error| match error {
        UndoError::Nothing if what.is_empty() && journal.last(None).is_ok() => {
            "there is nothing to undo in this session; `:undo list` shows what other sessions changed, and `:undo ID` \
             brings one of it back"
                .to_owned()
        }
        UndoError::Nothing if what.is_empty() => "there is nothing to undo".to_owned(),
        UndoError::Nothing => format!("there is no step {what:?}; `undo list` shows what there is"),
        error => chain(&error),
    })?;
    say::lost(&step).iter().for_each(|line| say(line));
    let restored = journal.bring_back(&step).map_err(|error| chain(&error))?;
    say::restored(&restored, &step).iter().for_each(|line| say(line));
    Ok(restored.failed.is_empty() && step.unnamed.is_empty())
}
