//! What is written down, while a line is walked, of what it changes.
//!
//! A program's arguments are read by the same tables as for the judgement; what deletes or discards and is in none of
//! the tables here is named in words.

mod files;
mod repository;

pub(crate) use files::search_names;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::{Change, Trait};

use super::arguments::Arguments;
use super::budget::Work;
use super::explain::Part;
use super::walk::Walker;
use super::word::{HOLE, SHORT_LIVED, Taint, Word};
use crate::change::{Changes, How, PathText, Reach, Target};
use crate::rules::{Effect, programs};

/// The most targets that are named for one line.
const MAX_TARGETS: usize = 4_096;

/// What was written down so far.
#[derive(Debug, Default)]
pub(crate) struct Record {
    changes: Changes,
    /// The parts whose changes are named.
    named: Vec<String>,
}

/// What was written down of a stretch of a line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stretch {
    targets: Vec<Target>,
    unnamed: Vec<String>,
    named: Vec<String>,
}

/// How much is written down: targets, phrases, parts.
pub(crate) type Mark = (usize, usize, usize);

/// Takes out what was written down of the line so far; nothing is written down from then on.
pub(crate) fn changes(walker: &mut Walker<'_>) -> Changes {
    let Record { mut changes, named } = walker.record.take().unwrap_or_default();
    let named: BTreeSet<String> = named.into_iter().collect();
    let mut seen: BTreeSet<String> = changes.unnamed.iter().cloned().collect();
    unnamed(&walker.parts, &named, &mut seen, &mut changes.unnamed);
    if walker.budget.is_spent() {
        changes.unnamed.push("what a line changes that takes too much work to understand".to_string());
    }
    changes
}

/// Names in words what is lost for good and was not written down.
fn unnamed(parts: &[Part], named: &BTreeSet<String>, seen: &mut BTreeSet<String>, out: &mut Vec<String>) {
    for part in parts {
        let lost = match part.effect {
            Effect::Delete | Effect::Discard | Effect::DestroyDisk | Effect::DeleteRemote | Effect::Publish => true,
            Effect::Unknown => part.rule.is_of_bounds(),
            Effect::Read
            | Effect::ReadSecret
            | Effect::Write
            | Effect::Permission
            | Effect::System
            | Effect::Stop
            | Effect::Exhaust
            | Effect::RunForeign
            | Effect::Run
            | Effect::SendSecret
            | Effect::Network
            | Effect::Unprotect => false,
        };
        if lost && !named.contains(&part.text) {
            let text = format!("what `{}` changes", part.text);
            if out.len() < MAX_TARGETS && seen.insert(text.clone()) {
                out.push(text);
            }
        }
        unnamed(&part.parts, named, seen, out);
    }
}

fn push_once(out: &mut Vec<String>, text: String) {
    if out.len() < MAX_TARGETS && !out.contains(&text) {
        out.push(text);
    }
}

/// Leaves open what `*`, `?` and `[…]` stand for in a name.
fn open(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    // A bracket that does not close is looked for once.
    let mut closes = true;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        let behind = if letter == '[' && closes { rest.split_once(']') } else { None };
        match (letter, behind) {
            ('[', Some((_, behind))) => {
                out.push(HOLE);
                rest = behind;
            }
            ('[', None) => {
                closes = false;
                out.push(letter);
            }
            ('*' | '?', _) => out.push(HOLE),
            _ => out.push(letter),
        }
    }
    out
}

