//! The beginning of what a command that nobody was asked about shows, while the rest of it is kept back: as text and in
//! colours, without anything else that a terminal does.

use crate::only_shown::{Text, is_only_shown};
use crate::pieces::{Piece, Pieces};

/// What stands where the rest is kept back, in plain style.
const SIGN: &[u8] = b"\x1b[0m... ";

/// The most bytes of an unfinished line that are kept to be shown when somebody answers it.
const LAST_LINE: usize = 4 * 1024;

/// Lets the first rows of an output through and counts the lines of the rest.
#[derive(Debug)]
pub(crate) struct Fold {
    pieces: Pieces,
    text: Text,
    /// True while a program draws on the alternate screen, and once a person answers.
    moves: bool,
    rows: Rows,
    state: State,
}

#[derive(Debug)]
struct Rows {
    most: usize,
    columns: usize,
    /// Rows that are full, and characters in the open one.
    shown: usize,
    column: usize,
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
        let rows = Rows { most: rows, columns: columns.max(1), shown: 0, column: 0 };
        Self { pieces: Pieces::default(), text: Text::default(), moves: false, rows, state: State::Open }
    }

    /// Takes output and returns what of it is shown.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let Self { pieces, text, moves, rows, state } = self;
        pieces.feed(bytes, |piece| {
            // What draws on the alternate screen is no text that could be folded.
            let switched = piece.alternate_screen();
            if switched == Some(true) {
                *state = State::Left;
                *moves = true;
            }
            match piece {
                Piece::Sequence(sequence, _) if !is_only_shown(sequence, *moves) => {}
                Piece::Sequence(sequence, _) => match state {
                    State::Folded { line, .. } => keep(line, sequence),
                    State::Open | State::Left => out.extend_from_slice(sequence),
                },
                Piece::Text(bytes) => text.feed(bytes).iter().for_each(|byte| {
                    if *state == State::Open && rows.shown >= rows.most {
                        *state = State::Folded { lines: 0, line: Vec::new() };
                        out.extend_from_slice(SIGN);
                    }
                    match state {
                        State::Folded { lines, line } if *byte == b'\n' => {
                            *lines += 1;
                            line.clear();
                        }
                        State::Folded { line, .. } => keep(line, &[*byte]),
                        State::Open | State::Left => {
                            out.push(*byte);
                            rows.advance(*byte);
                        }
                    }
                }),
            }
            if switched == Some(false) {
                *moves = false;
            }
        });
        out
    }

    /// Says that keys come for the command: where it waits behind a line that it did not end, that line is shown, and all
    /// that follows.
    pub(crate) fn answered(&mut self) -> Vec<u8> {
        match &mut self.state {
            State::Folded { line, .. } if !line.is_empty() => {
                let line = std::mem::take(line);
                self.state = State::Left;
                self.moves = true;
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
}

/// Adds to the line that may be shown later, as far as there is room.
fn keep(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = LAST_LINE.saturating_sub(line.len());
    line.extend(bytes.iter().take(room));
}

impl Rows {
    /// Counts a byte that is shown: its line end, or its column.
    fn advance(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.shown += 1;
                self.column = 0;
            }
            b'\r' => self.column = 0,
            b'\t' => self.column = (self.column / 8 + 1) * 8,
            // What continues a character of several bytes takes no room of its own.
            0x80..=0xbf | 0..=0x1f | 0x7f => {}
            _ => {
                if self.column >= self.columns {
                    self.shown += 1;
                    self.column = 0;
                }
                self.column += 1;
            }
        }
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
            ("\u{1b}[31maaaa\u{1b}[0m\r\n\u{1b}]8;;x://yyyyyyyyyyyyyyyyyyyyyyy\u{7}b\r\n", "^[31maaaa^[0m\r\nb\r\n", 0),
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
    fn a_terminal_does_nothing_but_show_it() {
        for (text, shown) in [
            ("a\u{1b}]52;c;aGk=\u{7}b\u{1b}[6nc\u{1b}[5id\u{1b}P$q\u{1b}\\e", "abcde"),
            // It moves on a screen of its own alone, and its title and its questions are nowhere let through.
            (
                "\u{1b}[2Ja\u{1b}[?1049h\u{1b}]0;x\u{7}\u{1b}[2J\u{1b}[cb\u{1b}[?1049l\u{1b}[2Jc",
                "a^[?1049h^[2Jb^[?1049lc",
            ),
            // What has not ended would swallow what comes behind.
            ("a\u{1b}]0;and all that follows", "a"),
        ] {
            assert_eq!(folded(text, 9, 80).0, shown, "{text:?}");
        }
        // Behind the fold nothing is kept for a later answer that was not shown at once.
        let mut fold = Fold::behind(1, 80);
        fold.feed(b"a\r\nb\r\n\x1b]52;c;x\x07Go\x05 on? ");
        assert_eq!(fold.answered(), b"\r\nGo on? ");
    }

    #[test]
    fn a_line_that_waits_for_an_answer_opens_it() {
        let mut fold = Fold::behind(1, 80);
        fold.feed(b"a\r\nb\r\nGo on? ");
        assert_eq!(fold.answered(), b"\r\nGo on? ");
        assert_eq!(fold.feed(b"y\x1b[A\r\nc\r\n"), b"y\x1b[A\r\nc\r\n");
        assert_eq!((fold.hidden(), fold.answered()), (0, Vec::new()));
        let mut fold = Fold::behind(1, 80);
        fold.feed(b"a\r\nb\r\n");
        assert_eq!(fold.answered(), Vec::<u8>::new());
        assert_eq!(fold.hidden(), 1);
    }
}
