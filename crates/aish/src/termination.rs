//! The signals that end a server.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Returns a token that SIGTERM, SIGINT and SIGHUP cancel. Must be called inside a runtime.
///
/// # Errors
/// When the signals cannot be watched.
pub fn on_signals() -> io::Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let shutdown = CancellationToken::new();
    let fired = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
        fired.cancel();
    });
    Ok(shutdown)
}
