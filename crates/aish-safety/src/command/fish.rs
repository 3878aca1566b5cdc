//! How fish reads a line: other escapes outside quotes and in single ones, and letters where bash sees a substitution or,
//! within a word, the end of a command.

use alloc::string::String;

/// Letters behind a backslash outside quotes that stand for something else in fish; to bash each is itself.
const ESCAPES: &str = "abcefnrtvxXuU01234567";

/// Where a letter stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Brackets,
    Double,
}

/// Writes a line so that bash reads of it what fish does; none where that is the same, or where fish takes no such line.
pub(super) fn as_fish_reads(text: &str) -> Option<String> {
    if !text.contains(['\\', '`', '&']) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut inside = alloc::vec![Inside::Nothing];
    let mut rest = text;
    let mut before = ' ';
    // True where a command's name may begin: an escape in that is no name to fish, and runs nothing.
    let mut at_name = true;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..)?;
        let next = after.chars().next();
        rest = after;
        let double = inside.last() == Some(&Inside::Double);
        match letter {
            '\\' if double => match next {
                Some(next @ ('"' | '$' | '\\' | '\n')) => {
                    out.extend([letter, next]);
                    rest = after.get(1..)?;
                }
                _ => out.push_str("\\\\"),
            },
            '\\' => match next? {
                next if ESCAPES.contains(next) && !at_name => {
                    let (read, behind) = escape(after)?;
                    push_quoted(&mut out, &String::from(read));
                    rest = behind;
                }
                next => {
                    out.extend([letter, next]);
                    rest = after.get(next.len_utf8()..)?;
                }
            },
            '`' => out.push_str("\\`"),
            // Within a word it is a letter.
            '&' if !double && !ends_word(before) && next.is_some_and(|next| !ends_word(next)) => out.push_str("\\&"),
            '"' if double => {
                inside.pop();
                out.push(letter);
            }
            '"' => {
                inside.push(Inside::Double);
                out.push(letter);
            }
            '$' if matches!(next, Some('{' | '\'')) && !double => return None,
            '(' if !double || before == '$' => {
                inside.push(Inside::Brackets);
                out.push(letter);
            }
            ')' if !double => {
                (inside.pop()? == Inside::Brackets).then_some(())?;
                out.push(letter);
            }
            '\'' if !double => {
                let (read, behind) = single_quoted(after)?;
                push_quoted(&mut out, &read);
                rest = behind;
            }
            '<' if !double && next == Some('<') => return None,
            '#' if !double && (before.is_whitespace() || ";&|()".contains(before)) => {
                let end = rest.find('\n').unwrap_or(rest.len());
                out.push(letter);
                out.push_str(rest.get(..end)?);
                rest = rest.get(end..)?;
            }
            _ => out.push(letter),
        }
        at_name = !double && (";&|(\n".contains(letter) || at_name && letter.is_whitespace());
        before = letter;
    }
    (inside.len() == 1 && out != text).then_some(out)
}

/// Says whether a letter stands between words.
fn ends_word(letter: char) -> bool {
    letter.is_whitespace() || ";&|<>()".contains(letter)
}

/// Reads what stands in single quotes, where a backslash takes a quote or a backslash along; returns what is behind it too.
fn single_quoted(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\'' => return Some((out, text.get(at + 1..)?)),
            '\\' => {
                let taken = letters.next_if(|(_, next)| matches!(next, '\'' | '\\'));
                out.push(taken.map_or('\\', |(_, next)| next));
            }
            _ => out.push(letter),
        }
    }
    None
}

/// Reads an escape behind its backslash; none where fish takes no such one.
fn escape(text: &str) -> Option<(char, &str)> {
    let letter = text.chars().next()?;
    let behind = text.get(1..)?;
    let plain = match letter {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'e' => '\u{1b}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        'x' | 'X' => return number(behind, 16, 2),
        'u' => return number(behind, 16, 4),
        'U' => return number(behind, 16, 8),
        'c' => {
            let control = behind.chars().next().filter(char::is_ascii)?;
            let code = u32::from(control.to_ascii_lowercase()) & 0x1f;
            return Some((char::from_u32(code)?, behind.get(1..)?));
        }
        _ => return number(text, 8, 3),
    };
    Some((plain, behind))
}

fn number(text: &str, radix: u32, most: usize) -> Option<(char, &str)> {
    let end = text.char_indices().take(most).take_while(|(_, letter)| letter.is_digit(radix)).count();
    let code = u32::from_str_radix(text.get(..end)?, radix).ok()?;
    Some((char::from_u32(code)?, text.get(end..)?))
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('\'');
    out.push_str(&text.replace('\'', "'\\''"));
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_as_fish_reads_them() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(as_fish_reads(text).as_deref(), expected, "{text}");
        check("sort \\x2do c f", Some("sort '-'o c f"));
        check("sort \\055o \\u002d c", Some("sort '-'o '-' c"));
        check("sed a\\nb \\cj", Some("sed a'\n'b '\n'"));
        check("sed 's/a\\\\/b/' f", Some("sed 's/a\\/b/' f"));
        check("echo 'a\\'b'", Some("echo 'a'\\''b'"));
        check("find d `true x`", Some("find d \\`true x\\`"));
        check("echo \"a`b\\q\"", Some("echo \"a\\`b\\\\q\""));
        check("echo $(echo 'a\\\\' \"b\\$\") # 'c\\\\'", Some("echo $(echo 'a\\' \"b\\$\") # 'c\\\\'"));
        check("sort f&ls -o f", Some("sort f\\&ls -o f"));
        check("tree 'a'&ls \"b\"&c", Some("tree 'a'\\&ls \"b\"\\&c"));
        for same in ["ls a& ls b & ls c&&ls d 2>&1 >&2&", "ls &>f", "ls \"a&b\""] {
            check(same, None);
        }
        for same in ["ls", "\\ls -l", "ls | \\find . -name \\*.rs", "echo a\\ b \"\\$x\" 'a\\b'"] {
            check(same, None);
        }
        for refused in ["echo ${x} \\n", "echo $'a\\\\'", "cat <<E\n\\\\\nE", "echo 'a\\'", "echo \\n)", "echo \\xz"] {
            check(refused, None);
        }
    }
}
