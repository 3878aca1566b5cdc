//! What keeps hooks that are installed from being started: switches in an agent's own settings, and trust that a person has
//! not given. Nothing of it is ever changed here.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use aish_hook::agent::{Agent, Comments, Scope};
use aish_hook::edit;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::super::place;
use super::InstalledHooks;
use crate::base::Base;

/// Where an administrator's settings of Claude Code lie.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";
/// How long Codex may take to tell what it trusts.
const CODEX: Duration = Duration::from_secs(5);

/// Returns why an agent starts no hooks of ours, as far as its settings tell, each a sentence.
pub(super) fn faults(base: &Base, agent: Agent) -> Vec<String> {
    let places = [Scope::User, Scope::Project, Scope::Shared].into_iter().filter_map(|scope| place(base, agent, scope));
    let own = || places.clone().map(|place| (place.path, place.comments));
    let at_home = |path: &str| base.paths.home.as_deref().map(|home| (home.join(path), Comments::Read));
    type Told = fn(&Value) -> Option<&'static str>;
    let (files, switches): (Vec<(PathBuf, Comments)>, Told) = match agent {
        Agent::Claude => (own().chain([(MANAGED.into(), Comments::Refused)]).collect(), of_claude),
        Agent::Gemini | Agent::Qwen => (own().collect(), of_gemini),
        Agent::Goose => (at_home(".config/goose/settings.json").into_iter().collect(), of_goose),
        Agent::Codex => return codex_config(base).into_iter().collect(),
        Agent::Opencode | Agent::Cursor | Agent::Copilot | Agent::Crush => return Vec::new(),
    };
    let said = files.into_iter().filter_map(|(path, comments)| {
        let settings = edit::value(&aish_journal::read_text(&path).ok()?, comments).ok()?;
        switches(&settings).map(|switch| format!("{switch} in {} switches it off", path.display()))
    });
    said.collect()
}

fn of_claude(settings: &Value) -> Option<&'static str> {
    let on = |name: &str| settings.get(name) == Some(&Value::Bool(true));
    ["disableAllHooks", "allowManagedHooksOnly"].into_iter().find(|name| on(name))
}

fn of_gemini(settings: &Value) -> Option<&'static str> {
    let config = settings.get("hooksConfig");
    if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        return Some("disableAllHooks");
    }
    if config.and_then(|config| config.get("enabled")) == Some(&Value::Bool(false)) {
        return Some("hooksConfig.enabled");
    }
    let disabled = config.and_then(|config| config.get("disabled")).and_then(Value::as_array)?;
    // A hook is named by its name or by its command.
    let ours = |name: &str| name == "aish" || name.contains("hook run");
    disabled.iter().filter_map(Value::as_str).any(ours).then_some("hooksConfig.disabled")
}

fn of_goose(settings: &Value) -> Option<&'static str> {
    let disabled = settings.get("disabledPlugins").and_then(Value::as_array)?;
    disabled.iter().any(|name| name == "aish").then_some("disabledPlugins")
}

/// Reads the switch of Codex, which is in its TOML.
fn codex_config(base: &Base) -> Option<String> {
    let hooks = place(base, Agent::Codex, Scope::User)?.path;
    let path = hooks.with_file_name("config.toml");
    let config: toml_edit::DocumentMut = aish_journal::read_text(&path).ok()?.parse().ok()?;
    let switch = config.get("features")?.get("hooks")?.as_bool()?;
    (!switch).then(|| format!("features.hooks in {} switches it off", path.display()))
}

/// What Codex says of our hooks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// Nothing: it is not there, or did not say within five seconds.
    Unsaid,
    /// All of them are approved and switched on.
    Given,
    /// Some are not, in Codex's own word.
    Lacking(String),
}

impl Trust {
    pub(super) fn tell(self, found: &mut InstalledHooks) {
        match self {
            Self::Unsaid => found.notes.push("Codex did not say whether you have approved it".to_owned()),
            Self::Given => {}
            Self::Lacking(word) => {
                found.faults.push(format!("Codex says it is {word}, and skips it: approve it with /hooks in codex"));
            }
        }
    }
}

