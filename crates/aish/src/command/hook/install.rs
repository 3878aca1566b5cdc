//! `aish hook install` and `uninstall`: our entries in an agent's settings, everything else left byte by byte.
//!
//! What a file was before is kept in the state folder: as long as nobody else changes it, it comes back byte by byte.

use std::path::{Path, PathBuf};

use aish_hook::agent::{Agent, Form, Place};
use aish_hook::edit::{self, Edited};
use aish_hook::plugin;
use aish_journal::{Backup, Readers};

use super::place;
use crate::arguments::{HookInstallFlags, HookScope};
use crate::base::Base;
use crate::command::settings::{What, read};
use crate::exit::ExitCode;
use crate::failure::{Failure, ResultExt as _};

/// Puts our entries into an agent's settings.
///
/// # Errors
/// When the settings cannot be read, edited or written; then they are as they were.
pub fn install(base: &Base, flags: &HookInstallFlags, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let agent = flags.agent;
    let place = wanted_place(base, agent, flags.scope)?;
    let program = program(base, flags.program.as_deref())?;
    let before = read(&place.path)?;
    let after = match agent.form() {
        Form::Module => module(before.as_deref(), agent, &program, &place)?,
        Form::Grouped | Form::Flat => entries(before.as_deref(), agent, &program, &place)?,
    };
    let Some(after) = after else {
        print(&format!("{} is hooked already: {}", agent.name(), place.path.display()));
        return Ok(ExitCode::Ok);
    };
    if flags.dry_run {
        let diff = aish_hook::edit::diff(before.as_deref().unwrap_or_default(), &after);
        print(&aish_types::visible(&format!("{}\n{}", place.path.display(), diff.trim_end())));
        return Ok(ExitCode::Ok);
    }
    let backups = What::Hooks.backups(base);
    // A file that was changed since we wrote to it is kept without what we wrote.
    let before = match backups.get(&place.path) {
        Some(_) => rest(base, agent, &place)?.unwrap_or(before),
        None => before,
    };
    let readers = if flags.scope.shared { Readers::Project } else { Readers::Owner };
    let kept = Backup { path: place.path.clone(), before, after, made: Vec::new(), names: Vec::new() };
    backups.write(kept, readers)?;
    for (path, content) in agent.companions(&place) {
        aish_journal::replace_others(&path, content.as_bytes())?;
    }
    print(&format!("{} asks {} before each command: {}", agent.name(), program.display(), place.path.display()));
    for line in advice(agent) {
        print(line);
    }
    Ok(ExitCode::Ok)
}

/// Takes our entries out again.
///
/// # Errors
/// When the settings cannot be read, edited or written; then they are as they were.
pub fn uninstall(
    base: &Base,
    agent: Agent,
    scope: HookScope,
    print: &mut dyn FnMut(&str),
) -> Result<ExitCode, Failure> {
    let place = wanted_place(base, agent, scope)?;
    match rest(base, agent, &place)? {
        None => print(&format!("{} is not hooked: {}", agent.name(), place.path.display())),
        Some(rest) => take_out(base, agent, &place, rest, print)?,
    }
    Ok(ExitCode::Ok)
}

/// Takes our entries out where there are any and says so; says nothing elsewhere.
///
/// # Errors
/// As [`uninstall`].
pub(in crate::command) fn leave(
    base: &Base,
    agent: Agent,
    scope: HookScope,
    dry_run: bool,
    print: &mut dyn FnMut(&str),
) -> Result<(), Failure> {
    let Some(place) = place(base, agent, scope.chosen()) else { return Ok(()) };
    // A file that does not name us has nothing of ours, whether it can be parsed or not.
    if !read(&place.path)?.is_some_and(|text| text.contains("aish")) {
        return Ok(());
    }
    match rest(base, agent, &place)? {
        None => Ok(()),
        Some(_) if dry_run => {
            print(&format!("{} would no longer ask aish: {}", agent.name(), place.path.display()));
            Ok(())
        }
        Some(rest) => take_out(base, agent, &place, rest, print),
    }
}

/// What is left of a file: its text, or none where the file goes.
type Rest = Option<String>;

/// Returns what is left of an agent's settings without our entries; none where there are none.
fn rest(base: &Base, agent: Agent, place: &Place) -> Result<Option<Rest>, Failure> {
    let Some(now) = read(&place.path)? else { return Ok(None) };
    let backup = What::Hooks.backups(base).get(&place.path);
    Ok(match &backup {
        // Nobody changed the file since: it becomes what it was.
        Some(backup) if backup.after == now => Some(backup.before.clone()),
        _ => match without_ours(&now, agent, place)? {
            None => None,
            Some(Edited::Empty(text)) => {
                let ours = place.whole || backup.as_ref().is_some_and(|backup| backup.before.is_none());
                Some((!ours).then_some(text))
            }
            Some(Edited::Text(text)) => Some(Some(text)),
            Some(Edited::Same) => Some(Some(now)),
        },
    })
}

