//! Splits a stream of bytes into lines, with a bound on their length.

use alloc::vec::Vec;
use core::mem;

/// Collects the lines of a stream that comes in parts of any size.
#[derive(Debug)]
pub struct Lines {
    open: Vec<u8>,
    skipping: bool,
    limit: usize,
}

/// What the end of a line brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The line, without its newline.
    Whole(Vec<u8>),
    /// The line is longer than the limit. Nothing of it is kept, and the rest of it is skipped.
    TooLong,
}

impl Lines {
    /// Splits a stream whose lines have at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { open: Vec::new(), skipping: false, limit }
    }

    /// Takes bytes as far as the next line goes. Returns how many bytes were taken, which is not 0 unless there were none,
    /// and the line when it ended. A line that is too long is reported once, as soon as that is known.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let taken = part.len() + usize::from(end.is_some());
        if self.skipping {
            self.skipping = end.is_none();
            return (taken, None);
        }
        if self.open.len() + part.len() > self.limit {
            self.open = Vec::new();
            self.skipping = end.is_none();
            return (taken, Some(Line::TooLong));
        }
        self.open.extend_from_slice(part);
        (taken, end.map(|_| Line::Whole(self.end_line())))
    }

    /// Returns what has come of the line that has not ended.
    pub fn open(&self) -> &[u8] {
        &self.open
    }

    /// Ends the open line here and returns it.
    pub fn end_line(&mut self) -> Vec<u8> {
        mem::take(&mut self.open)
    }

    /// Returns the last line of a stream that ended without a newline.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        Some(self.end_line()).filter(|line| !line.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn lines(stream: &[u8], size: usize) -> Vec<Line> {
        let mut lines = Lines::new(4);
        let mut out = Vec::new();
        for mut part in stream.chunks(size) {
            while !part.is_empty() {
                let (taken, line) = lines.take(part);
                out.extend(line);
                part = &part[taken..];
            }
        }
        out.extend(lines.finish().map(Line::Whole));
        out
    }

    #[test]
    fn lines_are_whole_or_too_long_however_the_stream_is_split() {
        let whole = |text: &[u8]| Line::Whole(text.to_vec());
        for (stream, expected) in [
            (b"ab\n\ncd\r\n".as_slice(), vec![whole(b"ab"), whole(b""), whole(b"cd\r")]),
            (b"abcd\nabcde\nx", vec![whole(b"abcd"), Line::TooLong, whole(b"x")]),
            (b"abcdefghijkl\n\nx\n", vec![Line::TooLong, whole(b""), whole(b"x")]),
            (b"abcdefgh", vec![Line::TooLong]),
            (b"", vec![]),
        ] {
            for size in 1..=stream.len().max(1) {
                assert_eq!(lines(stream, size), expected, "{stream:?} in parts of {size}");
            }
        }
    }
}
