//! The raw mode of the user's terminal, and its way back.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// A terminal in raw mode and how it was before.
#[derive(Debug)]
struct Changed {
    id: u64,
    terminal: OwnedFd,
    before: Termios,
    raw: Termios,
}

/// Terminals that are raw now; what a panic hook or a signal must be able to reach is a process's own.
static CHANGED: Mutex<(u64, Vec<Changed>)> = Mutex::new((0, Vec::new()));

fn lock() -> MutexGuard<'static, (u64, Vec<Changed>)> {
    CHANGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a terminal in raw mode; dropped, in a panic too, it puts back the modes from before.
#[derive(Debug)]
pub struct RawMode {
    id: u64,
}

impl RawMode {
    /// Sets a terminal raw: every key is passed on as it is, and output is not changed.
    ///
    /// # Errors
    /// When it is no terminal, or has gone.
    pub fn set(terminal: OwnedFd) -> io::Result<Self> {
        let before = tcgetattr(&terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &raw)?;
        let mut changed = lock();
        let id = changed.0;
        changed.0 += 1;
        changed.1.push(Changed { id, terminal, before, raw });
        Ok(Self { id })
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        let mut changed = lock();
        if let Some(at) = changed.1.iter().position(|entry| entry.id == self.id) {
            let entry = changed.1.remove(at);

            let _ = tcsetattr(&entry.terminal, OptionalActions::Now, &entry.before);
        }
    }
}

/// Puts back the modes of every terminal that is raw now; for panic hooks, and before this process stops or ends.
pub fn restore_all() {
    for entry in &lock().1 {
        let _ = tcsetattr(&entry.terminal, OptionalActions::Now, &entry.before);
    }
}

/// Sets every terminal raw again that [`restore_all`] put back; for after a stop (SIGCONT).
pub fn reapply_all() {
    for entry in &lock().1 {
        let _ = tcsetattr(&entry.terminal, OptionalActions::Now, &entry.raw);
    }
}
