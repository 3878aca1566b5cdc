//! The journal of undo in this person's state folder, and what `:undo` and `aish undo` answer from it.

use std::time::Duration;

use aish_confine::{Conflict, KeepError, Layer, OnConflict, State, Why};
use aish_hook::agent::Agent;
use aish_journal::undo::{UndoError, UndoJournal, UndoOptions, Wanted};
use aish_safety::change::{How, Reach};
use aish_types::SessionId;

use super::{UndoKeeper, say};
use crate::base::Base;
use crate::confinement;
use crate::failure::{Failure, chain};

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
pub fn journal(base: &Base) -> Option<UndoJournal> {
    let folder = base.paths.state.as_ref()?.join("undo");
    let keep = Duration::from_secs(base.config.undo.keep_days.saturating_mul(24 * 60 * 60));
    let options = UndoOptions { max_bytes: base.config.undo.max_bytes, keep };
    Some(UndoJournal::new(folder, options, base.clock.clone()))
}

/// `:undo` and `aish undo`: `list`, the name of a step, or nothing for the last command, of a session where one is
/// given; `undo` is what the reader calls it. What cannot be brought back is said before anything is done. Returns whether everything came back.
///
/// # Errors
/// When there is nothing to undo, or it cannot be brought back.
pub fn answer(
    base: &Base,
    session: Option<&SessionId>,
    (undo, what): (&str, &str),
    say: &mut dyn FnMut(&str),
) -> Result<bool, Failure> {
    let journal = journal(base).ok_or_else(|| Failure::user("there is no home folder, so nothing was put aside"))?;
    let session = session.map(SessionId::as_str);
    let kept = confinement::kept(base, say);
    if what == "list" {
        journal.prune()?;
        let steps = journal.steps_with_changes()?;
        let steps = steps.iter().flat_map(|step| {
            let call = journal.call_of(step);
            say::list(std::slice::from_ref(step), session, call.as_ref())
                .into_iter()
                .map(|line| (u64::try_from(step.time_ms).unwrap_or(0), line))
        });
        let mut lines: Vec<(u64, String)> =
            kept.iter().map(|layer| (layer.about.time_ms, listed(layer, session))).chain(steps).collect();
        lines.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        if lines.is_empty() {
            lines.push((0, "there is nothing to undo".to_owned()));
        }
        lines.iter().for_each(|(_, line)| say(line));
        return Ok(true);
    }
    let newest = kept.iter().rfind(|layer| session.is_none() || layer.about.session.as_deref() == session);
    let layer = match what {
        "" => newest.filter(|layer| {
            // The newer of the two ways in which something can be brought back.
            journal.last(session).map_or(true, |step| u64::try_from(step.time_ms).unwrap_or(0) < layer.about.time_ms)
        }),
        name => kept.iter().find(|layer| layer.id() == name),
    };
    if let Some(layer) = layer {
        return take_back(layer, (undo, !what.is_empty()), session, &journal, say);
    }
    let found = if what.is_empty() { journal.last(session) } else { journal.named(what) };
    let step = found.map_err(|error| match error {
        UndoError::Nothing if what.is_empty() && (!kept.is_empty() || journal.last(None).is_ok()) => {
            Failure::user("there is nothing to undo in this session")
                .hint(format!("`{undo} list` shows what other sessions changed, and `{undo} ID` brings one of it back"))
        }
        UndoError::Nothing if what.is_empty() => Failure::user("there is nothing to undo"),
        UndoError::Nothing => {
            Failure::user(format!("there is no step {what:?}")).hint(format!("`{undo} list` shows what there is"))
        }
        error => error.into(),
    })?;
    say::running(journal.call_of(&step).as_ref()).iter().for_each(|line| say(line));
    say::lost(&step).iter().for_each(|line| say(line));
    let restored = journal.bring_back(&step)?;
    say::restored(&restored, &step, undo).iter().for_each(|line| say(line));
    Ok(restored.failed.is_empty() && step.unnamed.is_empty())
}

