//! Terminal modes that are always given back, and whether there still is a terminal.

use std::io;

use crossterm::terminal;

/// Raw mode for as long as the guard lives; given back on every way out, a panic included.
#[derive(Debug)]
pub struct RawGuard {
    /// Raw mode was on before, and stays on.
    nested: bool,
}

impl RawGuard {
    /// Switches the terminal to raw mode.
    ///
    /// # Errors
    /// When there is no terminal or its modes cannot be set.
    pub fn enter() -> io::Result<Self> {
        let nested = terminal::is_raw_mode_enabled().unwrap_or(false);
        if !nested {
            terminal::enable_raw_mode()?;
        }
        Ok(Self { nested })
    }
}

impl Drop for RawGuard {
    fn drop(&mut self) {
        if !self.nested
            && let Err(error) = terminal::disable_raw_mode()
        {
            tracing::debug!(%error, "the terminal's modes could not be given back");
        }
    }
}

/// Says whether standard input's terminal was closed. The terminal library reads on without a pause on one that was.
pub(crate) fn hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let mut asked = [PollFd::new(&stdin, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let answered = poll(&mut asked, Some(&now)).unwrap_or(0);
    answered > 0 && asked.iter().any(|fd| fd.revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL))
}