fn take_out(base: &Base, agent: Agent, place: &Place, rest: Rest, print: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    for (path, content) in agent.companions(place).into_iter().filter(|_| rest.is_none()) {
        if read(&path)?.as_ref() == Some(&content) {
            aish_journal::remove_others(&path)?;
        }
    }
    What::Hooks.backups(base).put_back(&place.path, rest.as_deref())?;
    print(&format!("{} no longer asks aish: {}", agent.name(), place.path.display()));
    Ok(())
}

/// Returns the file without our entries; none where there are none.
fn without_ours(now: &str, agent: Agent, place: &Place) -> Result<Option<Edited>, Failure> {
    if agent.form() == Form::Module {
        return Ok(plugin::program(now).map(|_| Edited::Empty(String::new())));
    }
    let running = std::env::current_exe().ok();
    let edited = edit::uninstall(now, agent, place.comments, running.as_deref())
        .at(|| format!("{} was not changed", place.path.display()))?;
    Ok(Some(edited).filter(|edited| *edited != Edited::Same))
}

fn entries(before: Option<&str>, agent: Agent, program: &Path, place: &Place) -> Result<Option<String>, Failure> {
    let edited = edit::install(before.unwrap_or_default(), agent, place.comments, program)
        .at(|| format!("{} was not changed", place.path.display()))?;
    Ok(match edited {
        Edited::Same => None,
        Edited::Text(text) | Edited::Empty(text) => Some(text),
    })
}

fn module(before: Option<&str>, agent: Agent, program: &Path, place: &Place) -> Result<Option<String>, Failure> {
    if before.is_some_and(|text| plugin::program(text).is_none()) {
        let path = place.path.display();
        return Err(Failure::user(format!("{path} is not ours and was not changed; move it away first")));
    }
    let text = plugin::module(program, agent).ok_or_else(|| Failure::internal("the agent takes no module"))?;
    Ok(Some(text).filter(|text| Some(text.as_str()) != before))
}

fn wanted_place(base: &Base, agent: Agent, scope: HookScope) -> Result<Place, Failure> {
    place(base, agent, scope.chosen()).ok_or_else(|| match scope.shared {
        true => Failure::user(format!("{} has no settings of that kind; leave --shared out", agent.name())),
        false => Failure::user("there is no home folder: set HOME"),
    })
}

/// Returns the program that another one starts: absolute, there, executable, and in a place where it stays.
pub(in crate::command) fn program(base: &Base, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = match named {
        Some(path) => base.folder.join(path),
        None => std::env::current_exe().at(|| "the path of this program is not known; name it with --program")?,
    };
    if !super::status::is_executable(&path) {
        return Err(Failure::user(format!("{} is not a program that can be started", path.display())));
    }
    if let Some(why) = fleeting(base, &path) {
        return Err(Failure::user(format!(
            "{} will not stay: it is in {why}. Install aish for good (a package, or `cargo install`), or name its \
             path with --program",
            path.display()
        )));
    }
    Ok(path)
}

/// Says in what a program lies that is emptied by others.
fn fleeting(base: &Base, path: &Path) -> Option<&'static str> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let variable = |name: &str| base.variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let under = |folder: Option<PathBuf>| folder.is_some_and(|folder| real.starts_with(&folder));
    let home = base.paths.home.as_deref();
    if real.components().any(|part| part.as_os_str() == "_npx") {
        return Some("npx's cache");
    }
    if under(variable("UV_CACHE_DIR")) || real.components().any(|part| part.as_os_str() == "archive-v0") {
        return Some("uv's cache");
    }
    if under(variable("XDG_CACHE_HOME").or_else(|| Some(home?.join(".cache")))) {
        return Some("a cache");
    }
    let temporary = [variable("TMPDIR"), Some("/tmp".into()), Some("/var/tmp".into()), Some("/dev/shm".into())];
    temporary.into_iter().any(under).then_some("a folder for temporary files")
}

/// Says what the person has to do besides.
const fn advice(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::Codex => &["Codex runs it only after you approve it: type /hooks in codex."],
        Agent::Claude => &["Claude Code takes it at once; in a folder that you trust."],
        Agent::Gemini | Agent::Qwen | Agent::Copilot | Agent::Goose => &["It holds from the next session on."],
        Agent::Opencode | Agent::Crush => &["It holds from the next start on."],
        Agent::Cursor => &[],
    }
}
