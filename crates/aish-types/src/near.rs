//! Near names: what somebody may have meant by a name that is not there.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// Returns up to `count` of the names that are nearest to `wanted`, nearest first; equally near ones keep their order.
///
/// Near is: few edits (Damerau-Levenshtein, relative to the longer name), one contained in the other, words in common.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let wanted = fold(&wanted.chars().take(128).collect::<String>());
    let wanted_words = words(&wanted);
    let mut scored: Vec<(f64, &str)> =
        names.into_iter().map(|name| (likeness(&wanted, &wanted_words, &fold(name)), name)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(count);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// Returns the names that are near enough to be meant (`Europe/Berlim` -> `Europe/Berlin`), nearest first.
pub fn near<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let folded = fold(wanted);
    let folded_words = words(&folded);
    nearest(wanted, names, count)
        .into_iter()
        .filter(|name| likeness(&folded, &folded_words, &fold(name)) >= 0.5)
        .collect()
}

/// Returns the name that a slip of the keys turned into `given`, case aside: at most one edit, and one more for every five
/// characters of the name.
pub fn slip<N: AsRef<str>>(given: &str, names: impl IntoIterator<Item = N>) -> Option<N> {
    let given = given.chars().take(128).collect::<String>().to_lowercase();
    let scored = names.into_iter().map(|name| (strsim::osa_distance(&given, &name.as_ref().to_lowercase()), name));
    let (edits, name) = scored.min_by_key(|(edits, _)| *edits)?;
    (edits <= 1 + name.as_ref().chars().count() / 5).then_some(name)
}

/// Scores from 0 (nothing in common) to 1 (the same but for case and separators).
fn likeness(wanted: &str, wanted_words: &BTreeSet<&str>, name: &str) -> f64 {
    let (shorter, longer) = if wanted.len() < name.len() { (wanted, name) } else { (name, wanted) };
    if longer.is_empty() {
        return 1.0;
    }
    let edits = strsim::osa_distance(wanted, name);
    let length = wanted.chars().count().max(name.chars().count());
    let by_edits = 1.0 - edits as f64 / length as f64;
    let by_part = if shorter.len() >= 3 && longer.contains(shorter) {
        0.6 + 0.35 * shorter.len() as f64 / longer.len() as f64
    } else {
        0.0
    };
    let name_words = words(name);
    let shared = wanted_words.intersection(&name_words).count();
    let all = wanted_words.union(&name_words).count().max(1);
    let by_words = if shared == 0 { 0.0 } else { 0.4 + 0.6 * shared as f64 / all as f64 };
    by_edits.max(by_part).max(by_words)
}

fn words(folded: &str) -> BTreeSet<&str> {
    folded.split(' ').filter(|word| !word.is_empty()).collect()
}

fn fold(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first() {
        let names = ["git_status", "docker_logs", "gh_pr_create", "calculator", "get_time", "roll_dice"];
        for (wanted, first) in [
            ("docker_log", "docker_logs"),
            ("dokcer_logs", "docker_logs"),
            ("Calculator", "calculator"),
            ("calc", "calculator"),
            ("pr_create", "gh_pr_create"),
            ("create_pr", "gh_pr_create"),
            ("get-time", "get_time"),
            ("dice", "roll_dice"),
        ] {
            assert_eq!(nearest(wanted, names, 5).first(), Some(&first), "{wanted}");
        }
        assert_eq!(nearest("x", names, 5).len(), 5);
        assert!(near("zzzzzz", names, 5).is_empty());
    }

    #[test]
    fn a_slip_is_a_few_keys_away() {
        let names = ["help", "tokenize", "context.max_turns", "match"];
        for (given, meant) in [
            ("hepl", Some("help")),
            ("HELP", Some("help")),
            ("tokenise", Some("tokenize")),
            ("context.max_turn", Some("context.max_turns")),
            ("context.maxturns", Some("context.max_turns")),
            ("mtch", Some("match")),
            ("route", None),
            ("", None),
        ] {
            assert_eq!(slip(given, names), meant, "{given}");
        }
    }
}
