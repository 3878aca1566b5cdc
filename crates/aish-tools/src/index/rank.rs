//! The score of a document, and the best of all.
//!
//! Score = (sum over wanted words of the best alternative's weight x rarity x impact) x share of the request that is covered,
//! plus how much of the tool's own name was asked for, times how well the kind of doing fits and whether another program is
//! named, plus the literal find.
//! Rarity is BM25's inverse document frequency (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Index;
use super::document::Document;
use super::lexicon::{Actions, Lexicon};
use super::literal::Literal;
use super::meaning::Joint;
use super::page::{Hit, Page, Query, RiskFilter, ToolKind};
use super::query::{self, Request};
use super::shape::Count;

/// How much the share of the request that is covered counts.
const COVERAGE: f32 = 0.6;
/// What a name that was asked for wholly adds, in rarities.
const NAME_SHARE: f32 = 2.5;
/// What a word of the name as it was written adds, in rarities.
const WRITTEN: f32 = 0.35;
/// Factors of a kind of doing that fits, and of one that does not.
const ACTION_FITS: f32 = 1.25;
const ACTION_DIFFERS: f32 = 0.72;
/// Factors of a tool that lists or searches where a thing is asked for by its number, of one that lists where one thing is
/// asked for, of one that lists where many are, and of one that shows one then.
const LISTS_FOR_GIVEN: f32 = 0.8;
const LISTS_FOR_ONE: f32 = 0.95;
const LISTS_FOR_MANY: f32 = 1.12;
const SHOWS_FOR_MANY: f32 = 0.9;
/// Factor of a tool of another group than the one that the request names.
const OTHER_GROUP: f32 = 0.75;
/// What a literal find adds.
const IN_TEXT: f32 = 0.5;
const IN_NAME: f32 = 3.0;
const WHOLE_NAME: f32 = 1_000.0;
/// What scores below this share of the best, and does not contain the request literally, is no find.
const NOISE: f32 = 0.12;

