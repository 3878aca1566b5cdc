//! The limit of file sizes (`ulimit -f`): the writer gets an error, and not a signal that ends the program silently.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Lets a write over the limit of file sizes fail with `EFBIG`. Programs that are started later get the signal as usual: a
/// handler, other than to ignore it, does not outlive `execve`.
pub fn survive_file_limit() {
    // Without the handler the program is as it was: the signal ends it.
    let _ = signal_hook::flag::register(libc::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
