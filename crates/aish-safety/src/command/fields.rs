//! Fields: what the pieces of one word come to, letter by letter and expansion by expansion.

use alloc::string::String;
use alloc::vec::Vec;

use super::budget::{Budget, Work};
use super::word::{HOLE, Taint, Word, is_numeric};

/// The longest text that one word may expand to, in bytes.
const MAX_WORD: usize = 64 * 1024;

/// Letters that make a group of a bracket behind them a pattern: `@(a|b)`.
pub(crate) const GROUPS: &[char] = &['@', '!', '+', '?', '*'];

/// Whether what an expansion gives becomes several words at its blanks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Splitting {
    AtBlanks,
    /// In quotes, and where one text is wanted.
    Never,
}

/// Builds fields from the pieces of one word.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) done: Vec<Word>,
    pub(super) current: Word,
    /// True where the current field exists though its text may be empty.
    pub(super) open: bool,
    /// True where the current field may become several, by what is not known of it.
    pub(super) loose: bool,
    /// What splits beside blanks: the value of `IFS`, where the line sets it.
    pub(super) separators: String,
    /// What pays for the text that is put in.
    pub(super) budget: Budget,
    /// True where the word is read as zsh and fish do, which split no value at blanks.
    pub(super) unsplit: bool,
    /// True where those shells make other words of it.
    pub(super) differs: bool,
    /// True where fish makes no word of it at all, for a substitution in it that writes nothing.
    pub(super) vanishes: bool,
}

impl Fields {
    /// Puts in a letter that may be one of a pattern.
    pub(super) fn push(&mut self, letter: char) {
        if matches!(letter, '*' | '?' | '[') || letter == '(' && self.current.text.ends_with(GROUPS) {
            self.current.glob = true;
        }
        self.push_literal(letter);
    }

    /// Puts in a letter that stands for itself.
    pub(super) fn push_literal(&mut self, letter: char) {
        self.loose |= letter == HOLE;
        self.current.text.push(letter);
        self.open = true;
    }

    pub(super) fn push_quoted(&mut self, text: &str) {
        self.current.text.push_str(text);
        self.open = true;
    }

    pub(super) fn split(&mut self) {
        if core::mem::take(&mut self.open) {
            self.current.whole = !core::mem::take(&mut self.loose);
            let mut word = core::mem::take(&mut self.current);
            // The program of this name: a bracket by itself stands for nothing else.
            word.glob &= word.text != "[";
            if !self.vanishes {
                self.done.push(word);
            }
        }
    }

    /// Puts in what an expansion gave.
    pub(super) fn insert(&mut self, word: &Word, splitting: Splitting) {
        let known = word.taint.stored();
        self.current.taint = self.current.taint | known;
        if self.current.text.len() + word.text.len() > MAX_WORD || !self.budget.pay(Work::Scan, word.text.len()) {
            self.push_literal(HOLE);
            return;
        }
        if splitting == Splitting::Never {
            self.push_quoted(&word.text);
            return;
        }
        let is_loose = self.loose;
        let splits = self.separators.contains(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | HOLE));
        for letter in word.text.chars() {
            let separates = matches!(letter, ' ' | '\t' | '\n') || self.separators.contains(letter);
            self.differs |= separates;
            if separates && !self.unsplit {
                let taint = self.current.taint;
                self.split();
                self.current.taint = taint;
            } else {
                self.push(letter);
            }
        }
        if !splits && is_numeric(&word.text) && !known.has(Taint::UNSET) {
            // Nothing splits a number, where there is one.
            self.loose = is_loose;
        }
        // What is a guess may be several words all the same.
        self.loose |= word.is_known() && known.has(Taint::GUESSED);
        self.current.glob |= word.glob;
    }
}
