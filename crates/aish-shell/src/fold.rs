//! The beginning of what a command shows, while the rest of it is kept back.

/// The sequences that enter the alternate screen: what draws on it is no text that could be folded.
const FULL_SCREEN: [&[u8]; 3] = [b"\x1b[?1049h", b"\x1b[?1047h", b"\x1b[?47h"];

/// What stands where the rest is kept back, in plain style.
const SIGN: &[u8] = b"\x1b[0m... ";

/// The most bytes of an unfinished line that are kept to be shown when somebody answers it.
const LAST_LINE: usize = 4 * 1024;

/// Where a sequence of a terminal stands, as far as its characters take no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sequence {
    None,
    Begun,
    Control,
    Command,
    CommandEscape,
}

/// Lets the first rows of an output through and counts the lines of the rest.
#[derive(Debug)]
pub(crate) struct Fold {
    rows: usize,
    columns: usize,
    /// Rows that are full, and characters in the open one.
    shown: usize,
    column: usize,
    sequence: Sequence,
    /// The last bytes, in which a full-screen program may say that it begins.
    last: Vec<u8>,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// All that came is on the screen.
    Open,
    /// Ended lines that are not, and the one that is not ended.
    Folded { lines: usize, line: Vec<u8> },
    /// A full-screen program, or a person who answers: everything goes through from now on.
    Left,
}

impl Fold {
    /// Makes a fold behind so many rows of a terminal of so many columns.
    pub(crate) fn behind(rows: usize, columns: usize) -> Self {
        let (last, sequence) = (Vec::new(), Sequence::None);
        Self { rows, columns: columns.max(1), shown: 0, column: 0, sequence, last, state: State::Open }
    }

