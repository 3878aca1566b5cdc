//! Standard output, for what was asked for. What could not be written is remembered, so that the program does not end as if it
//! had said it.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use tokio_util::sync::CancellationToken;

/// The system's number of the first fault; 0 for none.
static FAULT: AtomicI32 = AtomicI32::new(0);

/// Cancelled when whoever read is gone.
static GONE: OnceLock<CancellationToken> = OnceLock::new();

/// The system's number of a fault that has none of its own: input or output failed.
const EIO: i32 = 5;

/// Writes to standard output, from any thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Output;

impl Output {
    /// Returns why something that was written is not there, now that all of it was to be. A reader that went away is no fault.
    pub fn fault() -> Option<io::Error> {
        let _ = Self.flush();
        match FAULT.load(Ordering::Relaxed) {
            0 => None,
            number => Some(io::Error::from_raw_os_error(number)),
        }
    }

    /// Returns what is cancelled by the first write that nobody can read any more, as behind `head`.
    pub fn reader_gone() -> &'static CancellationToken {
        GONE.get_or_init(CancellationToken::new)
    }
}

/// Remembers a fault; what goes on behind it is as good as written.
fn noted<T>(result: io::Result<T>) -> io::Result<T> {
    match &result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Output::reader_gone().cancel(),
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(EIO);
            let _ = FAULT.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
        }
        Ok(_) => {}
    }
    result
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        noted(io::stdout().lock().write(bytes))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        noted(io::stdout().lock().write_all(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        noted(io::stdout().lock().flush())
    }
}
