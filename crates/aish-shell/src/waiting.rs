//! A launcher that waits for what it runs, on a terminal that is open already.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

use aish_process::{Command, Environment, TerminalChild};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::line::Line;
use crate::options::Size;

/// A launcher that waits for what it runs. Dropped, it ends.
pub struct Waiting {
    /// First, so that it is closed first: the launcher ends by itself then.
    plan: File,
    line: Line,
    child: TerminalChild,
}

impl Waiting {
    /// Starts a launcher that is told on its descriptor 3 what it runs, and also whether that may read its terminal.
    ///
    /// # Errors
    /// When there is no terminal to be had, or the launcher cannot be started.
    pub async fn start(launcher: &[OsString]) -> io::Result<Self> {
        let (told, plan) = pipe_with(PipeFlags::CLOEXEC)?;
        let (line, terminal) = Line::open(Size::default())?;
        let child = start(launcher, Environment::empty(), None, terminal, Some(told)).await?;
        Ok(Self { plan: plan.into(), line, child })
    }

    /// The process id of the launcher.
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// Tells it what it runs, on a terminal of a size.
    pub(crate) fn tell(mut self, plan: &[u8], size: Size) -> io::Result<(Line, TerminalChild)> {
        self.line.resize(size)?;
        self.plan.write_all(plan)?;
        Ok((self.line, self.child))
    }
}

/// Starts a launcher on a terminal, from which it reads as well where there is no `input`.
pub(crate) async fn start(
    launcher: &[OsString],
    environment: Environment,
    input: Option<OwnedFd>,
    terminal: OwnedFd,
    plan: Option<OwnedFd>,
) -> io::Result<TerminalChild> {
    let mut words = launcher.iter();
    let program = words.next().cloned().unwrap_or_default();
    let command = Command::new(program).args(words).environment(environment);
    TerminalChild::start_launcher(&command, input, terminal, plan).await.map_err(io::Error::other)
}
