//! What was typed before a question that is answered with a line.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

/// For how long nothing may have been typed before such a question is shown.
const QUIET: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Throws away what was typed on standard input, a terminal, before a question: it is no answer.
///
/// # Errors
/// When standard input is no terminal.
pub fn discard_typed_before() -> io::Result<()> {
    let stdin = io::stdin();
    while poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&QUIET))? > 0 {
        tcflush(&stdin, QueueSelector::IFlush)?;
    }
    // The beginning of a line makes the terminal no more ready than nothing does.
    Ok(tcflush(&stdin, QueueSelector::IFlush)?)
}
