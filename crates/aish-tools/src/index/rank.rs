//! The score of a document, and the best of all.
//!
//! Score = (sum over wanted words of the best alternative's weight x rarity x impact) x share of the request that is covered,
//! plus how much of the tool's own name was asked for, times how well the kind of doing fits, plus the literal find.
//! Rarity is BM25's inverse document frequency (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).

use std::cmp::Ordering;
use std::sync::Arc;

use super::document::Document;
use super::literal::Literal;
use super::page::{Hit, Page, Query};
use super::query::{self, Request};
use super::{Index, lexicon::Actions};

/// How much the share of the request that is covered counts.
const COVERAGE: f32 = 0.6;
/// What a name that was asked for wholly adds, in rarities.
const NAME_SHARE: f32 = 2.5;
/// What a word of the name as it was written adds, in rarities.
const WRITTEN: f32 = 0.35;
/// Factors of a kind of doing that fits, and of one that does not.
const ACTION_FITS: f32 = 1.25;
const ACTION_DIFFERS: f32 = 0.72;
/// What a literal find adds.
const IN_TEXT: f32 = 0.5;
const IN_NAME: f32 = 3.0;
const WHOLE_NAME: f32 = 1_000.0;
/// What scores below this share of the best, and does not contain the request literally, is no find.
const NOISE: f32 = 0.12;

/// Finds tools.
pub(super) fn search(index: &Index, query: &Query) -> Page {
    let passes = filter(query);
    let text = query.text.as_deref().map(str::trim).unwrap_or_default();
    if text.is_empty() {
        let mut all: Vec<&Document> = index.documents.iter().filter(|document| passes(document)).collect();
        all.sort_by_key(|document| document.order);
        let hits = all.iter().skip(query.offset).take(query.limit);
        let hits = hits.map(|document| Hit { definition: Arc::clone(&document.definition), score: 0.0 }).collect();
        return Page { hits, total: all.len() };
    }
    let scored = score(index, text, &passes);
    best(index, scored, query)
}

/// A document with its score.
struct Scored {
    document: u32,
    order: u64,
    score: f32,
}

