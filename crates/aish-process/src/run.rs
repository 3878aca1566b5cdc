//! A command run to its end.
//!
//! Order: start, read both streams and feed stdin until the command ends, its time is up or it is cancelled; then end
//! the tree if it must be ended; then read what is still to come, no longer than the drain limit; then end what has
//! outlived the command. Output that came before a timeout or a cancellation is kept.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use tokio::net::unix::pipe;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::capture::{Capture, Captured};
use crate::child::{Child, Ends};
use crate::command::{Command, Stdin};
use crate::exit::Exit;
use crate::image::SpawnError;
use crate::terminal::Detached;

/// Bytes that are read from a stream at a time.
const CHUNK: usize = 64 * 1024;

/// How long descendants that outlived their command have between TERM and KILL.
const LEFTOVER_GRACE: Duration = Duration::from_millis(100);

/// How long streams are read after the last process that could write to them was killed.
const LAST_READ: Duration = Duration::from_millis(100);

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// What was kept of its standard output.
    pub stdout: Captured,
    /// What was kept of its standard error.
    pub stderr: Captured,
    /// How it ended.
    pub exit: Exit,
    /// From before the start to after the last byte was read.
    pub duration: Duration,
}

/// Runs a command to its end, or until its timeout or the cancellation.
///
/// No process of its tree is left when this returns, nor (after at most the command's grace) when the future is
/// dropped. Needs a tokio runtime with I/O and time.
///
/// # Errors
/// When the command cannot be started; everything after that is an outcome.
pub async fn run(command: &Command, cancel: &CancellationToken) -> Result<RunOutcome, SpawnError> {
    let started = Instant::now();
    if cancel.is_cancelled() {
        let none = Captured::default();
        return Ok(RunOutcome { stdout: none.clone(), stderr: none, exit: Exit::Cancelled, duration: Duration::ZERO });
    }
    let (mut child, mut streams) = start(command).await?;
    let exit = until_end(&mut child, &mut streams, command.timeout.map(|limit| started + limit), cancel).await;
    match exit {
        Exit::Code(_) | Exit::Signal(_) => {
            streams.stdin = None;
            streams.drain(command.drain, cancel).await;
            if child.may_have_leftovers() {
                child.end_leftovers(LEFTOVER_GRACE).await;
                streams.drain(LAST_READ, cancel).await;
            }
        }
        Exit::TimedOut | Exit::Cancelled => {
            let mut gone = child.end_tree();
            loop {
                tokio::select! {
                    _ = &mut gone => break,
                    () = streams.step() => {}
                }
            }
            child.wait().await;
            streams.drain(LAST_READ, &CancellationToken::new()).await;
        }
    }
    Ok(RunOutcome {
        stdout: streams.stdout.capture.finish(),
        stderr: streams.stderr.capture.finish(),
        exit,
        duration: started.elapsed(),
    })
}

async fn start(command: &Command) -> Result<(Child, Streams), SpawnError> {
    let system =
        |source: io::Error| SpawnError::System { program: command.program.to_string_lossy().into_owned(), source };
    let (stdin, feed) = match &command.stdin {
        Stdin::Null => (dev_null().map_err(system)?, None),
        Stdin::Bytes(bytes) => {
            let (read, write) = new_pipe().map_err(system)?;
            let pipe = pipe::Sender::from_owned_fd(write).map_err(system)?;
            (read, Some(Feed { pipe, bytes: bytes.clone(), written: 0 }))
        }
    };
    let (out_read, stdout) = new_pipe().map_err(system)?;
    let (err_read, stderr) = new_pipe().map_err(system)?;
    let streams = Streams {
        stdin: feed,
        stdout: Intake::new(out_read, command.output_cap).map_err(system)?,
        stderr: Intake::new(err_read, command.output_cap).map_err(system)?,
        buffer: Vec::with_capacity(CHUNK),
    };
    let child = Child::spawn(
        command,
        Ends { stdin, stdout, stderr, beside: None, controlling: false, detached: Detached::End },
    )
    .await?;
    Ok((child, streams))
}

/// Moves bytes until the command ends or must be ended.
async fn until_end(
    child: &mut Child,
    streams: &mut Streams,
    deadline: Option<Instant>,
    cancel: &CancellationToken,
) -> Exit {
    let time_is_up = async {
        match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    let cancelled = cancel.cancelled();
    tokio::pin!(time_is_up, cancelled);
    loop {
        tokio::select! {
            exit = child.wait() => return exit,
            () = streams.step() => {}
            () = &mut time_is_up => return Exit::TimedOut,
            () = &mut cancelled => return Exit::Cancelled,
        }
    }
}

/// Our ends of the three streams.
struct Streams {
    stdin: Option<Feed>,
    stdout: Intake,
    stderr: Intake,
    buffer: Vec<u8>,
}

struct Feed {
    pipe: pipe::Sender,
    bytes: Vec<u8>,
    written: usize,
}

struct Intake {
    pipe: Option<pipe::Receiver>,
    capture: Capture,
}

impl Streams {
    /// Waits until a stream can go on, and moves one chunk; waits for ever when all are closed. Cancel-safe.
    async fn step(&mut self) {
        tokio::select! {
            () = self.stdout.ready() => self.stdout.take(&mut self.buffer),
            () = self.stderr.ready() => self.stderr.take(&mut self.buffer),
            () = ready_to_feed(self.stdin.as_ref()) => {
                if self.stdin.as_mut().is_some_and(Feed::give) {
                    self.stdin = None;
                }
            }
        }
    }

    /// Reads until both outputs end, no longer than `limit`.
    async fn drain(&mut self, limit: Duration, cancel: &CancellationToken) {
        if !self.is_open() {
            return;
        }
        let enough = sleep(limit);
        tokio::pin!(enough);
        while self.is_open() {
            tokio::select! {
                () = self.step() => {}
                () = &mut enough => return,
                () = cancel.cancelled() => return,
            }
        }
    }

    fn is_open(&self) -> bool {
        self.stdout.pipe.is_some() || self.stderr.pipe.is_some()
    }
}

impl Intake {
    fn new(fd: OwnedFd, cap: usize) -> io::Result<Self> {
        Ok(Self { pipe: Some(pipe::Receiver::from_owned_fd(fd)?), capture: Capture::new(cap) })
    }

    async fn ready(&self) {
        match &self.pipe {
            Some(pipe) => {
                let _ = pipe.readable().await;
            }
            None => std::future::pending().await,
        }
    }

    /// Reads one chunk; closes the pipe at its end.
    fn take(&mut self, buffer: &mut Vec<u8>) {
        let Some(pipe) = &self.pipe else { return };
        buffer.clear();
        match pipe.try_read_buf(buffer) {
            Ok(0) => self.pipe = None,
            Ok(_) => self.capture.push(buffer),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => self.pipe = None,
        }
    }
}

impl Feed {
    /// Writes what fits; true when all is written or the reader is gone.
    fn give(&mut self) -> bool {
        let rest = self.bytes.get(self.written..).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
        match self.pipe.try_write(rest) {
            Ok(written) => {
                self.written += written;
                self.written >= self.bytes.len()
            }
            Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
    }
}

async fn ready_to_feed(feed: Option<&Feed>) {
    match feed {
        Some(feed) => {
            let _ = feed.pipe.writable().await;
        }
        None => std::future::pending().await,
    }
}

/// A pipe whose ends no other child inherits: read end, write end.
pub(crate) fn new_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

fn dev_null() -> io::Result<OwnedFd> {
    Ok(std::fs::File::open("/dev/null")?.into())
}
