//! What the form of a request says: whether it is a question or an order, and whether it is after one thing or many.

/// Words that begin a question about how things are, and not a request to change them.
const ASKING: [&str; 24] = [
    "what", "which", "who", "whose", "where", "when", "why", "is", "are", "was", "were", "does", "do", "did", "has",
    "have", "whats", "how", "any", "anything", "anybody", "anyone", "am", "wheres",
];
/// Words behind `how` and `do` that make a request of what looked like a question.
const REQUESTING: [&str; 6] = ["to", "i", "can", "could", "should", "you"];
/// Words that ask for many.
const MANY: [&str; 3] = ["all", "every", "each"];
/// Participles of the past that have another ending than most.
const IRREGULAR: [&str; 16] = [
    "set", "put", "cut", "built", "sent", "made", "written", "run", "found", "lost", "kept", "held", "shown", "given",
    "taken", "hidden",
];
/// Words before the thing that a request is about.
const LEADING: [&str; 44] = [
    "what", "which", "who", "whose", "where", "is", "are", "was", "were", "does", "do", "did", "has", "have", "whats",
    "any", "am", "please", "can", "could", "you", "i", "me", "we", "need", "want", "to", "see", "know", "give", "tell",
    "show", "get", "find", "display", "print", "view", "list", "the", "a", "an", "my", "our", "your",
];
/// Words behind the thing that a request is about.
const TRAILING: [&str; 50] = [
    "of", "in", "on", "for", "from", "with", "within", "by", "at", "to", "into", "as", "about", "under", "below",
    "above", "behind", "between", "since", "before", "after", "during", "through", "across", "without", "per", "that",
    "which", "who", "whose", "where", "when", "i", "we", "you", "they", "it", "there", "is", "are", "was", "were",
    "do", "does", "did", "have", "has", "can", "and", "or",
];

/// How many things a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Count {
    /// Its words do not say.
    #[default]
    Unknown,
    /// One, that is named by a number.
    Given,
    /// One.
    One,
    /// Several, or all there are.
    Many,
}

/// Says whether a request asks how things are (`which files did I change`), and not how to do something.
pub(super) fn is_question(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    if !ASKING.contains(&word(0)) {
        return false;
    }
    !(word(0) == "how" && (REQUESTING.contains(&word(1)) || (word(1) == "do" && REQUESTING.contains(&word(2)))))
}

/// Says whether a request is after all of something.
pub(super) fn asks_for_all(words: &[String]) -> bool {
    words.iter().any(|word| MANY.contains(&word.as_str()))
}

/// Tells one thing from many by the last word of the first name in the request: `the failed runs of main`, `run 17`.
pub(super) fn count(words: &[String]) -> Count {
    if asks_for_all(words) {
        return Count::Many;
    }
    if words.first().is_some_and(|word| word == "how") {
        return Count::Unknown;
    }
    let leading = words.iter().take_while(|word| LEADING.contains(&word.as_str())).count();
    let rest = words.get(leading..).unwrap_or_default();
    let length = rest.iter().take_while(|word| !TRAILING.contains(&word.as_str())).count();
    let name = rest.get(..length).unwrap_or_default();
    if name.iter().any(|word| word.contains(|c: char| c.is_ascii_digit())) {
        return Count::Given;
    }
    match name.iter().rfind(|word| !is_participle(word)) {
        None => Count::Unknown,
        Some(head) if is_plural(head) || head == "people" => Count::Many,
        Some(_) => Count::One,
    }
}

/// Says whether a word looks like a participle of the past: `closed`, and not `need` or `embed`.
pub(super) fn is_participle(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed") && word != "embed"
}

/// Says whether a word is a participle of the past with an ending of its own: the `set` of `secrets set here`.
pub(super) fn is_irregular_participle(word: &str) -> bool {
    IRREGULAR.contains(&word)
}

/// Says whether a word looks like a participle of the present: `waiting`, and not `string` or `thing`.
pub(super) fn is_gerund(word: &str) -> bool {
    word.len() > 6 && word.ends_with("ing")
}

/// Says whether a word looks like a plural: `runs`, and not `ls`, `process` or `status`.
pub(super) fn is_plural(word: &str) -> bool {
    let ending = |ending: &str| word.ends_with(ending);
    let is_name =
        matches!(word, "dns" | "aws" | "sns" | "sqs" | "eks" | "ecs" | "rds" | "sts" | "kms" | "has" | "was" | "its");
    word.len() > 2 && ending("s") && !ending("ss") && !ending("us") && !ending("is") && !is_name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn one_thing_is_told_from_many() {
        for (request, expected) in [
            ("show me all users", Count::Many),
            ("failed runs of main", Count::Many),
            ("which people have an account", Count::Many),
            ("what does ticket 105 say", Count::Given),
            ("show the role of the deployment", Count::One),
            ("how many rows", Count::Unknown),
            ("", Count::Unknown),
        ] {
            assert_eq!(count(&words(request)), expected, "{request}");
        }
    }

    #[test]
    fn questions_are_told_from_orders() {
        for (request, expected) in [
            ("which files did i change", true),
            ("anything uncommitted here", true),
            ("how do i delete a branch", false),
            ("how to list users", false),
            ("delete a branch", false),
        ] {
            assert_eq!(is_question(&words(request)), expected, "{request}");
        }
    }

    #[test]
    fn plurals_and_participles() {
        assert!(is_plural("prs") && is_plural("runs") && !is_plural("status") && !is_plural("ls") && !is_plural("dns"));
        assert!(is_participle("closed") && !is_participle("need"));
        assert!(is_gerund("waiting") && !is_gerund("string"));
    }
}
