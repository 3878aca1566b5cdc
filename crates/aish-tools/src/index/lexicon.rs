//! What people say, and what command lines say for it: read from a data file once, when it is first needed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::LazyLock;

use super::edits::one_slip;
use super::shape::{self, is_gerund, is_irregular_participle, is_participle, is_plural};
use super::words::{self, Stems};

/// Kinds of doing, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Actions(u64);

impl Actions {
    /// Returns the bits, for a file.
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// Takes bits out of a file of this build.
    pub(super) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Says whether nothing is known.
    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Says whether the two have a kind in common.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Says whether all kinds are among the other's.
    fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A stem that stands for another word, and how well, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alternative {
    pub(super) stem: Box<str>,
    pub(super) weight: f32,
}

/// A phrase of stems, and what it finds.
#[derive(Debug)]
struct Phrase {
    words: Vec<String>,
    finds: Vec<Alternative>,
}

/// The data file, read.
pub(super) struct Lexicon {
    stems: Stems,
    fillers: HashSet<&'static str>,
    particles: HashSet<&'static str>,
    synonyms: BTreeMap<String, Vec<Alternative>>,
    phrases: HashMap<String, Vec<Phrase>>,
    /// What people call a group, and its name.
    groups: HashMap<&'static str, &'static str>,
    /// Kinds by stem: those that the word itself names, and those that it only tells.
    actions: HashMap<String, (Actions, Actions)>,
    /// The kinds of doing that only look, and the ones that look at many.
    looking: Actions,
    listing: Actions,
    searching: Actions,
}

/// Kinds of doing that change nothing.
const LOOKING: [&str; 5] = ["list", "view", "read", "search", "count"];
/// Words that a phrase may be interrupted by.
const ARTICLES: [&str; 9] = ["a", "an", "the", "my", "our", "your", "this", "that", "me"];
/// Short words that may stand behind the object of the verb that they belong to; longer ones always may.
const SEPARABLE: [&str; 3] = ["off", "up", "out"];
const SHORT: usize = 3;
/// How many words may stand between the two of a phrase.
const MAX_APART: usize = 3;
static SHARED: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(include_str!("../../data/lexicon.txt")));

