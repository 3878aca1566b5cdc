//! The agents: their names, events and files.

mod place;

pub use place::{Comments, Place, Scope};

/// A coding agent whose hooks are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// Cursor.
    Cursor,
    /// Copilot CLI.
    Copilot,
    /// Qwen Code.
    Qwen,
    /// goose.
    Goose,
    /// Crush.
    Crush,
}

/// A moment in which an agent calls its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// A command is about to run.
    Before,
    /// A command has run; for agents with an event for failures, successfully.
    After,
    /// A command has run and failed.
    AfterFailure,
    /// A session has ended.
    SessionEnd,
}

/// How an agent writes hooks down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `hooks.EVENT[] = {matcher, hooks: [handler]}`.
    Grouped,
    /// `hooks.EVENT[] = handler`.
    Flat,
    /// A module of JavaScript.
    Module,
}

impl Agent {
    /// All agents, in the order in which they are listed for people.
    pub const ALL: [Self; 9] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Cursor,
        Self::Copilot,
        Self::Qwen,
        Self::Goose,
        Self::Crush,
    ];

    /// Returns the agent of a name as it is written on the command line.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Returns the name, as it is written on the command line and in the audit log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Qwen => "qwen",
            Self::Goose => "goose",
            Self::Crush => "crush",
        }
    }

    /// Returns the program whose `--version` tells which one is installed; none where there is no such program.
    pub const fn program(self) -> Option<&'static str> {
        match self {
            Self::Cursor => None,
            other => Some(other.name()),
        }
    }

    /// Returns how its hooks are written down.
    pub const fn form(self) -> Form {
        match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::Qwen | Self::Goose => Form::Grouped,
            Self::Cursor | Self::Copilot | Self::Crush => Form::Flat,
            Self::Opencode => Form::Module,
        }
    }

    /// Returns the agent's own word for an event; none where it has no such event.
    pub const fn event_name(self, event: Event) -> Option<&'static str> {
        match (self, event) {
            (Self::Claude | Self::Codex | Self::Qwen | Self::Goose | Self::Crush, Event::Before) => Some("PreToolUse"),
            (Self::Claude | Self::Codex | Self::Qwen | Self::Goose, Event::After) => Some("PostToolUse"),
            (Self::Claude | Self::Qwen | Self::Goose, Event::AfterFailure) => Some("PostToolUseFailure"),
            (Self::Claude | Self::Codex | Self::Gemini | Self::Qwen, Event::SessionEnd) => Some("SessionEnd"),
            (Self::Gemini, Event::Before) => Some("BeforeTool"),
            (Self::Gemini, Event::After) => Some("AfterTool"),
            (Self::Opencode, Event::Before) => Some("tool.execute.before"),
            (Self::Opencode, Event::After) => Some("tool.execute.after"),
            (Self::Cursor, Event::Before) => Some("beforeShellExecution"),
            (Self::Cursor, Event::After) => Some("afterShellExecution"),
            (Self::Copilot, Event::Before) => Some("preToolUse"),
            (Self::Copilot, Event::After) => Some("postToolUse"),
            (Self::Copilot, Event::AfterFailure) => Some("postToolUseFailure"),
            (Self::Codex | Self::Gemini | Self::Opencode | Self::Cursor, Event::AfterFailure)
            | (Self::Opencode | Self::Cursor | Self::Copilot | Self::Goose, Event::SessionEnd)
            | (Self::Crush, Event::After | Event::AfterFailure | Event::SessionEnd) => None,
        }
    }

    /// Returns the event of the agent's own word for it.
    pub fn event(self, name: &str) -> Option<Event> {
        Event::ALL.into_iter().find(|event| self.event_name(*event) == Some(name))
    }

    /// Returns the pattern by which the agent starts the hook for its shell tool alone; none where the event has none.
    pub const fn matcher(self, event: Event) -> Option<&'static str> {
        match (self, event) {
            (_, Event::SessionEnd) | (Self::Cursor | Self::Opencode, _) => None,
            // Letters alone are an exact name in Claude Code; in Codex every matcher is a regular expression.
            (Self::Claude, _) => Some("Bash"),
            (Self::Codex, _) => Some("^Bash$"),
            (Self::Gemini | Self::Qwen, _) => Some("^run_shell_command$"),
            (Self::Copilot, _) => Some("bash"),
            (Self::Goose, _) => Some("^developer__shell$"),
            (Self::Crush, _) => Some("^bash$"),
        }
    }

    /// Tells whether a tool's name is that of the agent's shell tool.
    pub fn is_shell(self, tool: &str) -> bool {
        match self {
            // Cursor and Copilot read the hooks of Claude Code too and use names of their own.
            Self::Claude => ["Bash", "Shell", "bash"].contains(&tool),
            Self::Codex => tool == "Bash",
            Self::Gemini | Self::Qwen => tool == "run_shell_command",
            Self::Opencode | Self::Copilot | Self::Crush => tool == "bash",
            Self::Cursor => ["Shell", "Bash"].contains(&tool),
            Self::Goose => tool == "developer__shell",
        }
    }

    /// Tells whether the agent lets a model type into a process that it started earlier, without any hook.
    pub const fn types_unseen(self) -> bool {
        matches!(self, Self::Codex)
    }

    /// Returns what no hook of this agent closes, a sentence each.
    pub const fn holes(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[
                "files written by edit tools and MCP tools are not seen",
                "a command in the background reports its end before it has ended",
            ],
            Self::Codex => &[
                "text typed into an open process (write_stdin) reaches no hook; commands that leave an interpreter \
                 waiting for it are denied",
                "hooks run only after you approve them in /hooks",
                "there is no exit status in what is told after a command",
            ],
            Self::Gemini => &[
                "an untrusted folder switches off all hooks, yours too",
                "a failing hook lets the command run, unless it ends with exit code 2",
            ],
            Self::Opencode => &["files written by edit tools and MCP tools are not seen"],
            Self::Cursor => &["an ask is sometimes ignored", "there is no exit status in what is told after a command"],
            Self::Copilot => &["a hook that takes too long lets the command run"],
            Self::Qwen => &["a hook that fails or takes too long lets the command run"],
            Self::Goose => &["files written by edit tools and MCP tools are not seen"],
            Self::Crush => &[
                "calls of sub-agents are not hooked",
                "nothing is told after a command",
                "a hook that fails or takes too long lets the command run",
            ],
        }
    }
}

impl Event {
    /// All events.
    pub const ALL: [Self; 4] = [Self::Before, Self::After, Self::AfterFailure, Self::SessionEnd];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_events_lead_back() {
        for agent in Agent::ALL {
            assert_eq!(Agent::of(agent.name()), Some(agent));
            for event in Event::ALL {
                if let Some(name) = agent.event_name(event) {
                    assert_eq!(agent.event(name), Some(event), "{agent:?}");
                }
            }
            assert!(agent.event_name(Event::Before).is_some(), "{agent:?} has no event before a command");
        }
        assert_eq!(Agent::of("Claude"), None);
        assert_eq!(Agent::Codex.event("PostToolUseFailure"), None);
    }
}
