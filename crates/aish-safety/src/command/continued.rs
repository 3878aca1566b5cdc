//! Lines that go on in the next one: a backslash at the end of a line is left out together with the end, before anything of the text
//! is told apart. It is done once, so that all that looks at a text sees what shells see.
//!
//! Where shells do it differently (within an operator, in `$'…'`, in quotes between backquotes, behind the beginning of a
//! here-document), the text is asked about, and stays as it is from there on where it is not known what is left out.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::doubtful::is_of_a_name;

const WITHIN_EXPANSION: &str = "goes on in the next line within an expansion";
const WITHIN_DOCUMENT: &str = "ends a here-document in a way that shells read differently";
const WITHIN_SIGNS: &str = "goes on in the next line within signs that only some shells put together";
const WITHIN_COMMENT: &str = "has a comment where a line goes on, behind which fish goes on with the line";
const WITHIN_QUOTES: &str = "goes on in the next line within quotes that shells read differently";

/// A text with its lines put together.
pub(super) struct Joined<'t> {
    pub(super) text: Cow<'t, str>,
    /// What of it shells put together differently.
    pub(super) doubt: Option<&'static str>,
}

/// Puts the lines of a text together. Linear in its length.
pub(super) fn joined(text: &str) -> Joined<'_> {
    if !text.contains("\\\n") {
        return Joined { text: Cow::Borrowed(text), doubt: None };
    }
    let mut reading = Reading {
        text,
        at: 0,
        out: String::with_capacity(text.len()),
        inside: alloc::vec![Inside::Commands],
        in_backquotes: false,
        goes_on: false,
        before: b'\n',
        names: false,
        differs: None,
        doubt: None,
    };
    while reading.step() {}
    reading.out.push_str(text.get(reading.at..).unwrap_or_default());
    Joined { text: Cow::Owned(reading.out), doubt: reading.doubt }
}

/// What a place stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The text, or brackets.
    Commands,
    /// `${…}`
    Braces,
    Double,
    Backquotes,
}

struct Reading<'t> {
    text: &'t str,
    at: usize,
    out: String,
    /// What is open, the innermost last.
    inside: Vec<Inside>,
    /// Whether backquotes are among that.
    in_backquotes: bool,
    /// Whether nothing but blanks stands behind the end of a line that was left out.
    goes_on: bool,
    /// The letter before the next one; that of an escape counts as a letter of a word.
    before: u8,
    /// Whether a name is read that stands behind a sign of an expansion.
    names: bool,
    /// Why shells see other ends of lines from here on.
    differs: Option<&'static str>,
    doubt: Option<&'static str>,
}

