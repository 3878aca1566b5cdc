//! The table of one language: its words, by how they are written and by their stems, with what they are in English.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::{EnglishWord, Word};

const DATA: &str = include_str!("../../../data/languages.txt");
/// Words that may stand between the two parts of a phrase.
const MAX_APART: usize = 10;
/// Letters that each part of a compound has at least.
const PART: usize = 3;
/// What joins the parts of a compound.
const JOINTS: [&str; 5] = ["", "s", "n", "en", "es"];
/// Characters of the longest word of Chinese.
const LONGEST: usize = 8;

/// A language with a table, by its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    German,
    French,
    Spanish,
    Russian,
    Chinese,
}

pub(super) const LANGUAGES: [Language; 5] =
    [Language::German, Language::French, Language::Spanish, Language::Russian, Language::Chinese];

impl Language {
    pub(super) fn is_latin(self) -> bool {
        matches!(self, Self::German | Self::French | Self::Spanish)
    }

    /// Returns its table, read once.
    pub(super) fn table(self) -> &'static Table {
        static GERMAN: LazyLock<Table> = LazyLock::new(|| Table::read(Language::German));
        static FRENCH: LazyLock<Table> = LazyLock::new(|| Table::read(Language::French));
        static SPANISH: LazyLock<Table> = LazyLock::new(|| Table::read(Language::Spanish));
        static RUSSIAN: LazyLock<Table> = LazyLock::new(|| Table::read(Language::Russian));
        static CHINESE: LazyLock<Table> = LazyLock::new(|| Table::read(Language::Chinese));
        match self {
            Self::German => &GERMAN,
            Self::French => &FRENCH,
            Self::Spanish => &SPANISH,
            Self::Russian => &RUSSIAN,
            Self::Chinese => &CHINESE,
        }
    }

    /// The column in a line, counted from the one behind the English words.
    fn column(self) -> usize {
        LANGUAGES.iter().position(|language| *language == self).unwrap_or_default()
    }

    fn algorithm(self) -> Option<Algorithm> {
        match self {
            Self::German => Some(Algorithm::German),
            Self::French => Some(Algorithm::French),
            Self::Spanish => Some(Algorithm::Spanish),
            Self::Russian => Some(Algorithm::Russian),
            Self::Chinese => None,
        }
    }
}

/// English words; none for a word that says nothing.
type Notion = Vec<&'static str>;

/// A word of a phrase or a request: as it is written and its stem, both without accents.
struct Form {
    written: String,
    stem: String,
}

impl Form {
    fn is(&self, other: &Self) -> bool {
        self.written == other.written || self.stem == other.stem
    }
}

/// A phrase: parts of words that stand together, with words between the parts.
struct Phrase {
    parts: Vec<Vec<Form>>,
    english: Notion,
}

/// One language.
pub(super) struct Table {
    language: Language,
    stemmer: Option<Stemmer>,
    exact: HashMap<String, Notion>,
    stems: HashMap<String, Notion>,
    phrases: Vec<Phrase>,
    /// The numbers of the phrases that begin with a word.
    begins: HashMap<String, Vec<usize>>,
}

/// The lines of the data with their cells.
fn lines() -> impl Iterator<Item = Vec<&'static str>> {
    DATA.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split('|').map(str::trim).collect())
}

/// What is wrong with the data.
#[cfg(test)]
pub(super) fn faults() -> Vec<String> {
    let wrong = |cells: &Vec<&str>| cells.len() != LANGUAGES.len() + 1;
    lines().filter(wrong).map(|cells| cells.join(" | ")).collect()
}

impl Table {
    fn read(language: Language) -> Self {
        let stemmer = language.algorithm().map(Stemmer::create);
        let (exact, stems, begins) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut table = Self { language, stemmer, exact, stems, phrases: Vec::new(), begins };
        for cells in lines() {
            let english: Notion = cells.first().copied().unwrap_or_default().split_whitespace().collect();
            for word in cells.get(language.column() + 1).copied().unwrap_or_default().split_whitespace() {
                table.add(word, &english);
            }
        }
        table
    }

