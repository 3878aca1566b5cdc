//! What `echo` and `printf` write, and of which programs all that they write is known.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Output;

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
        out = escape::unescape_values(&out);
    }
    if newline {
        out.push('\n');
    }
    Some(out)
}

/// Says whether what is computed here is what every shell and program of a kind writes, and no guess that leaves out some of
/// what they do.
pub(crate) fn is_sure(kind: Output, arguments: &[Word]) -> bool {
    // Names of files are put in: `echo B*`.
    if arguments.iter().any(|word| word.is_known() && !word.is_fixed()) {
        return false;
    }
    if kind == Output::Echo {
        return echoes_alike(arguments);
    }
    if kind == Output::Format {
        return is_plain(arguments);
    }
    let is_name = matches!(kind, Output::BaseName | Output::FolderName);
    if is_name {
        return matches!(arguments, [only] if !only.text.ends_with('/') && !only.text.starts_with('-'));
    }
    match kind {
        // With options lines are numbered; other words leave something out, or have it written twice.
        Output::Whole => arguments.iter().all(|word| !word.text.starts_with('-')),
        Output::Blocks | Output::Piped => arguments.is_empty(),
        Output::Silent => arguments.iter().all(|word| !word.text.starts_with('-')),
        Output::Folder | Output::FreshName => true,
        _ => false,
    }
}

/// Says whether every `basename` and `dirname` makes the same of a path: no options, no slashes that count for nothing.
pub(crate) fn is_plain_path(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('-') && !path.ends_with('/') && !path.contains("//")
}

/// Says whether what a program makes of a number is one.
pub(crate) fn keeps_numbers(kind: Output, arguments: &[Word]) -> bool {
    let is_count = |word: &Word| {
        let count = word.text.trim_start_matches("-n").trim_start_matches('-');
        word.text.starts_with('-') && count.bytes().all(|letter| letter.is_ascii_digit())
    };
    match kind {
        Output::Echo | Output::Format | Output::Piped | Output::Silent => true,
        Output::Whole | Output::Blocks => arguments.is_empty(),
        Output::Part | Output::End => match arguments {
            [option, count] if option.text == "-n" => count.text.bytes().all(|letter| letter.is_ascii_digit()),
            _ => arguments.iter().all(is_count),
        },
        Output::Translated => matches!(arguments, [option, _] if option.text == "-d"),
        _ => false,
    }
}

/// Says whether every `echo` writes the same for these words: without escapes, and without options, which some write.
fn echoes_alike(arguments: &[Word]) -> bool {
    !arguments.first().is_some_and(|word| word.text.starts_with('-'))
        && !arguments.iter().any(|word| word.text.contains('\\'))
}

/// Says whether a format of `printf` is made of texts and of values that it puts in as they are.
fn is_plain(arguments: &[Word]) -> bool {
    let format = match arguments {
        [first, format, ..] if first.text == "--" => format,
        [format, ..] => format,
        [] => return true,
    };
    let mut pieces = format
        .text
        .replace("%%", "")
        .split('%')
        .skip(1)
        .map(|piece| piece.starts_with('s'))
        .collect::<Vec<_>>()
        .into_iter();
    pieces.all(|is_text| is_text) && has_escapes_of_all(&format.text)
}

/// Says whether every `printf` knows the escapes of a format: dash takes no `\x` and no `\u` (POSIX, "File Format Notation").
fn has_escapes_of_all(format: &str) -> bool {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\' && !letters.next().is_some_and(|escaped| "\\abfnrtv01234567".contains(escaped)) {
            return false;
        }
    }
    true
}

/// Returns from which byte on `tail -c +N` writes, counted from 1.
pub(crate) fn bytes_from(arguments: &[Word]) -> Option<usize> {
    arguments.iter().find_map(|word| {
        let text = word.text.strip_prefix("-c").or_else(|| word.text.strip_prefix("--bytes=")).unwrap_or(&word.text);
        text.strip_prefix('+')?.parse().ok()
    })
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
                Some('b') => {
                    out.push_str(&escape::unescape_values(values.next().map_or("", |word| word.text.as_str())))
                }
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
