//! One edit of a text: an exact passage that stands there once gets another in its place.
//!
//! Line ends are compared as LF. Only what differs between the two passages is written, with the line ends that stand
//! around it, so that everything else keeps its bytes. A passage that is not there exactly may be found by lines that
//! differ in white space alone ([`looser`](crate::looser)); that is said.

use std::ops::Range;

use crate::looser;
use crate::newline::{Unified, unify, with_ends};

/// The most places that are named.
const NAMED: usize = 5;

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// True when the passage was found by lines that differ in white space.
    pub is_looser: bool,
    /// The first and the last line, counted from 1, that the new passage has in the text.
    pub lines: (usize, usize),
}

/// Why a text was not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is nothing to look for.
    #[error("the old text is empty; give the passage that is to be replaced")]
    Empty,
    /// Both passages are the same.
    #[error("the old and the new text are the same, so that nothing would change")]
    Same,
    /// The passage is not there.
    #[error("the old text is not in the file{}", near(.0))]
    Missing(Vec<(usize, String)>),
    /// The passage is there more than once.
    #[error("the old text is in the file {count} times, at lines {}; give more of what stands around it", list(.lines))]
    Ambiguous {
        /// How often.
        count: usize,
        /// The lines at which the first ones begin, counted from 1.
        lines: Vec<usize>,
    },
    /// Lines that differ in white space are there, and how the new ones would have to be indented is not sure.
    #[error("the old text is in the file with other white space, from line {0}; give it exactly as it stands there")]
    Indentation(usize),
}

fn near(lines: &[(usize, String)]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = lines.iter().map(|(number, line)| format!("\n{number}\t{line}")).collect();
    format!("; the nearest lines are:{}", shown.concat())
}

fn list(lines: &[usize]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Replaces a passage of a text that stands there once.
///
/// # Errors
/// When the passage is not there, or not once; the text is as it was then.
pub fn edit(text: &str, old: &str, new: &str) -> Result<Edited, EditError> {
    let (old, new) = (unify(old), unify(new));
    if old.is_empty() {
        return Err(EditError::Empty);
    }
    if old == new {
        return Err(EditError::Same);
    }
    let unified = Unified::of(text);
    let found = places(&unified.text, &old);
    match found.as_slice() {
        [] => loosely(text, &unified, &old, &new),
        [one] => Ok(replaced(text, &unified, one, &new)),
        several => {
            let lines = several.iter().take(NAMED).map(|range| line_of(&unified.text, range.start)).collect();
            Err(EditError::Ambiguous { count: several.len(), lines })
        }
    }
}

/// Finds a passage; places that overlap count as several.
fn places(text: &str, old: &str) -> Vec<Range<usize>> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(old)) {
        let start = from + at;
        found.push(start..start + old.len());
        from = start + step;
    }
    found
}

fn loosely(text: &str, unified: &Unified, old: &str, new: &str) -> Result<Edited, EditError> {
    match looser::find(&unified.text, old, new) {
        looser::Outcome::One { range, new } => Ok(Edited { is_looser: true, ..replaced(text, unified, &range, &new) }),
        looser::Outcome::Several(lines) => {
            Err(EditError::Ambiguous { count: lines.len(), lines: lines.into_iter().take(NAMED).collect() })
        }
        looser::Outcome::Unsure(line) => Err(EditError::Indentation(line)),
        looser::Outcome::Nothing => Err(EditError::Missing(looser::nearest(&unified.text, old))),
    }
}

/// Puts a new passage in the place of an old one, in the raw text.
fn replaced(raw: &str, unified: &Unified, range: &Range<usize>, new: &str) -> Edited {
    let old = unified.text.get(range.clone()).unwrap_or_default();
    let (before, after) = shared(old, new);
    let middle = new.get(before..new.len() - after).unwrap_or_default();
    let (start, end) = (unified.raw(range.start + before), unified.raw(range.end - after));
    let mut text = String::with_capacity(raw.len() + new.len());
    text.push_str(raw.get(..start).unwrap_or_default());
    let first = line_of(&text, text.len());
    text.push_str(&with_ends(middle, unified.style(range.start + before)));
    let last = line_of(&text, text.len() - usize::from(middle.ends_with('\n')));
    text.push_str(raw.get(end..).unwrap_or_default());
    Edited { text, is_looser: false, lines: (first, last.max(first)) }
}

/// Returns how many bytes of whole lines two passages have in common at their beginnings and at their ends.
fn shared(old: &str, new: &str) -> (usize, usize) {
    let ends = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let (old_lines, new_lines) = (ends(old), ends(new));
    let same = |(one, other): &(&String, &String)| one == other;
    let before: usize = old_lines.iter().zip(&new_lines).take_while(same).map(|(line, _)| line.len()).sum();
    let room = old.len().min(new.len()) - before;
    let mut after = 0;
    // The last piece has to be a whole line in both, which it is where what stands before it ends with a line end.
    for (one, other) in old_lines.iter().rev().zip(new_lines.iter().rev()) {
        if one != other || after + one.len() > room {
            break;
        }
        after += one.len();
    }
    (before, after)
}

/// Returns the line of a place, counted from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, expected: Result<&str, &str>) {
        let edited = edit(text, old, new);
        match (&edited, expected) {
            (Ok(edited), Ok(expected)) => assert_eq!(edited.text, expected),
            (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
            _ => panic!("{edited:?}"),
        }
    }

    #[test]
    fn an_exact_passage_is_replaced_once() {
        check("a\nb\nc\n", "b\n", "x\ny\n", Ok("a\nx\ny\nc\n"));
        check("a\nb\nc", "c", "d\n", Ok("a\nb\nd\n"));
        check("a\nb\nc", "c", "d", Ok("a\nb\nd"));
        check("abc", "abc", "", Ok(""));
        check("a\na\n", "a", "b", Err("2 times, at lines 1, 2"));
        check("aaa", "aa", "b", Err("2 times"));
        check("a\n", "", "b", Err("is empty"));
        check("a\r\n", "a\r\n", "a\n", Err("are the same"));
    }

    #[test]
    fn line_ends_are_those_that_stand_around() {
        check("a\r\nb\r\nc\r\n", "b\nc\n", "b\nx\nc\n", Ok("a\r\nb\r\nx\r\nc\r\n"));
        check("a\r\nb", "b", "b\nc", Ok("a\r\nb\r\nc"));
        check("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nB\nc\n", Ok("a\r\nB\nc\r\n"));
        check("a\nb\r\nc\n", "a\nb\nc", "a\nb\nC", Ok("a\nb\r\nC\n"));
        check("a\r\n\r\nb\r\n", "a\n\nb\n", "a\nb\n", Ok("a\r\nb\r\n"));
        check("x\ry\n", "x\ry", "z", Ok("z\n"));
    }

    #[test]
    fn the_changed_lines_are_told() {
        let edited = edit("a\nb\nc\nd\n", "b\nc\n", "b\nx\ny\n").unwrap();
        assert_eq!((edited.text.as_str(), edited.lines), ("a\nb\nx\ny\nd\n", (3, 4)));
        assert_eq!(edit("a\nb\nc\n", "b\n", "").unwrap().lines, (2, 2));
    }
}
