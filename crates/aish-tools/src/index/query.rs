//! A request as what is looked for: every word with its alternatives.

use super::edits::one_slip;
use super::lexicon::{Actions, Lexicon};
use super::postings::{Postings, TermId};

/// Words of a request that count; the rest is cut.
const MAX_WORDS: usize = 32;
/// Longer words that a beginning may stand for.
const MAX_PREFIXES: usize = 24;
/// What a longer word counts for its beginning, when the beginning is no word itself, and when it is.
const PREFIX: f32 = 0.7;
const PREFIX_OF_WORD: f32 = 0.2;
/// What a word counts for one with a slip.
const SLIP: f32 = 0.8;

/// One thing that is looked for: the best of its alternatives counts.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Terms, each with how well it stands for the word, 0 to 1.
    pub(super) alternatives: Vec<(TermId, f32)>,
    /// How much the word counts in the request.
    pub(super) weight: f32,
    /// True when no term is known; it still counts as not found.
    pub(super) unknown: bool,
}

/// A request, read.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) wanted: Vec<Wanted>,
    /// The first kind of doing that the request names.
    pub(super) actions: Actions,
}

/// Reads a request.
pub(super) fn read(text: &str, lexicon: &Lexicon, postings: &Postings) -> Request {
    let mut words = lexicon.split(text);
    words.truncate(MAX_WORDS);
    let stems: Vec<String> = words.iter().map(|word| lexicon.stem(word)).collect();
    let only_fillers = words.iter().all(|word| lexicon.is_filler(word));
    let mut request = Request::default();
    // Alternatives that a phrase gives its words, by position.
    let mut from_phrases: Vec<Vec<(TermId, f32)>> = vec![Vec::new(); words.len()];
    for at in 0..stems.len() {
        for (length, finds) in lexicon.phrases(stems.get(at..).unwrap_or_default()) {
            let terms: Vec<(TermId, f32)> =
                finds.iter().filter_map(|find| Some((postings.id(&find.stem)?, find.weight))).collect();
            for slot in from_phrases.iter_mut().skip(at).take(length) {
                slot.extend(&terms);
            }
        }
    }
    for ((word, stem), phrase) in words.iter().zip(&stems).zip(from_phrases) {
        if request.actions.is_none() && !lexicon.is_filler(word) {
            request.actions = lexicon.actions(stem);
        }
        let filler = lexicon.is_filler(word) && !only_fillers;
        if filler && phrase.is_empty() {
            continue;
        }
        let mut wanted =
            if filler { Wanted { weight: 0.5, ..Wanted::default() } } else { look_up(word, stem, lexicon, postings) };
        for (term, weight) in phrase {
            wanted.add(term, weight);
        }
        wanted.unknown = wanted.alternatives.is_empty();
        request.wanted.push(wanted);
    }
    request
}

fn look_up(word: &str, stem: &str, lexicon: &Lexicon, postings: &Postings) -> Wanted {
    let mut wanted = Wanted { weight: 1.0, ..Wanted::default() };
    let known = postings.id(stem);
    wanted.alternatives.extend(known.map(|term| (term, 1.0)));
    let synonyms = lexicon.synonyms(stem);
    for synonym in synonyms {
        if let Some(term) = postings.id(&synonym.stem) {
            wanted.add(term, synonym.weight);
        }
    }
    if word.chars().count() >= 3 {
        let weight = if known.is_none() && synonyms.is_empty() { PREFIX } else { PREFIX_OF_WORD };
        for (_, term) in postings.with_prefix(word).take(MAX_PREFIXES) {
            wanted.add(term, weight);
        }
    }
    if wanted.alternatives.is_empty() && synonyms.is_empty() {
        for (written, term) in postings.with_first_of(word).filter(|(written, _)| one_slip(word, written)) {
            wanted.add(term, SLIP);
            // What the word that was meant also finds.
            for synonym in lexicon.synonyms(&lexicon.stem(written)) {
                if let Some(term) = postings.id(&synonym.stem) {
                    wanted.add(term, SLIP * synonym.weight);
                }
            }
        }
    }
    wanted
}

impl Wanted {
    fn add(&mut self, term: TermId, weight: f32) {
        match self.alternatives.iter_mut().find(|(known, _)| *known == term) {
            Some((_, best)) => *best = best.max(weight),
            None => self.alternatives.push((term, weight)),
        }
    }
}
