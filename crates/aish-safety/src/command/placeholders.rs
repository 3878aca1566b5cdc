//! A format of placeholders (`%h %s`, `%(refname:short)`), as git has them. Whoever asks has a list of what only shows;
//! a placeholder that is not in it may run a program, as those that check signatures do.

/// Says whether a format holds no placeholder but those that are known, by their letters or the name in brackets.
pub(super) fn are_known(format: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once('%') {
        match placeholder(behind, known) {
            Some(next) => rest = next,
            None => return false,
        }
    }
    true
}

/// Reads what stands behind a `%`; returns the text behind it, none where it is not known.
fn placeholder<'t>(text: &'t str, known: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    // What only says whether a line end or a blank goes with it.
    let text = text.strip_prefix(['+', '-', ' ']).unwrap_or(text);
    let first = text.chars().next()?;
    match first {
        '%' | 'n' => text.get(1..),
        // A column, a width, a colour: no placeholder stands inside.
        '<' | '>' | 'w' => behind_brackets(text.trim_start_matches(['<', '>', 'w', '|'])).map(|(_, rest)| rest),
        'C' => colour(text.get(1..)?),
        'x' => text.get(1..).and_then(behind_hexadecimal),
        _ if first.is_ascii_digit() => behind_hexadecimal(text),
        '(' => {
            let (name, rest) = behind_brackets(text)?;
            known(name.strip_prefix('*').unwrap_or(name)).then_some(rest)
        }
        _ => {
            // Of a person and of a reflog, a second letter says what.
            let length = if matches!(first, 'a' | 'c' | 'g' | 'G') { 2 } else { first.len_utf8() };
            let name = text.get(..length)?;
            known(name).then(|| text.get(length..)).flatten()
        }
    }
}

/// Splits off what stands in brackets, in which no others stand.
fn behind_brackets(text: &str) -> Option<(&str, &str)> {
    let (inside, rest) = text.strip_prefix('(')?.split_once(')')?;
    (!inside.contains('%')).then_some((inside, rest))
}

fn behind_hexadecimal(text: &str) -> Option<&str> {
    let byte = u8::from_str_radix(text.get(..2)?, 16).ok()?;
    // A terminal acts on others.
    (matches!(byte, 0 | b'\t' | b'\n') || matches!(byte, b' '..=b'~')).then(|| text.get(2..)).flatten()
}

fn colour(text: &str) -> Option<&str> {
    let plain = ["red", "green", "blue", "reset"];
    let named = plain.iter().find_map(|name| text.strip_prefix(name));
    named.or_else(|| behind_brackets(text).map(|(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> bool {
        ["h", "s", "an", "ad", "gd", "refname:short", "trailers"].contains(&name)
    }

    #[test]
    fn what_is_known_is_shown() {
        for format in [
            "plain",
            "%h %s",
            "format:%h%n%an",
            "%+s%-s% s",
            "%%GS",
            "%x00%00",
            "%Cred%h%Creset %C(auto)%s",
            "%<(20,trunc)%an%>>(10)%ad%w(72,1,2)",
            "%(refname:short)%(*refname:short)",
            "%gd",
        ] {
            assert!(are_known(format, &known), "{format}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_shown() {
        for format in [
            "%G?",
            "%GS",
            "%+GS",
            "%-G?",
            "% GK",
            "%h%G?",
            "%",
            "%(signature)",
            "%(*signature)",
            "%(refname",
            "%e",
            "%x0",
            "%C(auto%GS)",
            "%<(%GS",
            "%Cyellow",
            "%a",
            "%é",
            "%(contents:signature)",
            "%++GS",
        ] {
            assert!(!are_known(format, &known), "{format}");
        }
    }
}
