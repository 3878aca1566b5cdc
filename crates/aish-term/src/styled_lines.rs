//! Lines out of the bytes of somebody else's terminal: colours stay, and nothing else that controls a terminal.

use crate::clean::Cleaner;

/// A line is cut here.
const LONGEST: usize = 16 * 1024;

/// Cuts bytes into lines that can be printed above a prompt. Of a line that is written over with carriage returns the
/// last state is kept.
#[derive(Debug, Clone, Default)]
pub struct StyledLines {
    /// Bytes behind the last newline.
    rest: Vec<u8>,
}

impl StyledLines {
    /// Takes bytes and returns the lines that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            for part in piece.chunks(LONGEST) {
                self.rest.extend_from_slice(part);
                if part.ends_with(b"\n") || self.rest.len() >= LONGEST {
                    lines.extend(self.finish());
                }
            }
        }
        lines
    }

    /// Says whether a line has begun that has no end yet.
    pub fn has_rest(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Ends the line that has begun.
    pub fn finish(&mut self) -> Option<String> {
        if self.rest.is_empty() {
            return None;
        }
        let bytes = std::mem::take(&mut self.rest);
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        let shown = text.rsplit('\r').next().unwrap_or(text);
        Some(clean(shown))
    }
}

/// Keeps text and colours (SGR sequences); a line that sets one ends without any.
fn clean(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut cleaner = Cleaner::default();
    let mut rest = line;
    let mut is_styled = false;
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, sequence) = rest.split_at(at);
        cleaner.push(before, &mut out);
        let parameters = sequence.get(2..).unwrap_or_default();
        let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':').unwrap_or(parameters.len());
        let length = end + 3;
        if parameters.get(end..).is_some_and(|rest| rest.starts_with('m')) {
            out.push_str(sequence.get(..length).unwrap_or_default());
            is_styled = true;
            rest = sequence.get(length..).unwrap_or_default();
        } else {
            // The cleaner takes the whole sequence out.
            cleaner.push("\u{1b}[", &mut out);
            rest = parameters;
        }
    }
    cleaner.push(rest, &mut out);
    if is_styled {
        out.push_str("\u{1b}[0m");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_and_only_colour_is_kept_of_what_controls() {
        let mut lines = StyledLines::default();
        assert_eq!(lines.push(b"one\r\ntw"), ["one"]);
        assert!(lines.has_rest());
        assert_eq!(lines.push(b"o\r\n\r\n10%\r50%\r100%\r\n"), ["two", "", "100%"]);
        let input = b"\x1b[1;31mred\x1b[0m \x1b[2Jgone\x1b]0;title\x07 \x1b[3Aup\n";
        assert_eq!(lines.push(input), ["\u{1b}[1;31mred\u{1b}[0m gone up\u{1b}[0m"]);
        assert_eq!(lines.push("日本".as_bytes()), Vec::<String>::new());
        assert_eq!(lines.finish().as_deref(), Some("日本"));
        assert_eq!(lines.finish(), None);
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let mut lines = StyledLines::default();
        let cut = lines.push(&vec![b'x'; 3 * LONGEST + 1]);
        assert_eq!(cut.iter().map(String::len).collect::<Vec<_>>(), [LONGEST; 3]);
        assert!(lines.has_rest());
    }
}
