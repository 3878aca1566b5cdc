//! What differs between two texts, by lines.
//!
//! Everything here returns plain values: the library behind it is generic, and each crate that used it had a copy of all its
//! algorithms.

use std::time::Duration;

use similar::TextDiff;

/// Equal lines that stand round a change.
const CONTEXT: usize = 3;

/// How long two texts are compared before the rest is told as replaced.
const PATIENCE: Duration = Duration::from_millis(200);

/// How many lines differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
}

/// Returns the difference in the unified form, under the names of both sides where there are some; empty for equal texts.
pub fn unified(old: &str, new: &str, names: Option<(&str, &str)>) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT);
    if let Some((old, new)) = names {
        unified.header(old, new);
    }
    unified.to_string()
}

/// Counts the lines that differ; how a line ends is no difference.
pub fn counts(old: &str, new: &str) -> LineCounts {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new);
    let mut counts = LineCounts::default();
    for operation in diff.ops().iter().filter(|operation| operation.tag() != similar::DiffTag::Equal) {
        counts.removed += operation.old_range().len();
        counts.added += operation.new_range().len();
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_stand_round_a_change() {
        let old: String = (1..10).map(|number| format!("{number}\n")).collect();
        let new = old.replace("5\n", "five\n");
        let shown = unified(&old, &new, Some(("a/f", "b/f")));
        assert_eq!(shown, "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
        assert_eq!(unified(&old, &old, None), "");
    }

    #[test]
    fn lines_are_counted_without_their_ends() {
        for (old, new, added, removed) in [
            ("", "", 0, 0),
            ("", "a\nb\n", 2, 0),
            ("a\nb\n", "", 0, 2),
            ("a\nb\nc\n", "a\nx\ny\nc\n", 2, 1),
            ("a\r\nb\r\n", "a\nb", 0, 0),
        ] {
            assert_eq!(counts(old, new), LineCounts { added, removed }, "{old:?} {new:?}");
        }
    }

    #[test]
    fn what_takes_too_long_is_told_as_replaced() {
        let text = |step: usize| (0..60_000).map(|number| format!("{}\n", number * step % 7_919)).collect::<String>();
        let (old, new) = (text(31), text(37));
        let began = std::time::Instant::now();
        let counts = counts(&old, &new);
        assert!(counts.added == counts.removed && counts.added > 0, "{counts:?}");
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    }
}
