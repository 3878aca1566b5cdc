//! `aish hook status`: where hooks are installed, whether they would run, and what they cannot see.

mod switches;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aish_hook::agent::{Agent, Form, Place, Scope};
use aish_hook::{edit, plugin};
use serde_json::json;

use super::place;
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;

/// How long an agent may take to tell its version.
const VERSION: Duration = Duration::from_secs(2);

/// What was found of one agent in one scope.
struct InstalledHooks {
    agent: Agent,
    scope: &'static str,
    path: PathBuf,
    /// Programs that its entries start, each once.
    programs: Vec<PathBuf>,
    /// Why the hooks will not run, each a sentence.
    faults: Vec<String>,
    /// What there is to know beside that.
    notes: Vec<String>,
}

/// Prints the status; exit code 1 where something is installed that will not run.
///
/// # Errors
/// When a thread for an agent's version cannot be made.
pub fn run(base: &Base, agent: Option<Agent>, as_json: bool, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let agents: Vec<Agent> = agent.map_or_else(|| Agent::ALL.to_vec(), |agent| vec![agent]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut broken = false;
    for agent in agents {
        let mut found: Vec<InstalledHooks> = scopes(base, agent);
        if let Some(first) = found.first_mut() {
            first.faults.extend(switches::faults(base, agent));
            if agent == Agent::Codex {
                runtime.block_on(switches::codex_trust(&base.folder)).tell(first);
            }
        }
        broken |= found.iter().any(|found| !found.faults.is_empty());
        let version = if found.is_empty() { None } else { runtime.block_on(version(agent)) };
        if as_json {
            print(&in_json(agent, &found, version.as_deref()).to_string());
        } else {
            in_words(agent, &found, version.as_deref()).iter().for_each(|line| print(&aish_types::visible(line)));
        }
    }
    runtime.shutdown_background();
    Ok(if broken { ExitCode::Error } else { ExitCode::Ok })
}

fn scopes(base: &Base, agent: Agent) -> Vec<InstalledHooks> {
    let scopes = [(Scope::User, "user"), (Scope::Project, "project"), (Scope::Shared, "shared")];
    let mut found: Vec<InstalledHooks> =
        scopes.into_iter().filter_map(|(scope, word)| look(agent, word, &place(base, agent, scope)?)).collect();
    if found.len() > 1
        && let Some(last) = found.last_mut()
    {
        last.notes.push("it is installed more than once: each command is judged as often".to_owned());
    }
    found
}

/// Looks into one file; none where nothing of ours is in it.
fn look(agent: Agent, scope: &'static str, place: &Place) -> Option<InstalledHooks> {
    let text = aish_journal::read_text(&place.path).ok()?;
    let running = std::env::current_exe().ok();
    let mut faults = Vec::new();
    let mut programs = match agent.form() {
        Form::Module => vec![plugin::program(&text)?],
        Form::Grouped | Form::Flat => match edit::find(&text, agent, place.comments, running.as_deref()) {
            Ok(own) if own.is_empty() => return None,
            Ok(own) => own.into_iter().map(|own| own.program).collect(),
            Err(error) => {
                faults.push(format!("the file cannot be read: {error}"));
                Vec::new()
            }
        },
    };
    programs.sort();
    programs.dedup();
    let dead = programs.iter().filter(|program| !is_executable(program));
    faults.extend(dead.map(|program| {
        format!("{} is gone or cannot be started: `aish hook install {}` mends it", program.display(), agent.name())
    }));
    Some(InstalledHooks { agent, scope, path: place.path.clone(), programs, faults, notes: Vec::new() })
}

/// Tells whether a file is there and may be executed.
pub(super) fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Asks an agent for its version; none where it is not installed or does not say within two seconds.
async fn version(agent: Agent) -> Option<String> {
    let mut command = tokio::process::Command::new(agent.program()?);
    command.arg("--version").stdin(std::process::Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(VERSION, command.output()).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.chars().take(80).collect())
}

fn in_json(agent: Agent, found: &[InstalledHooks], version: Option<&str>) -> serde_json::Value {
    let installed: Vec<_> = found
        .iter()
        .map(|found| json!({"scope": found.scope, "path": found.path, "programs": found.programs, "faults": found.faults, "notes": found.notes}))
        .collect();
    json!({"agent": agent.name(), "version": version, "installed": installed, "holes": agent.holes()})
}

fn in_words(agent: Agent, found: &[InstalledHooks], version: Option<&str>) -> Vec<String> {
    if found.is_empty() {
        return vec![format!("{}: not hooked", agent.name())];
    }
    let version = version.map(|version| format!(" ({version})")).unwrap_or_default();
    let mut lines = Vec::new();
    for found in found {
        let hooked = if found.programs.is_empty() { "nobody can tell whether it is hooked" } else { "hooked" };
        lines.push(format!(
            "{}{version}: {hooked} for the {}: {}",
            found.agent.name(),
            found.scope,
            found.path.display()
        ));
        lines.extend(found.programs.iter().map(|program| format!("  starts {}", program.display())));
        lines.extend(found.faults.iter().map(|fault| format!("  fault: {fault}")));
        lines.extend(found.notes.iter().map(|note| format!("  note: {note}")));
    }
    lines.extend(agent.holes().iter().map(|hole| format!("  not seen: {hole}")));
    lines
}