impl Lexicon {
    /// Returns the lexicon that comes with the program.
    pub(super) fn shared() -> &'static Self {
        &SHARED
    }

    fn read(text: &'static str) -> Self {
        let mut lexicon = Self {
            stems: Stems::new(),
            fillers: HashSet::new(),
            particles: HashSet::new(),
            synonyms: BTreeMap::new(),
            phrases: HashMap::new(),
            groups: HashMap::new(),
            actions: HashMap::new(),
            looking: Actions::default(),
            listing: Actions::default(),
            searching: Actions::default(),
        };
        let mut kinds = 0_u32;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (weight, rest) = match rest.split_once(' ').and_then(|(first, rest)| Some((first.parse().ok()?, rest)))
            {
                Some((weight, rest)) => (weight, rest),
                None => (1.0, rest),
            };
            match keyword {
                "filler" => lexicon.fillers.extend(rest.split(' ')),
                "particle" => lexicon.particles.extend(rest.split(' ')),
                "action" => {
                    let mut words = rest.split(' ');
                    let kind = Actions(1_u64.checked_shl(kinds).unwrap_or_default());
                    let name = words.next().unwrap_or_default();
                    if LOOKING.contains(&name) {
                        lexicon.looking = lexicon.looking.with(kind);
                    }
                    match name {
                        "list" => lexicon.listing = kind,
                        "search" => lexicon.searching = kind,
                        _ => {}
                    }
                    lexicon.read_action(kind, weight, words);
                    kinds += 1;
                }
                "group" => {
                    let (name, calls) = rest.split_once(' ').unwrap_or((rest, ""));
                    lexicon.groups.extend(calls.split(' ').map(|call| (call, name)));
                }
                "same" => lexicon.read_same(weight, rest.split(' ').collect()),
                "find" => lexicon.read_find(weight, rest),
                _ => {}
            }
        }
        lexicon
    }

    fn read_action(&mut self, kind: Actions, weight: f32, words: impl Iterator<Item = &'static str>) {
        let mut same = Vec::new();
        for word in words {
            let plain = word.trim_start_matches('~');
            let entry = self.actions.entry(self.stem(plain)).or_default();
            entry.1 = entry.1.with(kind);
            if plain == word {
                entry.0 = entry.0.with(kind);
                same.push(word);
            }
        }
        self.read_same(weight, same);
    }

    fn read_same(&mut self, weight: f32, words: Vec<&str>) {
        let stems: Vec<String> = words.iter().map(|word| self.stem(word)).collect();
        for stem in &stems {
            for other in stems.iter().filter(|other| *other != stem) {
                self.add_synonym(stem.clone(), other, weight);
            }
        }
    }

    fn read_find(&mut self, weight: f32, rest: &str) {
        let Some((left, right)) = rest.split_once(" = ") else { return };
        let words: Vec<String> = left.split(' ').map(|word| self.stem(word)).collect();
        let finds: Vec<String> = right.split(' ').map(|word| self.stem(word)).collect();
        match words.as_slice() {
            [] => {}
            [word] => {
                for find in &finds {
                    self.add_synonym(word.clone(), find, weight);
                }
            }
            [first, ..] => {
                let finds = finds.into_iter().map(|stem| Alternative { stem: stem.into(), weight }).collect();
                self.phrases.entry(first.clone()).or_default().push(Phrase { words, finds });
            }
        }
    }

    fn add_synonym(&mut self, from: String, to: &str, weight: f32) {
        if from == to {
            return;
        }
        let known = self.synonyms.entry(from).or_default();
        match known.iter_mut().find(|alternative| alternative.stem.as_ref() == to) {
            Some(alternative) => alternative.weight = alternative.weight.max(weight),
            None => known.push(Alternative { stem: to.into(), weight }),
        }
    }

    /// Returns a word's stem.
    pub(super) fn stem(&self, word: &str) -> String {
        self.stems.stem(word)
    }

    /// Says whether a word says nothing of what is wanted.
    pub(super) fn is_filler(&self, word: &str) -> bool {
        self.fillers.contains(word)
    }

    /// Says whether a word is one that it has anything of.
    pub(super) fn knows(&self, word: &str) -> bool {
        let stem = self.stem(word);
        self.is_filler(word)
            || self.is_particle(word)
            || self.groups.contains_key(word)
            || self.synonyms.contains_key(&stem)
            || self.actions.contains_key(&stem)
    }

    /// Says whether a word says little by itself.
    pub(super) fn is_particle(&self, word: &str) -> bool {
        self.particles.contains(word)
    }

    /// Returns the name of the group that people call so: the word itself, unless another is known.
    pub(super) fn group<'w>(&self, word: &'w str) -> &'w str {
        self.groups.get(word).copied().unwrap_or(word)
    }

    /// Says whether a stem tells a kind of doing.
    pub(super) fn is_action(&self, stem: &str) -> bool {
        self.actions.contains_key(stem)
    }

    /// Returns what a stem also finds.
    pub(super) fn synonyms(&self, stem: &str) -> &[Alternative] {
        self.synonyms.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Returns what the phrases at the beginning of these stems find, with the number of words of each.
    pub(super) fn phrases<'l>(&'l self, stems: &'l [String]) -> impl Iterator<Item = (usize, &'l [Alternative])> {
        let phrases = stems.first().and_then(|first| self.phrases.get(first));
        phrases.into_iter().flatten().filter_map(|phrase| Some((reach(stems, &phrase.words)?, phrase.finds.as_slice())))
    }

    /// Says whether what is done changes nothing.
    pub(super) fn looks(&self, actions: Actions) -> bool {
        actions.within(self.looking)
    }

    /// Says whether what is done may be no more than a look.
    pub(super) fn may_look(&self, actions: Actions) -> bool {
        actions.meets(self.looking)
    }

    /// Says whether what is done lists things.
    pub(super) fn lists(&self, actions: Actions) -> bool {
        actions.meets(self.listing)
    }

    /// Says whether what is done searches.
    pub(super) fn searches(&self, actions: Actions) -> bool {
        actions.meets(self.searching)
    }

    /// Returns the kinds of doing that a request asks for: those of its first word that tells one; a question only looks,
    /// as does a request that names a thing and tells nothing to do, and one after all of something lists.
    pub(super) fn actions_of_request(&self, words: &[String], stems: &[String]) -> Actions {
        let told = |(at, stem): (usize, &String)| {
            let by_phrase = self.action_of_phrases(stems.get(at..).unwrap_or_default());
            if !by_phrase.is_none() {
                return by_phrase;
            }
            let asks = words.get(at).is_some_and(|word| !self.is_filler(word)) && !self.describes(words, at);
            self.actions.get(stem).filter(|_| asks).map(|&(_, told)| told).unwrap_or_default()
        };
        let first = stems.iter().enumerate().map(told).find(|actions| !actions.is_none());
        let actions = if shape::is_question(words) { self.looking } else { first.unwrap_or(self.looking) };
        if shape::asks_for_all(words) && actions.meets(self.listing) { self.listing } else { actions }
    }

    /// Returns what the phrases at the beginning of these stems tell to do: `throw it away` deletes.
    fn action_of_phrases(&self, stems: &[String]) -> Actions {
        let finds = self.phrases(stems).flat_map(|(_, finds)| finds);
        let named = finds.filter_map(|find| self.actions.get(find.stem.as_ref())).map(|&(named, _)| named);
        named.fold(Actions::default(), Actions::with)
    }

    /// Says whether a word of doing describes a thing and asks for nothing: `stopped`, `runs`, and the `open` of open issues.
    pub(super) fn describes(&self, words: &[String], at: usize) -> bool {
        let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
        let follows = at.checked_sub(1).is_some_and(|before| !self.is_filler(word(before)));
        is_participle(word(at))
            || is_plural(word(at))
            || (follows && (is_gerund(word(at)) || (is_irregular_participle(word(at)) && is_plural(word(at - 1)))))
            || (word(at) == "open" && is_plural(word(at + 1)))
    }

    /// Returns what a tool does: the last word of its name that names a kind of doing, and the verbs that its description
    /// begins with. Only a verb that names listing lists: whatever shows anything is described as getting it.
    pub(super) fn actions_of_tool(&self, name: &[String], lead: &str) -> Actions {
        let kinds = |word: &str| self.actions.get(&self.stem(word)).copied().unwrap_or_default();
        let by_name = name.iter().rev().map(|word| kinds(word).0).find(|named| !named.is_none()).unwrap_or_default();
        let verbs = leading_verbs(lead);
        verbs.iter().map(|verb| kinds(verb)).fold(by_name, |actions, (named, told)| {
            actions.with(if named.meets(self.listing) { told } else { told.without(self.listing) })
        })
    }

    /// Says whether a stem is a word of any phrase, and so no slip for another.
    pub(super) fn is_in_phrases(&self, stem: &str) -> bool {
        self.phrases.values().flatten().any(|phrase| phrase.words.iter().any(|word| word == stem))
    }

    /// Splits a text into words; names that it knows stay whole.
    pub(super) fn split(&self, text: &str) -> Vec<String> {
        words::split(text, |word| self.groups.contains_key(word) || self.synonyms.contains_key(&self.stem(word)))
    }

    /// Returns what the stems find that a word may be meant for, as it is written or with one slip behind its first letter.
    pub(super) fn slips<'l>(&'l self, word: &'l str) -> impl Iterator<Item = &'l Alternative> {
        let first = word.chars().next().map_or(0, char::len_utf8);
        let first = word.get(..first).unwrap_or_default();
        let near = self
            .synonyms
            .range::<str, _>((Bound::Included(first), Bound::Unbounded))
            .take_while(move |(stem, _)| stem.starts_with(first));
        near.filter(move |(stem, _)| *stem == word || one_slip(word, stem)).flat_map(|(_, synonyms)| synonyms)
    }
}

