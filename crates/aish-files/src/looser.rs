//! The one looser step: lines that differ in the white space at their beginnings and ends alone.
//!
//! It holds only where the lines are found once, and where the indentation of each new line follows from that of the
//! lines that were found: all shifted alike, or each as an old line of the same indentation.

use std::collections::HashMap;
use std::ops::Range;

/// The most comparisons of lines for one edit.
const MOST: usize = 20_000_000;

/// The most of a line that is shown, in characters.
const SHOWN: usize = 160;

/// What came of the search.
pub(crate) enum Outcome {
    /// The lines are there once: where, and what goes there.
    One { range: Range<usize>, new: String },
    /// They are there several times, from these lines on.
    Several(Vec<usize>),
    /// They are there once, from this line on, and how the new ones are indented is not sure.
    Unsure(usize),
    /// They are not there.
    Nothing,
}

/// A line of the text: where it begins, and what it says without its end.
struct Line<'t> {
    start: usize,
    text: &'t str,
}

fn lines_of(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push(Line { start, text: line.trim_end_matches('\n') });
        start += line.len();
    }
    lines
}

/// Looks for lines that are those of `old` but for white space, and fits `new` in.
pub(crate) fn find(text: &str, old: &str, new: &str) -> Outcome {
    let old_lines: Vec<&str> = old.trim_end_matches('\n').split('\n').collect();
    if old_lines.iter().all(|line| line.trim().is_empty()) {
        return Outcome::Nothing;
    }
    let lines = lines_of(text);
    let mut found = Vec::new();
    let mut compared = 0;
    for (at, window) in lines.windows(old_lines.len()).enumerate() {
        let mut pairs = window.iter().zip(&old_lines);
        let mut same = true;
        while let Some((line, old)) = pairs.next().filter(|_| same) {
            compared += 1;
            same = line.text.trim() == old.trim();
        }
        if same {
            found.push(at);
        }
        if compared > MOST {
            return Outcome::Nothing;
        }
    }
    let at = match found.as_slice() {
        [] => return Outcome::Nothing,
        [at] => *at,
        several => return Outcome::Several(several.iter().map(|at| at + 1).collect()),
    };
    let window = lines.get(at..at + old_lines.len()).unwrap_or_default();
    let standing: Vec<&str> = window.iter().map(|line| line.text).collect();
    let (Some(first), Some(last)) = (window.first(), window.last()) else { return Outcome::Nothing };
    let mut end = last.start + last.text.len();
    if old.ends_with('\n') && end < text.len() {
        end += 1;
    }
    match fitted(&old_lines, &standing, new) {
        Some(new) => Outcome::One { range: first.start..end, new },
        None => Outcome::Unsure(at + 1),
    }
}

fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

/// Writes the new lines as they fit to those that stand there; none where that is not sure.
fn fitted(old: &[&str], standing: &[&str], new: &str) -> Option<String> {
    let body = new.trim_end_matches('\n');
    let end = new.get(body.len()..).unwrap_or_default();
    let new_lines: Vec<&str> = if body.is_empty() { Vec::new() } else { body.split('\n').collect() };
    // Lines that the edit leaves alone stay as they stand.
    let before = old.iter().zip(&new_lines).take_while(|(old, new)| old == new).count();
    let room = old.len().min(new_lines.len()) - before;
    let after = old.iter().rev().zip(new_lines.iter().rev()).take(room).take_while(|(old, new)| old == new).count();
    let pairs: Vec<(&str, &str)> = old
        .iter()
        .zip(standing)
        .filter(|(old, _)| !old.trim().is_empty())
        .map(|(old, standing)| (indent(old), indent(standing)))
        .collect();
    let shift = pairs.iter().min_by_key(|(old, _)| old.len()).copied().filter(|(from, to)| {
        pairs.iter().all(|(old, standing)| {
            old.strip_prefix(from).is_some_and(|rest| standing.strip_prefix(to).is_some_and(|there| there == rest))
        })
    });
    let mut table = HashMap::new();
    let is_function = pairs.iter().all(|(old, standing)| *table.entry(*old).or_insert(*standing) == *standing);
    let mut out = Vec::with_capacity(new_lines.len());
    for (at, line) in new_lines.iter().enumerate() {
        if at < before {
            out.push((*standing.get(at)?).to_owned());
        } else if at >= new_lines.len() - after {
            out.push((*standing.get(standing.len() - (new_lines.len() - at))?).to_owned());
        } else if line.trim().is_empty() {
            out.push(String::new());
        } else {
            let own = indent(line);
            let rest = line.get(own.len()..).unwrap_or_default();
            let shifted = shift.and_then(|(from, to)| Some(format!("{to}{}", own.strip_prefix(from)?)));
            let known = table.get(own).filter(|_| is_function).map(|indent| (*indent).to_owned());
            out.push(format!("{}{rest}", shifted.or(known)?));
        }
    }
    let mut text = out.join("\n");
    text.push_str(end);
    Some(text)
}

