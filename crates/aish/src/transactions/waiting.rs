//! A launcher that waits for the next command, so that its name spaces are made while a command is judged or a question stands.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_shell::Waiting;

use crate::confinement;

/// How long one waits that nothing comes for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where at most one launcher waits.
#[derive(Default)]
pub(super) struct WaitingLauncher(Arc<Mutex<Option<Waiting>>>);

impl WaitingLauncher {
    /// Starts one in the background, where none waits. It ends when nothing has come for it in half a minute.
    pub(super) fn prepare(&self) {
        if self.put(None) {
            return;
        }
        let place = Self(Arc::clone(&self.0));
        tokio::spawn(async move {
            let Some(launcher) = start().await else { return };
            let pid = launcher.pid();
            place.put(Some(launcher));
            tokio::time::sleep(PATIENCE).await;
            let mut waits = place.0.lock().unwrap_or_else(PoisonError::into_inner);
            waits.take_if(|launcher| launcher.pid() == pid);
        });
    }

    /// Takes the one that waits, or starts one; none where that fails, so that a launcher with its plan tells why.
    pub(super) async fn take(&self) -> Option<Waiting> {
        let waits = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match waits {
            Some(launcher) => Some(launcher),
            None => start().await,
        }
    }

    /// Ends the one that waits.
    pub(super) fn end(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Lets one wait, unless one does; returns whether one did.
    fn put(&self, launcher: Option<Waiting>) -> bool {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let did = waits.is_some();
        if let Some(launcher) = launcher.filter(|_| !did) {
            *waits = Some(launcher);
        }
        did
    }
}

async fn start() -> Option<Waiting> {
    Waiting::start(&confinement::waiting_launcher().ok()?).await.ok()
}