impl<'t> Reading<'t> {
    /// Reads a letter and what belongs to it; false at the end of what is known.
    fn step(&mut self) -> bool {
        let Some(letter) = self.byte(0) else { return false };
        let inside = self.inside.last().copied().unwrap_or(Inside::Commands);
        match letter {
            b'\\' if self.byte(1) == Some(b'\n') => return self.join(inside),
            b'\\' => {
                // Two of them are one between backquotes, which the next one is behind then.
                if self.byte(1) == Some(b'\\') && self.in_backquotes {
                    self.differs = self.differs.or(Some(WITHIN_QUOTES));
                }
                self.take(2);
                self.before = b'a';
            }
            b'\'' if inside != Inside::Double => return self.single(inside),
            b'"' if inside == Inside::Double => self.close(),
            b'"' => self.open(Inside::Double),
            b'`' => self.backquote(inside),
            b'(' if inside == Inside::Commands || inside == Inside::Backquotes || self.before == b'$' => {
                self.open(Inside::Commands);
            }
            b')' if inside == Inside::Commands && self.inside.len() > 1 => self.close(),
            b'{' if self.before == b'$' => self.open(Inside::Braces),
            b'{' if inside == Inside::Braces => {
                self.differs = self.differs.or(Some(WITHIN_EXPANSION));
                self.take(1);
            }
            b'}' if inside == Inside::Braces => self.close(),
            b'#' if self.begins_comment(inside) => self.comment(),
            b'<' if matches!(inside, Inside::Commands | Inside::Backquotes) && self.byte(1) == Some(b'<') => {
                self.here();
            }
            // Of its patterns the brackets close what none opened.
            b'c' if self.inside.len() > 1 && self.rest().starts_with("case") && !is_of_a_name(self.before.into()) => {
                self.differs = self.differs.or(Some(WITHIN_EXPANSION));
                self.take(1);
            }
            _ => self.take(1),
        }
        true
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Copies a letter, and one behind it where that is escaped.
    fn take(&mut self, bytes: usize) {
        let mut end = (self.at + bytes).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let letter = self.byte(0).unwrap_or(b'\n');
        self.goes_on &= matches!(letter, b' ' | b'\t');
        let is_named = is_of_a_name(letter.into());
        self.names =
            is_named && if is_of_a_name(self.before.into()) { self.names } else { b"${#!".contains(&self.before) };
        self.copy(end);
        self.before = letter;
    }

    fn copy(&mut self, end: usize) {
        self.out.push_str(self.text.get(self.at..end).unwrap_or_default());
        self.at = end;
    }

    fn open(&mut self, inside: Inside) {
        self.inside.push(inside);
        self.take(1);
    }

    fn close(&mut self) {
        self.inside.pop();
        self.take(1);
    }

    /// Leaves the end of a line out; false where not all shells do, or other ends as well.
    fn join(&mut self, inside: Inside) -> bool {
        if self.differs.is_some() {
            self.doubt = self.doubt.or(self.differs);
            return false;
        }
        while self.byte(0) == Some(b'\\') && self.byte(1) == Some(b'\n') {
            self.at += 2;
        }
        self.goes_on = true;
        if self.names || self.before == b'$' {
            self.doubt = self.doubt.or(Some(WITHIN_EXPANSION));
        } else if inside != Inside::Double && !are_told_apart(self.before, self.rest()) {
            self.doubt = self.doubt.or(Some(WITHIN_SIGNS));
        }
        true
    }

    /// Copies what stands in single quotes, in which a line ends; false where not in all shells.
    fn single(&mut self, inside: Inside) -> bool {
        let escapes = self.before == b'$';
        let bytes = self.rest().as_bytes();
        let mut length = 1;
        while let Some(letter) = bytes.get(length).copied().filter(|letter| *letter != b'\'') {
            length += if escapes && letter == b'\\' { 2 } else { 1 };
        }
        let end = (self.at + length + 1).min(self.text.len());
        let holds = self.text.get(self.at..end).is_some_and(|inside| inside.contains("\\\n"));
        let is_certain = !escapes && inside == Inside::Commands && !self.in_backquotes;
        if holds && !is_certain {
            self.doubt = self.doubt.or(Some(WITHIN_QUOTES));
            return false;
        }
        if inside == Inside::Braces {
            // It may be a letter.
            self.differs = self.differs.or(Some(WITHIN_QUOTES));
        }
        self.names = false;
        self.copy(end);
        self.before = b'\'';
        true
    }

    fn backquote(&mut self, inside: Inside) {
        if inside == Inside::Backquotes {
            self.in_backquotes = false;
            self.close();
        } else if self.in_backquotes {
            self.differs = self.differs.or(Some(WITHIN_QUOTES));
            self.take(1);
        } else {
            self.in_backquotes = true;
            self.open(Inside::Backquotes);
        }
    }

    fn begins_comment(&self, inside: Inside) -> bool {
        matches!(inside, Inside::Commands | Inside::Backquotes)
            && (self.before.is_ascii_whitespace() || b";&|()<>".contains(&self.before))
    }

    /// Copies a comment, at whose end a line ends whatever stands there.
    fn comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        let comment = self.rest().get(..length).unwrap_or_default();
        let behind = self.rest().get(length..).unwrap_or_default();
        let has_more = behind.contains(|letter: char| !letter.is_whitespace());
        if self.goes_on && has_more {
            self.doubt = self.doubt.or(Some(WITHIN_COMMENT));
        }
        if self.in_backquotes || comment.ends_with('\\') && has_more {
            self.differs = self.differs.or(Some(WITHIN_QUOTES));
        }
        self.names = false;
        self.copy(self.at + length);
        self.before = b'#';
    }

    /// Reads the sign of a here-document, or of a text.
    fn here(&mut self) {
        if self.byte(2) != Some(b'<') {
            self.differs = self.differs.or(Some(WITHIN_DOCUMENT));
        }
        let signs = self.rest().len() - self.rest().trim_start_matches('<').len();
        self.copy(self.at + signs);
        self.before = b'<';
    }
}

