//! Tokens of a program of awk, where every awk reads the same ones; what one of them may read otherwise is no token.

use alloc::vec::Vec;

use super::super::super::word::{HOLE, NUMERIC};

/// What a program of awk is made of; comments and blanks are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'s> {
    /// The end of a line.
    Line,
    /// A word, and whether a bracket stands right behind it.
    Name(&'s str, bool),
    Number(&'s str),
    /// A string without its quotes, as it is written.
    Text(&'s str),
    Regex,
    /// A closing round bracket, and whether it closes what stands behind `if`, `for` or `while`.
    Close(bool),
    Mark(&'s str),
}

/// Marks by their length; the longest is taken.
const MARKS: &[&[&str]] = &[
    &["**="],
    &["**", "&&", "||", ">>", ">=", "<=", "==", "!=", "!~", "+=", "-=", "*=", "/=", "%=", "^=", "++", "--"],
    &["{", "}", "(", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", "<", ">", "|", "?", ":", "~", "$", "="],
];

/// Words behind which a regular expression may stand; behind other words of the language a `/` is in doubt.
const BEFORE_REGEX: &[&str] = &["print", "printf", "return", "else", "do", "case"];

/// Marks behind which a line goes on.
const GOES_ON: &[&str] = &[",", "&&", "||", "{", "?", ":"];

/// Reads a whole program; none where one part of it is in doubt.
pub(super) fn tokens<'s>(text: &'s str, reserved: &dyn Fn(&str) -> bool) -> Option<Vec<Token<'s>>> {
    let mut reader = Reader { text, at: 0, tokens: Vec::new(), brackets: Vec::new(), reserved };
    while reader.at < text.len() {
        reader.step()?;
    }
    reader.brackets.is_empty().then_some(reader.tokens)
}

struct Reader<'s, 'r> {
    text: &'s str,
    at: usize,
    tokens: Vec<Token<'s>>,
    /// Open round brackets: whether each stands behind a word that steers.
    brackets: Vec<bool>,
    reserved: &'r dyn Fn(&str) -> bool,
}

impl<'s> Reader<'s, '_> {
    fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self) -> Option<()> {
        let rest = self.rest();
        let letter = rest.chars().next()?;
        match letter {
            ' ' | '\t' => self.at += 1,
            '\n' => return self.line(),
            '\\' => return self.joined_line(),
            '#' => return self.comment(),
            '"' => {
                let length = delimited(rest, '"')?;
                self.tokens.push(Token::Text(rest.get(1..length - 1)?));
                self.at += length;
            }
            '/' if self.expects_operand()? => {
                let length = delimited(rest, '/')?;
                brackets_close(rest.get(1..length - 1)?)?;
                self.tokens.push(Token::Regex);
                self.at += length;
            }
            HOLE => {
                rest.chars().nth(1).filter(|next| *next == NUMERIC)?;
                self.tokens.push(Token::Number(""));
                self.at += HOLE.len_utf8() + NUMERIC.len_utf8();
            }
            ')' => {
                let steers = self.brackets.pop()?;
                self.tokens.push(Token::Close(steers));
                self.at += 1;
            }
            'a'..='z' | 'A'..='Z' | '_' => self.name(),
            _ if letter.is_ascii_digit() || letter == '.' => return self.number(),
            _ => return self.mark(),
        }
        Some(())
    }

    /// The end of a line; in brackets only where the line goes on.
    fn line(&mut self) -> Option<()> {
        let goes_on = matches!(self.tokens.last(), Some(Token::Mark(mark)) if GOES_ON.contains(mark));
        (self.brackets.is_empty() || goes_on).then_some(())?;
        if !goes_on {
            self.tokens.push(Token::Line);
        }
        self.at += 1;
        Some(())
    }

    /// A backslash before the end of a line, which must not part a word.
    fn joined_line(&mut self) -> Option<()> {
        self.rest().starts_with("\\\n").then_some(())?;
        let before = self.text.get(..self.at).unwrap_or_default();
        let parts = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        (!before.ends_with(parts)).then_some(())?;
        self.at += 2;
        Some(())
    }

    /// A comment, which ends with its line, whatever stands in it; a backslash at its end is in doubt.
    fn comment(&mut self) -> Option<()> {
        let comment = self.rest().split('\n').next().unwrap_or_default();
        (!comment.ends_with(['\\', '\r'])).then_some(())?;
        self.at += comment.len();
        Some(())
    }

    fn name(&mut self) {
        let rest = self.rest();
        let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(rest.len());
        let (name, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.tokens.push(Token::Name(name, behind.starts_with('(')));
        self.at += end;
    }

    fn number(&mut self) -> Option<()> {
        let rest = self.rest();
        let digits = |from: usize| {
            let behind = rest.get(from..).unwrap_or_default();
            from + behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len())
        };
        let mut end = digits(0);
        if rest.get(end..).is_some_and(|behind| behind.starts_with('.')) {
            end = digits(end + 1);
        }
        let exponent = rest.get(end..).unwrap_or_default();
        if exponent.starts_with(['e', 'E']) {
            let sign = usize::from(exponent.get(1..).is_some_and(|behind| behind.starts_with(['+', '-'])));
            let from = end + 1 + sign;
            end = digits(from);
            (end > from).then_some(())?;
        }
        // A point alone is no number, and with a letter behind it awks differ.
        let joined = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        (rest.get(..end)? != "." && !rest.get(end..)?.starts_with(joined)).then_some(())?;
        self.tokens.push(Token::Number(rest.get(..end)?));
        self.at += end;
        Some(())
    }

    fn mark(&mut self) -> Option<()> {
        let rest = self.rest();
        let mark = MARKS.iter().flat_map(|marks| marks.iter()).find(|mark| rest.starts_with(**mark))?;
        // Pipes both ways, and names with a space of their own.
        (!rest.starts_with("|&") && !rest.starts_with("::")).then_some(())?;
        if *mark == "(" {
            let steers = matches!(self.tokens.last(), Some(Token::Name("if" | "for" | "while" | "switch", _)));
            self.brackets.push(steers);
        }
        self.tokens.push(Token::Mark(mark));
        self.at += mark.len();
        Some(())
    }

    /// Says whether an operand comes next, so that a `/` begins a regular expression; none where that is in doubt.
    fn expects_operand(&self) -> Option<bool> {
        match self.tokens.last() {
            Some(Token::Close(true) | Token::Mark("++" | "--" | "$")) => None,
            Some(Token::Number(_) | Token::Text(_) | Token::Regex | Token::Close(false) | Token::Mark("]")) => {
                Some(false)
            }
            Some(Token::Name(name, _)) if BEFORE_REGEX.contains(name) => Some(true),
            Some(Token::Name(name, _)) => (!(self.reserved)(name)).then_some(false),
            None | Some(Token::Line | Token::Mark(_)) => Some(true),
        }
    }
}