/// Asks Codex whether it would start our hooks: they run only once the person has approved them there.
pub(super) async fn codex_trust(folder: &Path) -> Trust {
    let asked = tokio::time::timeout(CODEX, ask_codex(folder)).await;
    asked.ok().flatten().map_or(Trust::Unsaid, |answer| trust(&answer))
}

async fn ask_codex(folder: &Path) -> Option<Value> {
    let mut command = tokio::process::Command::new("codex");
    command.arg("app-server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut server = command.spawn().ok()?;
    let ours = json!({"name": "aish", "title": "aish", "version": env!("CARGO_PKG_VERSION")});
    let asked = [
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": ours}}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}}),
    ];
    let mut input = server.stdin.take()?;
    for message in asked {
        input.write_all(format!("{message}\n").as_bytes()).await.ok()?;
    }
    input.flush().await.ok()?;
    let mut lines = BufReader::new(server.stdout.take()?).lines();
    while let Some(line) = lines.next_line().await.ok()? {
        match serde_json::from_str::<Value>(&line) {
            Ok(answer) if answer.get("id") == Some(&json!(2)) => return answer.get("result").cloned(),
            _ => {}
        }
    }
    None
}

/// Reads the answer to `hooks/list`.
fn trust(answer: &Value) -> Trust {
    let folders = answer.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let hooks = folders.iter().filter_map(|folder| folder.get("hooks")?.as_array()).flatten();
    let text = |hook: &Value, name: &str| hook.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let ours: Vec<&Value> = hooks.filter(|hook| text(hook, "command").contains(" hook run codex ")).collect();
    if ours.is_empty() {
        return Trust::Lacking("not among its hooks".to_owned());
    }
    let lacking = ours.iter().find_map(|hook| match (text(hook, "trustStatus").as_str(), hook.get("enabled")) {
        (_, Some(Value::Bool(false))) => Some("switched off".to_owned()),
        ("trusted" | "managed", _) => None,
        (word, _) => Some(word.to_owned()),
    });
    lacking.map_or(Trust::Given, Trust::Lacking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_found_in_each_agents_settings() {
        let yes = |switches: fn(&Value) -> Option<&'static str>, settings: Value| switches(&settings).unwrap();
        assert_eq!(yes(of_claude, json!({"disableAllHooks": true})), "disableAllHooks");
        assert_eq!(yes(of_claude, json!({"allowManagedHooksOnly": true})), "allowManagedHooksOnly");
        assert_eq!(yes(of_gemini, json!({"hooksConfig": {"enabled": false}})), "hooksConfig.enabled");
        assert_eq!(yes(of_gemini, json!({"hooksConfig": {"disabled": ["x", "aish"]}})), "hooksConfig.disabled");
        assert_eq!(yes(of_goose, json!({"disabledPlugins": ["aish"]})), "disabledPlugins");
        for settings in
            [json!({}), json!({"disableAllHooks": false}), json!({"hooksConfig": {"disabled": ["x"]}}), json!([1])]
        {
            assert_eq!(
                (of_claude(&settings), of_gemini(&settings), of_goose(&settings)),
                (None, None, None),
                "{settings}"
            );
        }
    }

    #[test]
    fn codex_has_to_trust_each_hook() {
        let answer = |hooks: &[(&str, &str, bool)]| {
            let hooks: Vec<Value> = hooks
                .iter()
                .map(|(command, trust, enabled)| json!({"command": command, "trustStatus": trust, "enabled": enabled}))
                .collect();
            trust(&json!({"data": [{"cwd": "/", "hooks": hooks}]}))
        };
        let ours = "'/usr/bin/aish' hook run codex PreToolUse";
        assert_eq!(answer(&[(ours, "trusted", true), ("other", "untrusted", true)]), Trust::Given);
        assert_eq!(answer(&[(ours, "managed", true)]), Trust::Given);
        assert_eq!(answer(&[(ours, "trusted", true), (ours, "modified", true)]), Trust::Lacking("modified".to_owned()));
        assert_eq!(answer(&[(ours, "trusted", false)]), Trust::Lacking("switched off".to_owned()));
        assert_eq!(answer(&[("other", "trusted", true)]), Trust::Lacking("not among its hooks".to_owned()));
        assert_eq!(trust(&json!({"data": 7})), Trust::Lacking("not among its hooks".to_owned()));
    }
}
