//! A person at aish: a home folder, a terminal with a screen, and keys.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use aish_testkit::terminal::TerminalSession;

/// Longer than anything takes that is not hung.
pub(crate) const HUNG: Duration = Duration::from_secs(60);

/// A home folder with a working folder and programs of its own.
pub(crate) struct Home {
    folder: tempfile::TempDir,
    /// Variables beside the usual ones; an empty value takes a usual one away.
    pub(crate) variables: Vec<(String, String)>,
    /// Columns and rows.
    pub(crate) size: (u16, u16),
}

impl Home {
    pub(crate) fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    /// Makes a home that is in no temporary folder: those are private in a layer, and a real home is there.
    pub(crate) fn outside_temporary_folders() -> Self {
        Self::of(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn of(folder: tempfile::TempDir) -> Self {
        std::fs::create_dir(folder.path().join("work")).unwrap();
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        aish_testkit::case::note_first_start(folder.path()).unwrap();
        Self { folder, variables: Vec::new(), size: (80, 24) }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// Returns a path below the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a program before those of the machine.
    pub(crate) fn program(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.folder.path().join("bin").join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn all_variables(&self) -> Vec<(String, String)> {
        let home = self.folder.path().display().to_string();
        let path = format!("{home}/bin:{}", std::env::var("PATH").unwrap());
        let usual = [
            ("HOME", home.as_str()),
            ("PATH", &path),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
            ("USER", "tester"),
        ];
        let own = |name: &str| self.variables.iter().any(|(own, _)| own == name);
        let usual = usual.iter().filter(|(name, _)| !own(name)).map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        usual.chain(self.variables.iter().filter(|(_, value)| !value.is_empty()).cloned()).collect()
    }

    /// Makes a command that runs here, without a terminal.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.all_variables()).current_dir(self.work()).stdin(Stdio::null());
        command
    }

    /// Runs aish, without a terminal.
    pub(crate) fn aish(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_aish"), arguments).output().unwrap()
    }

    /// Runs a line of `sh` that has aish in `$AISH`, without a terminal; returns exit code, output and error output.
    pub(crate) fn sh(&self, line: &str) -> (Option<i32>, String, String) {
        let output = self.command("sh", &["-c", line]).env("AISH", env!("CARGO_BIN_EXE_aish")).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Starts aish and waits for its prompt.
    pub(crate) fn sit_down(&self) -> Person {
        let person = self.start();
        person.prompt();
        person
    }

    pub(crate) fn start(&self) -> Person {
        Person { session: self.terminal(Path::new(env!("CARGO_BIN_EXE_aish")), &[]) }
    }

    /// Starts a line of `bash` that has aish in `$AISH`; it is the leader of the terminal's session.
    pub(crate) fn start_below(&self, flags: &[&str]) -> Person {
        let mut home = self.all_variables();
        home.push(("AISH".into(), env!("CARGO_BIN_EXE_aish").into()));
        let arguments: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let session = TerminalSession::start(Path::new("bash"), &arguments, &home, &self.work(), self.size).unwrap();
        Person { session }
    }

    /// Starts a program in a terminal.
    pub(crate) fn terminal(&self, program: &Path, arguments: &[&str]) -> TerminalSession {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        TerminalSession::start(program, &arguments, &self.all_variables(), &self.work(), self.size).unwrap()
    }
}

/// Somebody at the terminal.
pub(crate) struct Person {
    pub(crate) session: TerminalSession,
}

impl Person {
    pub(crate) fn types(&self, keys: &str) -> &Self {
        self.session.type_bytes(keys.as_bytes()).unwrap();
        self
    }

    /// Waits until the screen shows a text.
    pub(crate) fn sees(&self, text: &str) -> &Self {
        self.waits(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Waits until a whole line of the screen is this.
    pub(crate) fn sees_line(&self, text: &str) -> &Self {
        self.waits(&format!("line {text:?}"), |screen| screen.lines().any(|line| line.trim_end() == text))
    }

    /// Waits until the last line that shows anything has a text.
    pub(crate) fn ends_with(&self, text: &str) -> &Self {
        self.waits(&format!("{text:?} in the last line"), |screen| last(screen).contains(text))
    }

    /// Waits for an empty prompt.
    pub(crate) fn prompt(&self) -> &Self {
        self.waits("a prompt", |screen| {
            let line = last(screen);
            line.split(['❯', '>']).nth(1).is_some_and(|rest| rest.split_whitespace().count() <= 1)
        })
    }

    /// Clears the screen, so that what is seen next is new.
    pub(crate) fn clears(&self) -> &Self {
        self.types("\u{c}").waits("a clear screen", |screen| screen.trim_end().lines().count() <= 1)
    }

    /// Types a line, and waits for a text that it shows and for the prompt behind that.
    pub(crate) fn runs(&self, line: &str, shows: &str) -> &Self {
        self.types(&format!("{line}\r")).sees(shows).prompt()
    }

    pub(crate) fn waits(&self, what: &str, condition: impl Fn(&str) -> bool) -> &Self {
        assert!(self.session.wait_until(HUNG, condition), "no {what} on the screen:\n{}", self.session.contents());
        self
    }

    pub(crate) fn screen(&self) -> String {
        self.session.contents()
    }

    /// Ends aish and returns its exit code.
    pub(crate) fn leaves(mut self, keys: &str) -> Option<u32> {
        self.types(keys);
        self.session.exit_code(HUNG)
    }
}

fn last(screen: &str) -> &str {
    screen.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
