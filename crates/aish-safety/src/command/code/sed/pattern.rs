//! Addresses and patterns of a stream editor, whose end must be the same in every reading.

use super::super::super::word::{HOLE, NUMERIC};

/// Says whether a letter may stand around a pattern: one that no bracket or backslash is made of.
pub(super) fn is_mark(letter: char) -> bool {
    letter.is_ascii() && !letter.is_ascii_control() && !"\\[]".contains(letter)
}

/// Skips the addresses before a command: `1`, `$`, `/x/I`, `\,x,`, `1~2`, `1,+3`; none where one is in doubt.
pub(super) fn addresses(text: &str) -> Option<&str> {
    let Some(rest) = address(text)? else { return Some(text) };
    let rest = rest.trim_start_matches([' ', '\t']);
    let Some(second) = rest.strip_prefix(',') else { return Some(rest) };
    let second = second.trim_start_matches([' ', '\t']);
    let rest = match second.strip_prefix(['+', '~']) {
        Some(count) => number(count)?,
        None => address(second)??,
    };
    Some(rest.trim_start_matches([' ', '\t']))
}

/// Skips an address; `Some(None)` where none stands here.
#[expect(clippy::option_option, reason = "no address is no doubt")]
fn address(text: &str) -> Option<Option<&str>> {
    let Some(first) = text.chars().next() else { return Some(None) };
    let rest = match first {
        '/' => pattern(text.get(1..)?, '/')?.trim_start_matches(['I', 'M']),
        '\\' => {
            let mark = text.chars().nth(1).filter(|mark| is_mark(*mark))?;
            pattern(text.get(2..)?, mark)?.trim_start_matches(['I', 'M'])
        }
        '$' => text.get(1..)?,
        '0'..='9' | HOLE => {
            let rest = number(text)?;
            match rest.strip_prefix('~') {
                Some(step) => number(step)?,
                None => rest,
            }
        }
        _ => return Some(None),
    };
    Some(Some(rest))
}

/// Skips a number, of which parts may be known to be digits and no more.
fn number(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let behind = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        rest = match behind.strip_prefix(HOLE) {
            Some(behind) => behind.strip_prefix(NUMERIC)?,
            None => return (behind.len() < text.len()).then_some(behind),
        };
    }
}

/// How an editor reads what stands in a bracket.
#[derive(Clone, Copy)]
struct Brackets {
    /// `[:alpha:]` is one thing in it.
    classes: bool,
    /// A backslash takes the next letter along.
    escapes: bool,
}

/// The readings that there are; a pattern ends at the same place in all of them.
const READINGS: [Brackets; 3] = [
    Brackets { classes: true, escapes: false },
    Brackets { classes: true, escapes: true },
    Brackets { classes: false, escapes: false },
];

/// Returns what stands behind the mark that ends a regular expression; none where editors may differ about that.
pub(super) fn pattern(text: &str, mark: char) -> Option<&str> {
    let [first, others @ ..] = READINGS.map(|reading| end(text, mark, reading));
    let end = first.filter(|_| others.iter().all(|other| *other == first))?;
    text.get(end + mark.len_utf8()..)
}

/// Finds the mark that ends a regular expression.
fn end(text: &str, mark: char, reading: Brackets) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let letter = rest.chars().next().filter(|letter| *letter != '\n')?;
        at += match letter {
            _ if letter == mark => return Some(at),
            '\\' => 1 + rest.chars().nth(1).filter(|next| *next != '\n')?.len_utf8(),
            '[' => bracket(rest, reading)?,
            _ => letter.len_utf8(),
        };
    }
}

/// Returns the length of a bracket.
fn bracket(text: &str, reading: Brackets) -> Option<usize> {
    let mut at = if text.starts_with("[^") { 2 } else { 1 };
    at += usize::from(text.get(at..)?.starts_with(']'));
    loop {
        let rest = text.get(at..)?;
        let letter = rest.chars().next().filter(|letter| *letter != '\n')?;
        let kind = rest.get(1..2).filter(|kind| [":", ".", "="].contains(kind));
        at += match (letter, kind) {
            (']', _) => return Some(at + 1),
            ('[', Some(kind)) if reading.classes => {
                let inside = rest.get(2..)?;
                let end = inside.find(|letter: char| !letter.is_ascii_alphanumeric())?;
                (inside.get(end..end + 2)?.strip_prefix(kind)? == "]").then_some(end + 4)?
            }
            ('\\', _) if reading.escapes => 1 + rest.chars().nth(1).filter(|next| *next != '\n')?.len_utf8(),
            _ => letter.len_utf8(),
        };
    }
}

/// Returns what stands behind the mark that ends a text without brackets.
pub(super) fn delimited(text: &str, mark: char) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            // A line in it ends in a backslash.
            '\n' => return None,
            _ if letter == mark => return text.get(at + letter.len_utf8()..),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_patterns_are_read() {
        for (text, rest) in [
            ("1,3p", "p"),
            ("/a\\/b/Iw x", "w x"),
            ("\\,a,!d", "!d"),
            ("$!N", "!N"),
            ("0~3 p", "p"),
            ("/[/]/d", "d"),
            ("/a/ , +3d", "d"),
            ("/[^][:alpha:]x]/,$d", "d"),
            ("p", "p"),
        ] {
            assert_eq!(addresses(text), Some(rest), "{text}");
        }
        for text in ["/a", "/[/d", "\\]x\\]p;#]d", "/[\\]/]/d", "/[[:alpha:]/]/d", "1,p", "1~p", "/a\nb/p"] {
            assert_eq!(addresses(text), None, "{text}");
        }
        assert_eq!(pattern("a|b", '|'), Some("b"));
        assert_eq!(delimited("a\\|b[|]|c", '|'), Some("]|c"));
        assert_eq!(delimited("/a", '|'), None);
    }

    #[test]
    fn long_patterns_are_read_in_time() {
        for part in ["[", "[a", "[[:a", "\\[", "a[]"] {
            assert_eq!(pattern(&part.repeat(60_000 / part.len()), '/'), None);
        }
    }
}
