//! A home folder of a test's own, and the program in it: at a terminal or without one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aish_testkit::terminal::TerminalSession;

/// Longer than anything takes that is not hung.
pub(crate) const HUNG: Duration = Duration::from_secs(60);

pub(crate) struct Place {
    home: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Place {
    /// Makes a home with a configuration; `{model}` stands for the endpoint.
    pub(crate) fn new(endpoint: &str, config: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join(".config/aish")).unwrap();
        std::fs::create_dir_all(home.path().join("work")).unwrap();
        let config = config.replace("{model}", endpoint);
        std::fs::write(home.path().join(".config/aish/config.toml"), config).unwrap();
        let mut place = Self { home, variables: Vec::new() };
        let home = place.path("").display().to_string();
        for (name, value) in [
            ("HOME", home.as_str()),
            ("PATH", &std::env::var("PATH").unwrap_or_default()),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
            ("USER", "tester"),
            ("PS1", "$ "),
        ] {
            place.set(name, value);
        }
        place
    }

    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Returns a path below the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Returns the folder of the session logs.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.path(".local/state/aish/sessions")
    }

    /// Starts the shell in a terminal and waits for its prompt.
    pub(crate) fn shell(&self, arguments: &[&str]) -> TerminalSession {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let program = Path::new(env!("CARGO_BIN_EXE_aish"));
        let folder = self.path("work");
        let session = TerminalSession::start(program, &arguments, &self.variables, &folder, (100, 30)).unwrap();
        wait(&session, |_| true);
        session
    }

    /// Returns the program without a terminal.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
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