    /// Takes output and returns what of it is shown.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for (at, byte) in bytes.iter().enumerate() {
            if self.state == State::Left || self.begins_full_screen(*byte) {
                self.state = State::Left;
                out.extend_from_slice(bytes.get(at..).unwrap_or_default());
                return out;
            }
            if self.state == State::Open && self.shown >= self.rows {
                self.state = State::Folded { lines: 0, line: Vec::new() };
                out.extend_from_slice(SIGN);
            }
            match &mut self.state {
                State::Folded { lines, line } if *byte == b'\n' => {
                    *lines += 1;
                    line.clear();
                }
                State::Folded { line, .. } => {
                    if line.len() < LAST_LINE {
                        line.push(*byte);
                    }
                }
                State::Open | State::Left => {
                    out.push(*byte);
                    self.advance(*byte);
                }
            }
        }
        out
    }

    /// Says that keys come for the command: where it waits behind a line that it did not end, that line is shown, and all
    /// that follows.
    pub(crate) fn answered(&mut self) -> Vec<u8> {
        match &mut self.state {
            State::Folded { line, .. } if !line.is_empty() => {
                let line = std::mem::take(line);
                self.state = State::Left;
                [b"\r\n".as_slice(), &line].concat()
            }
            State::Open | State::Folded { .. } | State::Left => Vec::new(),
        }
    }

    /// Returns how many lines are not on the screen.
    pub(crate) fn hidden(&self) -> usize {
        match &self.state {
            State::Folded { lines, line } => lines + usize::from(!line.is_empty()),
            State::Open | State::Left => 0,
        }
    }

    fn begins_full_screen(&mut self, byte: u8) -> bool {
        if byte != 0x1b && self.last.is_empty() {
            return false;
        }
        if byte == 0x1b {
            self.last.clear();
        }
        self.last.push(byte);
        let begins = |sequence: &&&[u8]| sequence.starts_with(&self.last);
        match FULL_SCREEN.iter().find(begins) {
            Some(sequence) => sequence.len() == self.last.len(),
            None => {
                self.last.clear();
                false
            }
        }
    }

    /// Counts a byte that is shown: its line end, or its column.
    fn advance(&mut self, byte: u8) {
        self.sequence = match (self.sequence, byte) {
            (Sequence::None, 0x1b) => Sequence::Begun,
            (Sequence::None, b'\n') => {
                self.shown += 1;
                self.column = 0;
                Sequence::None
            }
            (Sequence::None, b'\r') => {
                self.column = 0;
                Sequence::None
            }
            (Sequence::None, b'\t') => {
                self.column = (self.column / 8 + 1) * 8;
                Sequence::None
            }
            // What continues a character of several bytes takes no room of its own.
            (Sequence::None, 0x80..=0xbf | 0..=0x1f | 0x7f) => Sequence::None,
            (Sequence::None, _) => {
                if self.column >= self.columns {
                    self.shown += 1;
                    self.column = 0;
                }
                self.column += 1;
                Sequence::None
            }
            (Sequence::Begun, b'[') => Sequence::Control,
            (Sequence::Begun, b']' | b'P' | b'_' | b'^' | b'X') => Sequence::Command,
            (Sequence::Begun, _) => Sequence::None,
            (Sequence::Control, 0x40..=0x7e) => Sequence::None,
            (Sequence::Control, _) => Sequence::Control,
            (Sequence::Command, 0x07) => Sequence::None,
            (Sequence::Command, 0x1b) => Sequence::CommandEscape,
            (Sequence::Command | Sequence::CommandEscape, b'\\') if self.sequence == Sequence::CommandEscape => {
                Sequence::None
            }
            (Sequence::Command | Sequence::CommandEscape, _) => Sequence::Command,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds a text whole and byte by byte; returns what is shown and how many lines are not.
    fn folded(text: &str, rows: usize, columns: usize) -> (String, usize) {
        let mut whole = Fold::behind(rows, columns);
        let shown = whole.feed(text.as_bytes());
        let mut split = Fold::behind(rows, columns);
        let parts: Vec<u8> = text.bytes().flat_map(|byte| split.feed(&[byte])).collect();
        assert_eq!(shown, parts);
        assert_eq!(whole.hidden(), split.hidden());
        (String::from_utf8_lossy(&shown).replace('\u{1b}', "^"), whole.hidden())
    }

    #[test]
    fn the_first_rows_are_shown_and_the_rest_is_counted() {
        for (text, shown, hidden) in [
            ("a\r\nb\r\n", "a\r\nb\r\n", 0),
            ("a\r\nb\r\nc\r\nd\r\n", "a\r\nb\r\n^[0m... ", 2),
            ("a\r\nb\r\nc\r\nd", "a\r\nb\r\n^[0m... ", 2),
            // Long lines take several rows, and colours none.
            ("aaaaaaaaaabbbbbbbbbbc\r\nd\r\n", "aaaaaaaaaabbbbbbbbbbc^[0m... ", 2),
            (
                "\u{1b}[31maaaa\u{1b}[0m\r\n\u{1b}]8;;x://yyyyyyyyyyyyyyyyyyyyyyy\u{7}b\r\n",
                "^[31maaaa^[0m\r\n^]8;;x://yyyyyyyyyyyyyyyyyyyyyyy\u{7}b\r\n",
                0,
            ),
            ("ääääääääää\r\nb\r\nc\r\n", "ääääääääää\r\nb\r\n^[0m... ", 1),
            // A progress line that is drawn again and again is one row.
            ("10%\r20%\r30%\r40%\r\nb\r\n", "10%\r20%\r30%\r40%\r\nb\r\n", 0),
        ] {
            assert_eq!(folded(text, 2, 10), (shown.to_owned(), hidden), "{text:?}");
        }
    }

    #[test]
    fn full_screen_programs_are_left_alone_wherever_they_begin() {
        let (shown, hidden) = folded("a\r\nb\r\nc\r\n\u{1b}[?1049h1\r\n2\r\n3\r\n", 2, 10);
        assert!(shown.ends_with("h1\r\n2\r\n3\r\n"), "{shown}");
        assert_eq!(hidden, 0);
    }

    #[test]
    fn a_line_that_waits_for_an_answer_opens_it() {
        let mut fold = Fold::behind(1, 80);
        fold.feed(b"a\r\nb\r\nGo on? ");
        assert_eq!(fold.answered(), b"\r\nGo on? ");
        assert_eq!(fold.feed(b"y\r\nc\r\n"), b"y\r\nc\r\n");
        assert_eq!((fold.hidden(), fold.answered()), (0, Vec::new()));
        let mut fold = Fold::behind(1, 80);
        fold.feed(b"a\r\nb\r\n");
        assert_eq!(fold.answered(), Vec::<u8>::new());
        assert_eq!(fold.hidden(), 1);
    }
}
