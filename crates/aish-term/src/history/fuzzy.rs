//! Fuzzy ranking of history entries.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::HistoryEntry;

/// An entry that matches, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'a> {
    /// The entry.
    pub entry: &'a HistoryEntry,
    /// The score; higher is better.
    pub score: u32,
}

/// Ranks entries against what was typed: words in any order, each fuzzy; `'word` exact, `^word` at the start, `!word` not.
///
/// Equal scores keep the given order (newest first), lines that failed behind the others. An empty pattern keeps all, in order. At most `limit` are returned.
pub fn rank<'a>(typed: &str, entries: &'a [HistoryEntry], limit: usize) -> Vec<Match<'a>> {
    if typed.trim().is_empty() {
        return entries.iter().take(limit).map(|entry| Match { entry, score: 0 }).collect();
    }
    let pattern = Pattern::parse(typed.trim(), CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut found: Vec<Match<'a>> = entries
        .iter()
        .filter_map(|entry| {
            let score = pattern.score(Utf32Str::new(&entry.line, &mut buffer), &mut matcher)?;
            Some(Match { entry, score })
        })
        .collect();
    // Of two that match alike, the one that failed is wanted less often.
    let failed = |entry: &HistoryEntry| entry.status.is_some_and(|code| code != 0);
    found.sort_by_key(|found| std::cmp::Reverse((found.score, !failed(found.entry))));
    found.truncate(limit);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, expected: &[&str]) {
        let entries: Vec<HistoryEntry> = ["git commit -m x", "cargo test", "git checkout main", "ls -la"]
            .iter()
            .enumerate()
            .map(|(at, line)| HistoryEntry {
                id: i64::try_from(at).unwrap(),
                line: (*line).to_owned(),
                folder: None,
                status: None,
                duration: None,
                session: None,
                started_ms: 0,
            })
            .collect();
        let found: Vec<&str> = rank(typed, &entries, 10).iter().map(|found| found.entry.line.as_str()).collect();
        assert_eq!(found, expected, "{typed:?}");
    }

    #[test]
    fn lines_that_failed_come_behind_those_that_match_alike() {
        let entry = |line: &str, status| HistoryEntry {
            id: 0,
            line: line.to_owned(),
            folder: None,
            status,
            duration: None,
            session: None,
            started_ms: 0,
        };
        let entries = [entry("make a", Some(2)), entry("make b", Some(0)), entry("make c", None)];
        let found: Vec<&str> = rank("make", &entries, 10).iter().map(|found| found.entry.line.as_str()).collect();
        assert_eq!(found, ["make b", "make c", "make a"]);
    }

    #[test]
    fn finds_by_scattered_letters_and_words() {
        check("gcm", &["git checkout main", "git commit -m x"]);
        check("main git", &["git checkout main"]);
        check("'test", &["cargo test"]);
        check("^ls", &["ls -la"]);
        check("", &["git commit -m x", "cargo test", "git checkout main", "ls -la"]);
        check("zzz", &[]);
    }
}