/// Returns the length of what stands between two marks, with both; it ends on its line.
fn delimited(text: &str, mark: char) -> Option<usize> {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next().filter(|(_, next)| !matches!(next, '\n' | '\r'))?),
            HOLE => drop(letters.next().filter(|(_, next)| *next == NUMERIC)?),
            '\n' | '\r' => return None,
            _ if letter == mark => return Some(at + letter.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Says whether every awk sees the brackets of a regular expression closed at its end; in open ones a `/` would not end it.
fn brackets_close(regex: &str) -> Option<()> {
    let mut rest = regex;
    while let Some(at) = rest.find(['\\', '[']) {
        let (escaped, behind) = (rest.get(at..)?.starts_with('\\'), rest.get(at + 1..)?);
        rest = if escaped { behind.get(behind.chars().next()?.len_utf8()..)? } else { bracket(behind)? };
    }
    Some(())
}

/// Returns what stands behind a bracket expression; named classes are the only brackets in it.
fn bracket(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix('^').unwrap_or(text);
    rest = rest.strip_prefix(']').unwrap_or(rest);
    loop {
        let at = rest.find(['\\', '[', ']'])?;
        let behind = rest.get(at + 1..)?;
        rest = match rest.get(at..)?.chars().next()? {
            ']' => return Some(behind),
            '\\' => behind.get(behind.chars().next()?.len_utf8()..)?,
            _ if behind.starts_with(':') => {
                let named = behind.get(1..)?.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
                named.strip_prefix(":]")?
            }
            _ if behind.starts_with(['.', '=']) => return None,
            _ => behind,
        };
    }
}
