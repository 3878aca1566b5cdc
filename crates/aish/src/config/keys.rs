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

/// Returns the known name that a slip of the keys turned into this one, with the user's own words in the place of `*`.
pub fn near(path: &[String]) -> Option<String> {
    let named = |key: &Key| {
        let mut parts = path.iter();
        let words = key.name.split('.').map(|word| match (word, parts.next()) {
            ("*", Some(own)) => own,
            (word, _) => word,
        });
        words.collect::<Vec<_>>().join(".")
    };
    slip(&path.join("."), keys().map(named))
}
