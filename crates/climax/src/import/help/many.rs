//! Signs that an argument takes several values: dots, the type of a list, and what a description says.

use super::Many;

/// Types by which Go's flags show that they may be repeated, and the default of a list.
#[rustfmt::skip]
const LISTS: &[&str] = &[
    "strings", "stringArray", "stringSlice", "stringToString", "ints", "intSlice", "int32Slice", "int64Slice", "uints",
    "uintSlice", "float32Slice", "float64Slice", "bools", "boolSlice", "durations", "durationSlice", "ips", "ipSlice", "list",
    "[]",
];
/// What a description says of an option that may be given again.
#[rustfmt::skip]
const MARKS: &[&str] = &[
    "[array]", "[repeatable", "(repeatable", "is repeatable", "be repeated", "repeat this option", "repeat this flag",
    "repeat the option", "repeat the flag",
];
/// How often, behind a word that says that it is given.
#[rustfmt::skip]
const OFTEN: &[&str] = &[
    "multiple times", "several times", "many times", "any number of times", "more than once", "zero or more times",
    "one or more times", "as many times",
];
#[rustfmt::skip]
const GIVEN: &[&str] = &[
    "given", "used", "specified", "passed", "set", "provided", "supplied", "repeated", "added", "included", "listed", "appear",
    "give", "use", "specify", "pass", "provide", "supply", "add",
];

/// Reads the dots of a flag's value: what is shown as the value, what of it is joined to the flag, and what follows.
pub(super) fn of_option(shown: &str, inline: &str, more: &[&str]) -> Many {
    let apart = if inline.is_empty() { Many::Greedy } else { Many::Repeated };
    // npm's `--omit <x> [--omit <x> ...]`, urfave's `--lang value [ --lang value ]`
    let is_flag = |word: &str| word.starts_with('[') && word.trim_start_matches(['[', ' ']).starts_with('-');
    if more.iter().any(|word| is_flag(word) || *word == "...") {
        return Many::Repeated;
    }
    if more.iter().any(|word| word.starts_with('[') && word.contains("...")) {
        return apart;
    }
    let open = shown.trim_end_matches(['>', ']']);
    let name = open.trim_end_matches('.');
    let is_list = open.ends_with("...") && name.contains(char::is_alphanumeric) && !name.ends_with([',', '|', '=']);
    // commander's `<file...>`; argparse has a blank before the dots.
    let is_inside = open.len() < shown.len() && !name.ends_with(' ');
    if !is_list {
        Many::One
    } else if is_inside {
        Many::Repeated
    } else {
        apart
    }
}

/// Says whether a value has the type of a list.
pub(super) fn is_list_type(flag: &str, shown: &str) -> bool {
    LISTS.contains(&shown) && (shown != "list" || flag.starts_with("--"))
}

/// Says whether a description, in small letters, lets an option be given again.
pub(super) fn is_told(description: &str) -> bool {
    let before = |at: usize| description.get(..at).unwrap_or_default().split_whitespace().rev();
    let denies = |at: usize| before(at).take(3).any(|word| matches!(word, "not" | "cannot" | "can't" | "never"));
    let is_marked = MARKS.iter().any(|mark| description.find(*mark).is_some_and(|at| !denies(at)));
    let is_given = |at: usize| {
        let word = before(at).next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
        GIVEN.contains(&word) && !denies(at)
    };
    is_marked || OFTEN.iter().any(|often| description.match_indices(*often).any(|(at, _)| is_given(at)))
}

/// Says whether a positional is shown with dots: `[FILES]...`, `<files...>`, `files ...`; yargs has two.
pub(super) fn is_dotted(shown: &str) -> bool {
    let open = shown.trim_end_matches(['>', ']', ' ', '"', '\'']);
    let name = open.trim_end_matches(['.', '…']);
    (open.ends_with("..") || open.ends_with('…')) && !name.ends_with([',', '|'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_description_says_of_repeating_is_read() {
        for told in [
            "a header; may be given multiple times",
            "Can be used multiple times.",
            "Add a path (can be repeated)",
            "Which ones [repeatable]",
            "Specify multiple times for more",
            "can be specified more than once",
            "files  [array]",
        ] {
            assert!(is_told(&told.to_lowercase()), "{told}");
        }
        for other in [
            "Retry where it fails multiple times",
            "Seed for repeatable runs",
            "It cannot be used multiple times",
            "must not be repeated",
            "How many times to try",
        ] {
            assert!(!is_told(&other.to_lowercase()), "{other}");
        }
    }

    #[test]
    fn dots_are_read() {
        for (shown, inline, more, expected) in [
            ("<FILES>...", "", &[][..], Many::Greedy),
            ("<files...>", "", &[], Many::Repeated),
            ("[FILES ...]", "", &[], Many::Greedy),
            ("FILES", "", &["[FILES ...]"], Many::Greedy),
            ("<value>...", "<value>...", &[], Many::Repeated),
            ("<dev|peer>", "", &["[--omit <dev|peer> ...]"], Many::Repeated),
            ("value", "", &["[ --lang value ]"], Many::Repeated),
            ("HEADER", "HEADER", &["..."], Many::Repeated),
            ("...", "...", &[], Many::One),
            ("<a,b,...>", "", &[], Many::One),
            ("FILE", "", &[], Many::One),
        ] {
            assert_eq!(of_option(shown, inline, more), expected, "{shown} {more:?}");
        }
    }
}
