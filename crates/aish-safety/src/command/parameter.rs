//! Parameter expansion: `$x`, `${x:-y}`, `${x#p}`, `${x/a/b}`, `${x:1:2}`, arrays, as far as values are known.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use aish_types::{NameContext, is_secret_name};

use super::budget::{Budget, Work};
use super::walk::Walker;
use super::word::{HOLE, SHORT_LIVED, Taint, Word};
use crate::rules::variables::{may_hold_secret, settable};

mod changes;
mod operators;

impl Walker<'_> {
    /// Expands what stands in `${…}` or after `$`.
    pub(crate) fn parameter_words(&mut self, inside: &str) -> Vec<Word> {
        let mut words = self.values_of(inside);
        if self.is_guess(inside) {
            for word in &mut words {
                word.taint = word.taint | Taint::GUESSED;
            }
            let takes_parts = inside.contains(['[', ':', '@', '*']) && !inside.contains('+');
            if words.is_empty() && takes_parts {
                words.push(Word::unknown(Taint::GUESSED));
            }
        }
        self.one_of_a_list(inside, &mut words);
        // Nothing stands for a word only where that is sure.
        for word in words.iter_mut().filter(|word| word.text.is_empty() && word.taint.has(Taint::GUESSED)) {
            *word = Word::unknown(word.taint);
        }
        words
    }

    /// Takes an element for any of its list: zsh counts from 1, and makes all of them of the name alone.
    fn one_of_a_list(&self, inside: &str, words: &mut Vec<Word>) {
        let (name, index, _) = split_name(inside, &self.budget);
        let lists = self.state.variables.get(name).into_iter().flatten().filter(|list| list.len() > 1);
        if words.len() != 1 || matches!(index, Some("@" | "*")) {
            return;
        }
        let taint = lists.fold(Taint::NONE, |taint, list| taint | self.taint_of_any(list));
        if taint.has(Taint::NAMES_SECRETS) {
            *words = vec![Word::unknown(taint | Taint::GUESSED)];
        }
    }

    /// Says whether what an expansion comes to is a guess: everything but the plain value of a variable that is set once.
    fn is_guess(&self, inside: &str) -> bool {
        let (name, index, operator) = split_name(inside, &self.budget);
        let is_plain = index.is_none() && operator.is_empty();
        let is_list = self.state.variables.get(name).is_some_and(|values| values.iter().any(|words| words.len() > 1));
        // Of those from before nothing is known, and nothing guessed.
        let is_argument = name.bytes().all(|byte| byte.is_ascii_digit()) || matches!(name, "@" | "*");
        let counted = name == "0" || is_argument && !self.has_outer_arguments();
        // A shell changes these itself, whatever they were set to.
        let of_shell = matches!(name, "_" | "#" | "?" | "match")
            || settable(name).is_some() && self.state.variables.contains_key(name);
        !is_plain || of_shell || is_list || counted || self.set_again.contains(name)
    }

    fn values_of(&mut self, inside: &str) -> Vec<Word> {
        if let Some(name) = inside.strip_prefix('#').filter(|name| has_length(name)) {
            return vec![self.length_of(name)];
        }
        let (indirect, inside) = match inside.strip_prefix('!') {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, inside),
        };
        let (name, index, operator) = split_name(inside, &self.budget);
        if indirect && (matches!(index, Some("@" | "*")) || matches!(operator, "@" | "*")) {
            // The indices of an array, or the names that begin with something.
            let keys = index.is_some() && !self.state.has_keys(name);
            let taint = self.taint_of_any(self.state.keys(name));
            self.operate_on_list(name, operator);
            return vec![if keys { Word::number(Taint::NONE) } else { Word::unknown(taint) }];
        }
        let words = self.elements(name, index);
        let (target, words) = match indirect {
            true => self.values_of_named(name, &words, inside),
            false => (name.into(), words),
        };
        let is_list = matches!(index, Some("@" | "*")) || matches!(name, "@" | "*");
        if operator.is_empty() { words } else { self.operate(&target, is_list, words, operator) }
    }

    /// Returns the elements of a variable that an index is for; without one the first.
    fn elements(&mut self, name: &str, index: Option<&str>) -> Vec<Word> {
        let index = match index {
            Some("@" | "*") => return self.value(name),
            None if matches!(name, "@" | "*") => return self.value(name),
            None => return self.value(name).into_iter().take(1).collect(),
            Some(index) => self.index(name, index),
        };
        let words = self.value(name);
        match index.text.parse::<usize>() {
            Ok(at) if at < words.len() => words.get(at).cloned().into_iter().collect(),
            // Elements are not kept by their numbers.
            Ok(_) => vec![Word::unknown(self.taint_of_any(&words))],
            // Keys are not followed: of one value it is that.
            Err(_) if words.len() == 1 => words,
            Err(_) => vec![Word::unknown(self.taint_of_any(&words))],
        }
    }

    /// `${!x}`: returns the name of the variable that the value of another one names, and the values of that.
    fn values_of_named(&mut self, name: &str, words: &[Word], inside: &str) -> (String, Vec<Word>) {
        match words.first() {
            Some(word) if word.is_known() && !word.text.is_empty() => {
                let target = word.text.clone();
                let index = target.split_once('[').map_or("", |(_, index)| index);
                self.evaluated(&Word { text: index.into(), ..word.clone() });
                let values = self.value(&target);
                (target, values)
            }
            first => {
                if first.is_some() {
                    self.computes_with_the_unknown(inside);
                }
                (name.into(), vec![Word::unknown(Taint::NONE)])
            }
        }
    }

    fn length_of(&mut self, name: &str) -> Word {
        let (name, index, operator) = split_name(name, &self.budget);
        if let Some(index) = index.filter(|index| !matches!(*index, "@" | "*")) {
            self.index(name, index);
        }
        if !operator.is_empty() {
            // In zsh that of what comes out.
            self.operate_on_list(name, operator);
            return Word::number(Taint::NONE);
        }
        match self.value(name).as_slice() {
            // In zsh that of a list is how many words it has.
            [word] if word.is_known() => Word::literal(word.text.chars().count().to_string()),
            _ => Word::number(Taint::NONE),
        }
    }

    /// Judges what an operator computes, whatever comes out.
    fn operate_on_list(&mut self, name: &str, operator: &str) {
        if !matches!(operator, "" | "@" | "*") {
            self.operate(name, true, vec![Word::unknown(Taint::NONE)], operator);
        }
    }

    /// Expands an index and judges what its evaluation runs; a key of an associative array is only a text.
    pub(crate) fn index(&mut self, name: &str, index: &str) -> Word {
        let index = self.expand_one(index);
        if !self.state.has_keys(name) || index.text.contains(['$', '`']) {
            self.evaluated(&index);
        }
        index
    }

    /// Returns the value of a variable or special parameter; no word where it is known to be empty.
    fn value(&mut self, name: &str) -> Vec<Word> {
        if let Some(words) = self.of_shell(name) {
            return words;
        }
        if let Some(words) = self.state.look_up(name) {
            return words;
        }
        let outer = self.has_outer_arguments();
        match name {
            "@" | "*" if self.budget.pay(Work::Argument, self.state.positional.len()) => return self.arguments(),
            "#" if outer => return vec![Word::number(Taint::NONE)],
            "#" => return vec![Word::literal(self.state.positional.len().to_string())],
            "?" => return vec![Word::literal("0")],
            "-" => return vec![Word::unknown(Taint::NONE)],
            "$" => return vec![Word::number(Taint::CHOSEN)],
            "!" | "PPID" => return vec![Word::number(Taint::UNSET | Taint::CHOSEN)],
            // Not each shell has it, and not always.
            _ if super::arithmetic::is_number(name) => return vec![Word::number(Taint::UNSET)],
            "0" => return vec![Word::literal("bash")],
            "IFS" => return vec![Word::literal(" \t\n")],
            "HOME" => return vec![Word::literal("~")],
            "PWD" | "OLDPWD" if name == "PWD" => return vec![self.folder_word()],
            _ => {}
        }
        if let Ok(at) = name.parse::<usize>() {
            if outer {
                return self.arguments();
            }
            let word = self.state.positional.get(at.saturating_sub(1));
            return word.map(|word| self.perhaps_another(word)).into_iter().collect();
        }
        let taint = match name {
            _ if is_secret_name(name.as_bytes(), NameContext::Judged) => Taint::SECRET,
            _ if may_hold_secret(name) => Taint::ADDRESS,
            _ => Taint::NONE,
        };
        match self.around.variables.get(name) {
            Some(value) => vec![Word { text: value.clone(), taint, ..Word::default() }],
            None if matches!(name, "TMPDIR" | "XDG_RUNTIME_DIR") => vec![Word::literal(format!("/tmp/{HOLE}"))],
            None if matches!(name, "TMP" | "TEMP" | "RUNNER_TEMP") => {
                vec![Word { text: format!("/tmp/{HOLE}"), taint: Taint::GUESSED, ..Word::default() }]
            }
            None if matches!(name, "SHELL" | "BASH" | "ZSH_NAME") => vec![Word::literal("/bin/bash")],
            None if is_short_lived_name(name) => {
                vec![Word { text: SHORT_LIVED.into(), taint: Taint::GUESSED, ..Word::default() }]
            }
            None => vec![Word::unknown(taint | super::picked::of_variable(name))],
        }
    }

    /// Says whether the arguments are those that the shell has from before, of which nothing is known.
    fn has_outer_arguments(&self) -> bool {
        self.in_function == 0 && self.state.positional.is_empty()
    }

    /// Returns the arguments of the shell or of the function.
    pub(crate) fn arguments(&self) -> Vec<Word> {
        match self.has_outer_arguments() {
            true => vec![self.perhaps_another(&Word::unknown(Taint::NONE))],
            false => self.state.positional.iter().map(|word| self.perhaps_another(word)).collect(),
        }
    }

    /// Marks an argument that is not known as what it may be.
    pub(crate) fn perhaps_another(&self, word: &Word) -> Word {
        match word.is_known() || self.state.mixed.is_empty() {
            true => word.clone(),
            false => Word { taint: word.taint | self.taint_of_any(&self.state.mixed), ..word.clone() },
        }
    }
}

