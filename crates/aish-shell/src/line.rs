//! The pseudo-terminal between aish and the shell.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use pty_process::Pty;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, tcflush, tcgetattr, tcgetpgrp, tcsetattr,
};
use tokio::io::AsyncReadExt as _;

use crate::options::Size;

/// How long the kernel may take to put a line that was written into the queue that the shell reads.
const QUEUE_LIMIT: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// The same where somebody reads the queue, who may have been faster than we looked.
const HANDED_OVER: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// The two ends of the shell's terminal that aish keeps.
pub(crate) struct Line {
    master: Pty,
    slave: OwnedFd,
}

impl Line {
    /// Opens a pseudo-terminal; the second value is the end that the shell gets.
    pub(crate) fn open(size: Size) -> io::Result<(Self, OwnedFd)> {
        let (master, pts) = pty_process::open().map_err(io::Error::other)?;
        let shells = pts.as_fd().try_clone_to_owned()?;
        // An open file of our own, so that making it non-blocking does not make the shell's so.
        let slave = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        fcntl_setfl(&slave, fcntl_getfl(&slave)? | OFlags::NONBLOCK)?;
        let line = Self { master, slave };
        line.resize(size)?;
        Ok((line, shells))
    }

    /// Sets the size; the foreground job is told by the kernel.
    pub(crate) fn resize(&self, size: Size) -> io::Result<()> {
        let size = pty_process::Size::new(size.rows.max(1), size.columns.max(1));
        self.master.resize(size).map_err(io::Error::other)
    }

    /// Reads what the shell and its jobs wrote. Cancel-safe.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.master.read(buffer).await
    }

    /// Types as many of these keys as fit; 0 when none does now.
    pub(crate) fn try_type(&self, keys: &[u8]) -> io::Result<usize> {
        match rustix::io::write(&self.master, keys) {
            Ok(written) => Ok(written),
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Types a line that is not echoed, and returns once it is in the queue. Only while nobody reads the terminal.
    pub(crate) fn type_unseen(&self, line: &str) -> io::Result<()> {
        match self.type_without_echo(line, &QUEUE_LIMIT)? {
            true => Ok(()),
            false => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Types a line that is not echoed to a shell that may be reading.
    pub(crate) fn type_to_reader(&self, line: &str) -> io::Result<()> {
        self.type_without_echo(line, &HANDED_OVER).map(|_| ())
    }

    /// Types a line, and says whether it was seen in the queue.
    fn type_without_echo(&self, line: &str, limit: &Timespec) -> io::Result<bool> {
        let as_set = tcgetattr(&self.slave)?;
        let mut unseen = as_set.clone();
        unseen.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::EXTPROC;
        unseen.local_modes |= LocalModes::ICANON;
        unseen.input_modes -= InputModes::INLCR | InputModes::IGNCR | InputModes::ISTRIP | InputModes::IUCLC;
        tcsetattr(&self.slave, OptionalActions::Now, &unseen)?;
        let typed = self.try_type(line.as_bytes());
        // The kernel hands the line over in its own time, and echoes it or not when it does.
        let mut queue = [PollFd::new(&self.slave, PollFlags::IN)];
        let queued = poll(&mut queue, Some(limit));
        tcsetattr(&self.slave, OptionalActions::Now, &as_set)?;
        match typed? == line.len() {
            true => Ok(queued? > 0),
            false => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    /// Throws away what was typed and not read.
    pub(crate) fn discard_type_ahead(&self) -> io::Result<()> {
        Ok(tcflush(&self.slave, QueueSelector::IFlush)?)
    }

    /// Says that there is nothing more to read, without an echo of that.
    pub(crate) fn end_input(&self) {
        let Ok(as_set) = tcgetattr(&self.slave) else { return };
        // To a program that reads single keys the byte would be a key.
        if as_set.local_modes.contains(LocalModes::ICANON) {
            let _ = self.try_type(&[as_set.special_codes[SpecialCodeIndex::VEOF]]);
            // On its way no longer, so that it cannot come before the next command's trigger.
            let _ = poll(&mut [PollFd::new(&self.slave, PollFlags::IN)], Some(&HANDED_OVER));
        }
    }

    /// Takes what was typed and not read, an unfinished line too. Only while nothing else reads the terminal.
    pub(crate) fn take_type_ahead(&self) -> io::Result<Vec<u8>> {
        let as_set = tcgetattr(&self.slave)?;
        let mut at_once = as_set.clone();
        at_once.local_modes -= LocalModes::ICANON;
        tcsetattr(&self.slave, OptionalActions::Now, &at_once)?;
        let mut taken = Vec::new();
        let mut buffer = [0; 4096];
        let result = loop {
            match rustix::io::read(&self.slave, &mut buffer) {
                Ok(0) | Err(Errno::AGAIN | Errno::IO) => break Ok(taken),
                Ok(count) => taken.extend_from_slice(buffer.get(..count).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(error) => break Err(error.into()),
            }
        };
        tcsetattr(&self.slave, OptionalActions::Now, &as_set)?;
        result
    }

    /// The process group in the foreground.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.master).ok()
    }
}
