//! A pseudo-terminal, and a program that is started in it.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

pub use pty_process::blocking::Command;
use pty_process::blocking::{Pts, Pty};
use rustix::process::{Pid, Signal};

/// How long a program may take to end when its terminal is gone, before it is killed.
const GOODBYE: Duration = Duration::from_secs(2);

/// Both ends of a pseudo-terminal. Dropping it hangs the terminal up.
pub struct Pseudoterminal {
    pty: Pty,
    pts: Option<Pts>,
}

impl Pseudoterminal {
    /// Opens one of so many columns and rows.
    ///
    /// # Errors
    /// When the system has none left.
    pub fn open(columns: u16, rows: u16) -> io::Result<Self> {
        let (pty, pts) = pty_process::blocking::open().map_err(io::Error::other)?;
        let opened = Self { pty, pts: Some(pts) };
        opened.resize(columns, rows)?;
        Ok(opened)
    }

    /// Starts a program that has the terminal for its own; from here on it alone holds the program's end open.
    ///
    /// # Errors
    /// When it cannot be started, or one was.
    pub fn start(&mut self, command: Command) -> io::Result<Child> {
        let pts = self.pts.take().ok_or_else(|| io::Error::other("a program was started in this terminal"))?;
        command.spawn(pts).map_err(io::Error::other)
    }

    /// Returns the end that types and sees, once more for each call. Reading fails once the program's end is closed.
    ///
    /// # Errors
    /// When no more files can be open.
    pub fn end(&self) -> io::Result<File> {
        Ok(self.pty.as_fd().try_clone_to_owned()?.into())
    }

    /// Returns where the program's end can be opened.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn path(&self) -> io::Result<PathBuf> {
        let name = rustix::pty::ptsname(&self.pty, Vec::new())?;
        Ok(name.to_string_lossy().into_owned().into())
    }

    /// Changes the size; the program is told.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn resize(&self, columns: u16, rows: u16) -> io::Result<()> {
        self.pty.resize(pty_process::Size::new(rows, columns)).map_err(io::Error::other)
    }
}

/// Ends a program as a terminal that is closed does, and kills it where it does not end.
pub fn hang_up(child: &mut Child) {
    let deadline = Instant::now() + GOODBYE;
    if let (Ok(None), Some(id)) = (child.try_wait(), Pid::from_raw(child.id().cast_signed())) {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process(id, Signal::HUP);
    }
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
}
