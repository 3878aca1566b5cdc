//! How fish reads a line: other escapes outside quotes and in single ones, and letters where bash sees a substitution or,
//! within a word, the end of a command.

use alloc::string::String;
use alloc::vec::Vec;

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
    let out = String::with_capacity(text.len() + 16);
    let mut line = Line { out, inside: alloc::vec![Inside::Nothing], rest: text, before: ' ', at_name: true };
    while let Some(letter) = line.rest.chars().next() {
        line.rest = line.rest.get(letter.len_utf8()..)?;
        let double = line.inside.last() == Some(&Inside::Double);
        if double {
            line.write_quoted(letter)?;
        } else {
            line.write_unquoted(letter)?;
        }
        line.at_name = !double && (";&|(\n".contains(letter) || line.at_name && letter.is_whitespace());
        line.before = letter;
    }
    (line.inside.len() == 1 && line.out != text).then_some(line.out)
}

/// A line while it is written anew.
struct Line<'t> {
    out: String,
    /// What is open, the innermost last.
    inside: Vec<Inside>,
    /// What is not read yet.
    rest: &'t str,
    /// The letter before the one that is written.
    before: char,
    /// True where a command's name may begin: an escape in that is no name to fish, and runs nothing.
    at_name: bool,
}

impl Line<'_> {
    fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Writes a letter in double quotes; none where fish takes no such line.
    fn write_quoted(&mut self, letter: char) -> Option<()> {
        match letter {
            '\\' => match self.next() {
                Some(next @ ('"' | '$' | '\\' | '\n')) => {
                    self.out.extend([letter, next]);
                    self.rest = self.rest.get(1..)?;
                }
                _ => self.out.push_str("\\\\"),
            },
            '`' => self.out.push_str("\\`"),
            '"' => {
                self.inside.pop();
                self.out.push(letter);
            }
            '(' if self.before == '$' => self.open(Inside::Brackets, letter),
            _ => self.out.push(letter),
        }
        Some(())
    }

    /// Writes a letter outside double quotes; none where fish takes no such line.
    fn write_unquoted(&mut self, letter: char) -> Option<()> {
        let next = self.next();
        match letter {
            '\\' => self.write_escape()?,
            '`' => self.out.push_str("\\`"),
            // Within a word it is a letter.
            '&' if !ends_word(self.before) && next.is_some_and(|next| !ends_word(next)) => self.out.push_str("\\&"),
            '"' => self.open(Inside::Double, letter),
            '$' if matches!(next, Some('{' | '\'')) => return None,
            '(' => self.open(Inside::Brackets, letter),
            ')' => {
                (self.inside.pop()? == Inside::Brackets).then_some(())?;
                self.out.push(letter);
            }
            '\'' => {
                let (read, behind) = single_quoted(self.rest)?;
                push_quoted(&mut self.out, &read);
                self.rest = behind;
            }
            '<' if next == Some('<') => return None,
            '#' if self.before.is_whitespace() || ";&|()".contains(self.before) => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.out.push(letter);
                self.out.push_str(self.rest.get(..end)?);
                self.rest = self.rest.get(end..)?;
            }
            _ => self.out.push(letter),
        }
        Some(())
    }

    fn open(&mut self, inside: Inside, letter: char) {
        self.inside.push(inside);
        self.out.push(letter);
    }

    /// Writes what an escape outside quotes stands for.
    fn write_escape(&mut self) -> Option<()> {
        let next = self.next()?;
        if ESCAPES.contains(next) && !self.at_name {
            let (read, behind) = escape(self.rest)?;
            push_quoted(&mut self.out, &String::from(read));
            self.rest = behind;
        } else {
            self.out.extend(['\\', next]);
            self.rest = self.rest.get(next.len_utf8()..)?;
        }
        Some(())
    }
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
