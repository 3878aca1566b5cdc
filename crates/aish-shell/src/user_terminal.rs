//! The terminal that the person sits at.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use aish_process::Watched;
use rustix::fs::{Mode, OFlags, open};
use rustix::termios::{isatty, tcgetwinsize};

use crate::changed_modes::ChangedModes;
use crate::options::Size;

/// The terminal that the person sits at.
///
/// It is opened anew, so that reading it without blocking changes nothing for whoever shares our descriptors.
#[derive(Debug)]
pub struct UserTerminal {
    input: Watched,
    output: Watched,
}

impl UserTerminal {
    /// Opens the terminal behind our standard input and output.
    ///
    /// # Errors
    /// When one of the two is no terminal.
    pub fn standard() -> io::Result<Self> {
        Self::open(&rustix::stdio::stdin(), &rustix::stdio::stdout())
    }

    /// Opens the terminal behind these two descriptors. Needs a tokio runtime with I/O.
    ///
    /// # Errors
    /// When one of the two is no terminal.
    pub fn open(input: &impl AsFd, output: &impl AsFd) -> io::Result<Self> {
        Ok(Self {
            input: Watched::new(anew(input, OFlags::RDONLY)?)?,
            output: Watched::for_writing(anew(output, OFlags::WRONLY)?)?,
        })
    }

    /// Returns its size; 24 by 80 where it says nothing.
    pub fn size(&self) -> Size {
        match tcgetwinsize(&self.output) {
            Ok(size) if size.ws_row > 0 && size.ws_col > 0 => Size { rows: size.ws_row, columns: size.ws_col },
            _ => Size::default(),
        }
    }

    /// Sets it raw until the value is dropped.
    ///
    /// # Errors
    /// When the terminal has gone.
    pub fn raw(&self) -> io::Result<ChangedModes> {
        ChangedModes::raw(self.input.as_fd().try_clone_to_owned()?)
    }

    /// Lets it show no keys until the value is dropped; what is typed waits for who reads next.
    ///
    /// # Errors
    /// When the terminal has gone.
    pub fn silent(&self) -> io::Result<ChangedModes> {
        ChangedModes::silent(self.input.as_fd().try_clone_to_owned()?)
    }

    /// Reads keys; 0 when the terminal has gone. Cancel-safe.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer).await
    }

    /// Writes as much as fits. Cancel-safe.
    pub(crate) async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes).await
    }
}

fn anew(fd: &impl AsFd, access: OFlags) -> io::Result<OwnedFd> {
    if !isatty(fd) {
        return Err(io::Error::other("not a terminal"));
    }
    let path = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    Ok(open(path, access | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
}
