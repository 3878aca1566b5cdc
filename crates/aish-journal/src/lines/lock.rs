//! The lock of a file: held for one append, given up by the system when its process dies.

use std::fs::{File, TryLockError};
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest wait: a process that holds the lock for longer was stopped while it wrote.
const PATIENCE: Duration = Duration::from_secs(10);

/// Unlocks when dropped.
pub(crate) struct Guard<'a>(&'a File);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "a file could not be unlocked");
        }
    }
}

/// Waits for the lock of a file, for ten seconds at the most.
pub(crate) fn exclusive(file: &File) -> io::Result<Guard<'_>> {
    wait(file)?;
    Ok(Guard(file))
}

/// Waits for the lock of a file, for ten seconds at the most; it is held until the file is closed.
pub(crate) fn wait(file: &File) -> io::Result<()> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process holds its lock"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
