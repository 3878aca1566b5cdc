//! A request as what is looked for: every word with its alternatives.

use std::collections::{HashMap, HashSet};

use super::clause;
use super::edits::one_slip;
use super::forms;
use super::languages::{self, EnglishWord};
use super::lexicon::{Actions, Alternative, Lexicon};
use super::postings::{Postings, TermId};
use super::shape::{self, Count};

/// Words of a request that count; the rest is cut.
const MAX_WORDS: usize = 96;
/// Words of a request beyond which it is a text.
const LONG: usize = 20;
/// Longer words that a beginning may stand for.
const MAX_PREFIXES: usize = 24;
/// What a longer word counts for its beginning, when the beginning is no word itself, and when it is.
const PREFIX: f32 = 0.7;
const PREFIX_OF_WORD: f32 = 0.2;
/// What the synonyms of a word of doing count where it names a thing.
const AS_A_NOUN: f32 = 0.45;
/// What the word counts that tells what to do: the kind of doing counts besides, and what it is done to tells more.
const DOING: f32 = 0.45;
/// What a word counts that says little by itself.
const PARTICLE: f32 = 0.4;
/// What a phrase counts on its further words.
const REST_OF_PHRASE: f32 = 0.35;
/// What the doing counts on the further words of a phrase that finds a thing as well.
const DOING_OF_PHRASE: f32 = 0.7;
/// What a term counts again, for a further word that finds it.
const AGAIN: f32 = 0.3;
/// What a word counts that belongs to a value (`report.pdf`), when it is known at all.
const VALUE: f32 = 0.5;
/// Words that begin a clause on when or why, and what its words count.
const ASIDE: [&str; 9] = ["once", "when", "if", "because", "until", "before", "after", "unless", "while"];
const SUBCLAUSE: f32 = 0.5;
/// What the further meanings of a word of another language count.
const OTHER_MEANING: f32 = 0.8;
/// What a word counts for one with a slip.
const SLIP: f32 = 0.9;

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
    /// The kinds of doing that the request asks for.
    pub(super) actions: Actions,
    /// Whether it is after one thing or many; unknown where it asks for a change.
    pub(super) count: Count,
    /// Words of the request as they are written in tools' names.
    pub(super) written: Vec<TermId>,
    /// Names that groups may have.
    pub(super) names: Vec<String>,
}

/// Returns the term of a word in a name as it is written, so that a plural finds a plural first.
pub(super) fn written(word: &str) -> String {
    format!("={word}")
}

/// A request that was told in English: its words, and what else each of them may mean.
pub(super) fn tell(text: &str, lexicon: &Lexicon, postings: &Postings) -> Option<Vec<EnglishWord>> {
    let is_english = |word: &str| lexicon.knows(word) || postings.id(&lexicon.stem(word)).is_some();
    languages::english(text, &is_english)
}

/// The words of a request, and where among them it begins to ask.
struct Sentence<'a> {
    words: Vec<String>,
    stems: Vec<String>,
    /// The first word of what is asked.
    asking: usize,
    lexicon: &'a Lexicon,
    postings: &'a Postings,
}

impl<'a> Sentence<'a> {
    fn new(text: &str, lexicon: &'a Lexicon, postings: &'a Postings) -> Self {
        let mut words = lexicon.split(text);
        words.truncate(MAX_WORDS);
        words.extend(forms::words(text).into_iter().map(str::to_owned));
        let stems = words.iter().map(|word| lexicon.stem(word)).collect();
        let asking = clause::asking(text, lexicon).min(words.len());
        Self { words, stems, asking, lexicon, postings }
    }

    fn asked(&self) -> &[String] {
        self.words.get(self.asking..).unwrap_or_default()
    }

    /// A long text tells of several wishes: what one word tells to do, and where a clause begins, says nothing of the others.
    fn is_long(&self) -> bool {
        self.asked().len() > LONG
    }

    fn actions(&self) -> Actions {
        let stems = self.stems.get(self.asking..).unwrap_or_default();
        if self.is_long() { Actions::default() } else { self.lexicon.actions_of_request(self.asked(), stems) }
    }

    /// Finds where a clause on when or why begins: what stands behind `once`, `when` or `because` is not what is asked for.
    fn aside(&self) -> Option<usize> {
        let at = self.asked().iter().position(|word| ASIDE.contains(&word.as_str()))?;
        (at > 1 && !self.is_long()).then_some(at + self.asking)
    }

