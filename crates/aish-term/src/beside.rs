//! The terminal of a shell whose line editor waits for us: a key of it started us, and it draws again when we end.
//!
//! At the start the cursor stands at the left of an empty row with nothing below it, and so it does at the end. What is
//! painted meanwhile is erased; what is said stays above.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use crate::cells::cut;

/// Rows of an answer that are shown while it comes.
const ROWS: usize = 8;
/// The width of a terminal that does not say its own, in cells.
const WIDTH: usize = 80;
/// The byte of Ctrl-C, which no signal is made of meanwhile: the shell would throw its line away.
const INTERRUPT: u8 = 3;
/// The byte of Esc; by itself it is the key.
const ESCAPE: u8 = 27;

/// The terminal, in our modes for as long as this lives.
#[derive(Debug)]
pub struct Beside {
    terminal: File,
    before: Termios,
    /// Rows that are painted now.
    painted: Mutex<usize>,
}

impl Beside {
    /// Opens the terminal of this process; none where there is none, or where it belongs to others now.
    pub fn open() -> Option<Self> {
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok()?;
        let ours = rustix::termios::tcgetpgrp(&terminal).ok()? == rustix::process::getpgrp();
        let before = tcgetattr(&terminal).ok().filter(|_| ours)?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ISIG | LocalModes::ICANON | LocalModes::ECHO);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&terminal, OptionalActions::Now, &modes).ok()?;
        Some(Self { terminal, before, painted: Mutex::new(0) })
    }

    /// Calls `cancel` when Ctrl-C or Esc is typed, until the watch is dropped. Other keys that are typed meanwhile are lost.
    ///
    /// # Errors
    /// When there is no pipe or no thread to watch with.
    pub fn watch(&self, cancel: impl Fn() + Send + 'static) -> io::Result<Watch> {
        let terminal = self.terminal.try_clone()?;
        let (ended, end) = rustix::pipe::pipe()?;
        let thread =
            std::thread::Builder::new().name("keys".into()).spawn(move || listen(terminal, &ended, &cancel))?;
        Ok(Watch { end: Some(end), thread: Some(thread) })
    }

    /// Shows a text in place of what was painted before: its last rows, each cut to the terminal's width.
    pub fn paint(&self, text: &str) {
        let mut painted = self.painted.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines.get(lines.len().saturating_sub(ROWS)..).unwrap_or_default();
        let width = self.width().saturating_sub(1).max(1);
        let rows: Vec<String> = shown.iter().map(|line| cut(&line.replace('\t', "    "), width, "…")).collect();
        let text = format!("{}\u{1b}[2m{}\u{1b}[0m", erased(*painted), rows.join("\r\n"));
        *painted = rows.len();
        self.write(&text);
    }

    /// Writes lines that stay, in place of what was painted.
    pub fn say(&self, text: &str) {
        let mut painted = self.painted.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: String = text.lines().flat_map(|line| [line, "\r\n"]).collect();
        let text = format!("{}{lines}", erased(*painted));
        *painted = 0;
        self.write(&text);
    }

    /// Returns the terminal's width in cells.
    pub fn width(&self) -> usize {
        let size = rustix::termios::tcgetwinsize(&self.terminal).map(|size| usize::from(size.ws_col));
        size.ok().filter(|&columns| columns > 0).unwrap_or(WIDTH)
    }

    /// A terminal that is gone takes nothing, and nobody reads it.
    fn write(&self, text: &str) {
        let _ = (&self.terminal).write_all(text.as_bytes());
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.say("");
        // A terminal that is gone needs no modes.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Goes back to the left of the first painted row and erases from there on.
fn erased(rows: usize) -> String {
    match rows.saturating_sub(1) {
        0 => "\r\u{1b}[J".to_owned(),
        up => format!("\r\u{1b}[{up}A\u{1b}[J"),
    }
}

/// Somebody listens for the keys that cancel.
#[derive(Debug)]
pub struct Watch {
    end: Option<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The closed pipe wakes the thread; no key that is typed from now on is ours.
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn listen(mut terminal: File, ended: &OwnedFd, cancel: &dyn Fn()) {
    loop {
        let mut ready = [PollFd::new(&terminal, PollFlags::IN), PollFd::from_borrowed_fd(ended.as_fd(), PollFlags::IN)];
        match poll(&mut ready, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
        }
        let [keys, end] = &ready;
        if !end.revents().is_empty() {
            return;
        }
        if keys.revents().is_empty() {
            continue;
        }
        let mut bytes = [0; 256];
        match terminal.read(&mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(count) if cancels(bytes.get(..count).unwrap_or_default()) => cancel(),
            Ok(_) => {}
        }
    }
}

/// Tells whether what was typed at once cancels: a Ctrl-C in it, or an Esc that is not the beginning of another key.
fn cancels(typed: &[u8]) -> bool {
    typed.contains(&INTERRUPT) || typed == [ESCAPE]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_cancel() {
        for (typed, expected) in [
            (&b"\x03"[..], true),
            (b"\x1b", true),
            (b"\x1b[A", false),
            (b"ls\r", false),
            (b"ab\x03", true),
            (b"", false),
        ] {
            assert_eq!(cancels(typed), expected, "{typed:?}");
        }
    }

    #[test]
    fn what_was_painted_is_erased_from_its_first_row() {
        assert_eq!(erased(0), "\r\u{1b}[J");
        assert_eq!(erased(1), "\r\u{1b}[J");
        assert_eq!(erased(3), "\r\u{1b}[2A\u{1b}[J");
    }
}
