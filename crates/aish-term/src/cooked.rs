//! Lines that the terminal edits itself, or that come through a pipe.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr, ttyname};

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
    let apart = opened_anew(&stdin);
    show()?;
    loop {
        if given_up() {
            return Ok(None);
        }
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&POLL)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let is_done = match &apart {
            Some(terminal) => take(terminal, &mut line)?,
            None => {
                // The terminal gives one line at a time, so nothing is left in the buffer when it is waited for.
                let bytes = stdin.fill_buf()?;
                let end = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
                line.extend_from_slice(bytes.get(..end).unwrap_or_default());
                stdin.consume(end);
                end == 0 || line.last() == Some(&b'\n')
            }
        };
        if is_done {
            break;
        }
    }
    // The key is no more than a character now, and means nothing.
    line.retain(|byte| Some(*byte) != unstopped.key);
    Ok(Some(line))
}

/// Opens the terminal once more, so that reads of it do not wait and nobody else's do otherwise. Ctrl-C throws away what was
/// typed, also between the look and the read, and a read that waits then would wait for the next line, whatever is given up.
fn opened_anew(terminal: impl AsFd) -> Option<OwnedFd> {
    let name = ttyname(terminal, Vec::new()).ok()?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(name.as_c_str(), flags, Mode::empty()).ok()
}

/// Takes what there is of a line, and leaves what stands behind it; says whether the line or the input has ended.
fn take(terminal: impl AsFd, line: &mut Vec<u8>) -> io::Result<bool> {
    let mut byte = [0];
    loop {
        match rustix::io::read(&terminal, &mut byte) {
            Ok(0) => return Ok(true),
            Ok(_) => line.extend(byte),
            Err(Errno::AGAIN) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if line.last() == Some(&b'\n') {
            return Ok(true);
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use aish_testkit::pty::Pseudoterminal;
    use rustix::termios::{QueueSelector, tcflush};

    use super::*;

    fn readable(terminal: &OwnedFd) -> bool {
        let wait = Timespec { tv_sec: 60, tv_nsec: 0 };
        poll(&mut [PollFd::new(terminal, PollFlags::IN)], Some(&wait)).unwrap() == 1
    }

    #[test]
    fn what_was_thrown_away_is_not_waited_for() {
        let pty = Pseudoterminal::open(80, 24).unwrap();
        let mut keys = pty.end().unwrap();
        let terminal: OwnedFd = std::fs::File::open(pty.path().unwrap()).unwrap().into();
        let terminal = opened_anew(&terminal).unwrap();
        let mut line = Vec::new();
        keys.write_all(b"gone\nand").unwrap();
        // As Ctrl-C does, between the look and the read.
        assert!(readable(&terminal));
        tcflush(&terminal, QueueSelector::IFlush).unwrap();
        assert!(!take(&terminal, &mut line).unwrap() && line.is_empty());
        keys.write_all(b"one\ntwo\n").unwrap();
        for expected in [&b"one\n"[..], b"two\n"] {
            assert!(readable(&terminal) && take(&terminal, &mut line).unwrap());
            assert_eq!(std::mem::take(&mut line), expected);
        }
        // Ctrl-D where a line begins.
        keys.write_all(&[4]).unwrap();
        assert!(readable(&terminal) && take(&terminal, &mut line).unwrap() && line.is_empty());
    }
}
