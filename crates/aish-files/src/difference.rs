//! What changes in a file, for whoever decides about it.

use crate::newline::unify;

/// Writes the unified difference of a file's text, without the end lines of a file that has none of its own; none for the
/// old or the new text stands for a file that is not there. At most `most` lines are shown, and the rest is counted.
pub fn difference(path: &str, old: Option<&str>, new: Option<&str>, most: usize) -> String {
    let (mut before, mut after) = (old.unwrap_or_default().to_owned(), new.unwrap_or_default().to_owned());
    let (plain_before, plain_after) = (unify(&before), unify(&after));
    // Line ends are shown where nothing but them differs.
    if plain_before != plain_after {
        (before, after) = (plain_before, plain_after);
    }
    let side = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let whole = aish_diff::unified(&before, &after, Some((&side("a", old), &side("b", new))));
    let mut lines = whole.lines();
    let mut out: Vec<&str> = lines.by_ref().take(most).collect();
    let count = |sign: char, lines: &[&str]| lines.iter().filter(|line| line.starts_with(sign)).count();
    let rest: Vec<&str> = lines.collect();
    let left_out =
        format!("and {} more lines, of them +{} \u{2212}{}", rest.len(), count('+', &rest), count('-', &rest));
    if !rest.is_empty() {
        out.push(&left_out);
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_stand_around() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let shown = difference("f", Some(old), Some(&old.replace("5\n", "five\n")), 80);
        assert_eq!(shown, "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8");
        assert_eq!(difference("f", None, Some("a\r\nb\r\n"), 80), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b");
        let ends = difference("f", Some("a\r\n"), Some("a\n"), 80);
        assert!(ends.contains("-a\r") || ends.contains("-a\n"), "{ends:?}");
        let many: String = (0..200).map(|n| format!("{n}\n")).collect();
        let cut = difference("f", None, Some(&many), 80);
        assert_eq!(cut.lines().last(), Some("and 123 more lines, of them +123 \u{2212}0"));
    }
}
