//! A program in a pseudo-terminal with a vt100 screen that answers when it is asked for the cursor.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::pty::{Command, Pseudoterminal, hang_up};

/// The question for the cursor's place.
const ASKED: &[u8] = b"\x1b[6n";

struct Screen {
    parser: vt100::Parser,
    ended: bool,
}

/// A running program and what its terminal shows.
pub struct TerminalSession {
    screen: Arc<(Mutex<Screen>, Condvar)>,
    input: Arc<Mutex<File>>,
    child: Child,
    pty: Pseudoterminal,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TerminalSession {
    /// Starts a program with exactly these variables in a terminal of so many columns and rows.
    ///
    /// # Errors
    /// When there is no pseudo-terminal or the program cannot be started.
    pub fn start(
        program: &Path,
        arguments: &[String],
        variables: &[(String, String)],
        folder: &Path,
        (columns, rows): (u16, u16),
    ) -> io::Result<Self> {
        let mut pty = Pseudoterminal::open(columns, rows)?;
        let variables = variables.iter().map(|(name, value)| (name, value));
        let command = Command::new(program).args(arguments).env_clear().envs(variables).current_dir(folder);
        let child = pty.start(command)?;
        let output = pty.end()?;
        let input = Arc::new(Mutex::new(pty.end()?));
        let state = Screen { parser: vt100::Parser::new(rows, columns, 2_000), ended: false };
        let screen = Arc::new((Mutex::new(state), Condvar::new()));
        let (shared, replies) = (Arc::clone(&screen), Arc::clone(&input));
        std::thread::spawn(move || watch(output, &shared, &replies));
        Ok(Self { screen, input, child, pty })
    }

    /// Returns the program's process id.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Types bytes.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn type_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut input = lock(&self.input);
        input.write_all(bytes)?;
        input.flush()
    }

    /// Returns what the screen shows, lines without the blanks at their ends; what aish says is on one line each.
    pub fn contents(&self) -> String {
        said_whole(&self.rows())
    }

    /// Returns the rows of the screen as they stand.
    pub fn rows(&self) -> String {
        lock(&self.screen.0).parser.screen().contents()
    }

    /// Waits until the screen satisfies a condition; returns whether it did within `limit`.
    pub fn wait_until(&self, limit: Duration, condition: impl Fn(&str) -> bool) -> bool {
        let deadline = Instant::now() + limit;
        let (mutex, changed) = &*self.screen;
        let mut screen = lock(mutex);
        loop {
            if condition(&said_whole(&screen.parser.screen().contents())) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || screen.ended {
                return condition(&said_whole(&screen.parser.screen().contents()));
            }
            screen = changed.wait_timeout(screen, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Changes the size of the terminal.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn resize(&self, columns: u16, rows: u16) -> io::Result<()> {
        lock(&self.screen.0).parser.screen_mut().set_size(rows, columns);
        self.pty.resize(columns, rows)
    }

    /// Waits for the program's end and returns its exit code, 128 and the number of the signal that ended it; none when it did
    /// not end within `limit`.
    pub fn exit_code(&mut self, limit: Duration) -> Option<u32> {
        let deadline = Instant::now() + limit;
        let (mutex, changed) = &*self.screen;
        let mut screen = lock(mutex);
        while !screen.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            screen = changed.wait_timeout(screen, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(screen);
        let status = self.child.wait().ok()?;
        status.code().or_else(|| status.signal().map(|signal| 128 + signal)).map(i32::cast_unsigned)
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        hang_up(&mut self.child);
    }
}

fn watch(mut output: File, shared: &(Mutex<Screen>, Condvar), replies: &Mutex<File>) {
    let mut buffer = [0; 4096];
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let read = output.read(&mut buffer).unwrap_or(0);
        let mut screen = lock(&shared.0);
        if read == 0 {
            screen.ended = true;
            shared.1.notify_all();
            return;
        }
        pending.extend_from_slice(buffer.get(..read).unwrap_or_default());
        while let Some(at) = pending.windows(ASKED.len()).position(|window| window == ASKED) {
            let before: Vec<u8> = pending.drain(..at + ASKED.len()).take(at).collect();
            screen.parser.process(&before);
            let (row, column) = screen.parser.screen().cursor_position();
            let _ = write!(lock(replies), "\x1b[{};{}R", row + 1, column + 1);
        }
        // The question may be cut in two.
        let kept = (1..ASKED.len()).rev().find(|&length| pending.ends_with(ASKED.get(..length).unwrap_or_default()));
        let ready: Vec<u8> = pending.drain(..pending.len() - kept.unwrap_or(0)).collect();
        screen.parser.process(&ready);
        shared.1.notify_all();
    }
}

/// Takes out the newlines at which aish breaks its own lines for the terminal's width.
fn said_whole(screen: &str) -> String {
    let mut text = String::with_capacity(screen.len());
    let mut hang = None;
    for line in screen.split('\n') {
        match hang.and_then(|hang| line.strip_prefix(hang)) {
            Some(rest) if !rest.starts_with(' ') => {
                text.push(' ');
                text.push_str(rest);
            }
            Some(_) | None => {
                hang = [("[aish] ", "       "), ("aish: ", "  ")]
                    .iter()
                    .find(|(mark, _)| line.starts_with(mark))
                    .map(|(_, hang)| *hang);
                text.push('\n');
                text.push_str(line);
            }
        }
    }
    text.split_off(1)
}
