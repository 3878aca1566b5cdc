//! Lines that the terminal edits itself, or that come through a pipe.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

/// How often it is looked whether the read was given up.
const POLL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What stands for no key in a terminal's modes: POSIX calls it `_POSIX_VDISABLE`.
const NO_KEY: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };

/// Reads a line of standard input with its newline; no bytes at the end of the input, none where the read was given up.
/// A pipe is read to the line's end whatever `given_up` says. Ctrl-Z stops nobody meanwhile, as at the prompt of a shell;
/// `show` shows the prompt once that holds, so that no key behind the prompt is lost.
pub(crate) fn line(show: impl FnOnce() -> io::Result<()>, given_up: &dyn Fn() -> bool) -> io::Result<Option<Vec<u8>>> {
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    if !stdin.is_terminal() {
        show()?;
        stdin.read_until(b'\n', &mut line)?;
        return Ok(Some(line));
    }
    let unstopped = Unstopped::on(io::stdin());
    show()?;
    loop {
        if given_up() {
            return Ok(None);
        }
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&POLL)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        // The terminal gives one line at a time, so nothing is left in the buffer when it is waited for.
        let bytes = stdin.fill_buf()?;
        let end = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
        line.extend_from_slice(bytes.get(..end).unwrap_or_default());
        stdin.consume(end);
        if end == 0 || line.last() == Some(&b'\n') {
            // The key is no more than a character now, and means nothing.
            line.retain(|byte| Some(*byte) != unstopped.key);
            return Ok(Some(line));
        }
    }
}

/// A terminal whose keys stop no program, for as long as this lives.
struct Unstopped<T: AsFd> {
    terminal: T,
    before: Option<Termios>,
    /// The key that stopped programs before.
    key: Option<u8>,
}

impl<T: AsFd> Unstopped<T> {
    /// Where the modes cannot be set they stay as they are.
    fn on(terminal: T) -> Self {
        let before = tcgetattr(&terminal).ok();
        let key =
            before.as_ref().map(|modes| modes.special_codes[SpecialCodeIndex::VSUSP]).filter(|key| *key != NO_KEY);
        if let Some(mut modes) = before.clone() {
            modes.special_codes[SpecialCodeIndex::VSUSP] = NO_KEY;
            let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
        }
        Self { terminal, before, key }
    }
}

impl<T: AsFd> Drop for Unstopped<T> {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(&self.terminal, OptionalActions::Now, before);
        }
    }
}
