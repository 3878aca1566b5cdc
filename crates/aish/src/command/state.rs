//! `aish state`: what is kept, taken along or deleted.

use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use aish_journal::session::Hold;
use aish_term::message;

use crate::arguments::StateCommand;
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;

/// The database, which is copied by itself, as it is at one moment.
const DATABASE: &str = "aish.db";
/// Names of the state folder that are nobody's to take along: secrets, and what belongs to the database.
const LEFT: &[&str] = &["mcp-tokens", DATABASE, "aish.db-wal", "aish.db-shm"];
/// How deep folders are copied.
const DEPTH: usize = 32;

/// What was copied or is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    files: u64,
    bytes: u64,
}

impl Count {
    fn and(self, more: Self) -> Self {
        Self { files: self.files + more.files, bytes: self.bytes + more.bytes }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.files == 1 { "file" } else { "files" };
        write!(f, "{} {word} ({} kB)", self.files, self.bytes.div_ceil(1024))
    }
}

/// Runs a sub-command; `print` writes a line to standard output.
///
/// # Errors
/// When nothing is kept, a session is open elsewhere, nobody says yes, or files cannot be read or written.
pub fn run(base: &Base, command: &StateCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    print(&match command {
        StateCommand::Export { folder } => export(base, folder)?,
        StateCommand::Delete { yes } => delete(base, *yes)?,
    });
    Ok(ExitCode::Ok)
}

fn state(base: &Base) -> Result<&Path, Failure> {
    let state =
        base.paths.state.as_deref().ok_or_else(|| Failure::user("there is no home folder, so nothing is kept"))?;
    match state.is_dir() {
        true => Ok(state),
        false => Err(Failure::user(format!("nothing is kept: {} is not there", state.display()))),
    }
}

fn export(base: &Base, folder: &Path) -> Result<String, Failure> {
    let state = state(base)?;
    let fail = |error: io::Error| Failure::from(error).at(folder.display());
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_inside = match (above.canonicalize(), state.canonicalize()) {
        (Ok(above), Ok(state)) => above.starts_with(state),
        (Ok(_) | Err(_), _) => false,
    };
    if is_inside {
        return Err(Failure::user(format!("{} lies in what is to be copied", folder.display()))
            .hint("name a folder outside of it"));
    }
    let has_database = state.join(DATABASE).is_file();
    if has_database {
        // Nothing of another database would be in the copy.
        base.store.kept().map_err(|error| {
            Failure::from(error).hint(format!("nothing was copied; {} can be, while no aish runs", state.display()))
        })?;
    }
    DirBuilder::new().mode(0o700).create(folder).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AlreadyExists => "name a folder that is not there yet; nothing in this one was touched",
            io::ErrorKind::NotFound => "the folder that it is to be in has to be there",
            _ => "name a folder that you may make",
        };
        fail(error).hint(hint)
    })?;
    let mut count = copied(state, folder, LEFT, 0).map_err(fail)?;
    if has_database {
        let copy = folder.join(DATABASE);
        // SQLite fills an empty file, and leaves it its mode.
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&copy).map_err(fail)?;
        base.store.copy_to(&copy)?;
        count.files += 1;
        count.bytes += fs::metadata(&copy).map_or(0, |file| file.len());
    }
    Ok(format!("{count} are in {}", folder.display()))
}

/// Copies the regular files of a folder; links and sockets are left out.
fn copied(from: &Path, to: &Path, left: &[&str], depth: usize) -> io::Result<Count> {
    let mut count = Count::default();
    if depth > DEPTH {
        return Ok(count);
    }
    for entry in entries(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_lock(Path::new(&name)) || left.iter().any(|left| name == *left) {
            continue;
        }
        let (kind, target) = (entry.file_type()?, to.join(&name));
        if kind.is_dir() {
            DirBuilder::new().mode(0o700).create(&target)?;
            count = count.and(copied(&entry.path(), &target, &[], depth + 1)?);
        } else if kind.is_file() {
            let mut source = fs::File::open(entry.path())?;
            let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&target)?;
            count = count.and(Count { files: 1, bytes: io::copy(&mut source, &mut copy)? });
        }
    }
    Ok(count)
}

/// Reads a folder; one that is closed to its owner (overlayfs's own, beside a layer) holds nothing of anybody's.
fn entries(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_closed(folder) => Ok(None),
        read => read.map(Some),
    }
    .map(|entries| entries.into_iter().flatten())
}

fn is_closed(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|folder| folder.permissions().mode() & 0o700 == 0)
}

fn is_lock(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "lock")
}

fn delete(base: &Base, yes: bool) -> Result<String, Failure> {
    let state = state(base)?;
    if fs::symlink_metadata(state).is_ok_and(|meta| meta.is_symlink()) {
        return Err(Failure::user(format!("{} is a link", state.display())).hint("delete what is behind it by hand"));
    }
    let sessions = state.join("sessions");
    let logs = fs::read_dir(&sessions).into_iter().flatten().flatten().map(|entry| entry.path());
    let ids = logs.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let mut held = Vec::new();
    for id in ids.filter_map(|path| Some(aish_types::SessionId::new(path.file_stem()?.to_str()?))) {
        match Hold::take(&sessions, &id) {
            Ok(Some(hold)) => held.push(hold),
            Ok(None) => {
                return Err(Failure::user(format!("session {id} is open in another aish")).hint("end that first"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let count = counted(state, 0).map_err(|error| Failure::from(error).at(state.display()))?;
    if !yes && !is_sure(state, count) {
        return Err(Failure::user("nothing was deleted"));
    }
    drop(held);
    // A link goes, and not what it leads to.
    aish_confine::remove_tree(state).map_err(|error| Failure::from(error).at(state.display()))?;
    Ok(format!("{} with its {count} is deleted; the configuration is as it was", state.display()))
}

/// Counts the regular files of a folder, but for locks; links are not followed.
fn counted(folder: &Path, depth: usize) -> io::Result<Count> {
    let mut count = Count::default();
    if depth > DEPTH {
        return Ok(count);
    }
    for entry in entries(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            count = count.and(counted(&entry.path(), depth + 1)?);
        } else if kind.is_file() && !is_lock(&entry.path()) {
            count = count.and(Count { files: 1, bytes: entry.metadata()?.len() });
        }
    }
    Ok(count)
}

/// Asks at the terminal; nobody's word is a no.
fn is_sure(state: &Path, count: Count) -> bool {
    let mut err = io::stderr().lock();
    if !io::stdin().is_terminal() {
        let _ = writeln!(err, "aish: nobody is here to be asked; --yes deletes {}", state.display());
        return false;
    }
    if aish_term::discard_typed_before().is_err() {
        return false;
    }
    let question = format!(
        "history, memory, costs, sessions, approvals, tokens of servers, undo and the record of decisions, the {count} in {}, are \
         deleted for good.\nType `delete` to do it: ",
        state.display()
    );
    let _ = write!(err, "{}", message::text(&question, message::columns_of(&err)));
    let _ = err.flush();
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.is_ok() && line.trim() == "delete"
}
