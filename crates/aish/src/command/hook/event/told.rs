//! What an agent tells behind a command: that it has run, and that a session has ended.

use std::path::{Path, PathBuf};

use aish_hook::agent::{Agent, Event};
use aish_hook::answer;
use aish_hook::payload::CommandCall;
use aish_journal::undo::{Became, CallState};

use super::record::{self, Key};
use crate::arguments::SharedFlags;
use crate::base::Base;
use crate::undo::answer::journal;

/// The most paths that are named.
const SHOWN: usize = 5;

/// Notes that a command has run, and says what it changed of what was put aside before; none where that is nothing, where
/// it runs on in the background, or where nothing was put aside.
pub(super) fn ran(shared: &SharedFlags, agent: Agent, event: Event, call: &CommandCall) -> Option<String> {
    let base = Base::load_in(shared, PathBuf::from("/"));
    let journal = journal(&base)?;
    let (step, _) = journal.open_call(&Key::of(agent, call).text)?;
    if call.background {
        // It has only begun: what it changes is not told yet.
        let _ = journal.end_call(&step, CallState::Background, None);
        return None;
    }
    let changed = journal.changes_since(&step).unwrap_or_default();
    let _ = journal.end_call(&step, CallState::Finished, call.status);
    let said = said(&changed, call.folder.as_deref(), &step.id)?;
    answer::told(call.caller.unwrap_or(agent), event, &said)
}

/// Notes that a session has ended.
pub(super) fn session_ended(shared: &SharedFlags, agent: Agent, session: Option<&str>) {
    let base = Base::load_in(shared, PathBuf::from("/"));
    let call = CommandCall { session: session.map(str::to_owned), ..CommandCall::default() };
    if let Some(journal) = journal(&base) {
        // An agent that is at its end waits for nothing more.
        let _ = journal.end_session(record::session(agent, Some(&call)).as_str());
    }
}

/// Puts changes into a sentence.
fn said(changed: &[(PathBuf, Became)], folder: Option<&str>, step: &str) -> Option<String> {
    if changed.is_empty() {
        return None;
    }
    let shown =
        |path: &Path| folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path).display().to_string();
    let of = |wanted: Became, word: &str| {
        let paths: Vec<String> =
            changed.iter().filter(|(_, became)| *became == wanted).map(|(path, _)| shown(path)).collect();
        let more = paths.len().saturating_sub(SHOWN);
        let named = paths.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!paths.is_empty()).then(|| format!("{word} {named}{rest}"))
    };
    let parts = [of(Became::Deleted, "deleted"), of(Became::Changed, "changed"), of(Became::Created, "created")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let text = format!("aish: this command {}. `aish undo {step}` brings that back.", parts.join(", "));
    Some(aish_types::visible(&text).replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_a_sentence() {
        let path = |name: &str| PathBuf::from(format!("/srv/site/{name}"));
        let mut changed = vec![(path("notes"), Became::Deleted), (PathBuf::from("/etc/hosts"), Became::Changed)];
        assert_eq!(
            said(&changed, Some("/srv/site"), "u-1").unwrap(),
            "aish: this command deleted notes, changed /etc/hosts. `aish undo u-1` brings that back."
        );
        changed = (0..8).map(|number| (path(&format!("f{number}")), Became::Created)).collect();
        assert_eq!(
            said(&changed, Some("/srv/site"), "u-2").unwrap(),
            "aish: this command created f0, f1, f2, f3, f4 and 3 more. `aish undo u-2` brings that back."
        );
        assert_eq!(said(&[], None, "u-3"), None);
        assert!(!said(&[(path("a\u{1b}\nb"), Became::Deleted)], None, "u").unwrap().contains(['\u{1b}', '\n']));
    }
}