/// Lists a layer that was kept, as steps are listed.
fn listed(layer: &Layer, session: Option<&str>) -> String {
    let time = i64::try_from(layer.about.time_ms).ok().and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
    let time = time.map(|time| time.strftime("%Y-%m-%d %H:%M").to_string()).unwrap_or_default();
    let command: String = layer.about.command.lines().next().unwrap_or_default().chars().take(100).collect();
    let own = layer.about.session.as_deref().unwrap_or_default();
    let agent = own.split_once(':').filter(|(name, _)| Agent::of(name).is_some());
    let agent = agent.map(|(name, session)| format!("({name}, session {session}) ")).unwrap_or_default();
    let other = match session {
        _ if !agent.is_empty() => "",
        Some(session) if layer.about.session.as_deref() != Some(session) => "(another session) ",
        Some(_) | None => "",
    };
    format!("{}  {time}  {}  {agent}{other}(a layer, exact) {command}", layer.id(), say::size(layer.size().0))
}

/// Takes a kept layer back. What changed since is only replaced where the layer was named, and is put aside before.
fn take_back(
    layer: &Layer,
    (undo, named): (&str, bool),
    session: Option<&str>,
    journal: &UndoJournal,
    say: &mut dyn FnMut(&str),
) -> Result<bool, Failure> {
    let id = layer.id();
    let mut kept = None;
    let taken = match layer.take_back(OnConflict::Stop) {
        Err(KeepError::Conflicts(conflicts)) if named && !is_barred(&conflicts) => {
            let there: Vec<Wanted> =
                conflicts.iter().map(|conflict| Wanted::new(&conflict.path, How::Remove, Reach::Tree)).collect();
            let step = journal.save_before_undo(session, &format!("undo of {id}: {}", layer.about.command), &there)?;
            if let Some((path, why)) = step.missed.first() {
                return Err(Failure::user(format!("what is at {path} now cannot be put aside: {why}"))
                    .hint("nothing was undone; move it away and try again"));
            }
            kept = Some(step.id);
            layer.take_back(OnConflict::Replace)
        }
        taken => taken,
    };
    match taken {
        Ok(paths) => {
            say(&format!("undone: {}", layer.about.command));
            say(&format!(
                "  {} as before, exactly",
                if paths == 1 { "1 path is".to_owned() } else { format!("{paths} paths are") }
            ));
            if let Some(kept) = kept {
                say(&say::kept_instead(undo, &kept));
            }
            Ok(true)
        }
        Err(KeepError::Conflicts(conflicts)) => {
            for conflict in &conflicts {
                say(&format!("{} {} since", conflict.path.display(), conflict.why.as_str()));
            }
            let hint = if is_barred(&conflicts) {
                format!(
                    "move away what is in the place of a folder, then `{undo} {id}` makes the folder again and undoes the rest"
                )
            } else {
                format!("`{undo} {id}` undoes it all the same and puts aside what is there now")
            };
            Err(Failure::user("nothing was undone").hint(hint))
        }
        Err(KeepError::State(State::TakenBack)) => {
            Err(Failure::user("it has been undone already, by another aish")
                .hint(format!("`{undo} list` shows the rest")))
        }
        Err(KeepError::Busy) => Err(Failure::user("another aish is undoing this").hint("try again when it has ended")),
        Err(error @ KeepError::Unfinished { .. }) => Err(error.into()),
        Err(error) => Err(Failure::user(format!("nothing was undone: {}", chain(&error)))
            .hint(format!("mend that, then `{undo} {id}` tries again"))),
    }
}

/// Says whether a link or a file is in the place of a folder on the way: nothing is put back through those.
fn is_barred(conflicts: &[Conflict]) -> bool {
    conflicts.iter().any(|conflict| conflict.why == Why::Replaced)
}
