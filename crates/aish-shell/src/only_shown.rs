//! What a terminal only shows: text and colours, and on a screen of a program's own where they stand.
//!
//! A list of what is known, and not of what is dangerous: a terminal has sequences that write the clipboard, print, rename the
//! window, or answer as if somebody typed, and nobody knows those of all terminals.

/// What begins a sequence.
const ESCAPE: u8 = 0x1b;

/// Private modes (DECSET) that full-screen programs switch and that change only what is on the screen or which keys the
/// program gets: cursor keys, wrapping, cursor, alternate screens, mouse, focus, pasting, and drawing at once.
const MODES: [u16; 17] = [1, 7, 12, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1047, 1048, 1049, 2004];

/// Lets text through without control characters that do more than move within a line or end it.
///
/// Bytes that are no UTF-8 pass as far as no character set has controls there.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// The beginning of a character.
    begun: Vec<u8>,
}

impl Text {
    /// Takes text that may be split anywhere, and returns what of it is shown.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let shows = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{8}');
        for byte in bytes {
            if self.begun.is_empty() && byte.is_ascii() {
                out.extend(shows(char::from(*byte)).then_some(*byte));
                continue;
            }
            self.begun.push(*byte);
            match std::str::from_utf8(&self.begun) {
                Ok(character) => {
                    if character.chars().all(shows) {
                        out.extend_from_slice(&self.begun);
                    }
                    self.begun.clear();
                }
                // It may still become a character.
                Err(error) if error.error_len().is_none() => {}
                Err(_) => {
                    // The last byte begins anew, where it was not wrong by itself.
                    let last = if self.begun.len() > 1 { self.begun.pop() } else { None };
                    out.extend(self.begun.drain(..).filter(|byte| *byte >= 0xa0));
                    out.extend(last.map(|last| self.feed(&[last])).unwrap_or_default());
                }
            }
        }
        out
    }
}

/// Says whether a whole sequence only changes how text looks, or, where it may move, where it stands.
pub(crate) fn is_only_shown(sequence: &[u8], moves: bool) -> bool {
    let Some((ESCAPE, sequence)) = sequence.split_first().map(|(first, rest)| (*first, rest)) else { return false };
    match sequence {
        [b'[', parameters @ .., last] => {
            let plain = parameters.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':'));
            match last {
                b'm' | b'K' => plain,
                b'A'..=b'H' | b'J' | b'L' | b'M' | b'P' | b'X' | b'@' | b'`' | b'a' | b'd' | b'e' | b'f' | b'r' => {
                    moves && plain
                }
                b'S' | b'T' | b's' | b'u' => moves && parameters.iter().all(u8::is_ascii_digit),
                b'h' | b'l' => moves && parameters.strip_prefix(b"?").is_some_and(are_modes),
                _ => false,
            }
        }
        [b'7' | b'8' | b'=' | b'>' | b'D' | b'E' | b'M'] | [b'(' | b')', b'0' | b'A' | b'B'] => moves,
        _ => false,
    }
}

fn are_modes(parameters: &[u8]) -> bool {
    let known = |mode: &str| mode.parse().is_ok_and(|mode| MODES.contains(&mode));
    std::str::from_utf8(parameters).is_ok_and(|parameters| parameters.split(';').all(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8]) -> Vec<u8> {
        let whole = Text::default().feed(bytes);
        let mut split = Text::default();
        let parts: Vec<u8> = bytes.iter().flat_map(|byte| split.feed(&[*byte])).collect();
        assert_eq!(whole, parts);
        whole
    }

    #[test]
    fn text_is_shown_and_no_control_character() {
        for (text, expected) in [
            ("plain\r\n\ta\u{8}b", "plain\r\n\ta\u{8}b"),
            ("ä€😀\u{200d}", "ä€😀\u{200d}"),
            ("a\u{7}\u{5}\u{e}\u{f}\u{c}\u{7f}b", "ab"),
            // Controls of eight bits: CSI, OSC, DCS.
            ("a\u{9b}31mb\u{9d}52;c;x\u{9c}\u{90}", "a31mb52;c;x"),
        ] {
            assert_eq!(String::from_utf8_lossy(&shown(text.as_bytes())), expected, "{text:?}");
        }
        // Another character set: letters pass, controls of eight bits do not.
        assert_eq!(shown(b"na\xefve \x9b31m \xe4\xf6"), b"na\xefve 31m \xe4\xf6");
        assert_eq!(shown(b"\xe4\xc3\xa4\x80\xf0\x9f\x98"), b"\xe4\xc3\xa4");
    }

    #[test]
    fn what_is_known_to_show_passes_and_nothing_else() {
        for (sequence, at_all, moving) in [
            ("\u{1b}[m", true, true),
            ("\u{1b}[38:2::1:2:3;4m", true, true),
            ("\u{1b}[0K", true, true),
            ("\u{1b}[2J", false, true),
            ("\u{1b}[12;3H", false, true),
            ("\u{1b}[?1049h", false, true),
            ("\u{1b}[?25;1006l", false, true),
            ("\u{1b}7", false, true),
            ("\u{1b}(B", false, true),
            // Keys, clipboard, title, printer, reports, strings, resets, and what nobody knows.
            ("\u{1b}[>4;1m", false, false),
            ("\u{1b}]52;c;aGk=\u{7}", false, false),
            ("\u{1b}]0;title\u{7}", false, false),
            ("\u{1b}]8;;http://x", false, false),
            ("\u{1b}\\", false, false),
            ("\u{1b}[5i", false, false),
            ("\u{1b}[c", false, false),
            ("\u{1b}[6n", false, false),
            ("\u{1b}[21t", false, false),
            ("\u{1b}[?1;9999h", false, false),
            ("\u{1b}[4h", false, false),
            ("\u{1b}P$q\"p", false, false),
            ("\u{1b}_Gx", false, false),
            ("\u{1b}c", false, false),
            ("\u{1b}#8", false, false),
            ("\u{1b}[3\n;1m", false, false),
            ("\u{1b}[1 q", false, false),
            ("\u{1b}", false, false),
            ("\u{1b}[", false, false),
            ("52;c;x", false, false),
        ] {
            assert_eq!(is_only_shown(sequence.as_bytes(), false), at_all, "{sequence:?}");
            assert_eq!(is_only_shown(sequence.as_bytes(), true), moving, "{sequence:?}");
        }
    }
}
