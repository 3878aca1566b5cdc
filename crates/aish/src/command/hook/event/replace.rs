//! A transaction in a command's place: the same command in a layer, where a person is asked about that.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use aish_hook::agent::{Agent, Scope};
use aish_hook::payload::CommandCall;
use aish_safety::{Hold, PolicyRules, Shell, Surroundings};
use serde_json::Value;

use super::super::place;
use super::record;
use crate::base::Base;
use crate::confinement::{self, Ground};

/// Where an administrator's rules for Claude Code lie.
const MANAGED: &str = "/etc/claude-code";

/// Returns the command line that runs a command in a layer; none where no layer holds it, where something of it would be
/// lost (a folder that it goes to, a job that goes on), or where rules of the person's own are about command lines, which
/// another one would slip through.
pub(super) fn by_a_transaction(base: &Base, agent: Agent, call: &CommandCall, around: &Surroundings) -> Option<String> {
    if call.background || has_rules_that_deny(base, agent, call) {
        return None;
    }
    let folder = Path::new(call.folder.as_deref()?);
    let tree = Ground::of(base).tree(folder)?.display().to_string();
    let analysis = aish_safety::analyse(&call.command, around, &PolicyRules::default());
    let real = std::fs::canonicalize(folder).ok()?.display().to_string();
    let around = Surroundings { folder: Some(real), ..around.clone() };
    let hold = aish_safety::hold(&call.command, &analysis, Some(&tree), &around, Shell::Own);
    if hold != Hold::Layer || aish_safety::touches_the_shell(&analysis) || !confinement::works() {
        return None;
    }
    let program = std::env::current_exe().ok().filter(|program| program.is_file())?;
    let shell = base.variable("SHELL").filter(|shell| shell.ends_with("/zsh")).unwrap_or_else(|| "bash".to_owned());
    let session = record::session(agent, Some(call));
    let program = program.to_str()?;
    Some(shell_words::join([program, "try", "--agent", session.as_str(), "--", &shell, "-c", &call.command]))
}

/// Tells whether a settings file of the agent refuses command lines, or cannot be read.
fn has_rules_that_deny(base: &Base, agent: Agent, call: &CommandCall) -> bool {
    let mut files: Vec<PathBuf> = place(base, agent, Scope::User).into_iter().map(|place| place.path).collect();
    let above = call.folder.as_deref().map(Path::new).into_iter().flat_map(Path::ancestors);
    let project =
        above.flat_map(|folder| ["settings.json", "settings.local.json"].map(|name| folder.join(".claude").join(name)));
    files.extend(project);
    files.push(Path::new(MANAGED).join("managed-settings.json"));
    match std::fs::read_dir(Path::new(MANAGED).join("managed-settings.d")) {
        Ok(entries) => files.extend(entries.flatten().map(|entry| entry.path())),
        Err(error) if error.kind() != ErrorKind::NotFound => return true,
        Err(_) => {}
    }
    files.iter().any(|file| match aish_journal::read_text(file) {
        Ok(text) => denies(&text),
        Err(error) => error.kind() != ErrorKind::NotFound,
    })
}

/// Tells whether settings refuse some command lines, or are not understood.
fn denies(settings: &str) -> bool {
    let Ok(settings) = serde_json::from_str::<Value>(settings) else { return true };
    let rules = settings.get("permissions").and_then(|permissions| permissions.get("deny"));
    match rules {
        None => false,
        Some(Value::Array(rules)) => {
            rules.iter().any(|rule| rule.as_str().is_none_or(|rule| rule.starts_with("Bash") || rule.starts_with('*')))
        }
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_refuse_command_lines_are_found() {
        for (settings, expected) in [
            ("{}", false),
            (r#"{"permissions": {"allow": ["Bash(ls:*)"]}}"#, false),
            (r#"{"permissions": {"deny": ["Read(./.env)"]}}"#, false),
            (r#"{"permissions": {"deny": ["Read(./.env)", "Bash(curl:*)"]}}"#, true),
            (r#"{"permissions": {"deny": [1]}}"#, true),
            (r#"{"permissions": {"deny": "Bash"}}"#, true),
            ("{", true),
        ] {
            assert_eq!(denies(settings), expected, "{settings}");
        }
    }
}
