//! The bytes between the user's terminal and a running command.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

use crate::changed_modes::ChangedModes;
use crate::fold::Fold;
use crate::options::Size;
use crate::user_terminal::UserTerminal;

/// How soon keys that the command's terminal had no room for are offered again.
const RETRY: Duration = Duration::from_millis(5);

/// What happened at the user's terminal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AtTerminal {
    /// Keys wait in [`Passage::keys`].
    Keys,
    /// Some output was shown.
    Shown,
    /// The window has another size.
    Resized(Size),
    /// The terminal has gone.
    HungUp,
}

/// The user's terminal in raw mode, with what is on its way in both directions; or nobody.
pub(crate) struct Passage {
    user: Option<User>,
    /// Keys on their way to the command.
    pub(crate) keys: Vec<u8>,
    output: Vec<u8>,
    fold: Option<Fold>,
    buffer: Box<[u8]>,
}

struct User {
    terminal: Arc<UserTerminal>,
    resized: Option<Signal>,
    _raw: Option<ChangedModes>,
}

impl Passage {
    /// Opens the passage: the terminal is raw until this is dropped.
    pub(crate) fn open(terminal: Option<&Arc<UserTerminal>>) -> Self {
        let user = terminal.map(|terminal| User {
            terminal: terminal.clone(),
            resized: signal(SignalKind::window_change()).ok(),
            _raw: terminal.raw().map_err(|error| tracing::warn!(%error, "the terminal cannot be set raw")).ok(),
        });
        Self { user, keys: Vec::new(), output: Vec::new(), fold: None, buffer: vec![0; 4096].into() }
    }

    /// Shows so many rows of the output from now on, and keeps the rest back.
    pub(crate) fn fold_behind(&mut self, rows: Option<usize>) {
        let columns = self.size().unwrap_or_default().columns;
        self.fold = rows.map(|rows| Fold::behind(rows, usize::from(columns)));
    }

    /// Shows all of what comes from now on, and returns how many lines were kept back.
    pub(crate) fn unfold(&mut self) -> usize {
        self.fold.take().map_or(0, |fold| fold.hidden())
    }

    /// Says whether somebody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.user.is_some()
    }

    /// The size of the user's terminal.
    pub(crate) fn size(&self) -> Option<Size> {
        self.user.as_ref().map(|user| user.terminal.size())
    }

    /// Puts output on its way to the screen.
    pub(crate) fn show(&mut self, output: &[u8]) {
        if self.user.is_some() {
            match &mut self.fold {
                Some(fold) => self.output.extend(fold.feed(output)),
                None => self.output.extend_from_slice(output),
            }
        }
    }

    /// Says whether all output is on the screen; until then no more is taken from the command.
    pub(crate) fn is_clear(&self) -> bool {
        self.output.is_empty()
    }

    /// Waits for the next thing at the terminal; for ever without one. Cancel-safe.
    pub(crate) async fn next(&mut self) -> AtTerminal {
        let Some(user) = &mut self.user else { return std::future::pending().await };
        let resize = async {
            match &mut user.resized {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        let result = tokio::select! {
            read = user.terminal.read(&mut self.buffer), if self.keys.is_empty() => match read {
                Ok(0) | Err(_) => AtTerminal::HungUp,
                Ok(count) => {
                    self.keys.extend_from_slice(self.buffer.get(..count).unwrap_or_default());
                    AtTerminal::Keys
                }
            },
            written = user.terminal.write(&self.output), if !self.output.is_empty() => match written {
                Ok(count) => {
                    self.output.drain(..count);
                    AtTerminal::Shown
                }
                Err(_) => AtTerminal::HungUp,
            },
            _ = resize => AtTerminal::Resized(user.terminal.size()),
            () = sleep(RETRY), if !self.keys.is_empty() => AtTerminal::Keys,
        };
        if let (AtTerminal::Keys, Some(fold)) = (&result, &mut self.fold) {
            self.output.extend(fold.answered());
        }
        if result == AtTerminal::HungUp {
            self.user = None;
            self.output.clear();
        }
        result
    }

    /// Shows what is still on its way.
    pub(crate) async fn finish(&mut self) {
        while !self.output.is_empty() {
            let Some(user) = &self.user else { return };
            match user.terminal.write(&self.output).await {
                Ok(count) => drop(self.output.drain(..count)),
                Err(_) => return,
            }
        }
    }
}
