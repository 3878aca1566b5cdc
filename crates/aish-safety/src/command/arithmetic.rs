//! Arithmetic: what it computes, and what it runs on the way.
//!
//! A shell evaluates the value of a variable in arithmetic again, and the index of an array in it as a word: a value
//! `a[$(command)]` runs the command though nobody wrote `$(…)` where it is used.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::budget::{Budget, Work};
use super::state::Kind;
use super::walk::Walker;
use super::word::{HOLE, Taint, Word, is_numeric};
use crate::rules::Effect;
use crate::verdict::Verdict;

/// The most values that are looked at for one expression.
const MAX_LOOKED_UP: usize = 32;

/// The longest text that is looked through for names, in bytes.
const MAX_LENGTH: usize = 4_096;

impl Walker<'_> {
    /// Evaluates arithmetic: substitutions in it are judged, plain numbers known, all else unknown.
    pub(crate) fn arithmetic(&mut self, text: &str) -> Word {
        let expanded = self.expand_one(text);
        self.evaluated(&expanded);
        // What is computed is always something.
        let taint = expanded.taint.without(Taint::UNSET);
        let compact: String = expanded.text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let plain = compact.trim_start_matches('(').trim_end_matches(')');
        match sum(plain) {
            Some(number) => Word { taint, ..Word::literal(number.to_string()) },
            None => Word::number(taint),
        }
    }

    /// Asks about arithmetic, or an index, with a value that is not known and that a shell would run code in.
    pub(crate) fn computes_with_the_unknown(&mut self, text: &str) {
        let reason = "computes with a value that is not known, and a shell runs `$(…)` in such a value";
        self.note_plain(text, Verdict::Ask, Effect::Run, "shell.arithmetic", reason);
    }

    /// Judges what a built-in runs that takes a variable by its name: the index of an element is evaluated.
    pub(crate) fn named_variable(&mut self, word: &Word) {
        let name = word.text.as_str();
        match name.split_once('[') {
            // What is not known of a key is expanded once more by some shells.
            Some((array, index)) if self.state.has_keys(array) && !index.contains(['$', '`']) && is_numeric(index) => {}
            Some((_, index)) => self.evaluated(&Word { text: index.into(), ..word.clone() }),
            None if is_numeric(name) && !word.taint.has(Taint::ASSUMED) => {}
            None => self.computes_with_the_unknown(name),
        }
    }

    /// Judges what the evaluation of an expression runs: substitutions that came out of a variable, and those in the
    /// values of the variables that it names. What is not known may hold them: only numbers are computed with unasked.
    pub(crate) fn evaluated(&mut self, word: &Word) {
        if word.taint.has(Taint::ASSUMED) {
            return self.computes_with_the_unknown(&word.text);
        }
        let mut texts = Texts { found: alloc::vec![word.text.clone()], next: 0 };
        while let Some(text) = texts.next() {
            if !is_numeric(&text) || is_glued(&text) {
                return self.computes_with_the_unknown(&text);
            }
            if runs(&text) {
                self.expand_document(&text);
                continue;
            }
            if text.len() > MAX_LENGTH {
                return self.computes_with_more(&text, "computes with a longer text than is followed");
            }
            for (name, used) in names(&text) {
                let followed = match used {
                    Used::Set => {
                        self.becomes_number(name);
                        self.set_by_expression(name);
                        Ok(())
                    }
                    Used::Changed => {
                        self.becomes_number(name);
                        self.values_evaluated(name, &mut texts).map(|()| self.changed_by_expression(name))
                    }
                    Used::Read => self.values_evaluated(name, &mut texts),
                };
                match followed {
                    Ok(()) => {}
                    Err(Unfollowed::Unknown) => return self.computes_with_the_unknown(&text),
                    Err(Unfollowed::TooMany) => {
                        let reason = "computes with more values of variables than are followed";
                        return self.computes_with_more(&text, reason);
                    }
                    Err(Unfollowed::Unpaid) => return,
                }
            }
        }
    }

    fn computes_with_more(&mut self, text: &str, reason: &str) {
        self.note_plain(text, Verdict::Ask, Effect::Run, "shell.arithmetic", reason);
    }

    /// Notes that an expression gives a variable a value.
    fn becomes_number(&mut self, name: &str) {
        self.state.note_special(name, &[Word::number(Taint::NONE)]);
        if !self.state.variables.contains_key(name) {
            // In zsh it is a number from then on, and what is assigned to it is computed.
            self.state.declare(name, Kind::Computed);
        }
    }

    /// Follows the assignment of a number to a variable.
    fn set_by_expression(&mut self, name: &str) {
        let is_open = |word: &Word| word.text.is_empty() || word.taint.has(Taint::UNSET);
        let values = self.state.variables.get(name);
        if values.is_none_or(|values| values.iter().flatten().all(is_open)) {
            // In dash `((x=1))` sets it in a shell of its own.
            self.state.assign(name, alloc::vec![Word::number(Taint::UNSET)]);
        }
    }

    /// Gives a variable another number than it had; of a list only one of them.
    fn changed_by_expression(&mut self, name: &str) {
        let Some(values) = self.state.variables.get(name) else { return };
        let is_one = values.iter().all(|words| words.len() == 1);
        let was = values.iter().flatten().all(|word| !word.text.is_empty());
        let taint = if was { Taint::NONE } else { Taint::GUESSED };
        match is_one {
            true => self.state.set_to(name, alloc::vec![alloc::vec![Word::number(taint)]]),
            false => self.state.guess(name),
        }
    }

    /// Adds the values of a variable to the texts that are looked at, where a shell evaluates them.
    fn values_evaluated(&self, name: &str, texts: &mut Texts) -> Result<(), Unfollowed> {
        let Some(values) = self.state.variables.get(name) else {
            let known = self.around.variables.get(name).is_some_and(|value| sum(value.trim()).is_some());
            return if known || is_number(name) { Ok(()) } else { Err(Unfollowed::Unknown) };
        };
        let is_known = |word: &Word| is_numeric(&word.text) && !word.taint.has(Taint::ASSUMED);
        if !values.iter().flatten().all(is_known) {
            return Err(Unfollowed::Unknown);
        }
        values.iter().flatten().try_for_each(|word| texts.add(&word.text, &self.budget))
    }
}

