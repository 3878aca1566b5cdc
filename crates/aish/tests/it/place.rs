//! A home folder of a test's own, and the program in it: at a terminal or without one.

use std::path::{Path, PathBuf};
use std::process::Command;

use aish_testkit::terminal::TerminalSession;

pub(crate) use crate::person::HUNG;
use crate::person::Home;

pub(crate) struct Place {
    home: Home,
}

impl Place {
    /// Makes a home with a configuration; `{model}` stands for the endpoint.
    pub(crate) fn new(endpoint: &str, config: &str) -> Self {
        let mut home = Home::new().with("PS1", "$ ");
        home.size = (100, 30);
        std::fs::create_dir_all(home.path(".config/aish")).unwrap();
        std::fs::write(home.path(".config/aish/config.toml"), config.replace("{model}", endpoint)).unwrap();
        Self { home }
    }

    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.home.variables.retain(|(known, _)| known != name);
        self.home.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Returns a path below the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path(name)
    }

    /// Returns the folder of the session logs.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.path(".local/state/aish/sessions")
    }

    /// Starts the shell in a terminal and waits for its prompt.
    pub(crate) fn shell(&self, arguments: &[&str]) -> TerminalSession {
        let session = self.home.terminal(Path::new(env!("CARGO_BIN_EXE_aish")), arguments);
        wait(&session, |_| true);
        session
    }

    /// Returns the program without a terminal.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.home.all_variables());
        command.current_dir(self.path("work"));
        command
    }

    /// Returns the ids of the kept sessions, sorted.
    pub(crate) fn session_ids(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.sessions()).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<String> = names.filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned)).collect();
        ids.sort();
        ids
    }
}

/// Waits until the prompt is the last line and the screen satisfies a condition.
pub(crate) fn wait(session: &TerminalSession, condition: impl Fn(&str) -> bool) {
    let shown = session.wait_until(HUNG, |screen| {
        let last = screen.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        last.contains('❯') && condition(screen)
    });
    assert!(shown, "{}", session.contents());
}

/// Types a line and waits for a text and the prompt.
pub(crate) fn line(session: &TerminalSession, typed: &str, awaited: &str) {
    session.type_bytes(format!("{typed}\r").as_bytes()).unwrap();
    wait(session, |screen| screen.contains(awaited));
}

/// Ends the shell.
pub(crate) fn quit(mut session: TerminalSession) {
    session.type_bytes(b":quit\r").unwrap();
    assert_eq!(session.exit_code(HUNG), Some(0), "{}", session.contents());
}
