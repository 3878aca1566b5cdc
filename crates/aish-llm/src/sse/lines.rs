//! Keeps the lines of an event stream that matter here: data and blank ones.
//!
//! The parser refuses a stream for one line that it does not know; the standard says to ignore such a line
//! (WHATWG HTML, 9.2.6), and servers do send them.

use bytes::Bytes;

const DATA: &[u8] = b"data:";
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Filters a stream of bytes line by line, however it is split.
pub(super) struct DataLines {
    line: Line,
    first: bool,
    /// The last byte was a carriage return, and whether it was kept: a newline after it is part of the same end.
    after_return: Option<bool>,
}

enum Line {
    /// Not enough of it is known to tell.
    Undecided(Vec<u8>),
    Kept,
    Dropped,
}

impl Default for DataLines {
    fn default() -> Self {
        Self { line: Line::Undecided(Vec::new()), first: true, after_return: None }
    }
}

impl DataLines {
    /// Passes on what is to be kept of a part; borrowed from it where all is.
    pub(super) fn filter(&mut self, part: Bytes) -> Bytes {
        if self.keeps_all_of(&part) {
            return part;
        }
        let mut out = Vec::with_capacity(part.len() + DATA.len());
        for byte in part {
            self.take(byte, &mut out);
        }
        out.into()
    }

    /// Says whether a line would begin now.
    pub(super) fn is_at_line(&self) -> bool {
        matches!(&self.line, Line::Undecided(held) if held.is_empty())
    }

    /// Says whether a part is whole lines of data and blank ones, beginning where a line begins: the usual case.
    fn keeps_all_of(&self, part: &Bytes) -> bool {
        let at_line = self.is_at_line();
        let at_start = at_line && !self.first && self.after_return.is_none();
        at_start
            && part.ends_with(b"\n")
            && part.split(|byte| matches!(byte, b'\n' | b'\r')).all(|line| line.is_empty() || line.starts_with(DATA))
    }

    fn take(&mut self, byte: u8, out: &mut Vec<u8>) {
        let after_return = self.after_return.take();
        if let (b'\n', Some(kept)) = (byte, after_return) {
            if kept {
                out.push(byte);
            }
            return;
        }
        if matches!(byte, b'\n' | b'\r') {
            let kept = match std::mem::replace(&mut self.line, Line::Undecided(Vec::new())) {
                Line::Kept => true,
                // A blank line, or the field's name alone.
                Line::Undecided(held) if held.is_empty() => true,
                Line::Undecided(held) if held == b"data" => {
                    out.extend_from_slice(DATA);
                    true
                }
                Line::Undecided(_) | Line::Dropped => false,
            };
            if kept {
                out.push(byte);
            }
            self.after_return = (byte == b'\r').then_some(kept);
            self.first = false;
            return;
        }
        match &mut self.line {
            Line::Kept => out.push(byte),
            Line::Dropped => {}
            Line::Undecided(held) => {
                held.push(byte);
                if self.first && held.starts_with(BOM) {
                    held.clear();
                    self.first = false;
                } else if held.as_slice() == DATA {
                    out.extend_from_slice(DATA);
                    self.line = Line::Kept;
                } else {
                    let may_be_mark = self.first && BOM.starts_with(held);
                    if !may_be_mark && !DATA.starts_with(held) {
                        self.line = Line::Dropped;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        for size in 1..=input.len() {
            let mut lines = DataLines::default();
            let mut out = Vec::new();
            for part in input.as_bytes().chunks(size) {
                out.extend_from_slice(&lines.filter(Bytes::copy_from_slice(part)));
            }
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{input:?} in parts of {size}");
        }
    }

    #[test]
    fn data_and_blank_lines_are_kept_and_nothing_else() {
        check("data: a\n\ndata: b\n\n", "data: a\n\ndata: b\n\n");
        check("\u{feff}data: a\r\n\r\n", "data: a\r\n\r\n");
        check(": comment\n\nevent: x\ndata:a\nid: 1\nretry: soon\n\n", "\ndata:a\n\n");
        check("data: a\r\nid: 1\r\ndata: b\r\n\r\n", "data: a\r\ndata: b\r\n\r\n");
        check("data: a\rid: 1\rdata: b\r\r", "data: a\rdata: b\r\r");
        check("junk\ndat\ndatum: x\ndata\ndata: ü\n\n", "data:\ndata: ü\n\n");
        check("<html>\n\u{feff}data: a\n", "");
        check("data: half", "data: half");
    }
}
