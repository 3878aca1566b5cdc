//! String literals of common languages.

use alloc::string::String;

use super::super::budget::{Budget, Work};

/// Reads a literal that begins at the start of `text`; returns its value and its length with quotes.
///
/// What is looked at is paid for, found or not: a text may hold many quotes that do not close.
pub(super) fn read(text: &str, budget: &Budget) -> Option<(String, usize)> {
    let quote = text.chars().next().filter(|letter| matches!(letter, '\'' | '"' | '`'))?;
    if budget.is_spent() {
        return None;
    }
    let found = unpaid(text, quote);
    budget.pay(Work::Close, found.as_ref().map_or(text.len(), |(_, length)| *length)).then_some(())?;
    found
}

fn unpaid(text: &str, quote: char) -> Option<(String, usize)> {
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
pub(super) fn bracketed(text: &str, budget: &Budget) -> Option<(String, usize)> {
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
    let end = if open == close {
        budget.find(inside, close)?
    } else {
        super::super::span::closing(inside, open, close, budget)?
    };
    Some((inside.get(..end)?.into(), end + 2))
}
