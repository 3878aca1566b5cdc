//! Output that is kept within a bound: the head, the tail, and a count of everything.

use std::collections::VecDeque;
use std::io;

use aish_types::sanitize;

/// Collects an output stream in bounded memory; two thirds of the room are for the head.
#[derive(Debug)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_cap: usize,
    tail_cap: usize,
    total: u64,
}

impl Capture {
    /// Makes a capture that keeps at most `cap` bytes.
    pub fn new(cap: usize) -> Self {
        let tail_cap = cap / 3;
        Self { head: Vec::new(), tail: VecDeque::new(), head_cap: cap - tail_cap, tail_cap, total: 0 }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_cap - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        if rest.is_empty() {
            return;
        }
        let kept = rest.get(rest.len().saturating_sub(self.tail_cap)..).unwrap_or_default();
        let surplus = (self.tail.len() + kept.len()).saturating_sub(self.tail_cap);
        self.tail.drain(..surplus);
        self.tail.extend(kept);
    }

    /// Ends the collection.
    pub fn finish(self) -> Captured {
        Captured { head: self.head, tail: self.tail.into(), total: self.total }
    }

    /// Returns what there is so far.
    pub fn snapshot(&self) -> Captured {
        Captured { head: self.head.clone(), tail: self.tail.iter().copied().collect(), total: self.total }
    }
}

impl io::Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was kept of an output stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
}

impl Captured {
    /// Makes a whole capture of these bytes.
    pub fn whole(bytes: Vec<u8>) -> Self {
        let total = bytes.len() as u64;
        Self { head: bytes, tail: Vec::new(), total }
    }

    /// Bytes that the stream carried, kept or not.
    pub fn total_bytes(&self) -> u64 {
        self.total
    }

    /// Bytes that were left out between head and tail; 0 when the output is whole.
    pub fn omitted_bytes(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// Returns whether anything was left out.
    pub fn truncated(&self) -> bool {
        self.omitted_bytes() > 0
    }

    /// The first bytes; all of them when nothing was left out and the tail is empty.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes, after the head and what was left out.
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// The output as text: invalid UTF-8 replaced, and a line in the place of what was left out.
    pub fn text(&self) -> String {
        let omitted = self.omitted_bytes();
        if omitted == 0 {
            let mut bytes = Vec::with_capacity(self.head.len() + self.tail.len());
            bytes.extend_from_slice(&self.head);
            bytes.extend_from_slice(&self.tail);
            return String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        }
        let head = String::from_utf8_lossy(without_broken_end(&self.head));
        let tail = String::from_utf8_lossy(without_broken_start(&self.tail));
        format!("{head}\n[... {omitted} bytes left out ...]\n{tail}")
    }

    /// The output as text that is safe for a terminal: as [`Captured::text`], without escapes and control characters.
    pub fn clean_text(&self) -> String {
        let text = self.text();
        match sanitize(&text) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(clean) => clean,
        }
    }
}

/// Drops the bytes of a character that the cut split at the end.
fn without_broken_end(bytes: &[u8]) -> &[u8] {
    let from = bytes.len().saturating_sub(4);
    let last = bytes.get(from..).unwrap_or_default();
    match last.iter().rposition(|byte| byte & 0xc0 != 0x80) {
        Some(at) => {
            let wanted = match last.get(at).copied().unwrap_or_default() {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            match last.len() - at < wanted {
                true => bytes.get(..from + at).unwrap_or_default(),
                false => bytes,
            }
        }
        None => bytes,
    }
}

/// Drops the bytes of a character that the cut split at the start.
fn without_broken_start(bytes: &[u8]) -> &[u8] {
    let broken = bytes.iter().take(3).take_while(|byte| *byte & 0xc0 == 0x80).count();
    bytes.get(broken..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(cap: usize, chunks: &[&[u8]]) -> Captured {
        let mut capture = Capture::new(cap);
        for chunk in chunks {
            capture.push(chunk);
        }
        capture.finish()
    }

    #[test]
    fn what_fits_is_whole_however_it_is_split() {
        for chunks in [&[&b"abcdef"[..]][..], &[b"abc", b"def"], &[b"a", b"b", b"c", b"d", b"e", b"f"]] {
            let captured = capture(6, chunks);
            assert_eq!(captured.text(), "abcdef");
            assert!(!captured.truncated());
        }
    }

    #[test]
    fn what_does_not_fit_keeps_head_and_tail() {
        for chunks in [&[&b"abcdefghijklmnop"[..]][..], &[b"abcdefghi", b"jklmno", b"p"]] {
            let captured = capture(6, chunks);
            assert_eq!((captured.head(), captured.tail()), (&b"abcd"[..], &b"op"[..]));
            assert_eq!((captured.total_bytes(), captured.omitted_bytes()), (16, 10));
            assert_eq!(captured.text(), "abcd\n[... 10 bytes left out ...]\nop");
        }
    }

    #[test]
    fn a_cut_never_shows_half_a_character() {
        let text = "é".repeat(10);
        let captured = capture(9, &[text.as_bytes()]);
        assert_eq!(captured.text(), "ééé\n[... 11 bytes left out ...]\né");
    }

    #[test]
    fn a_bound_of_nothing_counts_all_the_same() {
        let captured = capture(0, &[b"abc"]);
        assert_eq!((captured.total_bytes(), captured.omitted_bytes()), (3, 3));
    }

    #[test]
    fn invalid_bytes_are_replaced() {
        assert_eq!(capture(10, &[b"a\xffb"]).text(), "a\u{fffd}b");
        assert_eq!(capture(20, &[b"a\x1b[31mb\0c"]).clean_text(), "abc");
    }
}