/// Finds tools.
pub(super) fn search(index: &Index, query: &Query) -> Page {
    let filter = Filter::of(index, query);
    let text = query.text.as_deref().map(str::trim).unwrap_or_default();
    if text.is_empty() {
        let mut all: Vec<&Document> = index.documents.iter().filter(|document| filter.passes(document)).collect();
        all.sort_by_key(|document| document.place.order);
        let hits = all.iter().skip(query.offset).take(query.limit);
        let hits = hits.map(|document| Hit { definition: Arc::clone(&document.definition), score: 0.0 }).collect();
        return Page { hits, total: all.len() };
    }
    let told = query::tell(text, index.lexicon, &index.postings);
    let english = told.as_ref().map(|words| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
    let english = english.as_deref().unwrap_or(text);
    let request = query::read(english, told.as_deref().unwrap_or_default(), index.lexicon, &index.postings);
    let scored = score(index, text, &request, &filter);
    let scored = match index.meaning.get() {
        Some(meaning) => with_meaning(index, scored, (english, &meaning.nearness(english)), &filter),
        None => scored,
    };
    best(index, scored, query)
}

/// Joins what words found with how near each document is; a name that was given whole stays first.
fn with_meaning(index: &Index, scored: Vec<Scored>, by: (&str, &[f32]), filter: &Filter) -> Vec<Scored> {
    let (text, nearness) = by;
    let joint = Joint::new(text, scored.iter().map(|found| found.score).collect());
    let mut words: Vec<Option<f32>> = vec![None; index.documents.len()];
    for found in scored {
        if let Some(place) = words.get_mut(found.document as usize) {
            *place = Some(found.score);
        }
    }
    let mut out = Vec::new();
    for (((found, &cosine), document), id) in words.into_iter().zip(nearness).zip(&index.documents).zip(0..) {
        if !filter.passes(document) {
            continue;
        }
        if let Some(score) = joint.score(found, cosine) {
            let named = found.filter(|&found| found >= WHOLE_NAME).unwrap_or_default();
            out.push(Scored { document: id, score: score + named });
        }
    }
    out
}

/// A document with its score.
struct Scored {
    document: u32,
    score: f32,
}

/// Sorts only as far as the page reaches.
fn best(index: &Index, mut scored: Vec<Scored>, query: &Query) -> Page {
    let order = |found: &Scored| index.documents.get(found.document as usize).map(|document| document.place.order);
    let by_score = |a: &Scored, b: &Scored| match b.score.total_cmp(&a.score) {
        Ordering::Equal => order(a).cmp(&order(b)),
        ordering @ (Ordering::Less | Ordering::Greater) => ordering,
    };
    let total = scored.len();
    let end = query.offset.saturating_add(query.limit).min(total);
    if end > 0 && end < total {
        scored.select_nth_unstable_by(end - 1, by_score);
    }
    scored.truncate(end);
    scored.sort_unstable_by(by_score);
    let page = scored.iter().skip(query.offset);
    let hits = page.filter_map(|found| {
        let document = index.documents.get(found.document as usize)?;
        Some(Hit { definition: Arc::clone(&document.definition), score: found.score })
    });
    Page { hits: hits.collect(), total }
}

/// What the filters of a request let pass, by the numbers of groups and categories.
struct Filter {
    group: Option<HashSet<u32>>,
    category: Option<HashSet<u32>>,
    risk: Option<RiskFilter>,
    kind: Option<ToolKind>,
}

impl Filter {
    fn of(index: &Index, query: &Query) -> Self {
        let numbers = |wanted: &Option<String>, known: &HashMap<String, u32>| {
            let wanted = wanted.as_deref()?.to_lowercase();
            Some(known.iter().filter(|(name, _)| name.to_lowercase() == wanted).map(|(_, &number)| number).collect())
        };
        Self {
            group: numbers(&query.group, &index.group_numbers),
            category: numbers(&query.category, &index.categories),
            risk: query.risk,
            kind: query.kind,
        }
    }

    fn passes(&self, document: &Document) -> bool {
        let within = |numbers: &Option<HashSet<u32>>, number: u32| {
            numbers.as_ref().is_none_or(|numbers| numbers.contains(&number))
        };
        document.alive
            && within(&self.group, document.place.group)
            && within(&self.category, document.place.category)
            && self.risk.is_none_or(|risk| risk.passes(&document.definition))
            && self.kind.is_none_or(|kind| kind.passes(&document.definition))
    }
}

/// What was found of one document so far.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// The sum over the wanted words.
    score: f32,
    /// The rarities that were covered.
    covered: f32,
    /// How well the words of its name were asked for, all together.
    name: f32,
    /// The best alternative of the wanted word with this number.
    best: f32,
    number: u32,
}

fn score(index: &Index, text: &str, request: &Request, filter: &Filter) -> Vec<Scored> {
    let mut sums = vec![Sum::default(); index.documents.len()];
    let mut full = 0.0_f32;
    for (wanted, number) in request.wanted.iter().zip(1..) {
        full += take(index, &mut sums, wanted, number);
    }
    let full = full.max(f32::EPSILON);
    for &term in &request.written {
        favour(index, &mut sums, term);
    }
    for (term, weight) in asked_terms(request) {
        for document in index.postings.in_names(term) {
            if let Some(sum) = sums.get_mut(document as usize) {
                sum.name += weight;
            }
        }
    }
    let named = index.named_groups(&request.names);
    let mut literal: Vec<(u32, Literal)> = Vec::new();
    index.literals.find(&text.to_lowercase(), |document, place| literal.push((document, place)));
    if let Some(id) = spelt_out(index, text) {
        literal.retain(|(document, _)| *document != id);
        literal.push((id, Literal::WholeName));
    }

    let mut out: Vec<Scored> = Vec::new();
    let mut top = 0.0_f32;
    for ((sum, document), id) in sums.iter().zip(&index.documents).zip(0..) {
        if sum.score == 0.0 || !filter.passes(document) {
            continue;
        }
        let coverage = (sum.covered / full).min(1.0);
        let name = sum.name / f32::from(document.name_length.max(1));
        let action = action_factor(request.actions, document.actions)
            * count_factor(request.count, index.lexicon, document.actions)
            * if named.is_empty() || named.contains(&document.place.group) { 1.0 } else { OTHER_GROUP };
        let score = (sum.score * (1.0 - COVERAGE + COVERAGE * coverage) + NAME_SHARE * name * coverage) * action;
        top = top.max(score);
        out.push(Scored { document: id, score });
    }
    out.retain(|found| found.score >= top * NOISE);
    add_literal(index, &literal, filter, out)
}

