//! The command that an agent starts for us: how it is written, and how it is found again.

use std::path::{Path, PathBuf};

use crate::agent::{Agent, Event};

/// An entry of ours, read back from an agent's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// The program that it starts.
    pub program: PathBuf,
    /// The event's name, as the agent writes it.
    pub event: String,
}

/// Writes the command for an event as one string for `sh`. None where the agent has no such event.
///
/// It is never written as a list of arguments: a reader that does not know that form would start a bare `aish` with
/// the payload as its input.
pub fn command(program: &Path, agent: Agent, event: Event) -> Option<String> {
    let event = agent.event_name(event)?;
    let program = program.to_string_lossy().replace('\'', r"'\''");
    Some(format!("'{program}' hook run {} {event}", agent.name()))
}

/// Reads a command back; none where it is not ours. Ours are the words `hook run AGENT EVENT` behind a program named
/// `aish`, or behind `running`, the program that asks.
pub fn read(command: &str, agent: Agent, running: Option<&Path>) -> Option<Own> {
    let words = shell_words::split(command).ok()?;
    let [program, hook, run, name, event] = words.as_slice() else { return None };
    let program = PathBuf::from(program);
    let ours = program.file_name().is_some_and(|name| name == "aish") || Some(program.as_path()) == running;
    let rest = hook == "hook" && run == "run" && name == agent.name() && agent.event(event).is_some();
    (ours && rest).then(|| Own { program, event: event.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for path in ["/usr/bin/aish", "/home/o'neil/my programs/aish", "/opt/$x/`y`/aish", "/ü/aish"] {
            for agent in Agent::ALL {
                let command = command(Path::new(path), agent, Event::Before).unwrap();
                let own = read(&command, agent, None).unwrap();
                assert_eq!(own.program, Path::new(path));
                assert_eq!(agent.event(&own.event), Some(Event::Before));
            }
        }
    }

    #[test]
    fn others_are_not_ours() {
        for command in [
            "/usr/bin/other hook run claude PreToolUse",
            "aish hook run codex PreToolUse",
            "aish hook run claude PreToolUse; rm x",
            "aish hook run claude",
            "aish hook run claude SomethingElse",
            "echo 'aish hook run claude PreToolUse'",
            "'aish hook",
        ] {
            assert_eq!(read(command, Agent::Claude, None), None, "{command}");
        }
        let running = Path::new("/tmp/aish-0.2");
        assert!(read("/tmp/aish-0.2 hook run claude PreToolUse", Agent::Claude, Some(running)).is_some());
    }
}
