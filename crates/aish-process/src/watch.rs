//! A descriptor that the runtime watches.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Watches a descriptor until it becomes readable.
#[expect(unsafe_code, reason = "tokio cannot know that a type's descriptor stays the same")]
pub(crate) fn watch(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open as long as it lives and always returns the same descriptor.
    Ok(unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) }?)
}
