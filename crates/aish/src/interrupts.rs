//! Ctrl-C: who is to be stopped now.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Turns SIGINT into the cancellation of whatever runs at the time.
#[derive(Debug, Clone, Default)]
pub struct Interrupts {
    current: Arc<Mutex<CancellationToken>>,
}

impl Interrupts {
    /// Listens from now on; `heard` is called at each.
    ///
    /// # Errors
    /// When the signal cannot be watched.
    pub fn listen(heard: impl Fn() + Send + 'static) -> io::Result<Self> {
        let mut signals = signal(SignalKind::interrupt())?;
        let interrupts = Self::default();
        let current = Arc::clone(&interrupts.current);
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                heard();
                current.lock().unwrap_or_else(PoisonError::into_inner).cancel();
            }
        });
        Ok(interrupts)
    }

    /// Stops what runs now, as Ctrl-C does.
    pub fn interrupt(&self) {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Returns a fresh token that the next Ctrl-C cancels.
    pub fn arm(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }
}
