//! The hunks of a patch, put into a text.
//!
//! Each hunk is looked for below the one before it and below its headings: exactly, then without the blanks at the ends of
//! lines, then without those at their beginnings too. At each step the place must be the only one, or the only one in what
//! stands under its heading.

use crate::newline::Unified;
use crate::patch::{Hunk, Line, PatchError};

/// The most comparisons of lines for one hunk.
const MOST: usize = 20_000_000;

/// What of a line is compared.
type Shape = fn(&str) -> &str;

/// Applies the hunks of an update to a text; says whether one was found by lines that differ in white space.
///
/// # Errors
/// When a hunk does not fit, or fits at several places; nothing is changed then.
pub fn apply(path: &str, raw: &str, hunks: &[Hunk]) -> Result<(String, bool), PatchError> {
    let unified = Unified::of(raw);
    let lines: Vec<&str> = raw.split_inclusive('\n').collect();
    let plain: Vec<&str> = lines.iter().map(|line| line.trim_end_matches('\n').trim_end_matches('\r')).collect();
    let mut out = String::with_capacity(raw.len());
    let (mut done, mut is_looser) = (0, false);
    for (number, hunk) in hunks.iter().enumerate() {
        let number = number + 1;
        let (at, looser) = place(path, number, hunk, &plain, done)?;
        is_looser |= looser;
        lines.get(done..at).unwrap_or_default().iter().for_each(|line| out.push_str(line));
        done = at;
        let style =
            unified.style(plain.iter().take(at).map(|line| line.len() + 1).sum::<usize>().min(unified.text.len()));
        for line in &hunk.lines {
            match line {
                Line::Same(_) => {
                    out.push_str(lines.get(done).copied().unwrap_or_default());
                    done += 1;
                }
                Line::Old(_) => done += 1,
                Line::New(text) => {
                    if !out.is_empty() && !out.ends_with('\n') {
                        out.push_str(style);
                    }
                    out.push_str(text);
                    out.push_str(style);
                }
            }
        }
        // A file whose last line had no end still has none.
        let had_end = lines.last().is_none_or(|line| line.ends_with('\n'));
        if matches!(hunk.lines.last(), Some(Line::New(_))) && done >= lines.len() && !had_end && out.ends_with(style) {
            out.truncate(out.len() - style.len());
        }
    }
    lines.get(done..).unwrap_or_default().iter().for_each(|line| out.push_str(line));
    Ok((out, is_looser))
}

/// Finds where a hunk goes, at or below a line; the flag tells that white space differs.
fn place(path: &str, number: usize, hunk: &Hunk, lines: &[&str], from: usize) -> Result<(usize, bool), PatchError> {
    let missing = |first: &str| PatchError::Missing {
        path: path.to_owned(),
        hunk: number,
        first: first.chars().take(80).collect(),
    };
    let mut from = from;
    let mut until = lines.len();
    for heading in &hunk.headings {
        let exact = |line: &&str| line.trim_end() == heading.trim_end();
        let inner = |line: &&str| line.trim() == heading.trim() || line.trim_start().starts_with(heading.trim());
        let below = lines.get(from..).unwrap_or_default();
        let at = below.iter().position(exact).or_else(|| below.iter().position(inner));
        from += at.ok_or_else(|| missing(heading))? + 1;
        until = end_of_block(lines, from);
    }
    let wanted: Vec<&str> = hunk
        .lines
        .iter()
        .filter_map(|line| match line {
            Line::Same(text) | Line::Old(text) => Some(text.as_str()),
            Line::New(_) => None,
        })
        .collect();
    if wanted.is_empty() {
        // What only comes goes below its heading, or to the end.
        return Ok((if hunk.headings.is_empty() { lines.len() } else { from }, false));
    }
    let steps: [(Shape, bool); 3] = [(|line| line, false), (str::trim_end, true), (str::trim, true)];
    for (shape, is_looser) in steps {
        let found = matches(lines, &wanted, from, hunk.at_end, shape);
        let under = found.iter().take_while(|at| **at < until).count();
        match found.as_slice() {
            [] => {}
            [at] => return Ok((*at, is_looser)),
            [at, ..] if under == 1 => return Ok((*at, is_looser)),
            several => {
                let lines: Vec<String> = several.iter().take(5).map(|at| (at + 1).to_string()).collect();
                return Err(PatchError::Ambiguous { path: path.to_owned(), hunk: number, lines: lines.join(", ") });
            }
        }
    }
    Err(missing(wanted.first().copied().unwrap_or_default()))
}

