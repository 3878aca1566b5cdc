//! Where programs read their MCP servers.

use std::path::{Path, PathBuf};

use crate::agent::{Agent, Comments, Scope};

/// A program that starts MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
    /// Gemini CLI.
    Gemini,
    /// Zed.
    Zed,
}

impl Program {
    /// All programs, in the order in which they are listed for people.
    pub const ALL: [Self; 6] = [Self::Claude, Self::Codex, Self::Cursor, Self::Vscode, Self::Gemini, Self::Zed];

    /// Returns the program of a name as it is written on the command line.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// Returns the name, as it is written on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Gemini => "gemini",
            Self::Zed => "zed",
        }
    }

    /// Returns the name of the object with the servers.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Claude | Self::Cursor | Self::Gemini => "mcpServers",
            Self::Codex => "mcp_servers",
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
        }
    }

    /// Says whether the program reads comments in its settings.
    pub(super) const fn comments(self) -> Comments {
        match self {
            Self::Claude | Self::Cursor | Self::Codex => Comments::Refused,
            Self::Vscode | Self::Gemini | Self::Zed => Comments::Read,
        }
    }

    /// Returns the settings of a person or of a project; `variable` looks up the environment. Where a program reads hooks
    /// from the same file, or one beside it, the place is that of its hooks. None where it is not known where the person's
    /// files are.
    pub fn settings(
        self,
        scope: Scope,
        project: &Path,
        home: Option<&Path>,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> Option<PathBuf> {
        let person = scope == Scope::User;
        let hooks = |agent: Agent| {
            let scope = if person { Scope::User } else { Scope::Project };
            agent.place(scope, project, home, &variable).map(|place| place.path)
        };
        let config = || variable("XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config")));
        match self {
            // The person's servers stand in a file of their own, in the folder that the variable names or at home.
            Self::Claude if person => {
                Some(variable("CLAUDE_CONFIG_DIR").or_else(|| home.map(Path::to_owned))?.join(".claude.json"))
            }
            Self::Claude => Some(project.join(".mcp.json")),
            Self::Codex => Some(hooks(Agent::Codex)?.with_file_name("config.toml")),
            Self::Cursor => Some(hooks(Agent::Cursor)?.with_file_name("mcp.json")),
            Self::Gemini => hooks(Agent::Gemini),
            Self::Vscode if person => Some(config()?.join("Code/User/mcp.json")),
            Self::Vscode => Some(project.join(".vscode/mcp.json")),
            Self::Zed if person => Some(config()?.join("zed/settings.json")),
            Self::Zed => Some(project.join(".zed/settings.json")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_where_the_programs_look() {
        let at = |program: Program, scope, set: &[(&str, &str)]| {
            let variable = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value));
            let path = program.settings(scope, Path::new("/srv/site"), Some(Path::new("/home/me")), variable);
            path.unwrap().display().to_string()
        };
        let user: Vec<String> = Program::ALL.into_iter().map(|program| at(program, Scope::User, &[])).collect();
        assert_eq!(
            user,
            [
                "/home/me/.claude.json",
                "/home/me/.codex/config.toml",
                "/home/me/.cursor/mcp.json",
                "/home/me/.config/Code/User/mcp.json",
                "/home/me/.gemini/settings.json",
                "/home/me/.config/zed/settings.json"
            ]
        );
        assert_eq!(at(Program::Codex, Scope::User, &[("CODEX_HOME", "/x")]), "/x/config.toml");
        assert_eq!(at(Program::Claude, Scope::Project, &[]), "/srv/site/.mcp.json");
        assert_eq!(at(Program::Zed, Scope::Project, &[]), "/srv/site/.zed/settings.json");
        for program in Program::ALL {
            assert_eq!(Program::of(program.name()), Some(program));
            assert_eq!(program.settings(Scope::User, Path::new("/p"), None, |_| None), None, "{program:?}");
        }
    }
}
