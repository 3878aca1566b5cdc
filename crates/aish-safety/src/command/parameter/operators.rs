//! Operators of a parameter expansion: what stands behind the name in `${x:-y}`, `${x#p}`, `${x/a/b}`, `${x:1:2}`.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::super::budget::Work;
use super::super::path::glob_match;
use super::super::special::is_plain_number;
use super::super::walk::Walker;
use super::super::word::{HOLE, Taint, Word, is_numeric};
use super::changes::{Case, Letters, change_case, trim};
use crate::rules::Effect;
use crate::verdict::Verdict;

impl Walker<'_> {
    /// Applies the operator of an expansion, with what stands behind it, to the words that a variable comes to.
    pub(super) fn operate(&mut self, name: &str, is_list: bool, words: Vec<Word>, operator: &str) -> Vec<Word> {
        let mut letters = operator.chars();
        let first = letters.next().unwrap_or(' ');
        let rest = letters.as_str();
        let (test, argument) = if first == ':' {
            let mut letters = rest.chars();
            match letters.next() {
                Some(test @ ('-' | '=' | '?' | '+')) => (test, letters.as_str()),
                _ => return self.substring(is_list, words, rest),
            }
        } else {
            (first, rest)
        };
        match test {
            '-' | '=' => self.or_default(Tested { name, operator, words }, argument),
            '+' => self.if_set(Tested { name, operator, words }, argument),
            '?' => {
                let message = self.expand_one(argument);
                self.shown_by_shell(core::slice::from_ref(&message));
                words
            }
            '#' | '%' => {
                let longest = argument.starts_with(test);
                let pattern = self.expand_one(argument.trim_start_matches(test));
                let budget = self.budget.clone();
                let any = self.any_of(&words);
                map(words, &pattern, any, |text, pattern| trim(text, pattern, test == '#', longest, &budget))
            }
            '/' => self.replace(words, argument),
            '^' | ',' => {
                let case = if first == '^' { Case::Upper } else { Case::Lower };
                let letters = if argument.starts_with(first) { Letters::All } else { Letters::First };
                self.changed(words, |text| change_case(text, case, letters))
            }
            '@' => self.transformed(words, argument),
            '[' => {
                self.zsh_index(name, operator);
                vec![Word::unknown(Taint::NONE)]
            }
            _ => vec![Word::unknown(Taint::NONE)],
        }
    }

    /// `${x-y}`, `${x:=y}`: the value, or another where there is none.
    fn or_default(&mut self, tested: Tested<'_>, argument: &str) -> Vec<Word> {
        let mut other = self.expand_one(argument);
        // Where it is set, that is what comes out.
        other.taint = tested.words.iter().fold(other.taint, |taint, word| taint | word.taint);
        let may_be_unset =
            !tested.is_known() && !self.state.variables.contains_key(tested.name) && tested.name != "HOME";
        if !tested.is_empty() && !may_be_unset {
            return self.perhaps_default(tested, other);
        }
        // Not known whether it is set: the written default is the best guess.
        if tested.words.iter().any(|word| !is_numeric(&word.text)) {
            other.taint = other.taint | Taint::ASSUMED;
        }
        if tested.operator.trim_start_matches(':').starts_with('=') {
            let depth = self.state.begin_branch();
            self.state.assign(tested.name, vec![other.clone()]);
            self.state.end_branch(depth);
        }
        match tested.words.iter().any(|word| word.taint.has(Taint::NAMES_SECRETS)) {
            true => tested.words,
            false => vec![other],
        }
    }

    /// The value of a variable that is set as far as is known: it may be the other one all the same.
    fn perhaps_default(&self, tested: Tested<'_>, other: Word) -> Vec<Word> {
        let is_sure = tested.is_sure();
        let computes = !is_sure && !is_plain_number(&other.text);
        let taint = if is_sure { Taint::NONE } else { self.taint_of_any(&[other]) };
        let taint = if computes { taint | Taint::ASSUMED } else { taint };
        if taint.has(Taint::NAMES_SECRETS) {
            return vec![Word::unknown(taint | self.taint_of_any(&tested.words))];
        }
        tested.words.into_iter().map(|word| Word { taint: word.taint | taint, ..word }).collect()
    }

    /// `${x+y}`: another word where there is a value, and none elsewhere.
    fn if_set(&mut self, tested: Tested<'_>, argument: &str) -> Vec<Word> {
        let other = self.expand_one(argument);
        if tested.is_empty() {
            return Vec::new();
        }
        if tested.is_sure() {
            return vec![other];
        }
        let Tested { name, operator, .. } = tested;
        self.one_of(&format!("+{name}{operator}"), vec![vec![other], Vec::new()])
    }

    /// `${x@P}` expands the value as a prompt, which runs what is in it; others change its letters.
    fn transformed(&mut self, words: Vec<Word>, how: &str) -> Vec<Word> {
        match how {
            "P" if words.iter().any(|word| !is_numeric(&word.text)) => {
                let reason = "expands a value that is not known as a prompt, which runs `$(…)` in it";
                self.note_plain(how, Verdict::Ask, Effect::Run, "shell.prompt", reason);
                words
            }
            "P" => words
                .into_iter()
                .map(|word| if word.text.contains(['$', '`']) { self.expand_document(&word.text) } else { word })
                .collect(),
            "U" => self.changed(words, |text| change_case(text, Case::Upper, Letters::All)),
            "u" => self.changed(words, |text| change_case(text, Case::Upper, Letters::First)),
            "L" => self.changed(words, |text| change_case(text, Case::Lower, Letters::All)),
            "E" => self.changed(words, super::super::escape::unescape),
            _ => words,
        }
    }

    /// A word that is one of several, or made of one.
    fn any_of(&self, words: &[Word]) -> Vec<Word> {
        vec![Word::unknown(self.taint_of_any(words))]
    }

    fn changed(&self, words: Vec<Word>, change: impl Fn(&str) -> String) -> Vec<Word> {
        let any = self.any_of(&words);
        map(words, &Word::literal(""), any, |text, _| change(text))
    }

    fn substring(&mut self, is_list: bool, words: Vec<Word>, range: &str) -> Vec<Word> {
        if is_list || words.len() > 1 {
            // Some of a list.
            self.substring(false, Vec::new(), range);
            return self.any_of(&words);
        }
        let (offset, length) = match range.split_once(':') {
            Some((offset, length)) => (offset, Some(length)),
            None => (range, None),
        };
        let number = |walker: &mut Self, text: &str| walker.arithmetic(text).text.trim().parse::<i64>().ok();
        // Both are computed, whatever is known of the other.
        let (offset, length) = (number(self, offset), length.map(|text| number(self, text)));
        let (Some(offset), None | Some(Some(_))) = (offset, length) else { return self.any_of(&words) };
        let length = length.flatten();
        self.changed(words, |text| {
            let letters: Vec<char> = text.chars().collect();
            let count = i64::try_from(letters.len()).unwrap_or(i64::MAX);
            let from = if offset < 0 { (count + offset).max(0) } else { offset.min(count) };
            let to = match length {
                Some(length) if length < 0 => (count + length).max(from),
                Some(length) => from.saturating_add(length).min(count),
                None => count,
            };
            let (from, to) = (usize::try_from(from).unwrap_or(0), usize::try_from(to).unwrap_or(0));
            letters.get(from..to).unwrap_or_default().iter().collect()
        })
    }

    fn replace(&mut self, words: Vec<Word>, argument: &str) -> Vec<Word> {
        let (all, argument) = match argument.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, argument),
        };
        let (pattern, replacement) = split_slash(argument);
        let pattern = self.expand_one(&pattern);
        let replacement = self.expand_one(replacement);
        if !replacement.is_known() || pattern.text.contains(['?', '[']) || !words.iter().all(Word::is_known) {
            let taint = self.taint_of_any(&[pattern, replacement]);
            return vec![Word::unknown(taint | self.taint_of_any(&words))];
        }
        let taint = pattern.taint | replacement.taint;
        let budget = self.budget.clone();
        let any = self.any_of(&words);
        let mut out = map(words, &pattern, any, |text, pattern| {
            if pattern.is_empty() {
                return text.into();
            }
            if pattern.contains('*') {
                return match budget.pay(Work::Scan, text.len().saturating_mul(pattern.len())) {
                    true if glob_match(pattern, text) => replacement.text.clone(),
                    true => text.into(),
                    false => String::from(HOLE),
                };
            }
            if all {
                budget.replaced(text, pattern, &replacement.text).unwrap_or_else(|| String::from(HOLE))
            } else {
                text.replacen(pattern, &replacement.text, 1)
            }
        });
        for word in &mut out {
            word.taint = word.taint | taint;
        }
        out
    }
}