/// Says whether what stands before the end of a line and what stands behind it is the same to all shells with and without it: two
/// parts of a word, words between blanks, or a word beside the end of a command.
fn are_told_apart(before: u8, rest: &str) -> bool {
    let is_plain =
        |letter: u8| letter.is_ascii_alphanumeric() || !letter.is_ascii() || b"_-./,:+@%\"'".contains(&letter);
    let Some(next) = rest.bytes().next() else { return true };
    if before.is_ascii_whitespace() {
        return true;
    }
    if next.is_ascii_whitespace() {
        // To zsh some signs still belong to what stands before.
        return !rest.trim_start_matches([' ', '\t']).starts_with(['<', '>', '(']);
    }
    b";|&(".contains(&before) && (is_plain(next) || next == b'$')
        || (is_plain(before) || b"})".contains(&before)) && (is_plain(next) || b"$;|&)".contains(&next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_as_shells_do() {
        let check = |text: &str, expected: &str| {
            let found = joined(text);
            assert_eq!((&*found.text, found.doubt), (expected, None), "{text}");
        };
        check("ls", "ls");
        check("ls \\\n  -l", "ls   -l");
        check("ls a\\\n\\\nb\\\n", "ls ab");
        check("ls \\\\\nls", "ls \\\\\nls");
        check("ls \\\\\\\na", "ls \\\\a");
        check("echo \"a\\\nb\" c\\\n'd'", "echo \"ab\" c'd'");
        check("echo 'a\\\nb'\\\nc", "echo 'a\\\nb'c");
        check("echo \"'a\\\nb'\" \\\n c", "echo \"'ab'\"  c");
        check("echo \"$(echo 'a\\\nb' \\\n\"c\\\nd\")\"", "echo \"$(echo 'a\\\nb' \"cd\")\"");
        check("echo `ls \\\n -l`", "echo `ls  -l`");
        check("ls |\\\nwc &&\\\npwd;\\\nls", "ls |wc &&pwd;ls");
        check("echo $(\\\nls\\\n)", "echo $(ls)");
        check("ls # a 'b\nls \\\n c", "ls # a 'b\nls  c");
        check("ls \\\n# a\n", "ls # a\n");
        check("x=$((1 + \\\n 2))", "x=$((1 +  2))");
        check("cat <<< a \\\n | wc", "cat <<< a  | wc");
        check("echo \u{fc}\\\n\u{fc} \\\u{fc}", "echo \u{fc}\u{fc} \\\u{fc}");
        check("ls \\\n  && pwd \\\n  > f", "ls   && pwd   > f");
        check("echo $'a\\'b' \\\n c", "echo $'a\\'b'  c");
    }

    #[test]
    fn what_shells_put_together_differently_is_doubtful() {
        let check = |text: &str, expected: &str| {
            let found = joined(text);
            assert!(found.doubt.is_some(), "{text}");
            assert_eq!(found.text, expected, "{text}");
        };
        check("echo a >\\\n(touch c)", "echo a >(touch c)");
        check("ls &\\\n& pwd", "ls && pwd");
        check("echo $\\\nx", "echo $x");
        check("echo \"$x\\\ny\"", "echo \"$xy\"");
        check("echo ${x\\\n}", "echo ${x}");
        check("x\\\n=1", "x=1");
        check("cat f*\\\n(e'a')", "cat f*(e'a')");
        check("cat f*\\\n (e'a')", "cat f* (e'a')");
        check("cat {x}\\\n <f", "cat {x} <f");
        check("sort \\\n # x\nls -o f", "sort  # x\nls -o f");
        for same in [
            "echo $'a\\\nb'",
            "echo `echo 'a\\\nb'`",
            "echo `echo a\\\\\\\nb`",
            "cat <<E\na\\\nb\nE",
            "cat <<'E'\na\\\nb\nE",
            "echo ${x:-'a\\\nb'}",
            "echo \"${x:-'}\" 'a\\\nb'",
            "ls # a\\\nls \\\n",
            "echo \"$(case x in a) echo 'b\\\nc';; esac)\"",
        ] {
            check(same, same);
        }
    }
}