impl Walker<'_> {
    /// Writes down what a program that was just judged changes.
    pub(crate) fn record_program(&mut self, name: &str, arguments: &[Word], part: &Part) {
        if self.record.is_none() || self.guessing {
            return;
        }
        let inside = |label: &str| programs::is(label.split(' ').next().unwrap_or(label), Trait::Elsewhere);
        if self.trail.iter().any(|label| inside(label)) {
            return;
        }
        let sorted = Arguments::new(name, arguments);
        let change = programs::find(name).map_or(Change::Nothing, |program| program.facts().change);
        if sorted.is_dry() && change != Change::Repository {
            return self.named(part);
        }
        if self.record_files(name, change, &sorted, part) {
            self.named(part);
        }
    }

    /// Writes down that a redirect writes a file.
    pub(crate) fn record_redirect(&mut self, target: &Word) {
        let text = target.text.clone();
        if super::redirect::is_socket(&text) {
            return;
        }
        self.change(target, How::Write, Reach::Itself, &format!("> {text}"));
        if let Some(record) = &mut self.record {
            record.named.push(text);
        }
    }

    /// Notes how much is written down, to be given to [`Walker::stretch`].
    pub(crate) fn record_mark(&self) -> Mark {
        let mark = |record: &Record| (record.changes.targets.len(), record.changes.unnamed.len(), record.named.len());
        self.record.as_ref().map(mark).unwrap_or_default()
    }

    /// Returns what was written down since.
    pub(crate) fn stretch(&self, (targets, unnamed, named): Mark) -> Stretch {
        let Some(record) = &self.record else { return Stretch::default() };
        Stretch {
            targets: record.changes.targets.get(targets..).unwrap_or_default().to_vec(),
            unnamed: record.changes.unnamed.get(unnamed..).unwrap_or_default().to_vec(),
            named: record.named.get(named..).unwrap_or_default().to_vec(),
        }
    }

    /// Writes the same down again.
    pub(crate) fn record_again(&mut self, stretch: Stretch) {
        for target in stretch.targets {
            self.target(target);
        }
        if let Some(record) = &mut self.record {
            stretch.unnamed.into_iter().for_each(|text| push_once(&mut record.changes.unnamed, text));
            record.named.extend(stretch.named);
        }
    }

    /// Notes how much is written down, to be given to [`Walker::widen`].
    pub(crate) fn recorded(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.changes.targets.len())
    }

    /// Widens what was written down since to everything below the start of a search, of which the words were a guess.
    pub(crate) fn widen(&mut self, since: usize, start: &Word, names: &[String]) {
        let Some(path) = self.path_text(start) else { return };
        let Some(record) = &mut self.record else { return };
        for target in record.changes.targets.iter_mut().skip(since) {
            if let Target::Path { how, .. } = target {
                *target = Target::Path { path: path.clone(), how: *how, reach: Reach::Tree, names: names.to_vec() };
            }
        }
    }

    /// Makes of patterns the names that they stand for, where a shell expands them before a variable keeps them: quoted as
    /// `"$f"` they are no patterns any more. What of a name the pattern leaves open is not known.
    pub(crate) fn names_found(&self, words: Vec<Word>) -> Vec<Word> {
        let is_recorded = self.record.is_some();
        let found = |word: Word| {
            if !word.glob {
                return word;
            }
            let mark = if self.is_secret_word(&word) { Taint::NAMES_SECRETS } else { Taint::NONE };
            let taint = word.taint | mark;
            match is_recorded {
                true => Word { text: open(&word.text), glob: false, taint, ..word },
                false => Word { taint, ..word },
            }
        };
        words.into_iter().map(found).collect()
    }

    fn named(&mut self, part: &Part) {
        if let Some(record) = &mut self.record {
            record.named.push(part.text.clone());
        }
    }

    /// Writes one path down, or says in words that it is not known.
    fn change(&mut self, word: &Word, how: How, reach: Reach, part: &str) {
        let place = self.place(word);
        if place.is_sink() || word.text.is_empty() {
            return;
        }
        match self.path_text(word) {
            Some(path) => self.target(Target::Path { path, how, reach, names: Vec::new() }),
            None => self.cannot_name(part),
        }
    }

    fn target(&mut self, target: Target) {
        let paid = self.budget.pay(Work::Note, 2);
        let Some(record) = self.record.as_mut().filter(|_| paid) else { return };
        if record.changes.targets.len() < MAX_TARGETS {
            record.changes.targets.push(target);
        } else {
            push_once(&mut record.changes.unnamed, "what more than 4,096 names in one line stand for".to_string());
        }
    }

    fn cannot_name(&mut self, part: &str) {
        // It is compared with all that were written down.
        let before = self.record.as_ref().map_or(0, |record| record.changes.unnamed.len());
        let paid = self.budget.pay(Work::Scan, 8 * before + part.len());
        if let Some(record) = self.record.as_mut().filter(|_| paid) {
            let part = part.replace(SHORT_LIVED, "…").replace(HOLE, "…");
            push_once(
                &mut record.changes.unnamed,
                format!("what `{part}` changes: its names are not known before it runs"),
            );
        }
    }

    /// Makes a path of a word; none where its text does not tell enough. An unknown part of a name is a `*`.
    pub(crate) fn path_text(&self, word: &Word) -> Option<PathText> {
        let folder = self.state.folder.clone();
        if folder.as_ref().is_some_and(|folder| folder.contains(HOLE)) && !word.text.starts_with(['/', '~']) {
            return None;
        }
        if word.is_known() {
            return Some(PathText { folder, text: word.text.clone(), pattern: word.glob });
        }
        // Only where enough of the last name is known that few others have it.
        let (before, last) = word.text.rsplit_once('/').unwrap_or(("", &word.text));
        let known = last.chars().filter(|letter| !matches!(letter, &HOLE | '.' | '*' | '?')).count();
        if before.contains(HOLE) || known < 2 {
            return None;
        }
        let mut text = String::new();
        for letter in word.text.chars() {
            match letter {
                HOLE => text.push('*'),
                '*' | '?' | '[' if !word.glob => {
                    text.push('[');
                    text.push(letter);
                    text.push(']');
                }
                letter => text.push(letter),
            }
        }
        Some(PathText { folder, text, pattern: true })
    }
}
