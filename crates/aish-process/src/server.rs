//! A long-lived child that is spoken to over its standard streams.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::capture::{Capture, Captured};
use crate::child::{Child, Ends};
use crate::command::Command;
use crate::exit::Exit;
use crate::image::SpawnError;
use crate::run::new_pipe;
use crate::terminal::Detached;

/// Bounds of a server beside those of its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerOptions {
    /// Bytes of its standard error that are kept, head and tail together.
    pub stderr_cap: usize,
}

impl Default for ServerOptions {
    /// 64 KiB of standard error.
    fn default() -> Self {
        Self { stderr_cap: 64 * 1024 }
    }
}

/// A long-lived child with piped stdin and stdout, whose stderr is read to its end and kept within a bound.
///
/// Dropped, its whole tree is ended in the background: TERM, and KILL after the command's grace.
#[derive(Debug)]
pub struct Server {
    stdin: Option<pipe::Sender>,
    stdout: Option<pipe::Receiver>,
    stderr: Stderr,
    child: Child,
}

#[derive(Debug)]
struct Stderr {
    kept: Arc<Mutex<Capture>>,
    reader: JoinHandle<()>,
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Server {
    /// Starts a command; its `stdin`, `timeout`, `output_cap` and `drain` are not used. Needs a tokio runtime with I/O.
    ///
    /// # Errors
    /// When the command cannot be started.
    pub async fn start(command: &Command, options: ServerOptions) -> Result<Self, SpawnError> {
        let system =
            |source: io::Error| SpawnError::System { program: command.program.to_string_lossy().into_owned(), source };
        let (stdin, stdin_ours) = new_pipe().map_err(system)?;
        let (stdout_ours, stdout) = new_pipe().map_err(system)?;
        let (stderr_ours, stderr) = new_pipe().map_err(system)?;
        let stdin_ours = pipe::Sender::from_owned_fd(stdin_ours).map_err(system)?;
        let stdout_ours = pipe::Receiver::from_owned_fd(stdout_ours).map_err(system)?;
        let stderr_ours = pipe::Receiver::from_owned_fd(stderr_ours).map_err(system)?;
        let child = Child::spawn(
            command,
            Ends { stdin, stdout, stderr, beside: None, controlling: false, detached: Detached::End },
        )
        .await?;
        let kept = Arc::new(Mutex::new(Capture::new(options.stderr_cap)));
        let reader = tokio::spawn(keep(stderr_ours, kept.clone()));
        Ok(Self { stdin: Some(stdin_ours), stdout: Some(stdout_ours), stderr: Stderr { kept, reader }, child })
    }

    /// The process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// Takes the writing end of the server's stdin (`AsyncWrite`); dropping it closes the server's stdin.
    pub fn take_stdin(&mut self) -> Option<pipe::Sender> {
        self.stdin.take()
    }

    /// Takes the reading end of the server's stdout (`AsyncRead`).
    pub fn take_stdout(&mut self) -> Option<pipe::Receiver> {
        self.stdout.take()
    }

    /// Returns what the server has written to its stderr so far, as far as it was kept.
    pub fn stderr(&self) -> Captured {
        self.stderr.kept.lock().unwrap_or_else(PoisonError::into_inner).snapshot()
    }

    /// Waits for the server to end by itself. Cancel-safe. Its descendants are ended with [`Server::stop`] or the drop.
    pub async fn wait(&mut self) -> Exit {
        self.child.wait().await
    }

    /// Ends the server: closes its stdin (unless that was taken), waits up to `patience` for it to go by itself, then
    /// ends the whole tree with TERM and, after the command's grace, KILL. No process of the tree is left after this.
    pub async fn stop(mut self, patience: Duration) -> Exit {
        self.stdin = None;
        self.stdout = None;
        self.child.finish(patience).await
    }
}

async fn keep(pipe: pipe::Receiver, kept: Arc<Mutex<Capture>>) {
    let mut buffer = Vec::with_capacity(8 * 1024);
    loop {
        if pipe.readable().await.is_err() {
            return;
        }
        buffer.clear();
        match pipe.try_read_buf(&mut buffer) {
            Ok(0) => return,
            Ok(_) => kept.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => return,
        }
    }
}

impl Child {
    /// Waits up to `patience` for the child to end, then ends its tree; no member is left after this.
    pub(crate) async fn finish(&mut self, patience: Duration) -> Exit {
        if let Ok(exit) = timeout(patience, self.wait()).await {
            if self.may_have_leftovers() {
                self.end_leftovers(Duration::from_millis(100)).await;
            }
            return exit;
        }
        let _ = self.end_tree().await;
        self.wait().await
    }
}
