//! The output of bash's `declare -px`, read back.

use std::collections::BTreeMap;

/// Reads the exported variables out of `declare -px`; variables without a value are left out.
pub(crate) fn parse(text: &str) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    let mut rest = text;
    while let Some(start) = rest.strip_prefix("declare -") {
        let Some((_flags, after)) = start.split_once(' ') else { break };
        let name_end = after.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let (name, value) = after.split_at(name_end);
        let (value, after) = match value.strip_prefix('=') {
            Some(quoted) => {
                let (value, after) = unquote(quoted);
                (Some(value), after)
            }
            None => (None, value),
        };
        if let Some(value) = value {
            variables.insert(name.to_owned(), value);
        }
        // An array is printed as a list in parentheses; nothing exports one, so the line is passed over.
        rest = after.split_once('\n').map_or("", |(_, rest)| rest);
    }
    variables
}

/// Reads one quoted word, `"…"` or `$'…'`, and returns it with what follows.
pub(crate) fn unquote(text: &str) -> (String, &str) {
    if let Some(inner) = text.strip_prefix("$'") {
        return ansi_c(inner);
    }
    let Some(inner) = text.strip_prefix('"') else {
        let end = text.find('\n').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        return (word.to_owned(), rest);
    };
    let mut value = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, inner.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (value, "")
}

/// Reads the rest of a `$'…'` word, as bash itself prints them.
fn ansi_c(inner: &str) -> (String, &str) {
    let mut bytes = Vec::new();
    let mut chars = inner.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return (String::from_utf8_lossy(&bytes).into_owned(), inner.get(at + 1..).unwrap_or_default()),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => bytes.push(b'\n'),
                Some('t') => bytes.push(b'\t'),
                Some('r') => bytes.push(b'\r'),
                Some('a') => bytes.push(7),
                Some('b') => bytes.push(8),
                Some('v') => bytes.push(11),
                Some('f') => bytes.push(12),
                Some('E' | 'e') => bytes.push(0x1b),
                Some(digit @ '0'..='7') => {
                    let mut code = digit.to_digit(8).unwrap_or_default();
                    for _ in 0..2 {
                        let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(8)) else { break };
                        code = code * 8 + digit;
                        chars.next();
                    }
                    bytes.push(code.to_le_bytes()[0]);
                }
                Some(other) => bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
                None => {}
            },
            c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_were_set() {
        let text = "declare -x A=\"plain\"\ndeclare -rx B=\"two\nlines \\\"q\\\" \\$x \\`y\\` \\\\\"\n\
                    declare -x C=$'esc\\E[1m\\t\\001\\303\\251\\''\ndeclare -x D\ndeclare -ix E=\"7\"\n";
        let parsed = parse(text);
        let expected =
            [("A", "plain"), ("B", "two\nlines \"q\" $x `y` \\"), ("C", "esc\u{1b}[1m\t\u{1}é'"), ("E", "7")];
        assert_eq!(parsed, expected.into_iter().map(|(name, value)| (name.into(), value.into())).collect());
    }
}