    fn add(&mut self, word: &str, english: &Notion) {
        if word.contains(['_', '…']) {
            let part = |part: &str| part.split(['_', '-']).map(|word| self.form(word)).collect();
            let parts: Vec<Vec<Form>> = word.split('…').map(part).collect();
            let number = self.phrases.len();
            if let Some(Form { written, stem }) = parts.first().and_then(|part| part.first()) {
                let mut words = vec![written.clone(), stem.clone()];
                words.dedup();
                words.into_iter().for_each(|word| self.begins.entry(word).or_default().push(number));
            }
            self.phrases.push(Phrase { parts, english: english.clone() });
            return;
        }
        if word.contains('-') {
            return self.add(&word.replace('-', "_"), english);
        }
        let written = fold(word);
        // What says nothing is never a form of what does.
        if !english.is_empty() {
            for stem in self.stems_of(word) {
                extend(self.stems.entry(stem).or_default(), english);
            }
        }
        extend(self.exact.entry(written).or_default(), english);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.exact.len()
    }

    fn form(&self, word: &str) -> Form {
        let stem = self.stemmer.as_ref().map(|stemmer| fold(&stemmer.stem(&word.to_lowercase())));
        let written = fold(word);
        Form { stem: stem.unwrap_or_else(|| written.clone()), written }
    }

    /// The stems of a word as it is written, and of one whose accents were left out.
    fn stems_of(&self, word: &str) -> Vec<String> {
        let Some(stemmer) = &self.stemmer else { return Vec::new() };
        let lower = word.to_lowercase();
        let mut stems = vec![fold(&stemmer.stem(&lower)), stemmer.stem(&fold(&lower)).into_owned()];
        stems.dedup();
        stems
    }

    /// Says whether a word is one of the language.
    pub(super) fn knows(&self, word: &str, is_english: &dyn Fn(&str) -> bool) -> bool {
        self.begins.contains_key(&fold(word)) || self.look_up(word, is_english).is_some()
    }

    /// Tells words in English.
    pub(super) fn tell(&self, words: &[Word<'_>], is_english: &dyn Fn(&str) -> bool) -> Vec<EnglishWord> {
        if self.language == Language::Chinese {
            return words.iter().flat_map(|word| self.segments(word)).collect();
        }
        let forms: Vec<Form> = words.iter().map(|word| self.form(word.text)).collect();
        let mut taken = vec![false; words.len()];
        let mut out = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if taken.get(at).copied().unwrap_or_default() {
                continue;
            }
            if word.is_value {
                out.push(EnglishWord::as_is(word.text));
            } else if let Some((english, places)) = self.phrase(&forms, &taken, at) {
                for place in places {
                    if let Some(taken) = taken.get_mut(place) {
                        *taken = true;
                    }
                }
                out.extend(told(english));
            } else {
                let lower = word.text.to_lowercase();
                match self.look_up(word.text, is_english) {
                    // What tools are described with stands for itself, and for what it is in English besides.
                    Some(english)
                        if is_english(&lower) && english.first().is_some_and(|word| is_other(&word.text, &lower)) =>
                    {
                        let others = self.simple(word.text).into_iter().flatten().copied();
                        let others = others.filter(|other| !other.contains('_') && *other != lower).collect();
                        out.push(EnglishWord { text: lower, others });
                    }
                    Some(english) => out.extend(english),
                    None => out.push(EnglishWord::as_is(word.text)),
                }
            }
        }
        out
    }

    /// Finds the longest phrase that begins at a word, and where its words stand.
    fn phrase(&self, forms: &[Form], taken: &[bool], at: usize) -> Option<(&Notion, Vec<usize>)> {
        let form = forms.get(at)?;
        let begins = [&form.written, &form.stem].into_iter().filter_map(|word| self.begins.get(word)).flatten();
        let phrases = begins.filter_map(|&number| self.phrases.get(number));
        let found = phrases.filter_map(|phrase| Some((phrase, places(&phrase.parts, forms, taken, at)?)));
        let longest = found.max_by_key(|(_, places)| places.len());
        longest.map(|(phrase, places)| (&phrase.english, places))
    }