/// A variable of which an operator asks whether it is set.
struct Tested<'s> {
    name: &'s str,
    /// The operator, with what stands behind it.
    operator: &'s str,
    /// What the variable comes to.
    words: Vec<Word>,
}

impl Tested<'_> {
    fn is_known(&self) -> bool {
        self.words.iter().all(Word::is_known)
    }

    /// Says whether it is surely what is known of it.
    fn is_sure(&self) -> bool {
        self.is_known() && !self.words.iter().any(|word| word.taint.has(Taint::GUESSED))
    }

    /// Says whether it is taken for one that is not set: without a colon what is set is taken, though it is empty.
    fn is_empty(&self) -> bool {
        self.words.iter().all(|word| word.text.is_empty()) && (self.operator.starts_with(':') || self.words.is_empty())
    }
}

/// Changes words; those of which something is not known become `any`.
fn map(words: Vec<Word>, argument: &Word, any: Vec<Word>, change: impl Fn(&str, &str) -> String) -> Vec<Word> {
    if !argument.is_known() || words.iter().any(|word| !word.is_known()) {
        return any;
    }
    words.into_iter().map(|word| Word { text: change(&word.text, &argument.text), ..word }).collect()
}

fn split_slash(text: &str) -> (String, &str) {
    let mut pattern = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                if let Some((_, next)) = letters.next() {
                    if next != '/' {
                        pattern.push('\\');
                    }
                    pattern.push(next);
                }
            }
            '/' => return (pattern, text.get(at + 1..).unwrap_or_default()),
            _ => pattern.push(letter),
        }
    }
    (pattern, "")
}
