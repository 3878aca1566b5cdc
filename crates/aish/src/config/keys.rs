//! All keys of all sections, and how a name finds its key.

use std::collections::BTreeSet;

use aish_types::near::slip;

use super::key::Key;
use super::section::SECTIONS;

/// Returns all keys, in the order of the sections.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    SECTIONS.iter().copied().flatten()
}

/// Returns the names of the keys and sections without a word of the user's in them, in the order of the alphabet.
pub fn names() -> impl Iterator<Item = &'static str> {
    let named = keys().filter(|key| !key.is_starred());
    named.flat_map(|key| [key.parts().0, key.name]).collect::<BTreeSet<_>>().into_iter()
}

/// Finds the key that a path of words names.
pub fn find(path: &[String]) -> Option<&'static Key> {
    keys().find(|key| key.is(path))
}

/// Says whether a path of words is the beginning of some key's name.
pub fn is_section(path: &[String]) -> bool {
    keys().any(|key| {
        let mut words = key.name.split('.');
        path.iter().all(|part| words.next().is_some_and(|word| word == "*" || word == part)) && words.next().is_some()
    })
}

/// What other programs call a key of ours; `*` is the user's own word.
const ELSEWHERE: &[(&str, &str)] = &[
    ("default_model", "model.default"),
    ("models.*.api_base", "models.*.endpoint"),
    ("models.*.api_key", "models.*.key_env"),
    ("models.*.base_url", "models.*.endpoint"),
    ("models.*.baseURL", "models.*.endpoint"),
    ("models.*.env_key", "models.*.key_env"),
    ("models.*.max_output_tokens", "models.*.max_tokens"),
    ("models.*.name", "models.*.model"),
    ("models.*.type", "models.*.provider"),
    ("models.*.url", "models.*.endpoint"),
];

/// Returns the known name of a key or section that a slip of the keys turned into this one, or that another program has for it,
/// with the user's own words in the place of `*`.
pub fn near(path: &[String]) -> Option<String> {
    let own = |name: &str, words: usize| {
        let mut parts = path.iter();
        let words = name.split('.').take(words).map(|word| match (word, parts.next()) {
            ("*", Some(own)) => own,
            (word, _) => word,
        });
        words.collect::<Vec<_>>().join(".")
    };
    let name = path.join(".");
    let elsewhere = ELSEWHERE.iter().find(|(theirs, _)| own(theirs, usize::MAX) == name);
    if let Some((_, ours)) = elsewhere {
        return Some(own(ours, usize::MAX));
    }
    let sections = keys().map(|key| own(key.name, path.len()));
    slip(&name, sections.chain(keys().map(|key| own(key.name, usize::MAX))))
}

/// Returns the first keys of a section, for whoever took it for a value.
pub fn within(path: &[String]) -> Vec<&'static str> {
    let depth = path.len() + 1;
    let inside = |key: &&Key| {
        key.name.split('.').count() == depth
            && key.name.split('.').zip(path).all(|(word, part)| word == "*" || word == part)
    };
    keys().filter(inside).map(|key| key.name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_call_a_key_leads_to_one_that_is_there() {
        let names: BTreeSet<_> = keys().map(|key| key.name).collect();
        for (theirs, ours) in ELSEWHERE {
            assert!(names.contains(ours) && !names.contains(theirs), "{theirs} leads to {ours}");
        }
    }
}