    /// Looks a word up: as it is written, by its stem, and in German as a compound.
    fn look_up(&self, word: &str, is_english: &dyn Fn(&str) -> bool) -> Option<Vec<EnglishWord>> {
        let one = |notion: &Notion| told(notion).into_iter().collect();
        if let Some(notion) = self.simple(word) {
            return Some(one(notion));
        }
        if self.language != Language::German {
            return None;
        }
        let plain = fold(word).replace("ae", "a").replace("oe", "o").replace("ue", "u");
        if let Some(notion) = self.simple(&plain) {
            return Some(one(notion));
        }
        self.compound(&fold(word), is_english)
    }

    fn simple(&self, word: &str) -> Option<&Notion> {
        let known = self.exact.get(&fold(word));
        known.or_else(|| self.stems_of(word).iter().find_map(|stem| self.stems.get(stem)))
    }

    /// Takes a compound apart: `Dateirechte`, `Commitnachricht`; the longest known end counts.
    fn compound(&self, word: &str, is_english: &dyn Fn(&str) -> bool) -> Option<Vec<EnglishWord>> {
        let says = |word: &str| self.simple(word).and_then(told);
        for (at, _) in word.char_indices().skip(PART) {
            let (before, end) = word.split_at(at);
            if end.len() < PART {
                break;
            }
            let Some(last) = says(end) else { continue };
            for joint in JOINTS {
                let Some(first) = before.strip_suffix(joint).filter(|first| first.len() >= PART) else { continue };
                if let Some(first) = says(first) {
                    return Some(vec![first, last]);
                }
                if joint.is_empty() && is_english(first) {
                    return Some(vec![EnglishWord::as_is(first), last]);
                }
            }
        }
        None
    }

    /// Takes Han apart into the longest words of the table; what is not known falls away.
    fn segments(&self, word: &Word<'_>) -> Vec<EnglishWord> {
        if !word.text.chars().any(super::is_han) {
            return vec![EnglishWord::as_is(word.text)];
        }
        let mut out = Vec::new();
        let mut rest = word.text;
        while let Some(first) = rest.chars().next() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(LONGEST);
            let ends: Vec<usize> = ends.collect();
            let known = ends.iter().rev().find_map(|&end| Some((self.exact.get(rest.get(..end)?)?, end)));
            let end = match known {
                Some((notion, end)) => {
                    out.extend(told(notion));
                    end
                }
                None => first.len_utf8(),
            };
            rest = rest.get(end..).unwrap_or_default();
        }
        out
    }
}

/// Says whether two words are no forms of one: `alle` and `all` are.
fn is_other(english: &str, word: &str) -> bool {
    english.chars().zip(word.chars()).take_while(|(a, b)| a == b).count() < PART
}

fn extend(notion: &mut Notion, english: &Notion) {
    for word in english {
        if !notion.contains(word) {
            notion.push(word);
        }
    }
}

/// The first English word is the word; the others are what it may mean besides.
fn told(english: &Notion) -> Option<EnglishWord> {
    let (first, others) = english.split_first()?;
    let others = others.iter().copied().filter(|word| !word.contains('_')).collect();
    Some(EnglishWord { text: first.replace('_', " "), others })
}

/// Where the words of a phrase stand, when it begins at this word.
fn places(parts: &[Vec<Form>], forms: &[Form], taken: &[bool], at: usize) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    let mut from = at;
    for (number, part) in parts.iter().enumerate() {
        let most = if number == 0 { 0 } else { MAX_APART };
        let is_free = |place: usize| taken.get(place) == Some(&false);
        let stands = |begin: usize| {
            part.iter()
                .zip(begin..)
                .all(|(word, place)| forms.get(place).is_some_and(|form| form.is(word)) && is_free(place))
        };
        let begin = (from..=from + most).find(|&begin| stands(begin))?;
        places.extend(begin..begin + part.len());
        from = begin + part.len();
    }
    Some(places)
}

/// Writes a word small and without accents.
fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'à' | 'á' | 'â' | 'ã' | 'ä' => out.push('a'),
            'ç' => out.push('c'),
            'è' | 'é' | 'ê' | 'ë' => out.push('e'),
            'ì' | 'í' | 'î' | 'ï' => out.push('i'),
            'ñ' => out.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' => out.push('o'),
            'ù' | 'ú' | 'û' | 'ü' => out.push('u'),
            'ß' => out.push_str("ss"),
            'œ' => out.push_str("oe"),
            'æ' => out.push_str("ae"),
            'ё' => out.push('е'),
            c => out.push(c),
        }
    }
    out
}