/// Sorts only as far as the page reaches.
fn best(index: &Index, mut scored: Vec<Scored>, query: &Query) -> Page {
    let by_score = |a: &Scored, b: &Scored| match b.score.total_cmp(&a.score) {
        Ordering::Equal => a.order.cmp(&b.order),
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

fn filter(query: &Query) -> impl Fn(&Document) -> bool {
    let lower = |text: &Option<String>| text.as_deref().map(str::to_lowercase);
    let (category, group) = (lower(&query.category), lower(&query.group));
    let same =
        |wanted: &Option<String>, have: &str| wanted.as_deref().is_none_or(|wanted| have.to_lowercase() == wanted);
    move |document: &Document| {
        document.alive && same(&category, &document.definition.category) && same(&group, &document.definition.group)
    }
}

/// Room for the sums, one place a document.
struct Sums {
    /// The sum of the wanted words that were found so far.
    score: Vec<f32>,
    /// The rarities that were covered.
    covered: Vec<f32>,
    /// The best alternative of the word that is being looked at.
    current: Vec<f32>,
    /// Documents that the current word touched.
    touched: Vec<u32>,
    /// Documents that any word touched.
    found: Vec<u32>,
}

fn score(index: &Index, text: &str, passes: &impl Fn(&Document) -> bool) -> Vec<Scored> {
    let request = query::read(text, index.lexicon, &index.postings);
    let count = index.documents.len();
    let zeros = || vec![0.0_f32; count];
    let mut sums = Sums { score: zeros(), covered: zeros(), current: zeros(), touched: Vec::new(), found: Vec::new() };
    let mut full = 0.0_f32;
    for wanted in &request.wanted {
        full += sums.take(index, wanted);
    }
    let full = full.max(f32::EPSILON);
    for &term in &request.written {
        sums.favour(index, term);
    }
    let mut literal: Vec<(u32, Literal)> = Vec::new();
    index.literals.find(&text.to_lowercase(), |document, place| literal.push((document, place)));
    if let Some(id) = spelt_out(index, text) {
        literal.retain(|(document, _)| *document != id);
        literal.push((id, Literal::WholeName));
    }

    let named = asked_terms(&request);
    let mut out: Vec<Scored> = Vec::with_capacity(sums.found.len());
    let mut top = 0.0_f32;
    for &id in &sums.found {
        let at = id as usize;
        let (Some(document), Some(&score), Some(&covered)) =
            (index.documents.get(at), sums.score.get(at), sums.covered.get(at))
        else {
            continue;
        };
        if !passes(document) {
            continue;
        }
        let coverage = (covered / full).min(1.0);
        let name = name_share(document, &named);
        let action = action_factor(request.actions, document.actions);
        let score = (score * (1.0 - COVERAGE + COVERAGE * coverage) + NAME_SHARE * name * coverage) * action;
        top = top.max(score);
        out.push(Scored { document: id, order: document.order, score });
    }
    out.retain(|found| found.score >= top * NOISE);
    add_literal(index, &literal, passes, out)
}

/// Finds the tool whose name the request is, with blanks for what joins its words: `git stash pop`.
fn spelt_out(index: &Index, text: &str) -> Option<u32> {
    let name = text.split_whitespace().collect::<Vec<_>>().join("_").to_lowercase();
    index.names.get(&name.as_str().into()).copied()
}

/// Adds what contains the request literally.
fn add_literal(
    index: &Index,
    literal: &[(u32, Literal)],
    passes: &impl Fn(&Document) -> bool,
    mut out: Vec<Scored>,
) -> Vec<Scored> {
    if literal.is_empty() {
        return out;
    }
    out.sort_unstable_by_key(|found| found.document);
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
                if let Some(document) = index.documents.get(id as usize).filter(|document| passes(document)) {
                    out.push(Scored { document: id, order: document.order, score: bonus });
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

/// Returns how much of the tool's own name was asked for, 0 to 1.
fn name_share(document: &Document, asked: &[(u32, f32)]) -> f32 {
    if document.name_terms.is_empty() {
        return 0.0;
    }
    let weight = |term: &u32| {
        asked.binary_search_by_key(term, |(term, _)| *term).ok().and_then(|at| asked.get(at)).map_or(0.0, |(_, w)| *w)
    };
    let sum: f32 = document.name_terms.iter().map(weight).sum();
    #[expect(clippy::cast_precision_loss, reason = "a name has few words")]
    let length = document.name_terms.len() as f32;
    sum / length
}

fn action_factor(asked: Actions, tool: Actions) -> f32 {
    match (asked.is_none() || tool.is_none(), asked.meets(tool)) {
        (true, _) => 1.0,
        (false, true) => ACTION_FITS,
        (false, false) => ACTION_DIFFERS,
    }
}

impl Sums {
    /// Favours documents that were found already and have a word of the request in their name as it is written.
    fn favour(&mut self, index: &Index, term: u32) {
        for posting in index.postings.list(term) {
            if let Some(score) = self.score.get_mut(posting.document as usize).filter(|score| **score > 0.0) {
                *score += WRITTEN;
            }
        }
    }

    /// Adds one wanted word; returns its full worth.
    fn take(&mut self, index: &Index, wanted: &query::Wanted) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a count of tools")]
        let total = index.names.len() as f32;
        let mut worth = 0.0_f32;
        if wanted.unknown {
            return wanted.weight * rarity(total, 0.0);
        }
        for &(term, weight) in &wanted.alternatives {
            #[expect(clippy::cast_precision_loss, reason = "a count of tools")]
            let rarity = rarity(total, index.postings.frequency(term) as f32) * weight * wanted.weight;
            worth = worth.max(rarity);
            for posting in index.postings.list(term) {
                let at = posting.document as usize;
                let Some(current) = self.current.get_mut(at) else { continue };
                if *current == 0.0 {
                    self.touched.push(posting.document);
                }
                *current = current.max(rarity * posting.impact);
            }
        }
        for id in self.touched.drain(..) {
            let at = id as usize;
            let (Some(current), Some(score), Some(covered)) =
                (self.current.get_mut(at), self.score.get_mut(at), self.covered.get_mut(at))
            else {
                continue;
            };
            if *score == 0.0 {
                self.found.push(id);
            }
            *score += *current;
            *covered += worth.min(*current * 2.0);
            *current = 0.0;
        }
        worth
    }
}

/// BM25's inverse document frequency, never below 0.
fn rarity(total: f32, with_term: f32) -> f32 {
    (1.0 + (total - with_term + 0.5) / (with_term + 0.5)).ln()
}
