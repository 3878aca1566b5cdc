//! Which document has which term, and how much it means there.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use aish_types::record::{RecordReader, RecordWriter};

/// A term's number.
pub(super) type TermId = u32;

/// One document of a term's list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    /// The document.
    pub(super) document: u32,
    /// How much the term means there, in steps of 1/65,535.
    impact: u16,
    /// True when the term is of the tool's own name, and not of its group's.
    pub(super) in_name: bool,
}

impl Posting {
    /// Makes a posting; `impact` is 0 to 1: weighted frequency after length and saturation.
    pub(super) fn new(document: u32, impact: f32, in_name: bool) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float to integer cast saturates"
        )]
        let impact = (impact * f32::from(u16::MAX)).ceil() as u16;
        Self { document, impact, in_name }
    }

    /// Returns how much the term means in the document, 0 to 1.
    pub(super) fn impact(self) -> f32 {
        f32::from(self.impact) * (1.0 / 65_535.0)
    }
}

/// A term: its documents, dead ones among them, and how many are alive.
#[derive(Debug, Default)]
struct Term {
    list: Vec<Posting>,
    alive: u32,
    /// True when it is of any tool's own name.
    in_names: bool,
}

/// The inverted index. Stems are terms; the words as written lead to them, for prefixes and slips.
#[derive(Debug, Default)]
pub(super) struct Postings {
    ids: HashMap<Box<str>, TermId>,
    terms: Vec<Term>,
    written: BTreeMap<Box<str>, TermId>,
    /// Words that were read before: their term, or none for those that say nothing. Spares stemming them again.
    read: HashMap<Box<str>, Option<TermId>>,
}

impl Postings {
    /// Returns a stem's number, made when it is new.
    pub(super) fn intern(&mut self, stem: &str) -> TermId {
        if let Some(&id) = self.ids.get(stem) {
            return id;
        }
        let id = TermId::try_from(self.terms.len()).unwrap_or(TermId::MAX);
        self.terms.push(Term::default());
        self.ids.insert(stem.into(), id);
        id
    }

    /// Returns the term of a word as it is written; a new word is read by `stem`, which says nothing of a filler.
    pub(super) fn word(&mut self, word: &str, stem: impl FnOnce() -> Option<String>) -> Option<TermId> {
        if let Some(&known) = self.read.get(word) {
            return known;
        }
        let id = stem().map(|stem| self.intern(&stem));
        if let Some(id) = id {
            self.written.insert(word.into(), id);
        }
        self.read.insert(word.into(), id);
        id
    }

    /// Adds a document to a term's list. Documents come in rising order.
    pub(super) fn add(&mut self, id: TermId, posting: Posting) {
        if let Some(term) = self.terms.get_mut(id as usize) {
            term.list.push(posting);
            term.alive += 1;
            term.in_names |= posting.in_name;
        }
    }

    /// Takes over what was read apart, of documents that come after those that are here. Terms get the numbers that reading
    /// all in one would have given them.
    pub(super) fn absorb(&mut self, other: Self) {
        if self.terms.is_empty() {
            *self = other;
            return;
        }
        let mut stems: Vec<(TermId, Box<str>)> = other.ids.into_iter().map(|(stem, id)| (id, stem)).collect();
        stems.sort_unstable_by_key(|&(id, _)| id);
        let numbers: Vec<TermId> = stems.iter().map(|(_, stem)| self.intern(stem)).collect();
        for (&id, there) in numbers.iter().zip(other.terms) {
            if let Some(here) = self.terms.get_mut(id as usize) {
                here.list.extend(there.list);
                here.alive += there.alive;
                here.in_names |= there.in_names;
            }
        }
        let here = |id: TermId| numbers.get(id as usize).copied().unwrap_or(id);
        self.written.extend(other.written.into_iter().map(|(word, id)| (word, here(id))));
        self.read.extend(other.read.into_iter().map(|(word, id)| (word, id.map(here))));
    }

