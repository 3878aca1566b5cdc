//! What a command switched on in the person's terminal and left on, and the string that it left open.

use crate::pieces::{Piece, Pieces};

/// DEC private modes that are not for a prompt, and the state that a prompt wants: mouse and focus reports, reports of
/// sizes and colours, the alternate screen, held output, keys of applications, a hidden cursor, lines that do not wrap.
const MODES: &[(u16, bool)] = &[
    (1, false),
    (5, false),
    (ORIGIN, false),
    (7, true),
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
    (2026, false),
    (2031, false),
    (2048, false),
    (47, false),
    (1047, false),
    (1049, false),
    (25, true),
];

/// Rows count from the scrolling region (DECOM). Ending it moves the cursor to the first row.
const ORIGIN: u16 = 6;

/// The other switches, each with what it does: on, and off.
const SWITCHES: &[(&[u8], &[u8])] = &[(b"\x1b=", b"\x1b>"), (b"\x1b[4h", b"\x1b[4l"), (b"\x1b(0", b"\x1b(B")];

/// What shifts to the second set of characters, and back.
const SHIFTS: [u8; 2] = [0x0e, 0x0f];

/// Follows what a command does to the modes of its terminal, wherever its output is split.
#[derive(Debug, Default)]
pub(crate) struct LeftModes {
    /// Modes that are not as a prompt wants them, with the state that it does.
    changed: Vec<(u16, bool)>,
    /// The switches that are on, by what switches them off.
    on: Vec<&'static [u8]>,
    shifted: bool,
    /// A scrolling region that is not the whole screen (DECSTBM).
    region: bool,
    /// How many sets of flags stand on kitty's stack of keyboard modes, and whether the flags were set themselves.
    pushed: u32,
    flags: bool,
    /// Keys with modifiers come as sequences (xterm's modifyOtherKeys).
    modified: bool,
    pieces: Pieces,
}

