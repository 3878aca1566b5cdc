//! Standard output: one event a line, each sent at once.

use std::io::{self, Write};

use aish_types::embedded::{ErrorKind, Event};

/// Writes events.
#[derive(Debug)]
pub(crate) struct Outbox<W: Write> {
    output: W,
}

impl<W: Write> Outbox<W> {
    /// Wraps an output.
    pub(crate) fn new(output: W) -> Self {
        Self { output }
    }

    /// Sends an event. An error means that nobody listens any more.
    pub(crate) fn send(&mut self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.output.write_all(&line)?;
        self.output.flush()
    }

    /// Sends a failure.
    pub(crate) fn fail(&mut self, id: Option<u64>, kind: ErrorKind, message: impl Into<String>) -> io::Result<()> {
        self.send(&Event::Error { id, kind, message: message.into() })
    }
}
