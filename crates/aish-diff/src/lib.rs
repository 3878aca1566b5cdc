//! What differs between two texts, by lines.
//!
//! Everything here returns plain values: the library behind it is generic, and each crate that used it had a copy of all its
//! algorithms.

use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp, DiffTag, DiffableStr as _};

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
    let (old, new) = (old.tokenize_lines(), new.tokenize_lines());
    let mut unified = String::new();
    for group in similar::group_diff_ops(operations(&old, &new), CONTEXT).iter().filter(|group| !group.is_empty()) {
        if let (Some((old, new)), true) = (names, unified.is_empty()) {
            unified = format!("--- {old}\n+++ {new}\n");
        }
        unified.push_str(&UnifiedHunkHeader::new(group).to_string());
        unified.push('\n');
        for change in group.iter().flat_map(|operation| operation.iter_changes(old.as_slice(), new.as_slice())) {
            unified.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            unified.push_str(change.value());
            if !change.value().ends_with(['\n', '\r']) {
                unified.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    unified
}

/// Counts the lines that differ; how a line ends is no difference.
pub fn counts(old: &str, new: &str) -> LineCounts {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut counts = LineCounts::default();
    for operation in operations(&old, &new).iter().filter(|operation| operation.tag() != DiffTag::Equal) {
        counts.removed += operation.old_range().len();
        counts.added += operation.new_range().len();
    }
    counts
}

/// Compares two lists of lines. The one algorithm is called by its name: chosen by a value, all of them are in the program,
/// 0.7 MB.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut taken = Compact::new(Replace::new(Capture::new()), old, new);
    let deadline = Instant::now().checked_add(PATIENCE);
    let Ok(()) = myers::diff_deadline(&mut taken, old, 0..old.len(), new, 0..new.len(), deadline);
    taken.into_inner().into_inner().into_ops()
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
    fn the_text_is_what_the_library_itself_writes() {
        // A linear congruential generator (Knuth's MMIX).
        let mut state = 1u64;
        let mut number = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..3_000 {
            let mut text = |lines: u64| -> String {
                let ends = ["\n", "\n", "\n", "\r\n", "\r"];
                (0..lines).map(|_| format!("{}{}", number(6), ends[usize::try_from(number(5)).unwrap()])).collect()
            };
            let (mut old, mut new) = (text(14), text(12));
            if old.len().is_multiple_of(3) {
                old.pop();
            }
            if new.len().is_multiple_of(3) {
                new.push('x');
            }
            let theirs = similar::TextDiff::from_lines(&old, &new);
            let theirs = theirs.unified_diff().context_radius(CONTEXT).header("a", "b").to_string();
            assert_eq!(unified(&old, &new, Some(("a", "b"))), theirs, "{old:?} {new:?}");
        }
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
