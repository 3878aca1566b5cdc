//! A person at a terminal: a PTY pair whose one end is the user's terminal and whose other end has keys and a screen.

use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aish_shell::{CommandResult, Shell, Surroundings, UserTerminal};
use aish_testkit::pty::Pseudoterminal;

pub(crate) struct Person {
    pub(crate) terminal: Arc<UserTerminal>,
    keys: Mutex<std::fs::File>,
    screen: Arc<Mutex<vt100::Parser>>,
    pty: Pseudoterminal,
    path: std::path::PathBuf,
}

impl Person {
    pub(crate) fn sit_down() -> Self {
        let pty = Pseudoterminal::open(80, 24).unwrap();
        let path = pty.path().unwrap();
        let tty = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let terminal = Arc::new(UserTerminal::open(&tty, &tty).unwrap());
        let screen = Arc::new(Mutex::new(vt100::Parser::new(24, 80, 1000)));
        let mut reader = pty.end().unwrap();
        let shown = screen.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                shown.lock().unwrap().process(&buffer[..count]);
            }
        });
        let keys = Mutex::new(pty.end().unwrap());
        Self { terminal, keys, screen, pty, path }
    }

    pub(crate) fn type_keys(&self, keys: &str) {
        self.keys.lock().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Wipes the screen, so that what is seen next is new.
    pub(crate) fn forget(&self) {
        let (rows, columns) = self.screen.lock().unwrap().screen().size();
        *self.screen.lock().unwrap() = vt100::Parser::new(rows, columns, 1000);
    }

    pub(crate) fn resize(&self, rows: u16, cols: u16) {
        self.pty.resize(cols, rows).unwrap();
        self.screen.lock().unwrap().screen_mut().set_size(rows, cols);
    }

    /// Waits until the screen shows a text.
    pub(crate) async fn sees(&self, text: &str) {
        let since = Instant::now();
        while !self.screen().contains(text) {
            assert!(since.elapsed() < Duration::from_secs(60), "no {text:?} on the screen:\n{}", self.screen());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The modes of the terminal, as `stty -g` prints them.
    pub(crate) fn modes(&self) -> String {
        let tty = std::fs::File::open(&self.path).unwrap();
        let output = std::process::Command::new("stty").arg("-g").stdin(tty).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command while somebody acts at the terminal.
    pub(crate) async fn run_and(&self, shell: &Shell, command: &str, act: impl Future<Output = ()>) -> CommandResult {
        let before = self.modes();
        let run = shell.run(command, Surroundings::at(self.terminal.clone()));
        let (result, ()) = tokio::time::timeout(Duration::from_secs(40), async { tokio::join!(run, act) })
            .await
            .unwrap_or_else(|_| panic!("no end of {command:?}; the screen:\n{}", self.screen()));
        assert_eq!(self.modes(), before, "the terminal is as it was before {command:?}");
        result.unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    pub(crate) async fn run(&self, shell: &Shell, command: &str) -> CommandResult {
        self.run_and(shell, command, async {}).await
    }
}
