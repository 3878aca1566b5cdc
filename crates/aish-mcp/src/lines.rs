//! Lines of a stream, with a bound on their length.

use std::io;

use aish_types::lines::{Line, Lines};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// What a piece of a stream brought.
pub(crate) enum Read {
    /// A line.
    Line(Line),
    /// The end of the stream.
    End,
    /// More of a line that has not ended.
    More,
}

/// Reads a stream in lines.
pub(crate) struct LineReader<R> {
    reader: BufReader<R>,
    lines: Lines,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads lines of at most `limit` bytes; longer ones are told and passed over.
    pub(crate) fn new(stream: R, limit: usize) -> Self {
        Self { reader: BufReader::new(stream), lines: Lines::new(limit) }
    }

    /// Reads a piece; the last line of the stream comes with or without its end. Safe to drop between polls.
    pub(crate) async fn read(&mut self) -> io::Result<Read> {
        let available = self.reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(self.lines.finish().map_or(Read::End, |line| Read::Line(Line::Whole(line))));
        }
        let (taken, line) = self.lines.take(available);
        self.reader.consume(taken);
        Ok(line.map_or(Read::More, Read::Line))
    }

    /// Reads the next line; `None` is the end of the stream. Safe to drop between polls.
    pub(crate) async fn line(&mut self) -> io::Result<Option<Line>> {
        loop {
            match self.read().await? {
                Read::Line(line) => return Ok(Some(line)),
                Read::End => return Ok(None),
                Read::More => {}
            }
        }
    }

    /// Returns what has come of the line that has not ended.
    pub(crate) fn open(&self) -> &[u8] {
        self.lines.open()
    }

    /// Ends the open line here and returns it.
    pub(crate) fn end_line(&mut self) -> Vec<u8> {
        self.lines.end_line()
    }
}
