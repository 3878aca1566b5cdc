//! Modes of the person's terminal that a command switched on and left on.

use crate::pieces::{Piece, Pieces};

/// DEC private modes that are not for a prompt, and the state that a prompt wants: mouse reports, focus reports, the
/// alternate screen, a hidden cursor.
const MODES: &[(u16, bool)] = &[
    (9, false),
    (1000, false),
    (1001, false),
    (1002, false),
    (1003, false),
    (1004, false),
    (1005, false),
    (1006, false),
    (1015, false),
    (1016, false),
    (47, false),
    (1047, false),
    (1049, false),
    (25, true),
];

/// Follows what a command does to the modes of its terminal, wherever its output is split.
#[derive(Debug, Default)]
pub(crate) struct LeftModes {
    /// Modes that are not as a prompt wants them, with the state that it does.
    changed: Vec<(u16, bool)>,
    pieces: Pieces,
}

impl LeftModes {
    /// Takes the next bytes of output.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let Self { changed, pieces } = self;
        pieces.feed(bytes, |piece| {
            let Piece::Sequence(_, modes) = piece else { return };
            for (mode, on) in *modes {
                let Some(known) = MODES.iter().find(|(known, _)| known == mode) else { continue };
                changed.retain(|(changed, _)| changed != mode);
                if known.1 != *on {
                    changed.push(*known);
                }
            }
        });
    }

    /// Returns what gives the terminal its modes back; empty in most cases.
    pub(crate) fn back(&self) -> Vec<u8> {
        let back = |(mode, wanted): &(u16, bool)| format!("\x1b[?{mode}{}", if *wanted { 'h' } else { 'l' });
        self.changed.iter().map(back).collect::<String>().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_that_were_left_are_given_back() {
        for (output, expected) in [
            ("plain \u{1b}[31mred\u{1b}[0m", ""),
            ("\u{1b}[?1000h\u{1b}[?1006h", "\u{1b}[?1000l\u{1b}[?1006l"),
            ("\u{1b}[?1002;1006h x \u{1b}[?1006l", "\u{1b}[?1002l"),
            ("\u{1b}[?1049h\u{1b}[?25l", "\u{1b}[?1049l\u{1b}[?25h"),
            ("\u{1b}[?1049h\u{1b}[?1049l\u{1b}[?2004h\u{1b}[?25h", ""),
        ] {
            for size in [1, 3, 1000] {
                let mut modes = LeftModes::default();
                for piece in output.as_bytes().chunks(size) {
                    modes.feed(piece);
                }
                assert_eq!(String::from_utf8(modes.back()).unwrap(), expected, "{output:?} by {size}");
            }
        }
    }
}
