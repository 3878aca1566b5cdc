//! Tokens of SQL, where every database reads the same ones; what one of them may read otherwise is no token.

use alloc::string::String;
use alloc::vec::Vec;

use aish_programs::words::sql::{OPERATORS, OPERATORS_ELSEWHERE};

use super::Database;

/// What statements are made of; comments and blanks are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, in lower case.
    Word(String),
    /// A name in quotes, back quotes or square brackets, in lower case; an index is one too.
    Quoted(String),
    Text,
    Number,
    Mark(char),
}

/// Marks that mean the same, or nothing, to all databases.
const MARKS: &str = "(),;.*+-/%=<>!|&^~?@:";

/// Marks that operators are made of.
const OPERATING: &str = "+-*/<>=~!@%^&|?";

/// Reads a whole text; none where one part of it is in doubt.
pub(super) fn tokens(text: &str, database: Database) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = match letter {
            ' ' | '\t' | '\n' | '\r' => rest.get(1..)?,
            '-' if rest.starts_with("--") => line_comment(rest)?,
            '/' if rest.starts_with("/*") => comment(rest)?,
            // A type.
            ':' if rest.starts_with("::") => {
                out.push(Token::Mark(':'));
                rest.get(2..)?
            }
            '\\' => sent(rest, &mut out)?,
            '\'' => {
                let (_, behind) = quoted(rest, '\'')?;
                out.push(Token::Text);
                behind
            }
            // A part of an operator.
            '`' if database == Database::Postgres => return None,
            '"' | '`' => {
                let (name, behind) = quoted(rest, letter)?;
                out.push(Token::Quoted(name.to_ascii_lowercase()));
                behind
            }
            '[' => {
                let (name, behind) = index(rest)?;
                out.push(Token::Quoted(name.to_ascii_lowercase()));
                behind
            }
            _ if letter.is_alphabetic() || letter == '_' => {
                let (word, behind) = taken(rest, |letter| letter.is_alphanumeric() || "_$".contains(letter));
                (!word.contains("$$")).then_some(())?;
                // What kind of string it is.
                if behind.starts_with('\'') && matches!(word, "B" | "E" | "N" | "X" | "b" | "e" | "n" | "x") {
                    rest = behind;
                    continue;
                }
                out.push(Token::Word(word.to_ascii_lowercase()));
                behind
            }
            _ if letter.is_ascii_digit() => {
                let (_, behind) = taken(rest, |letter| letter.is_ascii_alphanumeric() || "._".contains(letter));
                out.push(Token::Number);
                behind
            }
            _ if OPERATING.contains(letter) => {
                let (known, behind) = operator(rest, database)?;
                out.extend(known.chars().map(Token::Mark));
                behind
            }
            _ => {
                out.push(Token::Mark(mark(rest, letter)?));
                rest.get(letter.len_utf8()..)?
            }
        };
    }
    Some(out)
}

fn taken(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|letter: char| !belongs(letter)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Reads an operator that the database has by itself; a sign may stand at once behind it.
fn operator(text: &str, database: Database) -> Option<(&str, &str)> {
    let (run, _) = taken(text, |letter| OPERATING.contains(letter));
    let end = ["--", "/*"].iter().filter_map(|comment| run.find(comment)).min().unwrap_or(run.len());
    let run = run.get(..end)?;
    let signed = !run.contains(|letter| "~!@%^&|?".contains(letter));
    let bare = if signed { run.trim_end_matches(['+', '-']) } else { run };
    let bare = if bare.is_empty() { run.get(..1)? } else { bare };
    let known = OPERATORS.contains(&bare)
        || database == Database::Another
        || database == Database::Unknown && OPERATORS_ELSEWHERE.contains(&bare);
    known.then(|| text.split_at_checked(bare.len())).flatten()
}

/// A mark; a colon before a name or a string puts a variable in its place, and `:=` sets one.
fn mark(rest: &str, letter: char) -> Option<char> {
    let next = rest.chars().nth(1).unwrap_or(' ');
    let fills = letter == ':' && (next.is_alphabetic() || "_='\"{".contains(next));
    (MARKS.contains(letter) && !fills).then_some(letter)
}

/// Skips a comment to the end of its line; a blank stands behind its dashes.
fn line_comment(text: &str) -> Option<&str> {
    let (comment, behind) = taken(text.get(2..)?, |letter| letter != '\n');
    (comment.trim_end_matches('\r').is_empty() || comment.starts_with([' ', '\t'])).then_some(())?;
    (!comment.contains('\\')).then_some(behind)
}

/// Skips a comment that holds no other and gives no orders.
fn comment(text: &str) -> Option<&str> {
    let (comment, behind) = text.get(2..)?.split_once("*/")?;
    let plain = comment.is_empty() || comment.starts_with([' ', '\t', '\n', '*']);
    (plain && !comment.contains("/*") && !comment.contains('\\')).then_some(behind)
}

/// `\G` and `\g` alone at the end of a line send the statement, as a semicolon does.
fn sent<'s>(text: &'s str, out: &mut Vec<Token>) -> Option<&'s str> {
    let behind = text.strip_prefix("\\G").or_else(|| text.strip_prefix("\\g"))?;
    let behind = behind.trim_start_matches([' ', '\t']);
    (behind.is_empty() || behind.starts_with('\n')).then_some(())?;
    out.push(Token::Mark(';'));
    Some(behind)
}

/// Reads what stands in quotes; a doubled quote is one. A backslash before a quote ends the text or does not.
fn quoted(text: &str, quote: char) -> Option<(&str, &str)> {
    let inside = text.get(1..)?;
    let mut letters = inside.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            (before != '\\').then_some(())?;
            if letters.next_if(|(_, next)| *next == quote).is_none() {
                return Some((inside.get(..at)?, inside.get(at + 1..)?));
            }
        }
        before = letter;
    }
    None
}

/// Reads a name or an index in square brackets, which is plain enough to be both.
fn index(text: &str) -> Option<(&str, &str)> {
    let (name, behind) = text.get(1..)?.split_once(']')?;
    let plain = name.chars().all(|letter| letter.is_alphanumeric() || "_.:, ".contains(letter));
    plain.then_some((name, behind))
}
