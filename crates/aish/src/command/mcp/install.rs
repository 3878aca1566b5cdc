//! `aish mcp install` and `aish mcp uninstall`: aish among the MCP servers of another program.

use std::path::{Path, PathBuf};

use aish_hook::agent::Scope;
use aish_hook::edit::diff;
use aish_hook::server::{Change, InstalledError, Kept, ServerEntry, Settings};
use aish_journal::{Backup, Readers};

use crate::arguments::McpInstallFlags;
use crate::base::Base;
use crate::command::hook::{install::program, project};
use crate::command::settings::{What, read};
use crate::exit::ExitCode;
use crate::failure::{Failure, ResultExt as _};

/// Our name among the servers.
const NAME: &str = "aish";

fn settings(base: &Base, flags: &McpInstallFlags) -> Result<PathBuf, Failure> {
    let variable = |name: &str| base.variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let scope = if flags.project { Scope::Project } else { Scope::User };
    let path = flags.program.settings(scope, project(base), base.paths.home.as_deref(), variable);
    path.ok_or_else(|| Failure::user("there is no home folder: set HOME"))
}

/// Puts aish into a program's settings.
///
/// # Errors
/// When the settings cannot be read, edited or written; then they are as they were.
pub(super) fn install(base: &Base, flags: &McpInstallFlags, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let path = settings(base, flags)?;
    let program = program(base, flags.binary.as_deref())?;
    let entry = ServerEntry::new(NAME, &program, vec!["mcp".to_owned(), "serve".to_owned()]);
    let now = read(&path)?;
    let kept = kept(base, &path);
    let changed = known(flags, now.as_deref(), kept.as_ref()).install(&entry);
    let Some(change) = changed.at(|| format!("{} was not changed", path.display()))? else {
        print(&format!("{} starts aish already: {}", flags.program.name(), path.display()));
        return Ok(ExitCode::Ok);
    };
    if flags.dry_run {
        return Ok(shown(&path, now.as_deref(), &change, print));
    }
    write(base, flags, &path, &change)?;
    print(&format!("{} starts {} as an MCP server: {}", flags.program.name(), program.display(), path.display()));
    if let Some(other) = &change.other {
        print(&aish_types::visible(&format!("in the place of `{other}`, which comes back with the uninstall")));
    }
    Ok(ExitCode::Ok)
}

/// Returns what is known of a file.
fn kept(base: &Base, path: &Path) -> Option<Kept> {
    let Backup { before, after, .. } = What::Server.backups(base).get(path)?;
    Some(Kept { before, after, names: [NAME.to_owned()].into() })
}

fn known<'a>(flags: &McpInstallFlags, now: Option<&'a str>, kept: Option<&'a Kept>) -> Settings<'a> {
    Settings { program: flags.program, now, kept, is_own: &is_own }
}

/// Tells our entry by its words, wherever the program lies.
fn is_own(command: &str, arguments: &[String]) -> bool {
    Path::new(command).file_name().is_some_and(|name| name == NAME) && arguments == ["mcp", "serve"]
}

fn write(base: &Base, flags: &McpInstallFlags, path: &Path, change: &Change) -> Result<(), Failure> {
    let backups = What::Server.backups(base);
    let Some(Kept { before, after, names }) = change.kept.clone() else {
        return Ok(backups.put_back(path, change.text.as_deref())?);
    };
    let readers = if flags.project { Readers::Project } else { Readers::Owner };
    let (path, names) = (path.to_owned(), names.into_iter().collect());
    Ok(backups.write(Backup { path, before, after, made: Vec::new(), names }, readers)?)
}

/// Takes aish out of a program's settings.
///
/// # Errors
/// As [`install`].
pub(super) fn uninstall(
    base: &Base,
    flags: &McpInstallFlags,
    print: &mut dyn FnMut(&str),
) -> Result<ExitCode, Failure> {
    match leave(base, flags, print)? {
        Left::NotThere => {
            print(&format!("{} does not start aish: {}", flags.program.name(), settings(base, flags)?.display()));
        }
        Left::Out => {}
        Left::Others(why) => return Err(Failure::user(why)),
    }
    Ok(ExitCode::Ok)
}

/// What became of our entry.
pub(super) enum Left {
    /// There was none.
    NotThere,
    /// It is out.
    Out,
    /// There is one of our name that somebody else put in.
    Others(String),
}

/// Takes aish out of a program's settings where it is in them.
///
/// # Errors
/// As [`install`].
pub(super) fn leave(base: &Base, flags: &McpInstallFlags, print: &mut dyn FnMut(&str)) -> Result<Left, Failure> {
    let path = settings(base, flags)?;
    let Some(now) = read(&path)?.filter(|text| text.contains(NAME)) else { return Ok(Left::NotThere) };
    let kept = kept(base, &path);
    let changed = known(flags, Some(&now), kept.as_ref()).uninstall(NAME);
    let not_changed = || format!("{} was not changed", path.display());
    if let Err(why @ InstalledError::NotOurs { .. }) = &changed {
        return Ok(Left::Others(format!("{}: {why}", not_changed())));
    }
    let Some(change) = changed.at(not_changed)? else { return Ok(Left::NotThere) };
    if flags.dry_run {
        shown(&path, Some(&now), &change, print);
        return Ok(Left::Out);
    }
    write(base, flags, &path, &change)?;
    print(&format!("{} no longer starts aish: {}", flags.program.name(), path.display()));
    if let Some(other) = &change.other {
        print(&aish_types::visible(&format!("`{other}` is back in its place")));
    }
    Ok(Left::Out)
}

/// Returns a program's settings where they name climax, which has its own way out of them.
pub(super) fn names_climax(base: &Base, flags: &McpInstallFlags) -> Option<PathBuf> {
    let path = settings(base, flags).ok()?;
    read(&path).ok().flatten().filter(|text| text.contains("climax")).map(|_| path)
}

fn shown(path: &Path, before: Option<&str>, change: &Change, print: &mut dyn FnMut(&str)) -> ExitCode {
    let diff = diff(before.unwrap_or_default(), change.text.as_deref().unwrap_or_default());
    print(&aish_types::visible(&format!("{}\n{}", path.display(), diff.trim_end())));
    ExitCode::Ok
}
