//! The person's terminal, for start-up files that ask for something while nobody runs a command.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::user_terminal::UserTerminal;

/// Where a terminal is offered and taken.
#[derive(Debug, Default)]
pub(crate) struct Attendance {
    offered: Mutex<Option<Arc<UserTerminal>>>,
    told: Notify,
}

impl Attendance {
    /// Waits for a terminal. Cancel-safe.
    pub(crate) async fn taken(&self) -> Arc<UserTerminal> {
        loop {
            if let Some(terminal) = self.lock().take() {
                return terminal;
            }
            self.told.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<UserTerminal>>> {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A terminal is offered to the start-up files for as long as this lives; one that they have taken they keep until the shell is
/// at its prompt.
#[derive(Debug)]
pub struct Attending(Arc<Attendance>);

impl Attending {
    pub(crate) fn offer(attendance: &Arc<Attendance>, terminal: &Arc<UserTerminal>) -> Self {
        *attendance.lock() = Some(Arc::clone(terminal));
        attendance.told.notify_one();
        Self(Arc::clone(attendance))
    }
}

impl Drop for Attending {
    fn drop(&mut self) {
        self.0.lock().take();
    }
}