impl LeftModes {
    /// Takes the next bytes of output.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.feed(bytes, |piece| match piece {
            Piece::Text(text) => {
                if let Some(shift) = text.iter().rev().find(|byte| SHIFTS.contains(byte)) {
                    self.shifted = *shift == SHIFTS[0];
                }
            }
            Piece::Sequence(sequence, []) => self.switch(sequence),
            Piece::Sequence(_, modes) => modes.iter().for_each(|(mode, on)| self.mode(*mode, *on)),
        });
        self.pieces = pieces;
    }

    fn mode(&mut self, mode: u16, on: bool) {
        let Some(known) = MODES.iter().find(|(known, _)| *known == mode) else { return };
        self.changed.retain(|(changed, _)| *changed != mode);
        if known.1 != on {
            self.changed.push(*known);
        }
    }

    fn switch(&mut self, sequence: &[u8]) {
        for (on, off) in SWITCHES {
            if sequence == *on || sequence == *off {
                self.on.retain(|known| known != off);
                self.on.extend((sequence == *on).then_some(*off));
            }
        }
        let control = sequence.strip_prefix(b"\x1b[").and_then(<[u8]>::split_last);
        match control {
            Some((b'r', rows)) if rows.iter().all(|byte| byte.is_ascii_digit() || *byte == b';') => {
                self.region = !rows.is_empty();
            }
            Some((b'u', [b'>', ..])) => self.pushed = self.pushed.saturating_add(1),
            Some((b'u', [b'<', count @ ..])) => {
                let count = std::str::from_utf8(count).ok().and_then(|count| count.parse().ok()).unwrap_or(1);
                self.pushed = self.pushed.saturating_sub(count);
            }
            Some((b'u', [b'=', flags @ ..])) => self.flags = !matches!(flags, b"" | b"0" | b"0;1"),
            Some((b'm', [b'>', b'4', level @ ..])) => self.modified = !matches!(level, b"" | b";" | b";0"),
            Some(_) | None => {}
        }
    }

    /// Returns what gives the terminal its modes back; empty in most cases.
    pub(crate) fn back(&self) -> Vec<u8> {
        let mut back = String::new();
        if self.pieces.is_inside() {
            // Ends a string that was left open; all that follows would be part of it.
            back.push_str("\x1b\\");
        }
        for (mode, wanted) in &self.changed {
            back.push_str(&format!("\x1b[?{mode}{}", if *wanted { 'h' } else { 'l' }));
        }
        self.on.iter().for_each(|off| back.push_str(&String::from_utf8_lossy(off)));
        if self.shifted {
            back.push('\x0f');
        }
        if self.region {
            // This moves the cursor, too.
            back.push_str("\x1b7\x1b[r\x1b8");
        }
        if self.changed.iter().any(|(mode, _)| *mode == ORIGIN) {
            back.push_str("\x1b[999;1H");
        }
        if self.pushed > 0 {
            back.push_str(&format!("\x1b[<{}u", self.pushed));
        }
        if self.flags {
            back.push_str("\x1b[=0u");
        }
        if self.modified {
            back.push_str("\x1b[>4m");
        }
        back.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cases: &[(&str, &str)]) {
        for (output, expected) in cases {
            for size in [1, 3, 1000] {
                let mut modes = LeftModes::default();
                for piece in output.as_bytes().chunks(size) {
                    modes.feed(piece);
                }
                assert_eq!(String::from_utf8(modes.back()).unwrap(), *expected, "{output:?} by {size}");
            }
        }
    }

    #[test]
    fn modes_that_were_left_are_given_back() {
        check(&[
            ("plain \u{1b}[31mred\u{1b}[0m", ""),
            ("\u{1b}[?1000h\u{1b}[?1006h", "\u{1b}[?1000l\u{1b}[?1006l"),
            ("\u{1b}[?1002;1006h x \u{1b}[?1006l", "\u{1b}[?1002l"),
            ("\u{1b}[?1049h\u{1b}[?25l", "\u{1b}[?1049l\u{1b}[?25h"),
            ("\u{1b}[?1049h\u{1b}[?1049l\u{1b}[?2004h\u{1b}[?25h", ""),
            ("\u{1b}[?7l\u{1b}[?2026h", "\u{1b}[?7h\u{1b}[?2026l"),
        ]);
    }

    #[test]
    fn keys_regions_and_characters_that_were_left_are_given_back() {
        check(&[
            ("\u{1b}[5;10r", "\u{1b}7\u{1b}[r\u{1b}8"),
            ("\u{1b}[5;10rx\u{1b}[r", ""),
            ("\u{1b}[5;10r\u{1b}[?6h", "\u{1b}[?6l\u{1b}7\u{1b}[r\u{1b}8\u{1b}[999;1H"),
            ("\u{1b}(0lqk\u{1b}(B", ""),
            ("\u{1b}(0lqk", "\u{1b}(B"),
            ("a\u{e}b", "\u{f}"),
            ("a\u{e}b\u{f}c", ""),
            ("\u{1b}=\u{1b}[4h", "\u{1b}>\u{1b}[4l"),
            ("\u{1b}[>1u\u{1b}[>31u", "\u{1b}[<2u"),
            ("\u{1b}[>1u\u{1b}[>31u\u{1b}[<u\u{1b}[<1u\u{1b}[?u\u{1b}[u", ""),
            ("\u{1b}[=5;1u", "\u{1b}[=0u"),
            ("\u{1b}[>4;2m", "\u{1b}[>4m"),
            ("\u{1b}[>4;2m\u{1b}[>4;m", ""),
        ]);
    }

    #[test]
    fn a_string_that_was_left_open_is_ended() {
        check(&[("\u{1b}Pq", "\u{1b}\\"), ("x\u{1b}]0;title", "\u{1b}\\"), ("\u{1b}]0;title\u{7}x", "")]);
        let mut modes = LeftModes::default();
        modes.feed(format!("\u{1b}_G{}", "x".repeat(100_000)).as_bytes());
        assert_eq!(modes.back(), b"\x1b\\");
    }
}
