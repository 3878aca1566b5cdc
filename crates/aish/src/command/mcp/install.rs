//! `aish mcp install` and `aish mcp uninstall`: aish among the MCP servers of another program.

use std::path::PathBuf;

use aish_hook::agent::Scope;
use aish_hook::edit::{Edited, diff};
use aish_hook::server::{ServerEntry, install as put_in, uninstall as take_out};

use crate::arguments::McpInstallFlags;
use crate::base::Base;
use crate::command::hook::{install::program, project};
use crate::command::settings::{What, backup, put_back, read, write};
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
    let before = read(&path)?;
    let edited = put_in(before.as_deref().unwrap_or_default(), flags.program, &entry)
        .at(|| format!("{} was not changed", path.display()))?;
    let after = match edited {
        Edited::Same => {
            print(&format!("{} starts aish already: {}", flags.program.name(), path.display()));
            return Ok(ExitCode::Ok);
        }
        Edited::Text(text) | Edited::Empty(text) => text,
    };
    if flags.dry_run {
        return Ok(shown(&path, before.as_deref(), &after, print));
    }
    write(base, What::Server, &path, before, &after)?;
    print(&format!("{} starts {} as an MCP server: {}", flags.program.name(), program.display(), path.display()));
    Ok(ExitCode::Ok)
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
    if !leave(base, flags, print)? {
        print(&format!("{} does not start aish: {}", flags.program.name(), settings(base, flags)?.display()));
    }
    Ok(ExitCode::Ok)
}

/// Takes aish out of a program's settings where it is in them, and tells whether it was.
///
/// # Errors
/// As [`install`].
pub(super) fn leave(base: &Base, flags: &McpInstallFlags, print: &mut dyn FnMut(&str)) -> Result<bool, Failure> {
    let path = settings(base, flags)?;
    let Some(now) = read(&path)?.filter(|text| text.contains(NAME)) else { return Ok(false) };
    let kept = backup(base, What::Server, &path);
    let rest = match &kept {
        // Nobody changed the file since: it becomes what it was.
        Some(kept) if kept.after == now => kept.before.clone(),
        _ => match take_out(&now, flags.program, NAME).at(|| format!("{} was not changed", path.display()))? {
            Edited::Same => return Ok(false),
            Edited::Empty(text) => kept.as_ref().is_none_or(|kept| kept.before.is_some()).then_some(text),
            Edited::Text(text) => Some(text),
        },
    };
    if flags.dry_run {
        shown(&path, Some(&now), rest.as_deref().unwrap_or_default(), print);
        return Ok(true);
    }
    put_back(base, What::Server, &path, rest.as_deref())?;
    print(&format!("{} no longer starts aish: {}", flags.program.name(), path.display()));
    Ok(true)
}

/// Returns a program's settings where they name climax, which has its own way out of them.
pub(super) fn names_climax(base: &Base, flags: &McpInstallFlags) -> Option<PathBuf> {
    let path = settings(base, flags).ok()?;
    read(&path).ok().flatten().filter(|text| text.contains("climax")).map(|_| path)
}

fn shown(path: &std::path::Path, before: Option<&str>, after: &str, print: &mut dyn FnMut(&str)) -> ExitCode {
    let diff = diff(before.unwrap_or_default(), after);
    print(&aish_types::visible(&format!("{}\n{}", path.display(), diff.trim_end())));
    ExitCode::Ok
}
