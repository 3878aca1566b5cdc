//! Modes of the person's terminal that a command switched on and left on.

/// DEC private modes that are not for a prompt, and the state that a prompt wants: mouse reports, focus reports, the
/// alternate screen, a hidden cursor.
const MODES: &[(&[u8], bool)] = &[
    (b"9", false),
    (b"1000", false),
    (b"1001", false),
    (b"1002", false),
    (b"1003", false),
    (b"1004", false),
    (b"1005", false),
    (b"1006", false),
    (b"1015", false),
    (b"1016", false),
    (b"47", false),
    (b"1047", false),
    (b"1049", false),
    (b"25", true),
];

/// The longest sequence that is looked for, in bytes.
const LONGEST: usize = 64;

/// Follows what a command does to the modes of its terminal, wherever its output is split.
#[derive(Debug, Default)]
pub(crate) struct LeftModes {
    /// Modes that are not as a prompt wants them.
    changed: Vec<usize>,
    held: Vec<u8>,
}

impl LeftModes {
    /// Takes the next bytes of output.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut rest = text.as_slice();
        while let Some(at) = rest.iter().position(|byte| *byte == 0x1b) {
            let sequence = rest.get(at..).unwrap_or_default();
            let body = sequence.get(3..).unwrap_or_default();
            if !sequence.starts_with(b"\x1b[?".get(..sequence.len().min(3)).unwrap_or_default()) {
                rest = sequence.get(1..).unwrap_or_default();
                continue;
            }
            match body.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';') {
                Some(end) => {
                    let (numbers, behind) = body.split_at(end);
                    match behind.first() {
                        Some(b'h') => self.set(numbers, true),
                        Some(b'l') => self.set(numbers, false),
                        _ => {}
                    }
                    rest = behind;
                }
                None if sequence.len() < LONGEST => {
                    self.held = sequence.to_vec();
                    return;
                }
                None => return,
            }
        }
    }

    fn set(&mut self, numbers: &[u8], on: bool) {
        for number in numbers.split(|byte| *byte == b';') {
            if let Some(at) = MODES.iter().position(|(mode, _)| *mode == number) {
                self.changed.retain(|changed| *changed != at);
                if MODES.get(at).is_some_and(|(_, wanted)| *wanted != on) {
                    self.changed.push(at);
                }
            }
        }
    }

    /// Returns what gives the terminal its modes back; empty in most cases.
    pub(crate) fn back(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (mode, wanted) in self.changed.iter().filter_map(|at| MODES.get(*at)) {
            out.extend_from_slice(b"\x1b[?");
            out.extend_from_slice(mode);
            out.push(if *wanted { b'h' } else { b'l' });
        }
        out
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