    /// Looks up a word that is no filler. The first one of doing tells what is done; `doing_told` says whether one did.
    fn look_up(&self, at: usize, word: &str, stem: &str, doing_told: &mut bool) -> Wanted {
        let is_action = self.lexicon.is_action(stem);
        // Behind the word that tells what to do, `open`, `run` or `log` name what it is done to.
        let describes = self.lexicon.describes(&self.words, at);
        let tells = is_action && !describes && !*doing_told && at >= self.asking;
        let share = if is_action && !tells { AS_A_NOUN } else { 1.0 };
        *doing_told |= tells;
        let mut wanted = look_up(word, stem, share, self.lexicon, self.postings);
        if tells && self.stems.len() > 1 && !self.is_long() {
            wanted.weight *= DOING;
        }
        wanted
    }
}

/// Reads a request, with what its words were told for when it was no English one.
pub(super) fn read(text: &str, told: &[EnglishWord], lexicon: &Lexicon, postings: &Postings) -> Request {
    let sentence = Sentence::new(text, lexicon, postings);
    let Sentence { words, stems, .. } = &sentence;
    let values = values(text, lexicon);
    let only_fillers = words.iter().all(|word| lexicon.is_filler(word));
    let actions = sentence.actions();
    let count = if lexicon.looks(actions) { shape::count(sentence.asked()) } else { Count::Unknown };
    let mut request = Request { actions, count, ..Request::default() };
    let from_phrases = from_phrases(words, stems, told, lexicon, postings);
    let aside = sentence.aside();
    let mut doing_told = is_asking(&request, lexicon, sentence.asked());
    for (at, ((word, stem), phrase)) in words.iter().zip(stems).zip(from_phrases).enumerate() {
        let filler = lexicon.is_filler(word) && !only_fillers;
        if filler && phrase.is_empty() {
            continue;
        }
        let mut wanted = match filler {
            true => Wanted { weight: 0.5, ..Wanted::default() },
            false => sentence.look_up(at, word, stem, &mut doing_told),
        };
        for (term, weight) in phrase {
            wanted.add(term, weight);
        }
        wanted.unknown = wanted.alternatives.is_empty();
        request.written.extend(postings.id(&written(word)));
        let is_value = values.contains(word.as_str());
        if !is_value && !filler && !lexicon.is_action(stem) && !lexicon.is_particle(word) {
            request.names.push(lexicon.group(word).to_owned());
        }
        // What is not known and has a digit is a number, a version or an id.
        if wanted.unknown && (is_value || word.contains(|c: char| c.is_ascii_digit())) {
            continue;
        }
        wanted.weight *= if is_value { VALUE } else { 1.0 };
        if aside.is_some_and(|aside| at > aside) {
            wanted.weight *= SUBCLAUSE;
        }
        let told = wanted.take_doing(stem, lexicon, postings);
        request.wanted.push(wanted);
        request.wanted.extend(told);
    }
    count_once(&mut request.wanted);
    request
}

/// Returns the alternatives that phrases, and what words were told for, give to the words of a request, by position.
fn from_phrases(
    words: &[String],
    stems: &[String],
    told: &[EnglishWord],
    lexicon: &Lexicon,
    postings: &Postings,
) -> Vec<Vec<(TermId, f32)>> {
    let mut from_phrases = vec![Vec::new(); words.len()];
    let mut from = 0;
    for word in told {
        let others = word.others.iter().filter_map(|other| Some((postings.id(&lexicon.stem(other))?, OTHER_MEANING)));
        if let Some(slot) = from_phrases.get_mut(from) {
            slot.extend(others);
        }
        from += lexicon.split(&word.text).len();
    }
    for at in 0..stems.len() {
        for (length, finds) in lexicon.phrases(stems.get(at..).unwrap_or_default()) {
            let (doing, things): (Vec<&Alternative>, Vec<&Alternative>) =
                finds.iter().partition(|find| lexicon.is_action(&find.stem));
            let both = length > 1 && !doing.is_empty() && !things.is_empty();
            // The phrase counts about once: on its first word that says something, and a little on the others, which take
            // what is done when the phrase finds that and what it is done to.
            let telling =
                words.iter().skip(at).take(length).position(|word| !lexicon.is_filler(word)).unwrap_or_default();
            for (offset, slot) in from_phrases.iter_mut().skip(at).take(length).enumerate() {
                let first = if offset == telling { 1.0 } else { REST_OF_PHRASE };
                let share = |find: &Alternative| match both && lexicon.is_action(&find.stem) {
                    true if offset == telling => REST_OF_PHRASE,
                    true => DOING_OF_PHRASE,
                    false => first,
                };
                slot.extend(
                    finds.iter().filter_map(|find| Some((postings.id(&find.stem)?, find.weight * share(find)))),
                );
            }
        }
    }
    from_phrases
}