/// Returns the words before what they are done to: `List, create, or delete branches`.
fn leading_verbs(lead: &str) -> Vec<String> {
    let mut verbs = Vec::new();
    let mut more = true;
    for word in lead.split_whitespace() {
        if matches!(word, "or" | "and") {
            more = true;
            continue;
        }
        if !more {
            break;
        }
        more = word.ends_with(',');
        verbs.extend(words::split(word, |_| false).into_iter().next());
    }
    verbs
}

/// Returns how many stems a phrase takes at their beginning, articles in between included; none when it does not fit.
///
/// Two words may stand apart, a verb and its particle (`throw the old note away`) or a thing and its state (`port 22 open`):
/// the first one alone is taken then.
fn reach(stems: &[String], phrase: &[String]) -> Option<usize> {
    together(stems, phrase).or_else(|| {
        let [first, second] = phrase else { return None };
        let apart = stems.first() == Some(first)
            && (second.len() > SHORT || SEPARABLE.contains(&second.as_str()))
            && stems.iter().skip(2).take(MAX_APART).any(|stem| stem == second);
        apart.then_some(1)
    })
}

fn together(stems: &[String], phrase: &[String]) -> Option<usize> {
    let mut taken = 0;
    for (number, wanted) in phrase.iter().enumerate() {
        let rest = stems.get(taken..)?;
        let skipped = rest.iter().take_while(|stem| number > 0 && *stem != wanted && ARTICLES.contains(&stem.as_str()));
        let at = skipped.count();
        if rest.get(at)? != wanted {
            return None;
        }
        taken += at + 1;
    }
    Some(taken)
}
