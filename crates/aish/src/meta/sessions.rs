//! `:sessions` and `:resume`.

use aish_route::PriorTurn;
use aish_types::SessionId;

use crate::failure::Failure;
use crate::repl::Repl;
use crate::session::found::{find, open};
use crate::session::search::search;
use crate::session::{lines, new_id};

/// Sessions that are shown.
const SHOWN: usize = 20;

pub(super) async fn run(repl: &mut Repl, rest: &str) {
    let (verb, rest) = rest.split_once(char::is_whitespace).map_or((rest, ""), |(verb, rest)| (verb, rest.trim()));
    let done = match verb {
        "" | "list" => list(repl),
        "search" => searched(repl, rest),
        "rename" => rename(repl, rest),
        "fork" => fork(repl, rest),
        "delete" => delete(repl, rest).await,
        other => Err(Failure::user(format!(
            ":sessions takes list, search WORDS, rename NAME, fork [ID] or delete ID, not {other:?}"
        ))),
    };
    if let Err(why) = done {
        repl.fail(&why);
    }
}

pub(super) fn resume(repl: &mut Repl, rest: &str) {
    let current = current(repl);
    let wanted = match repl.base.sessions().and_then(|sessions| {
        // The newest session is the running one as soon as something was said in it.
        let all = if rest.is_empty() { sessions.list()? } else { Vec::new() };
        match all.into_iter().find(|summary| summary.id != current) {
            Some(summary) => Ok(summary),
            None => find(&sessions, rest),
        }
    }) {
        Ok(wanted) if wanted.id == current => return repl.say("this is the session that you are in"),
        Ok(wanted) => wanted,
        Err(why) => return repl.fail(&why),
    };
    go_on(repl, &wanted.id);
}

/// Leaves the running session and goes on with another.
fn go_on(repl: &mut Repl, id: &SessionId) {
    match open(&repl.base, id.as_str()) {
        Ok((resumed, notices)) => {
            repl.live.take_pending();
            repl.set_prior_turn(PriorTurn::Other);
            repl.conversation.go_on(resumed);
            notices.iter().for_each(|notice| repl.say(notice));
        }
        Err(why) => repl.fail(&why),
    }
}

fn current(repl: &Repl) -> SessionId {
    repl.conversation.driver.caller.session.clone()
}

fn list(repl: &Repl) -> Result<(), Failure> {
    let all = repl.base.sessions()?.list()?;
    if all.is_empty() {
        repl.print_words("no session was kept yet");
        return Ok(());
    }
    for line in lines::table(&all, SHOWN, Some(&current(repl))) {
        repl.print_words(&line);
    }
    Ok(())
}

fn searched(repl: &Repl, words: &str) -> Result<(), Failure> {
    let hits = search(&repl.base.sessions()?, words)?;
    if hits.is_empty() {
        return Err(Failure::user("nothing like that was said in the sessions that are kept"));
    }
    for hit in hits.iter().take(SHOWN) {
        repl.print_words(&format!("{}\n    {}", lines::of(&hit.session), hit.excerpt));
    }
    Ok(())
}

fn rename(repl: &mut Repl, name: &str) -> Result<(), Failure> {
    if name.is_empty() {
        return Err(Failure::user(":sessions rename takes the new name of this session"));
    }
    let id = current(repl);
    repl.base.sessions()?.rename(&id, name).map_err(|error| match error {
        aish_store::SessionsError::Session(aish_journal::SessionError::Missing(_)) => {
            Failure::user("nothing was said in this session yet, so it has no log to name")
        }
        other => other.into(),
    })?;
    repl.say(&format!("this session is now called {name}"));
    Ok(())
}

fn fork(repl: &mut Repl, wanted: &str) -> Result<(), Failure> {
    let sessions = repl.base.sessions()?;
    let from = if wanted.is_empty() { current(repl) } else { find(&sessions, wanted)?.id };
    let new = new_id(&repl.base.clock);
    sessions.fork(&from, &new, None)?;
    repl.say(&format!("forked from {from}"));
    go_on(repl, &new);
    Ok(())
}

async fn delete(repl: &mut Repl, wanted: &str) -> Result<(), Failure> {
    if wanted.is_empty() {
        return Err(Failure::user(":sessions delete takes an id, the beginning of one, or a name"));
    }
    let sessions = repl.base.sessions()?;
    let summary = find(&sessions, wanted)?;
    if summary.id == current(repl) {
        return Err(Failure::user("this session is running").hint("end it first, then `aish sessions delete`"));
    }
    let line = lines::of(&summary);
    repl.say(&format!("delete for good: {line}"));
    match repl.editor.choose("[y]es  [n]o ", &['y', 'n']).await {
        Some('y') => {
            crate::command::sessions::delete(&sessions, &summary.id)?;
            repl.say("deleted");
        }
        Some(_) | None => repl.say("kept"),
    }
    Ok(())
}
