//! A descriptor that the runtime watches.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor that can be waited for, and read and written without blocking a thread when it is set non-blocking.
#[derive(Debug)]
pub struct Watched {
    fd: AsyncFd<OwnedFd>,
}

impl Watched {
    /// Watches a descriptor for reading. Needs a tokio runtime with I/O.
    ///
    /// # Errors
    /// When the runtime cannot watch it (a regular file).
    pub fn new(fd: OwnedFd) -> io::Result<Self> {
        Self::with_interest(fd, Interest::READABLE)
    }

    /// Watches a descriptor for writing.
    ///
    /// # Errors
    /// When the runtime cannot watch it (a regular file).
    pub fn for_writing(fd: OwnedFd) -> io::Result<Self> {
        Self::with_interest(fd, Interest::WRITABLE)
    }

    #[expect(unsafe_code, reason = "tokio cannot know that a type's descriptor stays the same")]
    fn with_interest(fd: OwnedFd, interest: Interest) -> io::Result<Self> {
        // SAFETY: an `OwnedFd` is open as long as it lives and always returns the same descriptor.
        Ok(Self { fd: unsafe { AsyncFd::register_with_interest(fd, interest) }? })
    }

    /// Waits until the descriptor is readable, or closed. Cancel-safe.
    pub async fn readable(&self) {
        // The only error is a runtime that is shutting down, which polls nothing any more.
        let _ = self.fd.readable().await;
    }

    /// Reads what there is, at least one byte; 0 at the end. The descriptor must be non-blocking. Cancel-safe.
    ///
    /// # Errors
    /// What the system says.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.fd.readable().await?;
            if let Ok(result) = ready.try_io(|fd| Ok(rustix::io::read(fd.get_ref(), &mut *buffer)?)) {
                return result;
            }
        }
    }

    /// Writes as much as fits, at least one byte. The descriptor must be non-blocking. Cancel-safe.
    ///
    /// # Errors
    /// What the system says.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.fd.writable().await?;
            if let Ok(result) = ready.try_io(|fd| Ok(rustix::io::write(fd.get_ref(), bytes)?)) {
                return result;
            }
        }
    }
}

impl AsFd for Watched {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.get_ref().as_fd()
    }
}