    /// Writes everything: lists as steps from document to document.
    pub(super) fn write(&self, out: &mut RecordWriter) {
        let mut stems: Vec<(&str, TermId)> = self.ids.iter().map(|(stem, &id)| (&**stem, id)).collect();
        stems.sort_unstable_by_key(|&(_, id)| id);
        out.number(stems.len() as u64);
        for ((stem, _), term) in stems.into_iter().zip(&self.terms) {
            out.text(stem);
            out.number(term.list.len() as u64);
            let mut before = 0;
            for posting in &term.list {
                let step = u64::from(posting.document.wrapping_sub(before));
                out.number(step << 1 | u64::from(posting.in_name));
                out.number(u64::from(posting.impact));
                before = posting.document;
            }
        }
        out.number(self.read.len() as u64);
        for (word, id) in &self.read {
            out.text(word);
            out.number(id.map_or(0, |id| u64::from(id) + 1));
        }
    }

    /// Reads what was written of this many documents, all alive; nothing where it is not whole.
    pub(super) fn read(from: &mut RecordReader<'_>, documents: u32) -> Option<Self> {
        let mut postings = Self::default();
        for _ in 0..from.count(2)? {
            let id = postings.intern(from.text()?);
            let count = from.count(2)?;
            let mut list = Vec::with_capacity(count);
            let (mut document, mut in_names) = (0_u32, false);
            for _ in 0..count {
                let step = from.number()?;
                document = document.checked_add(u32::try_from(step >> 1).ok()?).filter(|&at| at < documents)?;
                let (impact, in_name) = (u16::try_from(from.number()?).ok()?, step & 1 == 1);
                in_names |= in_name;
                list.push(Posting { document, impact, in_name });
            }
            let alive = u32::try_from(list.len()).ok()?;
            *postings.terms.get_mut(id as usize)? = Term { list, alive, in_names };
        }
        for _ in 0..from.count(2)? {
            let (word, id) = (from.text()?, u32::try_from(from.number()?).ok()?.checked_sub(1));
            if let Some(id) = id {
                postings.terms.get(id as usize)?;
                postings.written.insert(word.into(), id);
            }
            postings.read.insert(word.into(), id);
        }
        Some(postings)
    }

    /// Gives back the room that lists keep for more.
    pub(super) fn shrink(&mut self) {
        self.terms.iter_mut().for_each(|term| term.list.shrink_to_fit());
    }

    /// Takes a dead document out of the counts.
    pub(super) fn forget(&mut self, terms: &[TermId]) {
        for &id in terms {
            if let Some(term) = self.terms.get_mut(id as usize) {
                term.alive = term.alive.saturating_sub(1);
            }
        }
    }

    /// Looks a stem up; a term that is in no living document is not there.
    pub(super) fn id(&self, stem: &str) -> Option<TermId> {
        self.ids.get(stem).copied().filter(|&id| self.frequency(id) > 0)
    }

    /// Counts the living documents that have a term.
    pub(super) fn frequency(&self, id: TermId) -> u32 {
        self.terms.get(id as usize).map_or(0, |term| term.alive)
    }

    /// Returns a term's list.
    pub(super) fn list(&self, id: TermId) -> &[Posting] {
        self.terms.get(id as usize).map_or(&[], |term| &term.list)
    }

    /// Returns a term's documents that have it in their own name.
    pub(super) fn in_names(&self, id: TermId) -> impl Iterator<Item = u32> {
        let term = self.terms.get(id as usize).filter(|term| term.in_names);
        let list = term.map_or(&[][..], |term| &term.list);
        list.iter().filter(|posting| posting.in_name).map(|posting| posting.document)
    }

    /// Returns the written words that begin with a text and are longer.
    pub(super) fn with_prefix<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, TermId)> {
        let from = (Bound::Excluded(prefix), Bound::Unbounded);
        let range = self.written.range::<str, _>(from).take_while(move |(word, _)| word.starts_with(prefix));
        range.map(|(word, &id)| (word.as_ref(), id)).filter(|&(_, id)| self.frequency(id) > 0)
    }

    /// Returns the written words that begin with the same character.
    pub(super) fn with_first_of<'s>(&'s self, word: &'s str) -> impl Iterator<Item = (&'s str, TermId)> {
        let first = word.chars().next().map_or(0, char::len_utf8);
        self.with_prefix(word.get(..first).unwrap_or_default())
    }
}
