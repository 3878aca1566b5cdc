//! Loops: the first round, later ones that find other values, and what is left in variables.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use brush_parser::ast;

use super::budget::Work;
use super::state::{MAX_ALTERNATIVES, Values};
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::rules::Effect;
use crate::verdict::Verdict;

/// After how many more rounds what still changes is taken for what is not known.
const KNOWN_ROUNDS: usize = 3;

/// How many more rounds are looked at.
const MAX_ROUNDS: usize = 12;

/// What a round began with, beside variables.
pub(crate) struct Began {
    folder: Option<String>,
    functions: u64,
    positional: Rc<Vec<Word>>,
}

impl Walker<'_> {
    /// Returns what a round begins with.
    pub(crate) fn began(&self) -> Began {
        Began {
            folder: self.state.folder.clone(),
            functions: self.state.functions.changes(),
            positional: Rc::clone(&self.state.positional),
        }
    }

    /// Says whether functions and arguments are what a round began with.
    fn is_as(&self, began: &Began) -> bool {
        self.state.functions.changes() == began.functions && self.state.positional == began.positional
    }

    /// Says whether the folder is the one that a round began in.
    fn is_where(&self, began: &Began) -> bool {
        self.state.folder == began.folder
    }

    /// Walks a body that may run any number of times: once here, and on the side as often as it finds something new.
    pub(crate) fn repeated(
        &mut self,
        endless: bool,
        body: impl FnOnce(&mut Self) -> Stream,
        round: impl Fn(&mut Walker<'_>),
    ) -> Stream {
        let began = self.began();
        let loops = core::mem::replace(&mut self.endless, endless);
        let depth = self.state.begin_branch();
        let out = body(self);
        let names = self.state.end_branch(depth);
        self.endless = loops;
        self.goes_round(&began, names, round);
        out
    }

    /// Judges the later rounds of a loop that changed something: its variables, functions and arguments, or the folder, where
    /// the same names mean other files.
    fn goes_round(&mut self, began: &Began, names: Vec<String>, round: impl Fn(&mut Walker<'_>)) {
        let is_same = names.is_empty() && self.is_as(began) && self.is_where(began);
        if self.guessing || is_same || self.verdict() > Verdict::Allow {
            return;
        }
        let mut left: Vec<(String, Values)> = Vec::new();
        let verdict = self.verdict_on(|walker| {
            walker.state.rewalks = true;
            let seen = walker.later_rounds(names, round);
            walker.state.rewalks = false;
            left = seen
                .into_iter()
                .filter_map(|name| walker.state.variables.get(&name).cloned().map(|values| (name, values)))
                .collect();
        });
        for (name, values) in left {
            self.state.set_to(&name, values);
        }
        if verdict > Verdict::Allow {
            let reason = "does something else in a later round of a loop";
            self.note_plain("", Verdict::Ask, Effect::Unknown, "shell.loop", reason);
        }
    }

    /// Walks rounds until one finds nothing new; returns the variables that changed in any.
    fn later_rounds(&mut self, names: Vec<String>, round: impl Fn(&mut Walker<'_>)) -> BTreeSet<String> {
        let mut seen: BTreeSet<String> = names.into_iter().collect();
        let mut forgotten: BTreeSet<String> = BTreeSet::new();
        for at in 0..MAX_ROUNDS {
            let began = self.began();
            let depth = self.state.begin_branch();
            for name in &forgotten {
                let taint = self.taint_of_all(&seen);
                self.state.forget(name, taint);
            }
            round(self);
            let mut names = self.state.end_branch(depth);
            names.retain(|name| !forgotten.contains(name));
            // Each round may go to another folder.
            let is_still = at + 1 >= KNOWN_ROUNDS || self.is_where(&began);
            let is_settled = names.is_empty() && is_still && self.is_as(&began);
            seen.extend(names.iter().cloned());
            if is_settled {
                return seen;
            }
            if at + 1 >= KNOWN_ROUNDS {
                forgotten.extend(names);
            }
        }
        let reason = "changes more from round to round than is followed";
        self.note_plain("", Verdict::Ask, Effect::Unknown, "bounds.rounds", reason);
        seen
    }

    /// Returns the marks of a word that is a value of any of some variables.
    fn taint_of_all(&self, names: &BTreeSet<String>) -> Taint {
        let values = names.iter().filter_map(|name| self.state.variables.get(name));
        values.flatten().fold(Taint::NONE, |taint, words| taint | self.taint_of_any(words))
    }

    /// Returns the marks of a word that is one of several, which one is not known.
    pub(crate) fn taint_of_any(&self, words: &[Word]) -> Taint {
        let taint = words.iter().fold(Taint::NONE, |taint, word| taint | word.taint);
        if !self.budget.pay(Work::Place, words.len()) {
            return taint | Taint::NAMES_SECRETS;
        }
        match words.iter().any(|word| self.is_secret_word(word) || self.leads_to_secrets(&word.text)) {
            true => taint | Taint::NAMES_SECRETS,
            false => taint,
        }
    }

    /// Says whether a text ends in the name of a folder in a home that holds secrets, known or not.
    fn leads_to_secrets(&self, text: &str) -> bool {
        let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        last.len() > 1 && last.starts_with('.') && {
            let text = alloc::format!("~/{last}");
            let place = super::path::seen(&text, false, None, None);
            place.is_settings() || place.is_secret()
        }
    }

    /// Walks `for NAME in …`.
    pub(crate) fn for_clause(&mut self, clause: &ast::ForClauseCommand, stdin: &Stream) -> Stream {
        let name = clause.variable_name.as_str();
        let words = self.words_of_loop(clause);
        // Of nothing there is no round, and the variable stays what it was.
        let is_set = words.iter().any(Word::is_known);
        let values: Values = self.names_found(words).into_iter().map(|value| alloc::vec![value]).collect();
        self.state.note_taken(name);
        for value in &values {
            self.state.note_special(name, value);
            self.state.note_computed(name, value);
        }
        if self.state.branches > 0 {
            // An outer loop comes back to what stands before this one.
            self.state.note_again(name);
        }
        let before = self.state.variables.get(name).cloned();
        if values.is_empty() {
            // The body runs where there are words after all.
            return self.repeated(
                false,
                |walker| walker.list(&clause.body.list, stdin),
                |walker| drop(walker.list(&clause.body.list, stdin)),
            );
        }
        self.state.set_to(name, values.clone());
        let out = self.repeated(
            false,
            |walker| walker.list(&clause.body.list, stdin),
            |walker| {
                walker.state.set_to(name, values.clone());
                walker.list(&clause.body.list, stdin);
            },
        );
        if !is_set {
            self.state.or_before(name, before);
        }
        out
    }

    /// Expands the words that a loop goes through, with all that variables in them may hold.
    fn words_of_loop(&mut self, clause: &ast::ForClauseCommand) -> Vec<Word> {
        let mut out: Vec<Word> = Vec::new();
        let Some(words) = &clause.values else {
            return self.arguments();
        };
        self.with_each_value(|walker| {
            for word in words.iter().flat_map(|word| walker.expand_in_all(&word.value)) {
                if out.len() < MAX_ALTERNATIVES {
                    out.push(word);
                }
            }
        });
        if out.len() >= MAX_ALTERNATIVES {
            out.truncate(MAX_ALTERNATIVES - 1);
            out.push(Word::unknown(Taint::NONE));
        }
        out
    }
}