/// Splits `name[index]operator`.
fn split_name<'s>(inside: &'s str, budget: &Budget) -> (&'s str, Option<&'s str>, &'s str) {
    let first = inside.chars().next().unwrap_or(' ');
    let end = if first.is_ascii_alphabetic() || first == '_' {
        inside.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(inside.len())
    } else if first.is_ascii_digit() {
        inside.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(inside.len())
    } else {
        first.len_utf8().min(inside.len())
    };
    let (name, rest) = inside.split_at_checked(end).unwrap_or((inside, ""));
    if let Some(after) = rest.strip_prefix('[')
        && let Some(close) = super::span::closing(after, '[', ']', budget)
    {
        return (name, after.get(..close), after.get(close + 1..).unwrap_or_default());
    }
    (name, None, rest)
}

/// Says whether `#` before a name stands for its length, and not for the number of the arguments: `${#x}`, `${#-}`, and not
/// `${#:1}`.
fn has_length(name: &str) -> bool {
    matches!(name, "?" | "-" | "!" | "$" | "#")
        || name.starts_with(|letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '@' | '*'))
}

/// A variable that by its name holds a folder for short-lived files: `tmp`, `TMP_DIR`, `tempdir`.
fn is_short_lived_name(name: &str) -> bool {
    name.to_ascii_lowercase()
        .split('_')
        .any(|part| matches!(part, "tmp" | "temp" | "tmpdir" | "tempdir" | "tmpfile" | "tempfile" | "tmpd" | "scratch"))
}
