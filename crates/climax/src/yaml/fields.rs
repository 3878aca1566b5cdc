//! Reads the fields of a mapping: typed, each at most once, unknown ones named with a near one.

use std::collections::HashMap;

use aish_types::near::slip;

use super::{Kind, Node, scalar};
use crate::fault::{Faults, Position};

/// The fields of one mapping while they are read.
pub(crate) struct Fields<'n, 'a> {
    /// Where the mapping begins.
    pub(crate) at: Position,
    what: &'static str,
    entries: Vec<Entry<'n, 'a>>,
    known: Vec<&'static str>,
}

struct Entry<'n, 'a> {
    key: &'n str,
    at: Position,
    value: &'n Node<'a>,
    taken: bool,
}

impl<'n, 'a> Fields<'n, 'a> {
    /// Opens a mapping; anything else is an error. `what` names it in messages (`a tool`).
    pub(crate) fn open(node: &'n Node<'a>, what: &'static str, faults: &mut Faults) -> Option<Self> {
        let Kind::Mapping(items) = &node.kind else {
            faults.error(node.at, format!("{what} must be a mapping, and this is {}", node.describe()));
            return None;
        };
        let mut entries: Vec<Entry<'n, 'a>> = Vec::with_capacity(items.len());
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(items.len());
        for (key, value) in items {
            let Kind::Scalar { text, .. } = &key.kind else {
                faults.error(key.at, format!("a key of {what} must be a word"));
                continue;
            };
            if let Some(first) = places.get(text.as_ref()).and_then(|at| entries.get_mut(*at)) {
                faults.contradiction(
                    key.at,
                    format!("'{text}' is given twice (first on line {}); the last one counts", first.at.line),
                );
                first.value = value;
                continue;
            }
            places.insert(text, entries.len());
            entries.push(Entry { key: text, at: key.at, value, taken: false });
        }
        Some(Self { at: node.at, what, entries, known: Vec::new() })
    }