/// Finds the words of a request that belong to values, not to what is wanted: file names, addresses, what is quoted.
fn values(text: &str, lexicon: &Lexicon) -> HashSet<String> {
    let quoted = text.split('"').skip(1).step_by(2).flat_map(str::split_whitespace);
    let marked = text.split_whitespace().filter(|token| {
        let inner = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
        inner.contains(['.', '/', '=', '@', ':', '\\'])
    });
    quoted.chain(marked).flat_map(|token| lexicon.split(token)).collect()
}

/// Says whether the request is a question: what it does is told before its first word of doing.
fn is_asking(request: &Request, lexicon: &Lexicon, words: &[String]) -> bool {
    !request.actions.is_none() && words.first().is_some_and(|word| lexicon.is_filler(word))
}

fn look_up(word: &str, stem: &str, share: f32, lexicon: &Lexicon, postings: &Postings) -> Wanted {
    let weight = if lexicon.is_particle(word) { PARTICLE } else { 1.0 };
    let mut wanted = Wanted { weight, ..Wanted::default() };
    let known = postings.id(stem);
    wanted.alternatives.extend(known.map(|term| (term, 1.0)));
    let synonyms = lexicon.synonyms(stem);
    for synonym in synonyms {
        if let Some(term) = postings.id(&synonym.stem) {
            wanted.add(term, synonym.weight * share);
        }
    }
    if word.chars().count() >= 3 {
        let weight = if known.is_none() && synonyms.is_empty() { PREFIX } else { PREFIX_OF_WORD };
        for (longer, term) in postings.with_prefix(word).take(MAX_PREFIXES) {
            wanted.add(term, weight * share_of(word, longer));
        }
    }
    if wanted.alternatives.is_empty() && synonyms.is_empty() && !lexicon.is_in_phrases(stem) {
        for (written, term) in postings.with_first_of(word).filter(|(written, _)| one_slip(word, written)) {
            wanted.add(term, SLIP);
            // What the word that was meant also finds.
            for synonym in lexicon.synonyms(&lexicon.stem(written)) {
                if let Some(term) = postings.id(&synonym.stem) {
                    wanted.add(term, SLIP * synonym.weight);
                }
            }
        }
        for synonym in lexicon.slips(word) {
            if let Some(term) = postings.id(&synonym.stem) {
                wanted.add(term, SLIP * synonym.weight);
            }
        }
    }
    wanted
}

/// Returns how much of a longer word its beginning is, 0 to 1.
fn share_of(beginning: &str, word: &str) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "words are short")]
    let share = beginning.len() as f32 / word.len().max(1) as f32;
    share.sqrt()
}

/// Lets a term count once: where several words find it, it is worth most for the word that means it, and little for the others.
fn count_once(wanted: &mut [Wanted]) {
    let mut best: HashMap<TermId, (usize, f32)> = HashMap::new();
    for (at, word) in wanted.iter().enumerate() {
        for &(term, weight) in &word.alternatives {
            let worth = weight * word.weight;
            let entry = best.entry(term).or_insert((at, worth));
            if worth > entry.1 {
                *entry = (at, worth);
            }
        }
    }
    for (at, word) in wanted.iter_mut().enumerate() {
        for (term, weight) in &mut word.alternatives {
            if best.get(term).is_some_and(|&(owner, _)| owner != at) {
                *weight *= AGAIN;
            }
        }
    }
}

impl Wanted {
    /// Takes what is done out of a word that stands for that and for what it is done to: `enqueue` sends, and messages.
    fn take_doing(&mut self, stem: &str, lexicon: &Lexicon, postings: &Postings) -> Option<Self> {
        if lexicon.is_action(stem) || postings.id(stem).is_some() {
            return None;
        }
        let (doing, things): (Vec<&Alternative>, Vec<&Alternative>) =
            lexicon.synonyms(stem).iter().partition(|synonym| lexicon.is_action(&synonym.stem));
        let doing: Vec<TermId> = doing.into_iter().filter_map(|synonym| postings.id(&synonym.stem)).collect();
        if doing.is_empty() || !things.iter().any(|synonym| postings.id(&synonym.stem).is_some()) {
            return None;
        }
        let (doing, things) = self.alternatives.iter().copied().partition(|(term, _)| doing.contains(term));
        self.alternatives = things;
        Some(Self { alternatives: doing, weight: self.weight * DOING, unknown: false })
    }

    fn add(&mut self, term: TermId, weight: f32) {
        match self.alternatives.iter_mut().find(|(known, _)| *known == term) {
            Some((_, best)) => *best = best.max(weight),
            None => self.alternatives.push((term, weight)),
        }
    }
}