/// Returns the lines of a text that are nearest to the first line of a passage that was not found.
pub(crate) fn nearest(text: &str, old: &str) -> Vec<(usize, String)> {
    let Some(wanted) = old.lines().map(str::trim).find(|line| line.len() > 2) else { return Vec::new() };
    let shown = |line: &str| line.chars().take(SHOWN).collect::<String>();
    let same = |line: &str| line.trim() == wanted || line.contains(wanted);
    let mut found: Vec<(usize, String)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| same(line))
        .take(3)
        .map(|(at, line)| (at + 1, shown(line)))
        .collect();
    if found.is_empty() {
        let words: Vec<&str> =
            wanted.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| w.len() > 2).collect();
        let score = |line: &str| words.iter().filter(|word| line.contains(**word)).count();
        let mut scored: Vec<(usize, usize, &str)> = text
            .lines()
            .take(20_000)
            .enumerate()
            .map(|(at, line)| (score(line), at + 1, line))
            .filter(|(score, ..)| *score * 2 > words.len())
            .collect();
        scored.sort_by_key(|(score, at, _)| (std::cmp::Reverse(*score), *at));
        found = scored.into_iter().take(3).map(|(_, at, line)| (at, shown(line))).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::edit::{EditError, edit};

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, expected: &str) {
        let edited = edit(text, old, new).unwrap();
        assert!(edited.is_looser);
        assert_eq!(edited.text, expected);
    }

    #[test]
    fn indentation_follows_what_stands_there() {
        check(
            "fn a() {\n    if x {\n        y();\n    }\n}\n",
            "if x {\n    y();\n}",
            "if x {\n    z();\n}",
            "fn a() {\n    if x {\n        z();\n    }\n}\n",
        );
        check(
            "a:\n\tb:\n\t\tc\n",
            "    b:\n        c",
            "    b:\n        c\n        d\n    e",
            "a:\n\tb:\n\t\tc\n\t\td\n\te\n",
        );
        check("a  \nb\n", "a\nb", "a\nc", "a  \nc\n");
        check("  a\r\n  b\r\n", "a\nb\n", "a\nb\nc\n", "  a\r\n  b\r\n  c\r\n");
        check("  a\n  b\n", "a\nb\n", "", "");
    }

    #[test]
    fn what_is_not_sure_is_not_done() {
        assert_eq!(
            edit(" a\n  a\n", "a\n", "b\n").map_err(|e| e.to_string()).unwrap_err(),
            "the old text is in the file 2 times, at lines 1, 2; give more of what stands around it"
        );
        let unsure = edit("\tb:\n\t\tc\n", "    b:\n      c", "    b:\n      c\n          d");
        assert_eq!(unsure, Err(EditError::Indentation(1)));
        let missing = edit("let alpha = beta();\n", "let alpha = gamma();\n", "x");
        assert!(missing.unwrap_err().to_string().ends_with("the nearest lines are:\n1\tlet alpha = beta();"));
    }
}
