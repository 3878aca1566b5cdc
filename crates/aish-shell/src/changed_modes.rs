//! Other modes of the user's terminal, and the way back.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

/// What stands for no key in a terminal's modes: POSIX calls it `_POSIX_VDISABLE`.
const NO_KEY: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };

/// A terminal with changed modes, and how it was before.
#[derive(Debug)]
struct Changed {
    id: u64,
    terminal: OwnedFd,
    before: Termios,
    after: Termios,
}

/// Terminals whose modes are changed now; what a panic hook or a signal must be able to reach is a process's own.
static CHANGED: Mutex<(u64, Vec<Changed>)> = Mutex::new((0, Vec::new()));

fn lock() -> MutexGuard<'static, (u64, Vec<Changed>)> {
    CHANGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a terminal's modes changed; dropped, in a panic too, it puts back the modes from before.
#[derive(Debug)]
pub struct ChangedModes {
    id: u64,
}

impl ChangedModes {
    /// Sets a terminal raw: every key is passed on as it is, and output is not changed.
    ///
    /// # Errors
    /// When it is no terminal, or has gone.
    pub fn raw(terminal: OwnedFd) -> io::Result<Self> {
        Self::change(terminal, Termios::make_raw)
    }

    /// Lets a terminal show no keys; lines and signals stay as they are. Ctrl-D is a key like others: as the end of a line it
    /// would be a NUL to who reads the keys one by one afterwards. Ctrl-C throws nothing away that was typed before it.
    ///
    /// # Errors
    /// When it is no terminal, or has gone.
    pub fn silent(terminal: OwnedFd) -> io::Result<Self> {
        Self::change(terminal, |modes| {
            modes.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
            modes.local_modes.insert(LocalModes::NOFLSH);
            modes.special_codes[SpecialCodeIndex::VEOF] = NO_KEY;
        })
    }

    fn change(terminal: OwnedFd, change: impl FnOnce(&mut Termios)) -> io::Result<Self> {
        let before = tcgetattr(&terminal)?;
        let mut after = before.clone();
        change(&mut after);
        tcsetattr(&terminal, OptionalActions::Now, &after)?;
        let mut changed = lock();
        let id = changed.0;
        changed.0 += 1;
        changed.1.push(Changed { id, terminal, before, after });
        Ok(Self { id })
    }
}

impl Drop for ChangedModes {
    fn drop(&mut self) {
        let mut changed = lock();
        if let Some(at) = changed.1.iter().position(|entry| entry.id == self.id) {
            let entry = changed.1.remove(at);
            let _ = tcsetattr(&entry.terminal, OptionalActions::Now, &entry.before);
        }
    }
}

/// Puts back the modes of every terminal that were changed; for panic hooks, and before this process stops or ends.
pub fn restore_all() {
    for entry in &lock().1 {
        let _ = tcsetattr(&entry.terminal, OptionalActions::Now, &entry.before);
    }
}

/// Changes the modes again that [`restore_all`] put back; for after a stop (SIGCONT).
pub fn reapply_all() {
    for entry in &lock().1 {
        let _ = tcsetattr(&entry.terminal, OptionalActions::Now, &entry.after);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};
    use std::io::{Read as _, Write as _};

    use aish_testkit::pty::Pseudoterminal;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    #[test]
    fn what_is_typed_into_silence_is_read_as_it_was_typed() {
        let pty = Pseudoterminal::open(80, 24).unwrap();
        let name = pty.path().unwrap();
        let open = || -> File { OpenOptions::new().read(true).write(true).open(&name).unwrap() };
        let mut terminal = open();
        let mut keys = pty.end().unwrap();
        let silent = ChangedModes::silent(open().into()).unwrap();
        keys.write_all(b"a\x04\x04b\x03c\n").unwrap();
        let wait = Timespec { tv_sec: 60, tv_nsec: 0 };
        assert_eq!(poll(&mut [PollFd::new(&terminal, PollFlags::IN)], Some(&wait)).unwrap(), 1);
        drop(silent);
        let _raw = ChangedModes::raw(open().into()).unwrap();
        let mut read = [0; 6];
        terminal.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"a\x04\x04bc\n", "Ctrl-C is a signal, and takes nothing with it");
    }
}
