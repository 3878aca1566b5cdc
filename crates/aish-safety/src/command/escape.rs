//! Escapes: `$'…'`, `echo -e`, `printf`.

use alloc::string::String;

/// Reads `$'…'` whose opening is behind; returns the text and what follows the closing quote.
pub(crate) fn ansi_c(source: &str) -> (String, &str) {
    let mut end = source.len();
    let mut letters = source.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '\'' => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    (unescape(source.get(..end).unwrap_or_default()), source.get(end + 1..).unwrap_or_default())
}

/// Says whether a terminal does more at a text than show it, in colour and at another place: it may be told to answer, as if
/// somebody typed, to keep what is copied, or to write a file.
pub(crate) fn acts_on_terminal(text: &str) -> bool {
    const QUIET: &[char] = &['\n', '\t', '\r', '\u{7}', '\u{8}', '\u{b}', '\u{c}'];
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_control() && !QUIET.contains(&letter)) {
        let behind = rest.get(at..).unwrap_or_default().strip_prefix("\u{1b}[");
        let Some(behind) =
            behind.map(|behind| behind.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';'))
        else {
            return true;
        };
        if !behind.starts_with(|letter: char| "mKJHABCDGfsu".contains(letter)) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Replaces backslash escapes: `\n`, `\x41`, `\101`, `\u0041`. An octal number has three digits at the most.
pub(crate) fn unescape(source: &str) -> String {
    replaced(source, 3)
}

/// Does so as `echo -e` and `printf %b` do: a leading 0 is none of the three digits (`\0101`).
pub(crate) fn unescape_values(source: &str) -> String {
    replaced(source, 4)
}

fn replaced(source: &str, zeroed: usize) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let Some(letter) = after.chars().next() else {
            out.push('\\');
            return out;
        };
        let tail = after.get(letter.len_utf8()..).unwrap_or_default();
        rest = match letter {
            'n' => push(&mut out, '\n', tail),
            't' => push(&mut out, '\t', tail),
            'r' => push(&mut out, '\r', tail),
            'a' => push(&mut out, '\u{7}', tail),
            'b' => push(&mut out, '\u{8}', tail),
            'e' | 'E' => push(&mut out, '\u{1b}', tail),
            'f' => push(&mut out, '\u{c}', tail),
            'v' => push(&mut out, '\u{b}', tail),
            'x' => code(&mut out, tail, 16, 2),
            'u' => code(&mut out, tail, 16, 4),
            'U' => code(&mut out, tail, 16, 8),
            '0' => code(&mut out, after, 8, zeroed),
            '1'..='7' => code(&mut out, after, 8, 3),
            '\\' | '\'' | '"' | '?' => push(&mut out, letter, tail),
            _ => {
                out.push('\\');
                push(&mut out, letter, tail)
            }
        };
    }
    out.push_str(rest);
    out
}

fn push<'s>(out: &mut String, letter: char, tail: &'s str) -> &'s str {
    out.push(letter);
    tail
}

fn code<'s>(out: &mut String, text: &'s str, radix: u32, most: usize) -> &'s str {
    let length = text.chars().take(most).take_while(|letter| letter.is_digit(radix)).count();
    let digits = text.get(..length).unwrap_or_default();
    // An octal escape is one byte: what is over that is cut off.
    let number = u32::from_str_radix(digits, radix).ok().map(|number| if radix == 8 { number & 0xff } else { number });
    if let Some(letter) = number.and_then(char::from_u32) {
        out.push(letter);
    }
    text.get(length..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        assert_eq!(ansi_c(r"\x72\x6d' -rf"), ("rm".into(), " -rf"));
        assert_eq!(unescape_values(r"\162\155 \0162\0155 \u0072m a\qb"), "rm rm rm a\\qb");
        assert_eq!((unescape(r"a\0541"), unescape_values(r"a\00541")), ("a,1".into(), "a,1".into()));
        assert_eq!(unescape(r"\562\555\440x"), "rm x");
        assert_eq!(unescape(r"it\'s\n"), "it's\n");
    }
}