/// Finds the tool whose name the request is, with blanks for what joins its words: `git stash pop`.
fn spelt_out(index: &Index, text: &str) -> Option<u32> {
    let name = text.split_whitespace().collect::<Vec<_>>().join("_").to_lowercase();
    index.names.get(name.as_str()).copied()
}

/// Adds what contains the request literally to what was found by words, in rising order.
fn add_literal(index: &Index, literal: &[(u32, Literal)], filter: &Filter, mut out: Vec<Scored>) -> Vec<Scored> {
    let known = out.len();
    for &(id, place) in literal {
        let bonus = match place {
            Literal::Text => IN_TEXT,
            Literal::Name => IN_NAME,
            Literal::WholeName => WHOLE_NAME,
        };
        let found = out.get(..known).and_then(|known| known.binary_search_by_key(&id, |found| found.document).ok());
        match found.and_then(|at| out.get_mut(at)) {
            Some(found) => found.score += bonus,
            None => {
                if index.documents.get(id as usize).is_some_and(|document| filter.passes(document)) {
                    out.push(Scored { document: id, score: bonus });
                }
            }
        }
    }
    out
}

/// Terms that were asked for with how well, sorted by term.
fn asked_terms(request: &Request) -> Vec<(u32, f32)> {
    let mut terms: Vec<(u32, f32)> =
        request.wanted.iter().flat_map(|wanted| wanted.alternatives.iter().copied()).collect();
    terms.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    terms.dedup_by_key(|(term, _)| *term);
    terms
}

fn action_factor(asked: Actions, tool: Actions) -> f32 {
    match (asked.is_none() || tool.is_none(), asked.meets(tool)) {
        (true, _) => 1.0,
        (false, true) => ACTION_FITS,
        (false, false) => ACTION_DIFFERS,
    }
}

fn count_factor(asked: Count, lexicon: &Lexicon, tool: Actions) -> f32 {
    let (lists, looks) = (lexicon.lists(tool), lexicon.may_look(tool));
    match asked {
        Count::Given if lists || lexicon.searches(tool) => LISTS_FOR_GIVEN,
        Count::One if lists => LISTS_FOR_ONE,
        Count::Many if lists => LISTS_FOR_MANY,
        Count::Many if looks => SHOWS_FOR_MANY,
        Count::Unknown | Count::Given | Count::One | Count::Many => 1.0,
    }
}

/// Favours documents that were found already and have a word of the request in their name as it is written.
fn favour(index: &Index, sums: &mut [Sum], term: u32) {
    for posting in index.postings.list(term) {
        if let Some(sum) = sums.get_mut(posting.document as usize).filter(|sum| sum.score > 0.0) {
            sum.score += WRITTEN;
        }
    }
}

/// Adds the wanted word with a number of its own; returns its full worth.
fn take(index: &Index, sums: &mut [Sum], wanted: &query::Wanted, number: u32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a count of tools")]
    let total = index.names.len() as f32;
    if wanted.unknown {
        return wanted.weight * rarity(total, 0.0);
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of tools")]
    let value = |term: u32, weight: f32| rarity(total, index.postings.frequency(term) as f32) * weight * wanted.weight;
    let worth = wanted.alternatives.iter().map(|&(term, weight)| value(term, weight)).fold(0.0, f32::max);
    for &(term, weight) in &wanted.alternatives {
        let value = value(term, weight);
        for posting in index.postings.list(term) {
            let Some(sum) = sums.get_mut(posting.document as usize) else { continue };
            if sum.number != number {
                (sum.number, sum.best) = (number, 0.0);
            }
            let found = value * posting.impact();
            if found > sum.best {
                sum.score += found - sum.best;
                sum.covered += worth.min(found * 2.0) - worth.min(sum.best * 2.0);
                sum.best = found;
            }
        }
    }
    worth
}

/// BM25's inverse document frequency, never below 0.
fn rarity(total: f32, with_term: f32) -> f32 {
    (1.0 + (total - with_term + 0.5) / (with_term + 0.5)).ln()
}
