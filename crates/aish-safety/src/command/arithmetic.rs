//! Arithmetic: what it computes, and what it runs on the way.
//!
//! A shell evaluates the value of a variable in arithmetic again, and the index of an array in it as a word: a value
//! `a[$(command)]` runs the command though nobody wrote `$(…)` where it is used.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::budget::Work;
use super::walk::Walker;
use super::word::Word;
use crate::rules::Effect;
use crate::verdict::Verdict;

/// The most values that are looked at for one expression.
const MAX_LOOKED_UP: usize = 32;

impl Walker<'_> {
    /// Evaluates arithmetic: substitutions in it are judged, plain numbers known, all else unknown.
    pub(crate) fn arithmetic(&mut self, text: &str) -> Word {
        let expanded = self.expand_one(text);
        self.evaluated(&expanded.text);
        let compact: String = expanded.text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let plain = compact.trim_start_matches('(').trim_end_matches(')');
        match sum(plain) {
            Some(number) => Word::literal(number.to_string()),
            None => Word::unknown(expanded.taint),
        }
    }

    /// Judges what the evaluation of an expression runs: substitutions that came out of a variable, and those in the
    /// values of the variables that it names.
    pub(crate) fn evaluated(&mut self, text: &str) {
        // Texts that were looked at, and those that are still to be.
        let mut open: Vec<String> = alloc::vec![text.to_string()];
        let mut next = 0;
        while let Some(text) = open.get(next).cloned() {
            next += 1;
            if runs(&text) {
                self.expand_document(&text);
                continue;
            }
            if text.len() > 4_096 {
                continue;
            }
            for name in names(&text) {
                let Some(values) = self.state.variables.get(name) else { continue };
                for word in values.iter().take(8).flatten().take(8) {
                    // It is compared with all that were found.
                    if !self.budget.pay(Work::Scan, 8 * open.len()) {
                        return;
                    }
                    let evaluates = word.text.contains(|letter: char| letter.is_ascii_alphabetic() || letter == '`');
                    if !evaluates || open.contains(&word.text) {
                        continue;
                    }
                    if open.len() >= MAX_LOOKED_UP {
                        let reason = "computes with more values of variables than are followed";
                        self.note_plain(text.as_str(), Verdict::Ask, Effect::Run, "shell.arithmetic", reason);
                        return;
                    }
                    open.push(word.text.clone());
                }
            }
        }
    }
}

fn runs(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

/// Goes through the names in an expression.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
        .filter(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_'))
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
        total = total.checked_add(sign * rest.get(..end)?.parse::<i64>().ok()?)?;
        match rest.get(end..).and_then(|tail| tail.chars().next()) {
            None => return Some(total),
            Some(letter) => sign = if letter == '-' { -1 } else { 1 },
        }
        rest = rest.get(end + 1..)?;
    }
}
