//! A file of words: `words/NAME.toml`, what is known of languages, names and places. Its tables are static, sorted by word,
//! in a module of the file's name.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Formatter};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use crate::compile::Fault;
use crate::fact::named;
use crate::form::Language;

named! {
    /// What a variable that a shell reads itself may be set to without a question.
    Settable {
        /// Nothing.
        Not = "not",
        /// Plain numbers: a shell computes what is assigned, and runs `$(…)` in it.
        Numbers = "numbers",
        /// Anything.
        Freely = "freely",
    }
}

/// How many arguments a function takes: `2`, `1-3`, or `1-` where there is no most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arguments {
    /// The fewest.
    pub least: u8,
    /// The most, where there is one.
    pub most: Option<u8>,
}

impl Arguments {
    /// Says whether it takes so many.
    pub fn fit(self, count: usize) -> bool {
        count >= usize::from(self.least) && self.most.is_none_or(|most| count <= usize::from(most))
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (least, most) = text.split_once('-').unwrap_or((&text, &text));
        let most = if most.is_empty() { Ok(None) } else { most.parse().map(Some) };
        match (least.parse(), most) {
            (Ok(least), Ok(most)) if most.is_none_or(|most| least <= most) => Ok(Self { least, most }),
            _ => Err(D::Error::custom(format!("`{text}` is no number of arguments"))),
        }
    }
}

/// A list of words, each once and none empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordList(pub BTreeSet<String>);

impl<'de> Deserialize<'de> for WordList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = WordList;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of words")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<WordList, A::Error> {
        let mut words = BTreeSet::new();
        while sequence.next_element_seed(Another(&mut words))?.is_some() {}
        Ok(WordList(words))
    }
}

/// Reads one word more, so that what is wrong with it has its own line.
struct Another<'w>(&'w mut BTreeSet<String>);

impl<'de> DeserializeSeed<'de> for Another<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Another<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a word")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<(), E> {
        match word {
            "" => Err(E::custom("a word is empty")),
            _ if !self.0.insert(word.to_string()) => Err(E::custom(format!("`{word}` is named twice"))),
            _ => Ok(()),
        }
    }
}

/// Words by what is known of them.
pub type Grouped<K> = BTreeMap<K, WordList>;

/// A file of words.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct WordsFile {
    /// True where every word is in lower case, because it is compared with texts that are.
    pub lower_case: bool,
    /// Lists by their names.
    pub lists: BTreeMap<String, WordList>,
    /// Names in several parts by the call for which they stand.
    pub stands_for: Grouped<String>,
    /// Names by the language of what they hold.
    pub language: Grouped<Language>,
    /// Names of variables by what they may be set to.
    pub settable: Grouped<Settable>,
    /// Functions by the number of arguments that they take.
    pub arguments: Grouped<Arguments>,
}

impl WordsFile {
    /// Returns what is wrong between the parts of a file of this name.
    pub fn faults(&self, file: &str) -> Vec<Fault> {
        let fault = |near: &str, message| Fault { file: file.to_string(), near: near.to_string(), message };
        let no_name = |name: &&str| !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let names = self.lists.keys().map(String::as_str).chain([file]);
        let unnamed =
            names.filter(no_name).map(|name| fault(name, format!("`{name}` has more than small letters and `_`")));
        let lists = self.lists.values().chain(self.stands_for.values()).chain(self.language.values());
        let lists = lists.chain(self.settable.values()).chain(self.arguments.values());
        let is_tall = |word: &&String| self.lower_case && word.bytes().any(|byte| byte.is_ascii_uppercase());
        let tall = lists.flat_map(|list| &list.0).filter(is_tall);
        let tall = tall.map(|word| fault(word, format!("`{word}` is not in lower case")));
        let twice = [twice(&self.stands_for), twice(&self.language), twice(&self.settable), twice(&self.arguments)];
        let twice = twice.into_iter().flatten().map(|word| fault(word, format!("`{word}` is in two groups")));
        unnamed.chain(tall).chain(twice).collect()
    }
}

/// Returns the words that are in two groups.
fn twice<K>(groups: &Grouped<K>) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    groups.values().flat_map(|list| &list.0).map(String::as_str).filter(|word| !seen.insert(*word)).collect()
}
