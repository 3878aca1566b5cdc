//! The server over standard input and output, or any pair of streams.
//!
//! When the client closes its end, calls that still run have a moment to answer (a script may write its requests
//! and close), and none at all when the client does not listen any more.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::adapter::{Adapter, Shared};
use super::handler::ServerHandler;
use super::input::Rounds;
use super::lines::LineTransport;

/// How the server over standard input and output behaves.
#[derive(Debug, Clone)]
pub struct StdioOptions {
    /// Ends the server when it fires (SIGTERM): calls are cancelled, and have 2 seconds to end.
    pub shutdown: CancellationToken,
    /// How long calls may still run when the client has closed its end but listens.
    pub drain: Duration,
}

impl Default for StdioOptions {
    /// Never shut down from outside; 3 seconds to drain.
    fn default() -> Self {
        Self { shutdown: CancellationToken::new(), drain: Duration::from_secs(3) }
    }
}

/// Why the server over standard input and output ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeStdioError {
    /// The client could not be greeted.
    #[error("the client could not be greeted: {0}")]
    Greeting(String),
    /// The server's own task failed.
    #[error("the server failed: {0}")]
    Failed(String),
}

/// Serves one client over standard input and output until it closes its end or `shutdown` fires.
///
/// Where standard input is no pipe, a read of it may outlive this function: end the process, or the runtime with
/// `shutdown_background`.
///
/// # Errors
/// When the client cannot be greeted.
pub async fn serve_stdio(handler: Arc<dyn ServerHandler>, options: StdioOptions) -> Result<(), ServeStdioError> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve(handler, read, write, options, || hung_up(std::io::stdout())).await
}

/// Serves one client over a pair of streams until the reader ends or `shutdown` fires.
///
/// # Errors
/// When the client cannot be greeted.
pub async fn serve_streams<R, W>(
    handler: Arc<dyn ServerHandler>,
    read: R,
    write: W,
    options: StdioOptions,
) -> Result<(), ServeStdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve(handler, read, write, options, || false).await
}

async fn serve<R, W>(
    handler: Arc<dyn ServerHandler>,
    read: R,
    write: W,
    options: StdioOptions,
    deaf: fn() -> bool,
) -> Result<(), ServeStdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let gone = CancellationToken::new();
    let ended = CancellationToken::new();
    let tasks = TaskTracker::new();
    let shared = Arc::new(Shared { handler, rounds: Rounds::new(), gone: gone.clone(), tasks: tasks.clone() });
    let transport = LineTransport::new(read, write, ended.clone());
    let stop = options.shutdown.child_token();
    let watch = tasks.spawn(watch(ended, options.shutdown.clone(), gone.clone(), options.drain, deaf));
    let result = match serve_server_with_ct(Adapter::new(shared), transport, stop).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| ServeStdioError::Failed(error.to_string())),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(ServeStdioError::Greeting(error.to_string())),
    };
    gone.cancel();
    watch.abort();
    tasks.close();
    tasks.wait().await;
    result
}

/// Cancels all calls when the server shuts down, and after the drain when the client has closed its end.
async fn watch(
    ended: CancellationToken,
    shutdown: CancellationToken,
    gone: CancellationToken,
    drain: Duration,
    deaf: fn() -> bool,
) {
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = ended.cancelled() => {
            let mut look = tokio::time::interval(Duration::from_millis(50));
            let deadline = tokio::time::sleep(drain);
            tokio::pin!(deadline);
            loop {
                tokio::select! {
                    () = &mut deadline => break,
                    () = shutdown.cancelled() => break,
                    _ = look.tick() => if deaf() { break },
                }
            }
        }
    }
    gone.cancel();
}

/// Returns whether nobody reads a stream any more.
fn hung_up(stream: impl std::os::fd::AsFd) -> bool {
    let mut fds = [PollFd::new(&stream, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok()
        && fds.iter().any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL))
}
