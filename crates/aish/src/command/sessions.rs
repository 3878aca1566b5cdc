//! `aish sessions`: list, export, rename, fork and delete what was kept.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use aish_journal::session::Hold;
use aish_journal::{SessionError, SessionLog};
use aish_store::{SessionSummary, Sessions};
use aish_types::SessionId;
use serde_json::json;

use crate::arguments::{ExportFlags, SessionsCommand};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::export::{Exported, Format};
use crate::failure::Failure;
use crate::session::found::find;
use crate::session::search::search;
use crate::session::{lines, new_id};

/// Runs a sub-command; `print` writes a line to standard output.
///
/// # Errors
/// When a session is not there, is open elsewhere, or its file cannot be read or written.
pub fn run(base: &Base, command: &SessionsCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    act(base, command, print)?;
    Ok(ExitCode::Ok)
}

fn act(base: &Base, command: &SessionsCommand, print: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    let sessions = base.sessions()?;
    match command {
        SessionsCommand::List { json } => list(&sessions, *json, print)?,
        SessionsCommand::Search { words } => {
            let hits = search(&sessions, &words.join(" "))?;
            if hits.is_empty() {
                return Err(Failure::user("nothing like that was said in the sessions that are kept"));
            }
            for hit in hits {
                print(&lines::of(&hit.session));
                print(&format!("    {}", hit.excerpt));
            }
        }
        SessionsCommand::Export(flags) => {
            let summary = find(&sessions, flags.session.as_deref().unwrap_or_default())?;
            let text = exported(&sessions, &summary.id, format(flags))?;
            match &flags.output {
                Some(path) => print(&format!("written: {}", save(path, &text)?)),
                None => print(text.trim_end()),
            }
        }
        SessionsCommand::Rename { session, name } => {
            let summary = find(&sessions, session)?;
            sessions.rename(&summary.id, name)?;
        }
        SessionsCommand::Fork { session, turn } => {
            let summary = find(&sessions, session)?;
            let new = new_id(&base.clock);
            sessions.fork(&summary.id, &new, *turn)?;
            print(new.as_str());
        }
        SessionsCommand::Delete { sessions: wanted } => {
            // All are found before the first goes: a slip in the second name costs nothing.
            let found: Vec<SessionSummary> =
                wanted.iter().map(|wanted| find(&sessions, wanted)).collect::<Result<_, _>>()?;
            for summary in found {
                delete(&sessions, &summary.id)?;
                print(&format!("deleted: {}", lines::of(&summary)));
            }
        }
    }
    Ok(())
}

/// Deletes a session unless it is open.
///
/// # Errors
/// When its log cannot be read, deleted or written.
pub fn delete(sessions: &Sessions, id: &SessionId) -> Result<(), Failure> {
    match Hold::take(sessions.folder(), id) {
        Ok(None) => Err(Failure::user(format!("session {id} is open in another aish")).hint("end that first")),
        Ok(Some(_hold)) => {
            sessions.delete(id)?;
            crate::norris::log::forget(sessions.folder(), id)
        }
        Err(error) => Err(error.into()),
    }
}

fn list(sessions: &Sessions, json_wanted: bool, print: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    let all = sessions.list()?;
    if json_wanted {
        for summary in &all {
            let object = json!({
                "id": summary.id.as_str(), "title": summary.title, "folder": summary.folder,
                "project": summary.project, "turns": summary.turns, "first_words": summary.first_words,
                "modified_ms": summary.modified_ms,
            });
            print(&object.to_string());
        }
        return Ok(());
    }
    if all.is_empty() {
        print("no session was kept yet");
    }
    all.iter().for_each(|summary| print(&lines::of(summary)));
    Ok(())
}

/// The format that is named, else that of the file's name, else Markdown.
fn format(flags: &ExportFlags) -> Format {
    let by_name = || {
        let extension = flags.output.as_deref().and_then(Path::extension)?;
        Format::named(&extension.to_string_lossy())
    };
    flags.format.or_else(by_name).unwrap_or(Format::Md)
}

/// Writes a session as a document.
///
/// # Errors
/// When its log cannot be read, deleted or written.
pub fn exported(sessions: &Sessions, id: &SessionId, format: Format) -> Result<String, Failure> {
    let session = SessionLog::read(sessions.folder(), id).map_err(|error| match error {
        SessionError::Missing(_) => Failure::user("nothing was said in this session yet"),
        other => other.into(),
    })?;
    Ok(Exported { id, session: &session }.write(format))
}

/// Writes a document to a file that is not there yet, for its owner alone, and returns the file's path.
///
/// # Errors
/// When its log cannot be read, deleted or written.
pub fn save(path: &Path, text: &str) -> Result<String, Failure> {
    let shown = path.display().to_string();
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::user(format!("{shown} is there already and stays as it is")).hint("give another name")
        }
        _ => Failure::from(error).at(&shown),
    })?;
    Ok(shown)
}