    /// Takes a field with its key's place; null is absent.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<(Position, &'n Node<'a>)> {
        self.known.push(key);
        let entry = self.entries.iter_mut().find(|entry| entry.key == key)?;
        entry.taken = true;
        (!entry.value.is_null()).then_some((entry.at, entry.value))
    }

    /// Says whether a key was written at all, null or not.
    pub(crate) fn position_of(&self, key: &str) -> Option<Position> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| entry.at)
    }

    /// Looks at what is written for a key, as it stands there.
    pub(crate) fn peek(&self, key: &str) -> Option<&'n str> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        match &entry.value.kind {
            Kind::Scalar { text, .. } if !entry.value.is_null() => Some(text),
            Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_) => None,
        }
    }

    /// Takes a text; any scalar will do.
    pub(crate) fn text(&mut self, key: &'static str, faults: &mut Faults) -> Option<String> {
        let (_, node) = self.take(key)?;
        scalar_text(node, key, faults)
    }

    /// Takes a text that must be there and not be blank.
    pub(crate) fn required_text(&mut self, key: &'static str, faults: &mut Faults) -> Option<String> {
        let at = self.position_of(key);
        match (self.take(key), at) {
            (Some((_, node)), _) => {
                let text = scalar_text(node, key, faults)?;
                if text.trim().is_empty() {
                    faults.error(node.at, format!("'{key}' of {} is empty", self.what));
                    return None;
                }
                Some(text)
            }
            (None, Some(at)) => {
                faults.error(at, format!("'{key}' of {} is empty", self.what));
                None
            }
            (None, None) => {
                faults.error(self.at, format!("{} needs '{key}'", self.what));
                None
            }
        }
    }

    /// Takes a boolean; false when absent.
    pub(crate) fn boolean(&mut self, key: &'static str, faults: &mut Faults) -> bool {
        self.optional_boolean(key, faults).unwrap_or(false)
    }

    /// Takes a boolean.
    pub(crate) fn optional_boolean(&mut self, key: &'static str, faults: &mut Faults) -> Option<bool> {
        let (_, node) = self.take(key)?;
        let value = node.text().and_then(|text| match text {
            "1" | "y" | "Y" => Some(true),
            "0" | "n" | "N" => Some(false),
            text => scalar::boolean(text),
        });
        if value.is_none() {
            faults.error(node.at, format!("'{key}' must be true or false"));
        }
        value
    }

    /// Takes a finite number.
    pub(crate) fn number(&mut self, key: &'static str, faults: &mut Faults) -> Option<f64> {
        let (_, node) = self.take(key)?;
        let value = node.text().and_then(|text| scalar::number(text.trim()));
        if value.is_none() {
            faults.error(node.at, format!("'{key}' must be a number"));
        }
        value
    }

    /// Takes one word out of a few.
    pub(crate) fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)], faults: &mut Faults) -> Option<T> {
        let (_, node) = self.take(key)?;
        let found = node.text().and_then(|text| words.iter().find(|(word, _)| *word == text));
        if found.is_none() {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let given = node.text().unwrap_or_else(|| node.describe());
            let near = near(given, all.iter().copied());
            faults.error(node.at, format!("'{key}' must be one of: {}, and this is '{given}'{near}", all.join(", ")));
        }
        found.map(|(_, value)| *value)
    }

    /// Takes a list; nothing when absent.
    pub(crate) fn list(&mut self, key: &'static str, faults: &mut Faults) -> &'n [Node<'a>] {
        match self.take(key) {
            None => &[],
            Some((_, Node { kind: Kind::Sequence(items), .. })) => items,
            Some((_, node)) => {
                faults.error(node.at, format!("'{key}' must be a list, and this is {}", node.describe()));
                &[]
            }
        }
    }

    /// Takes a list of texts.
    pub(crate) fn texts(&mut self, key: &'static str, faults: &mut Faults) -> Vec<String> {
        self.list(key, faults).iter().filter_map(|node| scalar_text(node, key, faults)).collect()
    }

    /// Takes a mapping with free keys, in the file's order.
    pub(crate) fn entries(&mut self, key: &'static str, faults: &mut Faults) -> Vec<(String, Position, &'n Node<'a>)> {
        let Some((_, node)) = self.take(key) else { return Vec::new() };
        let Kind::Mapping(items) = &node.kind else {
            faults.error(node.at, format!("'{key}' must be a mapping, and this is {}", node.describe()));
            return Vec::new();
        };
        let mut out = Vec::with_capacity(items.len());
        for (name, value) in items {
            match name.text() {
                Some(text) => out.push((text.to_owned(), name.at, value)),
                None => faults.error(name.at, format!("a key of '{key}' must be a word")),
            }
        }
        out
    }

    /// Takes a mapping of texts.
    pub(crate) fn text_map(&mut self, key: &'static str, faults: &mut Faults) -> Vec<(String, String)> {
        let entries = self.entries(key, faults);
        entries.into_iter().filter_map(|(name, _, node)| Some((name, empty_or_text(node, key, faults)?))).collect()
    }

    /// Ends the reading: what was not asked for is unknown, and a warning.
    pub(crate) fn end(self, faults: &mut Faults) {
        for (at, message) in self.unknown() {
            faults.warning(at, format!("{message}; it is ignored"));
        }
    }

    /// Ends the reading of a file where a misspelt key must not pass: what was not asked for is an error.
    pub(crate) fn end_strictly(self, faults: &mut Faults) {
        for (at, message) in self.unknown() {
            faults.error(at, message);
        }
    }

    fn unknown(&self) -> Vec<(Position, String)> {
        let left = self.entries.iter().filter(|entry| !entry.taken);
        left.map(|entry| {
            let near = near(entry.key, self.known.iter().copied());
            (entry.at, format!("{} has no key '{}'{near}", self.what, entry.key))
        })
        .collect()
    }
}

/// Reads a scalar as text; a list or a mapping is an error.
pub(crate) fn scalar_text(node: &Node<'_>, key: &str, faults: &mut Faults) -> Option<String> {
    let text = node.text().map(str::to_owned);
    if text.is_none() {
        faults.error(node.at, format!("'{key}' must be text, and this is {}", node.describe()));
    }
    text
}

fn empty_or_text(node: &Node<'_>, key: &str, faults: &mut Faults) -> Option<String> {
    if node.is_null() { Some(String::new()) } else { scalar_text(node, key, faults) }
}

/// Returns `; did you mean 'x'?` for the nearest word, or nothing when none is near.
fn near<'w>(given: &str, words: impl Iterator<Item = &'w str>) -> String {
    slip(given, words).map(|word| format!("; did you mean '{word}'?")).unwrap_or_default()
}
