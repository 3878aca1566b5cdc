//! String literals of common languages.

use alloc::string::String;

/// Reads a literal that begins at the start of `text`; returns its value and its length with quotes.
pub(super) fn read(text: &str) -> Option<(String, usize)> {
    let quote = text.chars().next().filter(|letter| matches!(letter, '\'' | '"' | '`'))?;
    for triple in ["\"\"\"", "'''"] {
        if let Some(inside) = text.strip_prefix(triple)
            && let Some(end) = inside.find(triple)
        {
            return Some((inside.get(..end)?.into(), end + 6));
        }
    }
    let mut value = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                if let Some((_, next)) = letters.next() {
                    value.push('\\');
                    value.push(next);
                }
            }
            _ if letter == quote => {
                let value = super::super::escape::unescape(&value);
                return Some((value, at + 1));
            }
            _ => value.push(letter),
        }
    }
    None
}

/// Reads a bracketed literal (`qx{…}`, `%x(…)`) whose bracket begins `text`.
pub(super) fn bracketed(text: &str) -> Option<(String, usize)> {
    let open = text.chars().next()?;
    let close = match open {
        '{' => '}',
        '(' => ')',
        '[' => ']',
        '<' => '>',
        '/' | '|' | '!' | '#' => open,
        _ => return None,
    };
    let inside = text.get(open.len_utf8()..)?;
    let end = if open == close { inside.find(close)? } else { super::super::span::closing(inside, open, close)? };
    Some((inside.get(..end)?.into(), end + 2))
}
