//! The sanitiser: text from outside, made safe for a terminal.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

/// Removes terminal control from a text: escape sequences, control characters but for newline and tab,
/// and characters that reorder or hide text (bidi controls, zero-width and tag characters).
///
/// A carriage return before a newline is dropped; any other becomes a newline. Linear, borrows when nothing is to remove.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || c == '\t' || !is_dangerous(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\t' => out.push(c),
            c if is_dangerous(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Shows every control, bidi, zero-width and tag character as an escape (`\u{202e}`), so that the bytes shown are the bytes run.
///
/// Newline and tab stay as they are.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || c == '\t' || !is_dangerous(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            c if is_dangerous(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Returns whether a character controls a terminal or hides text rather than showing itself.
pub fn is_dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

type Chars<'a> = core::iter::Peekable<core::str::Chars<'a>>;

/// Skips what follows ESC: a CSI sequence, a string sequence, or one final character with its intermediates (ECMA-48).
fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek().copied() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        Some(' '..='/') => {
            while matches!(chars.peek(), Some(' '..='/')) {
                chars.next();
            }
            if matches!(chars.peek(), Some('0'..='~')) {
                chars.next();
            }
        }
        Some('0'..='~') => {
            chars.next();
        }
        _ => {}
    }
}

/// Skips parameter and intermediate bytes and the final byte of a control sequence.
fn skip_csi(chars: &mut Chars<'_>) {
    while matches!(chars.peek(), Some(' '..='?')) {
        chars.next();
    }
    if matches!(chars.peek(), Some('@'..='~')) {
        chars.next();
    }
}

/// Skips a control string up to its terminator (BEL, ST), or to the end of the line when it has none.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(&c) = chars.peek() {
        if c == '\n' {
            return;
        }
        chars.next();
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                if chars.peek() == Some(&'\\') {
                    chars.next();
                }
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_terminal_control() {
        for (input, expected) in [
            ("plain text\n\ttab", "plain text\n\ttab"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}Pq#0;2\u{1b}\\x", "x"),
            ("a\u{9b}2Jb", "ab"),
            ("over\rwrite", "over\nwrite"),
            ("dos\r\nline", "dos\nline"),
            ("bell\u{7}\u{8}\u{0}", "bell"),
            ("abc\u{202e}fed", "abcfed"),
            ("zero\u{200b}width", "zerowidth"),
            ("\u{e0041}tag", "tag"),
            ("\u{1b}(Bcharset", "charset"),
            ("\u{1b}]unterminated\nnext", "\nnext"),
            ("end\u{1b}", "end"),
        ] {
            assert_eq!(sanitize(input), expected, "{input:?}");
        }
    }

    #[test]
    fn keeps_joined_emoji() {
        assert_eq!(sanitize("👩\u{200d}💻"), "👩\u{200d}💻");
    }

    #[test]
    fn shows_what_would_hide() {
        assert_eq!(visible("rm\u{202e} -rf \u{1b}[2K"), "rm\\u{202e} -rf \\e[2K");
    }
}
