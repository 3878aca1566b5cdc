//! The standard streams of a server: its input, which is written by a task, and its output, which is read in lines.

use std::io;
use std::time::Duration;

use aish_types::lines::Line;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::messages::is_whole_message;
use super::{MAX_MESSAGE, MAX_SPREAD};
use crate::lines::{LineReader, Read};

/// Messages that wait for a server that does not read.
const QUEUE: usize = 64;

/// A server's input.
pub(super) struct Input {
    /// Where whole lines are put, until the input is closed.
    pub(super) queue: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    /// Since when the server takes nothing any more.
    refused: watch::Receiver<Option<Instant>>,
}

impl Input {
    pub(super) fn new(stdin: pipe::Sender) -> Self {
        let (queue, lines) = mpsc::channel(QUEUE);
        let (refuses, refused) = watch::channel(None);
        Self { queue: Some(queue), writer: Some(tokio::spawn(write_all(stdin, lines, refuses))), refused }
    }

    /// Waits until the server has taken nothing for so long although it was sent something: it closed its input.
    pub(super) async fn refused(&self, patience: Duration) {
        let mut refused = self.refused.clone();
        let since = refused.wait_for(Option::is_some).await.ok().and_then(|since| *since);
        match since {
            Some(since) => tokio::time::sleep_until(since + patience).await,
            None => std::future::pending().await,
        }
    }

    /// Closes it, even when the server does not read.
    pub(super) async fn close(&mut self) {
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            // A server that does not read keeps the writer waiting: dropping it closes the server's input.
            writer.abort();
            let _ = writer.await;
        }
    }
}

async fn write_all(
    mut stdin: pipe::Sender,
    mut lines: mpsc::Receiver<Vec<u8>>,
    refuses: watch::Sender<Option<Instant>>,
) {
    while let Some(line) = lines.recv().await {
        if let Err(why) = stdin.write_all(&line).await {
            tracing::debug!(%why, "the server does not take messages any more");
            refuses.send_replace(Some(Instant::now()));
            return;
        }
    }
}

/// A server's output.
pub(super) struct Output {
    lines: LineReader<pipe::Receiver>,
    /// Whether the server has written anything.
    pub(super) has_written: bool,
}

impl Output {
    pub(super) fn new(stdout: pipe::Receiver) -> Self {
        Self { lines: LineReader::new(stdout, MAX_MESSAGE), has_written: false }
    }

    /// Reads until a line is there; `None` is the end of the output. Safe to drop between polls.
    pub(super) async fn line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let read = self.lines.read().await?;
            self.has_written |= !matches!(read, Read::End);
            match read {
                Read::Line(line) => return Ok(Some(line)),
                Read::End => return Ok(None),
                Read::More => {}
            }
            // A server that forgets the end of its line has said all when the braces are closed.
            let open = self.lines.open();
            if open.len() < MAX_SPREAD && is_whole_message(open) {
                return Ok(Some(Line::Whole(self.lines.end_line())));
            }
        }
    }
}
