//! Being ended or stopped from outside, by signals.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Flow;
use crate::exit::ExitCode;
use crate::interrupts::Interrupts;

/// How long what runs may take to keep what it has, once a signal ends the shell.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The signals that end the shell: its terminal was closed, or somebody wants it to end.
pub(super) struct Signals {
    hangup: Signal,
    terminate: Signal,
    /// Ctrl-\ ends what runs and not the shell; it is heard and nothing comes of it.
    _quit: Signal,
    stops: JoinHandle<()>,
}

impl Signals {
    /// Starts to listen; `pauses` is what the editor does before and after a stop.
    pub(super) fn listen(pauses: (impl Fn() + Send + 'static, impl Fn() + Send + 'static)) -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            _quit: signal(SignalKind::quit())?,
            stops: aish_shell::follow_stops(pauses.0, pauses.1)?,
        })
    }

    /// Waits for one, and returns the exit code that tells of it.
    pub(super) async fn ended(&mut self) -> ExitCode {
        tokio::select! {
            _ = self.hangup.recv() => ExitCode::Of(129),
            _ = self.terminate.recv() => ExitCode::Of(143),
        }
    }

    /// Waits for a line's end, or for a signal, which interrupts it.
    ///
    /// # Errors
    /// The exit code of the signal.
    pub(super) async fn unless_ended(
        &mut self,
        line: impl Future<Output = Flow>,
        interrupts: &Interrupts,
    ) -> Result<Flow, ExitCode> {
        let mut line = pin!(line);
        let code = tokio::select! {
            flow = &mut line => return Ok(flow),
            code = self.ended() => code,
        };
        interrupts.interrupt();
        let _ = timeout(LAST_WORDS, line).await;
        Err(code)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.stops.abort();
    }
}