/// Why a variable in an expression is not followed.
enum Unfollowed {
    /// Of one of its values something is not known.
    Unknown,
    TooMany,
    /// Nothing is left to be spent on it.
    Unpaid,
}

/// Texts that were looked at for one expression, and those that are still to be.
struct Texts {
    found: Vec<String>,
    next: usize,
}

impl Texts {
    fn next(&mut self) -> Option<String> {
        let text = self.found.get(self.next).cloned();
        self.next += 1;
        text
    }

    /// Adds a value that a shell evaluates, where it is another one.
    fn add(&mut self, text: &str, budget: &Budget) -> Result<(), Unfollowed> {
        // It is compared with all that were found.
        if !budget.pay(Work::Scan, 8 * self.found.len()) {
            return Err(Unfollowed::Unpaid);
        }
        let evaluates = text.contains(|letter: char| letter.is_ascii_alphabetic() || letter == '`');
        if !evaluates || self.found.iter().any(|found| found == text) {
            return Ok(());
        }
        if self.found.len() >= MAX_LOOKED_UP {
            return Err(Unfollowed::TooMany);
        }
        self.found.push(text.into());
        Ok(())
    }
}

/// Says whether a variable is a number of the shell's own.
pub(crate) fn is_number(name: &str) -> bool {
    matches!(
        name,
        "RANDOM"
            | "SRANDOM"
            | "SECONDS"
            | "LINENO"
            | "PPID"
            | "UID"
            | "EUID"
            | "BASHPID"
            | "EPOCHSECONDS"
            | "HISTCMD"
            | "COLUMNS"
            | "LINES"
            | "OPTIND"
            | "SHLVL"
            | "#"
            | "?"
            | "$"
            | "!"
    )
}

/// Says whether a number that is not known stands right behind letters: what name they make is not known then.
fn is_glued(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(HOLE).rev().skip(1).any(|before| {
        let name = before.rsplit(|letter: char| !is_part(letter)).next().unwrap_or_default();
        name.starts_with(|letter: char| !letter.is_ascii_digit())
    })
}

fn runs(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

/// What an expression does with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Used {
    /// Takes its value.
    Read,
    /// Gives it another that does not come from the old one.
    Set,
    /// Takes its value and gives it another, or one of its elements.
    Changed,
}

/// Says what an expression does with a name, by what stands before it and behind it.
fn used(before: &str, behind: &str) -> Used {
    let behind = behind.trim_start();
    if behind.strip_prefix('=').is_some_and(|value| !value.starts_with('=')) {
        return Used::Set;
    }
    let stepped = ["++", "--"].iter().any(|step| before.trim_end().ends_with(step) || behind.starts_with(step));
    let operator = behind.trim_start_matches(['+', '-', '*', '/', '%', '<', '>', '&', '^', '|']);
    let assigned = operator.len() < behind.len() && operator.starts_with('=');
    if stepped || assigned || behind.starts_with('[') { Used::Changed } else { Used::Read }
}

/// Goes through the names in an expression, and says of each what is done with it.
fn names(text: &str) -> impl Iterator<Item = (&str, Used)> {
    let mut rest = text;
    core::iter::from_fn(move || {
        loop {
            let begin = rest.find(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')?;
            let before = rest.get(..begin)?;
            let based = before.ends_with('#');
            let from = rest.get(begin..)?;
            let end = from.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
            let (name, behind) = from.split_at_checked(end.unwrap_or(from.len()))?;
            rest = behind;
            if !based && !name.starts_with(|letter: char| letter.is_ascii_digit()) {
                return Some((name, used(before, behind)));
            }
        }
    })
}

/// Adds and subtracts plain numbers.
fn sum(text: &str) -> Option<i64> {
    let mut total = 0_i64;
    let mut rest = text;
    let mut sign = 1;
    if let Some(tail) = rest.strip_prefix('-') {
        sign = -1;
        rest = tail;
    }
    loop {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let number = rest.get(..end)?;
        // In some shells and places that is an octal one.
        if number.len() > 1 && number.starts_with('0') {
            return None;
        }
        total = total.checked_add(sign * number.parse::<i64>().ok()?)?;
        match rest.get(end..).and_then(|tail| tail.chars().next()) {
            None => return Some(total),
            Some(letter) => sign = if letter == '-' { -1 } else { 1 },
        }
        rest = rest.get(end + 1..)?;
    }
}
