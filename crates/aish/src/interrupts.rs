//! Ctrl-C: who is to be stopped now.

use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// Turns SIGINT into the cancellation of whatever runs at the time.
#[derive(Debug, Clone, Default)]
pub struct Interrupts {
    current: Arc<Mutex<CancellationToken>>,
}

impl Interrupts {
    /// Starts to listen.
    pub fn listen() -> Self {
        let interrupts = Self::default();
        let current = Arc::clone(&interrupts.current);
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                current.lock().unwrap_or_else(PoisonError::into_inner).cancel();
            }
        });
        interrupts
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
