//! What `echo` and `printf` write.

use alloc::string::String;
use alloc::vec::Vec;

use super::escape;
use super::word::Word;

/// Computes what `echo` writes.
pub(crate) fn echo(arguments: &[Word]) -> Option<String> {
    let mut rest = arguments;
    let (mut escapes, mut newline) = (false, true);
    while let Some((first, tail)) = rest.split_first() {
        let flags = first.text.strip_prefix('-').unwrap_or_default();
        if flags.is_empty() || !flags.chars().all(|letter| "neE".contains(letter)) {
            break;
        }
        escapes |= flags.contains('e');
        newline &= !flags.contains('n');
        rest = tail;
    }
    let mut out = rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    if escapes {
        out = escape::unescape(&out);
    }
    if newline {
        out.push('\n');
    }
    Some(out)
}

/// Computes what `printf` writes.
pub(crate) fn printf(arguments: &[Word]) -> Option<String> {
    let arguments = match arguments {
        [first, rest @ ..] if first.text == "--" => rest,
        all => all,
    };
    let (format, values) = arguments.split_first()?;
    let mut out = String::new();
    let mut values = values.iter();
    let has_values = values.len() > 0;
    for _ in 0..1_000 {
        if out.len() > super::bounds::MAX_BYTES {
            return None;
        }
        let left = values.len();
        let mut letters = format.text.chars().peekable();
        let mut plain = String::new();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                plain.push(letter);
                continue;
            }
            out.push_str(&escape::unescape(&core::mem::take(&mut plain)));
            while letters.next_if(|letter| "0123456789.-+ #*".contains(*letter)).is_some() {}
            match letters.next() {
                Some('%') => out.push('%'),
                Some('b') => out.push_str(&escape::unescape(values.next().map_or("", |word| word.text.as_str()))),
                Some('c') => out.extend(values.next().and_then(|word| word.text.chars().next())),
                Some('x') => {
                    let number = values.next().and_then(|word| word.text.parse::<i64>().ok()).unwrap_or(0);
                    out.push_str(&alloc::format!("{number:x}"));
                }
                Some('o') => {
                    let number = values.next().and_then(|word| word.text.parse::<i64>().ok()).unwrap_or(0);
                    out.push_str(&alloc::format!("{number:o}"));
                }
                Some(_) => out.push_str(values.next().map_or("", |word| word.text.as_str())),
                None => out.push('%'),
            }
        }
        out.push_str(&escape::unescape(&plain));
        if !has_values || values.len() == 0 || values.len() == left {
            break;
        }
    }
    Some(out)
}