/// Returns where what stands under a heading ends, which is the line before `from`: at the next line that is indented no
/// deeper and is more than what closes a block.
fn end_of_block(lines: &[&str], from: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let heading = from.checked_sub(1).and_then(|at| lines.get(at)).map_or(0, |line| indent(line));
    let is_end = |line: &&str| indent(line) <= heading && line.contains(|c: char| c.is_alphanumeric());
    let below = lines.get(from..).unwrap_or_default();
    below.iter().position(is_end).map_or(lines.len(), |at| from + at)
}

fn matches(lines: &[&str], wanted: &[&str], from: usize, at_end: bool, shape: Shape) -> Vec<usize> {
    let mut found = Vec::new();
    let mut compared = 0;
    let last = lines.len().checked_sub(wanted.len());
    let from = if at_end { last.map_or(lines.len(), |last| last.max(from)) } else { from };
    for (at, window) in lines.get(from..).unwrap_or_default().windows(wanted.len()).enumerate() {
        let mut pairs = window.iter().zip(wanted);
        let mut same = true;
        while let Some((line, wanted)) = pairs.next().filter(|_| same) {
            compared += 1;
            same = shape(line) == shape(wanted);
        }
        if same {
            found.push(from + at);
        }
        if compared > MOST {
            return Vec::new();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::{Section, parse};

    fn patched(text: &str, hunks: &str) -> Result<(String, bool), String> {
        let patch = format!("*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n");
        let Ok(sections) = parse(&patch) else { panic!("{patch}") };
        let [Section::Update { hunks, .. }] = sections.as_slice() else { panic!("{sections:?}") };
        apply("f", text, hunks).map_err(|error| error.to_string())
    }

    #[test]
    fn hunks_go_where_their_lines_stand_once() {
        let done = |text: &str| Ok((text.to_owned(), false));
        assert_eq!(patched("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n"), done("a\nB\nc\n"));
        assert_eq!(patched("a\r\nb\r\n", "@@\n-b\n+c\n+d\n"), done("a\r\nc\r\nd\r\n"));
        assert_eq!(patched("a\nb", "@@\n-b\n+c\n"), done("a\nc"));
        assert_eq!(patched("a\nb", "@@\n b\n+c\n"), done("a\nb\nc"));
        assert_eq!(patched("fn f\nx\nfn g\nx\n", "@@ fn g\n-x\n+y\n"), done("fn f\nx\nfn g\ny\n"));
        assert_eq!(patched("x\na\nx\n", "@@\n-x\n+y\n*** End of File\n"), done("x\na\ny\n"));
        assert_eq!(patched("a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D\n"), done("A\nb\nc\nD\n"));
        let twice = "fn f {\n  x\n\n  y\n}\nfn g {\n  x\n  y\n}\n";
        let first = "fn f {\n  X\n\n  y\n}\nfn g {\n  x\n  y\n}\n";
        assert_eq!(patched(twice, "@@ fn f {\n-  x\n+  X\n"), done(first), "one is under the heading");
        assert_eq!(patched("a\nb", "@@\n-b\n+c\n\\ No newline at end of file\n"), done("a\nc"));
        assert_eq!(patched("a\n", "@@\n+b\n"), done("a\nb\n"));
        assert_eq!(patched("  a  \n", "@@\n-a\n+b\n"), Ok(("b\n".to_owned(), true)));
        assert_eq!(patched("", "@@\n+a\n"), done("a\n"));
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let error = |text, hunks| patched(text, hunks).unwrap_err();
        assert!(error("x\nx\n", "@@\n-x\n+y\n").contains("several places, at lines 1, 2"));
        assert!(error("fn f\n x\n x\nfn g\n", "@@ fn f\n- x\n+ y\n").contains("several places, at lines 2, 3"));
        assert!(error("x\n", "@@\n-z\n+y\n").contains("begins with 'z'"));
        assert!(error("x\n", "@@ fn f\n-x\n+y\n").contains("begins with 'fn f'"));
        assert!(error("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A\n").contains("hunk 2"), "from top to bottom");
    }
}
