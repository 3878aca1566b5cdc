//! Lines that the terminal edits itself, or that come through a pipe.

use std::io::{self, BufRead as _, IsTerminal as _};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How often it is looked whether the read was given up.
const POLL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Reads a line of standard input with its newline; no bytes at the end of the input, none where the read was given up.
/// A pipe is read to the line's end whatever `given_up` says.
pub(crate) fn line(given_up: &dyn Fn() -> bool) -> io::Result<Option<Vec<u8>>> {
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    if !stdin.is_terminal() {
        stdin.read_until(b'\n', &mut line)?;
        return Ok(Some(line));
    }
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
            return Ok(Some(line));
        }
    }
}
