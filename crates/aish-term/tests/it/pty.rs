//! A program in a pseudo-terminal with a vt100 screen that answers when it is asked for the cursor.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use aish_testkit::pty::{Command, Pseudoterminal, hang_up};
use tempfile::TempDir;

/// Longer than anything takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

struct Screen {
    parser: vt100::Parser,
    /// Everything that was written.
    raw: Vec<u8>,
    ended: bool,
}

/// A scenario of [`crate::child`] in a terminal.
pub(crate) struct Terminal {
    screen: Arc<(Mutex<Screen>, Condvar)>,
    input: Arc<Mutex<File>>,
    child: Child,
    signal: PathBuf,
    _folder: TempDir,
    pty: Pseudoterminal,
}

impl Terminal {
    /// Starts a scenario in a terminal of 60 columns and 12 rows.
    pub(crate) fn start(scenario: &str) -> Self {
        Self::start_in(scenario, "xterm-256color", 60, 12)
    }

    pub(crate) fn start_in(scenario: &str, term: &str, columns: u16, rows: u16) -> Self {
        let mut pty = Pseudoterminal::open(columns, rows).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let signal = folder.path().join("signal");
        let command = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::scenario", "--nocapture", "--test-threads=1"])
            .env("AISH_TERM_SCENARIO", scenario)
            .env("TERM", term)
            .env("AISH_TERM_SIGNAL", &signal)
            .env_remove("NO_COLOR");
        let child = pty.start(command).unwrap();
        let mut output = pty.end().unwrap();
        let input = Arc::new(Mutex::new(pty.end().unwrap()));
        let state = Screen { parser: vt100::Parser::new(rows, columns, 1_000), raw: Vec::new(), ended: false };
        let screen = Arc::new((Mutex::new(state), Condvar::new()));
        let (shared, replies) = (Arc::clone(&screen), Arc::clone(&input));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            let mut pending: Vec<u8> = Vec::new();
            loop {
                let read = output.read(&mut buffer).unwrap_or(0);
                let (mutex, changed) = &*shared;
                let mut screen = mutex.lock().unwrap();
                if read == 0 {
                    screen.ended = true;
                    changed.notify_all();
                    return;
                }
                screen.raw.extend_from_slice(&buffer[..read]);
                pending.extend_from_slice(&buffer[..read]);
                while let Some(at) = pending.windows(4).position(|window| window == b"\x1b[6n") {
                    let asked: Vec<u8> = pending.drain(..at + 4).collect();
                    screen.parser.process(&asked[..at]);
                    let (row, column) = screen.parser.screen().cursor_position();
                    write!(replies.lock().unwrap(), "\x1b[{};{}R", row + 1, column + 1).unwrap();
                }
                // A question for the cursor may be cut in two.
                let keep = (1..4).rev().find(|&length| pending.ends_with(&b"\x1b[6n"[..length])).unwrap_or(0);
                let ready: Vec<u8> = pending.drain(..pending.len() - keep).collect();
                screen.parser.process(&ready);
                changed.notify_all();
            }
        });
        Self { screen, input, child, signal, _folder: folder, pty }
    }

    /// Types.
    pub(crate) fn send(&self, keys: &str) {
        let mut input = self.input.lock().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Waits until the screen is as wanted, and returns its text.
    pub(crate) fn wait(&self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> String {
        let (mutex, changed) = &*self.screen;
        let mut screen = mutex.lock().unwrap();
        let deadline = Instant::now() + HUNG;
        loop {
            if wanted(screen.parser.screen()) {
                return screen.parser.screen().contents();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && !screen.ended,
                "waited for {what}; the screen:\n{}",
                screen.parser.screen().contents()
            );
            screen = changed.wait_timeout(screen, left).unwrap().0;
        }
    }

    /// Waits until a text is on the screen.
    pub(crate) fn see(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contents().contains(text))
    }

    /// Waits for the end, and returns the text of the screen and of what scrolled off.
    pub(crate) fn end(mut self) -> String {
        let (mutex, changed) = &*self.screen;
        let mut screen = mutex.lock().unwrap();
        let deadline = Instant::now() + HUNG;
        while !screen.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it did not end; the screen:\n{}", screen.parser.screen().contents());
            screen = changed.wait_timeout(screen, left).unwrap().0;
        }
        let shown = crate::screen::text(&mut screen.parser);
        drop(screen);
        self.child.wait().unwrap();
        shown
    }

    /// Tells the scenario that what it waits for was seen.
    pub(crate) fn signal(&self) {
        std::fs::write(&self.signal, "").unwrap();
    }

    /// Changes the size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.screen.0.lock().unwrap().parser.screen_mut().set_size(rows, columns);
        self.tell(columns, rows);
    }

    /// Tells a size to the program, whatever the screen has: a multiplexer tells it late.
    pub(crate) fn tell(&self, columns: u16, rows: u16) {
        self.pty.resize(columns, rows).unwrap();
    }

    /// Types and changes the size while the program looks away, so that it sees both at once.
    pub(crate) fn send_and_resize(&self, keys: &str, columns: u16, rows: u16) {
        use rustix::process::{Pid, Signal, kill_process};
        let child = Pid::from_raw(self.child.id().cast_signed()).unwrap();
        kill_process(child, Signal::STOP).unwrap();
        self.send(keys);
        self.resize(columns, rows);
        kill_process(child, Signal::CONT).unwrap();
    }

    /// Returns everything that was written so far.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.screen.0.lock().unwrap().raw.clone()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        hang_up(&mut self.child);
    }
}
