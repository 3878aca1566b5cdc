//! The output of a command as text and as sequences that control the terminal.

use vte::{Params, Parser, Perform};

/// What begins a sequence.
const ESCAPE: u8 = 0x1b;

/// The most bytes of a sequence that are held until it ends; a longer one passes as text.
const LONGEST: usize = 4 * 1024;

/// The private modes that switch to the alternate screen (xterm's 1049, 1047 and 47).
const ALTERNATE_SCREENS: [u16; 3] = [1049, 1047, 47];

/// One piece of the output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Bytes outside of any sequence.
    Text(&'a [u8]),
    /// A whole sequence, and the private modes that it switches (DECSET and DECRST), with the state that they get.
    Sequence(&'a [u8], &'a [(u16, bool)]),
}

impl Piece<'_> {
    /// Returns the bytes, whatever they are.
    pub(crate) const fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(bytes) | Self::Sequence(bytes, _) => bytes,
        }
    }

    /// Says whether this enters the alternate screen or leaves it; none where it does neither.
    pub(crate) fn alternate_screen(&self) -> Option<bool> {
        let Self::Sequence(_, modes) = self else { return None };
        modes.iter().rev().find(|(mode, _)| ALTERNATE_SCREENS.contains(mode)).map(|(_, on)| *on)
    }
}

/// Cuts a stream into pieces, wherever it is split: a sequence that has begun is held until it ends.
#[derive(Default)]
pub(crate) struct Pieces {
    inside: bool,
    held: Vec<u8>,
    parser: Parser,
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pieces").field("inside", &self.inside).field("held", &self.held).finish_non_exhaustive()
    }
}

impl Pieces {
    /// Takes the next bytes and hands on each piece that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(&Piece<'_>)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if !self.inside {
                let at = rest.iter().position(|byte| *byte == ESCAPE).unwrap_or(rest.len());
                let (text, sequence) = rest.split_at(at);
                if !text.is_empty() {
                    each(&Piece::Text(text));
                }
                rest = sequence;
            }
            let Some((byte, after)) = rest.split_first() else { return };
            let mut seen = Seen::default();
            self.parser.advance(&mut seen, &[*byte]);
            if *byte == ESCAPE || seen.is_text {
                // What was held is all there is of it: this begins another one, or is text.
                self.hand_on(&[], &mut each);
            }
            if seen.is_text {
                self.leave();
                each(&Piece::Text(&[*byte]));
            } else {
                self.inside = true;
                self.held.push(*byte);
                let is_end = seen.is_end && *byte != ESCAPE;
                if is_end || self.held.len() >= LONGEST {
                    self.hand_on(&seen.modes, &mut each);
                }
                if is_end {
                    self.leave();
                }
            }
            rest = after;
        }
    }

    /// Returns whether a sequence has begun and not ended.
    pub(crate) const fn is_inside(&self) -> bool {
        self.inside
    }

    /// Gives up what was held.
    pub(crate) fn flush(&mut self) -> Vec<u8> {
        self.leave();
        std::mem::take(&mut self.held)
    }

    fn hand_on(&mut self, modes: &[(u16, bool)], each: &mut impl FnMut(&Piece<'_>)) {
        if !self.held.is_empty() {
            each(&Piece::Sequence(&self.held, modes));
            self.held.clear();
        }
    }

    fn leave(&mut self) {
        self.inside = false;
        self.parser = Parser::new();
    }
}

/// What one byte of a sequence did.
#[derive(Default)]
struct Seen {
    is_end: bool,
    is_text: bool,
    modes: Vec<(u16, bool)>,
}

impl Perform for Seen {
    fn print(&mut self, _c: char) {
        self.is_text = true;
    }

    fn execute(&mut self, _byte: u8) {
        self.is_text = true;
    }

    fn unhook(&mut self) {
        self.is_end = true;
    }

    fn osc_dispatch(&mut self, _parameters: &[&[u8]], _bell: bool) {
        self.is_end = true;
    }

    fn csi_dispatch(&mut self, parameters: &Params, intermediates: &[u8], ignored: bool, action: char) {
        self.is_end = true;
        if intermediates == b"?" && !ignored && matches!(action, 'h' | 'l') {
            let modes = parameters.iter().filter_map(|parameter| parameter.first());
            self.modes = modes.map(|mode| (*mode, action == 'h')).collect();
        }
    }

    fn esc_dispatch(&mut self, _intermediates: &[u8], _ignored: bool, _byte: u8) {
        self.is_end = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts a text and writes its pieces down: sequences in brackets, with what they switch.
    fn cut(text: &str, size: usize) -> String {
        let mut pieces = Pieces::default();
        let mut out = String::new();
        for chunk in text.as_bytes().chunks(size) {
            pieces.feed(chunk, |piece| match piece {
                Piece::Text(bytes) => out.push_str(&String::from_utf8_lossy(bytes)),
                Piece::Sequence(bytes, modes) => {
                    let shown = String::from_utf8_lossy(bytes).replace('\u{1b}', "^").replace('\u{7}', "!");
                    let modes: String = modes.iter().map(|(mode, on)| format!(" {mode}={on}")).collect();
                    out.push_str(&format!("<{shown}{modes}>"));
                }
            });
        }
        let rest = pieces.flush();
        out + &String::from_utf8_lossy(&rest).replace('\u{1b}', "^")
    }

    #[test]
    fn a_stream_is_cut_alike_however_it_is_split() {
        for (text, expected) in [
            ("plain\r\n", "plain\r\n"),
            ("a\u{1b}[1;31mb\u{1b}[0m", "a<^[1;31m>b<^[0m>"),
            ("\u{1b}[?1049;25hx\u{1b}[?25lx", "<^[?1049;25h 1049=true 25=true>x<^[?25l 25=false>x"),
            ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://y\u{1b}\\z", "<^]0;title!>x<^]8;;http://y><^\\>z"),
            ("\u{1b}P1$r\u{1b}\\x\u{1b}(Bx\u{1b}7x", "<^P1$r><^\\>x<^(B>x<^7>x"),
            ("\u{1b}_apc of some kind\u{1b}\\x", "<^_apc of some kind><^\\>x"),
            ("\u{1b}[?1\u{1b}[?2hx", "<^[?1><^[?2h 2=true>x"),
            ("\u{1b}[1?2hx", "<^[1?2h>x"),
            ("\u{1b}[3\nx", "<^[3>\nx"),
            ("end\u{1b}[?10", "end^[?10"),
        ] {
            for size in [1, 2, 3, 1000] {
                assert_eq!(cut(text, size), expected, "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn a_long_string_is_no_text_and_is_not_kept() {
        let text = format!("\u{1b}_G{}\u{1b}\\end", "x".repeat(3 * LONGEST));
        let (mut pieces, mut seen, mut whole) = (Pieces::default(), String::new(), Vec::new());
        pieces.feed(text.as_bytes(), |piece| {
            whole.extend_from_slice(piece.bytes());
            if let Piece::Text(bytes) = piece {
                seen.push_str(&String::from_utf8_lossy(bytes));
            }
        });
        assert_eq!((seen.as_str(), whole.as_slice()), ("end", text.as_bytes()));
        assert!(pieces.flush().is_empty());
    }
}
