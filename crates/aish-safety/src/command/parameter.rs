//! Parameter expansion: `$x`, `${x:-y}`, `${x#p}`, `${x/a/b}`, `${x:1:2}`, arrays, as far as values are known.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use aish_types::{NameContext, is_secret_name};

use super::budget::{Budget, Work};
use super::path::glob_match;
use super::walk::Walker;
use super::word::{HOLE, SHORT_LIVED, Taint, Word, is_numeric};
use crate::rules::Effect;
use crate::rules::variables::{may_hold_secret, settable};
use crate::verdict::Verdict;

mod changes;

use self::changes::{Case, Letters, change_case, trim};

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
        let mut words = match index {
            Some("@" | "*") => self.value(name),
            Some(index) => {
                let index = self.index(name, index);
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
            None if matches!(name, "@" | "*") => self.value(name),
            None => self.value(name).into_iter().take(1).collect(),
        };
        let mut target = String::from(name);
        if indirect {
            words = match words.first() {
                Some(word) if word.is_known() && !word.text.is_empty() => {
                    let name = word.text.clone();
                    target.clone_from(&name);
                    let index = name.split_once('[').map_or("", |(_, index)| index);
                    self.evaluated(&Word { text: index.into(), ..word.clone() });
                    self.value(&name)
                }
                Some(_) => {
                    self.computes_with_the_unknown(inside);
                    vec![Word::unknown(Taint::NONE)]
                }
                None => vec![Word::unknown(Taint::NONE)],
            };
        }
        let is_list = matches!(index, Some("@" | "*")) || matches!(name, "@" | "*");
        if operator.is_empty() { words } else { self.operate(&target, is_list, words, operator) }
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

    fn operate(&mut self, name: &str, is_list: bool, words: Vec<Word>, operator: &str) -> Vec<Word> {
        let mut letters = operator.chars();
        let first = letters.next().unwrap_or(' ');
        let rest = letters.as_str();
        let colon = first == ':';
        let (test, argument) = if colon {
            let mut letters = rest.chars();
            match letters.next() {
                Some(test @ ('-' | '=' | '?' | '+')) => (test, letters.as_str()),
                _ => return self.substring(is_list, words, rest),
            }
        } else {
            (first, rest)
        };
        let known = words.iter().all(Word::is_known);
        // Without a colon what is set is taken, though it is empty.
        let empty = words.iter().all(|word| word.text.is_empty()) && (colon || words.is_empty());
        match test {
            '-' | '=' => {
                let mut other = self.expand_one(argument);
                // Where it is set, that is what comes out.
                other.taint = words.iter().fold(other.taint, |taint, word| taint | word.taint);
                if empty || !known && !self.state.variables.contains_key(name) && name != "HOME" {
                    // Not known whether it is set: the written default is the best guess.
                    if words.iter().any(|word| !is_numeric(&word.text)) {
                        other.taint = other.taint | Taint::ASSUMED;
                    }
                    if test == '=' {
                        let depth = self.state.begin_branch();
                        self.state.assign(name, vec![other.clone()]);
                        self.state.end_branch(depth);
                    }
                    match words.iter().any(|word| word.taint.has(Taint::NAMES_SECRETS)) {
                        true => words,
                        false => vec![other],
                    }
                } else {
                    // It may be that all the same.
                    let is_sure = known && !words.iter().any(|word| word.taint.has(Taint::GUESSED));
                    let computes = !is_sure && !super::special::is_plain_number(&other.text);
                    let taint = if is_sure { Taint::NONE } else { self.taint_of_any(&[other]) };
                    let taint = if computes { taint | Taint::ASSUMED } else { taint };
                    if taint.has(Taint::NAMES_SECRETS) {
                        return vec![Word::unknown(taint | self.taint_of_any(&words))];
                    }
                    words.into_iter().map(|word| Word { taint: word.taint | taint, ..word }).collect()
                }
            }
            '+' => {
                let other = self.expand_one(argument);
                if empty {
                    return Vec::new();
                }
                if known && !words.iter().any(|word| word.taint.has(Taint::GUESSED)) {
                    return vec![other];
                }
                self.one_of(&format!("+{name}{operator}"), vec![vec![other], Vec::new()])
            }
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
            "E" => self.changed(words, super::escape::unescape),
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

/// Changes words; those of which something is not known become `any`.
fn map(words: Vec<Word>, argument: &Word, any: Vec<Word>, change: impl Fn(&str, &str) -> String) -> Vec<Word> {
    if !argument.is_known() || words.iter().any(|word| !word.is_known()) {
        return any;
    }
    words.into_iter().map(|word| Word { text: change(&word.text, &argument.text), ..word }).collect()
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

/// A variable that by its name holds a folder for short-lived files: `tmp`, `TMP_DIR`, `tempdir`.
fn is_short_lived_name(name: &str) -> bool {
    name.to_ascii_lowercase()
        .split('_')
        .any(|part| matches!(part, "tmp" | "temp" | "tmpdir" | "tempdir" | "tmpfile" | "tempfile" | "tmpd" | "scratch"))
}
