//! The sanitiser for text that arrives in pieces.

use aish_types::sanitize::is_dangerous;

/// Removes terminal control as [`aish_types::sanitize`] does, over any split of the text into pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleaner {
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Ground,
    /// A carriage return was seen; what follows decides what it is.
    Return,
    Escape,
    Intermediate,
    Parameters,
    Text,
    /// An escape within a control string ends it; a backslash after it belongs to it.
    TextEscape,
}

impl Cleaner {
    /// Appends the clean part of a piece.
    pub fn push(&mut self, piece: &str, out: &mut String) {
        out.reserve(piece.len());
        for c in piece.chars() {
            self.step(c, out);
        }
    }

    /// Ends the text: a carriage return that stood last becomes a newline.
    pub fn finish(&mut self, out: &mut String) {
        if self.state == State::Return {
            out.push('\n');
        }
        self.state = State::Ground;
    }

    fn step(&mut self, c: char, out: &mut String) {
        match self.state {
            State::Ground => self.ground(c, out),
            State::Return => {
                self.state = State::Ground;
                if c != '\n' {
                    out.push('\n');
                }
                self.ground(c, out);
            }
            State::Escape => match c {
                '[' => self.state = State::Parameters,
                ']' | 'P' | 'X' | '^' | '_' => self.state = State::Text,
                ' '..='/' => self.state = State::Intermediate,
                '0'..='~' => self.state = State::Ground,
                _ => {
                    self.state = State::Ground;
                    self.ground(c, out);
                }
            },
            State::Intermediate => match c {
                ' '..='/' => {}
                '0'..='~' => self.state = State::Ground,
                _ => {
                    self.state = State::Ground;
                    self.ground(c, out);
                }
            },
            State::Parameters => match c {
                ' '..='?' => {}
                '@'..='~' => self.state = State::Ground,
                _ => {
                    self.state = State::Ground;
                    self.ground(c, out);
                }
            },
            State::Text => match c {
                '\n' => {
                    self.state = State::Ground;
                    out.push('\n');
                }
                '\u{7}' | '\u{9c}' => self.state = State::Ground,
                '\u{1b}' => self.state = State::TextEscape,
                _ => {}
            },
            State::TextEscape => {
                self.state = State::Ground;
                if c != '\\' {
                    self.ground(c, out);
                }
            }
        }
    }

    fn ground(&mut self, c: char, out: &mut String) {
        match c {
            '\u{1b}' => self.state = State::Escape,
            '\u{9b}' => self.state = State::Parameters,
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => self.state = State::Text,
            '\r' => self.state = State::Return,
            '\n' | '\t' => out.push(c),
            c if is_dangerous(c) => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use aish_types::sanitize;
    use proptest::prelude::*;

    use super::*;

    fn cleaned(pieces: &[&str]) -> String {
        let mut cleaner = Cleaner::default();
        let mut out = String::new();
        for piece in pieces {
            cleaner.push(piece, &mut out);
        }
        cleaner.finish(&mut out);
        out
    }

    #[test]
    fn a_sequence_may_be_split_anywhere() {
        let text = "a\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}b\r\nc\rd\u{9b}2Je\u{1b}(Bf\u{1b}]x\u{1b}\\g";
        let whole = sanitize(text);
        for (at, _) in text.char_indices() {
            let (head, tail) = text.split_at(at);
            assert_eq!(cleaned(&[head, tail]), whole, "split at {at}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_whole_sanitiser(
            pieces in prop::collection::vec(r"[\x1b\[\]\\()a-c0-9;\r\n\t\x07\u{9b}\u{9d}\u{202e} m]{0,6}", 0..12)
        ) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(cleaned(&pieces), sanitize(&pieces.concat()).into_owned());
        }
    }
}
