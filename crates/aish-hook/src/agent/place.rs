//! Where an agent reads its hooks.

use std::path::{Path, PathBuf};

use super::Agent;

/// Whose hooks they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The person's, in every project.
    User,
    /// The person's in one project, or the project's where the agent has only that.
    Project,
    /// The project's own, which is committed.
    Shared,
}

/// Whether a program reads comments, and commas at the end, in its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    /// It does.
    Read,
    /// They are faults to it.
    Refused,
}

/// The file with an agent's hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Whether the file is ours as a whole, so that nothing of others stands in it.
    pub whole: bool,
    /// Whether the agent reads comments in it.
    pub comments: Comments,
}

impl Agent {
    /// Returns the file for a scope; `variable` looks up the environment. None where the agent has no such scope, or
    /// where neither the agent's own variable nor `HOME` says where the person's files are.
    pub fn place(
        self,
        scope: Scope,
        project: &Path,
        home: Option<&Path>,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> Option<Place> {
        let under = |name: &str, otherwise: &str| variable(name).or_else(|| Some(home?.join(otherwise)));
        let at_home = |path: &str| Some(home?.join(path));
        let path = match (self, scope) {
            (Self::Claude, Scope::User) => under("CLAUDE_CONFIG_DIR", ".claude")?.join("settings.json"),
            (Self::Claude, Scope::Project) => project.join(".claude/settings.local.json"),
            (Self::Claude, Scope::Shared) => project.join(".claude/settings.json"),
            (Self::Codex, Scope::User) => under("CODEX_HOME", ".codex")?.join("hooks.json"),
            (Self::Codex, Scope::Project) => project.join(".codex/hooks.json"),
            (Self::Gemini, Scope::User) => at_home(".gemini/settings.json")?,
            (Self::Gemini, Scope::Project) => project.join(".gemini/settings.json"),
            (Self::Opencode, Scope::User) => {
                under("XDG_CONFIG_HOME", ".config")?.join("opencode/plugins").join("aish.js")
            }
            (Self::Opencode, Scope::Project) => project.join(".opencode/plugins/aish.js"),
            (Self::Cursor, Scope::User) => at_home(".cursor/hooks.json")?,
            (Self::Cursor, Scope::Project) => project.join(".cursor/hooks.json"),
            (Self::Copilot, Scope::User) => under("COPILOT_HOME", ".copilot")?.join("hooks/aish.json"),
            (Self::Copilot, Scope::Project) => project.join(".github/hooks/aish.json"),
            (Self::Qwen, Scope::User) => at_home(".qwen/settings.json")?,
            (Self::Qwen, Scope::Project) => project.join(".qwen/settings.json"),
            (Self::Goose, Scope::User) => at_home(".agents/plugins/aish/hooks/hooks.json")?,
            (Self::Goose, Scope::Project) => project.join(".agents/plugins/aish/hooks/hooks.json"),
            (Self::Crush, Scope::User) => under("XDG_CONFIG_HOME", ".config")?.join("crush/crush.json"),
            (Self::Crush, Scope::Project) => project.join("crush.json"),
            (
                Self::Codex
                | Self::Gemini
                | Self::Opencode
                | Self::Cursor
                | Self::Copilot
                | Self::Qwen
                | Self::Goose
                | Self::Crush,
                Scope::Shared,
            ) => return None,
        };
        let whole = matches!(self, Self::Opencode | Self::Copilot | Self::Goose);
        let comments = match self {
            Self::Gemini | Self::Qwen => Comments::Read,
            Self::Claude | Self::Codex | Self::Opencode | Self::Cursor | Self::Copilot | Self::Goose | Self::Crush => {
                Comments::Refused
            }
        };
        Some(Place { path, whole, comments })
    }

    /// Returns files that must stand beside the hooks for the agent to read them: path and content.
    pub fn companions(self, place: &Place) -> Vec<(PathBuf, String)> {
        match self {
            Self::Goose => {
                let Some(folder) = place.path.parent().and_then(Path::parent) else { return Vec::new() };
                let manifest = serde_json::json!({
                    "name": "aish", "version": "1.0.0", "description": "Judges each shell command before it runs",
                });
                vec![(folder.join("plugin.json"), format!("{manifest:#}\n"))]
            }
            Self::Claude
            | Self::Codex
            | Self::Gemini
            | Self::Opencode
            | Self::Cursor
            | Self::Copilot
            | Self::Qwen
            | Self::Crush => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(agent: Agent, scope: Scope, set: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value));
        let place = agent.place(scope, Path::new("/srv/site"), Some(Path::new("/home/me")), variable)?;
        Some(place.path.display().to_string())
    }

    #[test]
    fn files_are_where_the_agents_look() {
        assert_eq!(path(Agent::Claude, Scope::User, &[]).unwrap(), "/home/me/.claude/settings.json");
        let set = [("CLAUDE_CONFIG_DIR", "/etc/c"), ("CODEX_HOME", "/x")];
        assert_eq!(path(Agent::Claude, Scope::User, &set).unwrap(), "/etc/c/settings.json");
        assert_eq!(path(Agent::Claude, Scope::Project, &set).unwrap(), "/srv/site/.claude/settings.local.json");
        assert_eq!(path(Agent::Claude, Scope::Shared, &set).unwrap(), "/srv/site/.claude/settings.json");
        assert_eq!(path(Agent::Codex, Scope::User, &set).unwrap(), "/x/hooks.json");
        assert_eq!(path(Agent::Codex, Scope::Shared, &set), None);
        assert_eq!(path(Agent::Opencode, Scope::User, &[]).unwrap(), "/home/me/.config/opencode/plugins/aish.js");
    }

    #[test]
    fn without_a_home_there_is_no_place_for_a_person() {
        for agent in Agent::ALL {
            assert_eq!(agent.place(Scope::User, Path::new("/p"), None, |_| None), None, "{agent:?}");
            assert!(agent.place(Scope::Project, Path::new("/p"), None, |_| None).is_some(), "{agent:?}");
        }
    }
}
