//! Commands that were judged before in the same state: the same words do the same again.
//!
//! A line of 64 KiB may hold 32,000 commands, most of them the same few. What one of them did is kept as long as nothing
//! that it may depend on changes; a command that itself changes something is not kept. What a repetition spends counts
//! against the bounds as if it had been judged anew.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use brush_parser::ast::{self, CommandPrefixOrSuffixItem as Item};

use super::explain::Part;
use super::record::Stretch;
use super::walk::Walker;
use super::word::{Stream, Word};

/// The most commands that are kept, and the longest of them, in bytes.
const MAX_KEPT: (usize, usize) = (64, 256);
/// The most parts at one level that name each repetition of a command.
const MAX_PARTS: usize = 1_024;

/// Where a command stands: the same one may be judged again at another level, and then at this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Level {
    branches: usize,
    widest: usize,
    apart: bool,
    depth: usize,
    in_function: usize,
    is_argument: bool,
}

/// What a command may depend on, beside its words and its level.
#[derive(Debug, PartialEq)]
struct Stamp {
    tables: [u64; 5],
    sockets: usize,
    folder: Option<String>,
    positional: Rc<Vec<Word>>,
    picture: bool,
    defined: usize,
    locals: usize,
    matched: usize,
}

/// What a command did.
#[derive(Debug)]
struct Known {
    parts: Vec<Part>,
    out: Stream,
    widest: usize,
    /// In units of the budget.
    spent: u64,
    changes: Stretch,
}

/// The commands that are kept.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    stamp: Option<Stamp>,
    known: BTreeMap<(Level, String), Known>,
}

impl Walker<'_> {
    /// Runs a simple command through `judge`, or repeats what it did before.
    pub(crate) fn remembered(
        &mut self,
        command: &ast::SimpleCommand,
        stdin: &Stream,
        judge: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let plain = *stdin == Stream::default()
            && self.trail.is_empty()
            && self.calling.is_empty()
            && self.feeding.is_empty()
            && self.state.choice == 0
            && !self.guessing
            && !self.endless;
        let Some(text) = plain.then(|| key(command)).flatten() else { return judge(self) };
        let key = (self.level(), text);
        let stamp = self.stamp();
        if self.memo.stamp.as_ref() != Some(&stamp) {
            self.memo.known.clear();
            self.memo.stamp = Some(stamp);
        } else if let Some(known) = self.memo.known.get(&key) {
            let (out, widest, spent) = (known.out.clone(), known.widest, known.spent);
            let changes = known.changes.clone();
            if self.budget.pay_units(spent) {
                self.record_again(changes);
                if self.parts.len() < MAX_PARTS
                    && let Some(known) = self.memo.known.get(&key)
                {
                    self.parts.extend(known.parts.iter().cloned());
                }
                self.state.widest = self.state.widest.max(widest);
                return out;
            }
        }
        let (before, from, parts) = (self.budget.left(), self.state.widest, self.parts.len());
        let written = self.record_mark();
        let out = judge(self);
        let widest = core::mem::replace(&mut self.state.widest, from);
        let same = self.memo.stamp.as_ref() == Some(&self.stamp());
        self.state.widest = from.max(widest);
        if same && self.memo.known.len() < MAX_KEPT.0 {
            let parts = self.parts.get(parts..).unwrap_or_default().to_vec();
            let spent = before.saturating_sub(self.budget.left());
            let changes = self.stretch(written);
            self.memo.known.insert(key, Known { parts, out: out.clone(), widest, spent, changes });
        }
        out
    }

    fn level(&self) -> Level {
        Level {
            branches: self.state.branches,
            widest: self.state.widest,
            apart: self.apart > 0,
            depth: self.depth,
            in_function: self.in_function,
            is_argument: self.arguments > 0,
        }
    }

    fn stamp(&self) -> Stamp {
        let state = &self.state;
        Stamp {
            tables: [
                state.variables.changes(),
                state.functions.changes(),
                state.aliases.changes(),
                state.files.changes(),
                state.descriptors.changes(),
            ],
            sockets: state.sockets.len(),
            folder: state.folder.clone(),
            positional: Rc::clone(&state.positional),
            picture: state.picture,
            defined: self.defined.len(),
            locals: self.locals.len(),
            matched: self.matched.len(),
        }
    }
}

/// Makes one text of a command's words as they are written; none where it has redirects or is long.
fn key(command: &ast::SimpleCommand) -> Option<String> {
    let mut out = String::new();
    let mut add = |mark: char, text: &str| {
        out.push(mark);
        out.push_str(text);
        out.len() <= MAX_KEPT.1
    };
    if command.prefix.is_some() {
        return None;
    }
    if let Some(name) = &command.word_or_name
        && !add('\u{1}', &name.value)
    {
        return None;
    }
    for item in command.suffix.iter().flat_map(|suffix| suffix.0.iter()) {
        let added = match item {
            Item::Word(word) => add('\u{2}', &word.value),
            Item::AssignmentWord(_, word) => add('\u{3}', &word.value),
            Item::IoRedirect(_) | Item::ProcessSubstitution(..) => false,
        };
        if !added {
            return None;
        }
    }
    Some(out)
}
