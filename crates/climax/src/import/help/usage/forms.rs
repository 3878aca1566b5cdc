//! What forms show: options, positionals, and which of them have to be given.

use std::iter::Peekable;
use std::slice::Iter;

use super::super::option::literal_choices;
use super::super::{HelpOption, Many, Positional, clean_name, many, split_outside};

/// What forms show.
#[derive(Default)]
pub(super) struct Forms {
    positionals: Vec<Shown>,
    /// Flags with their values, as in a list of options.
    pub(super) options: Vec<String>,
    /// Flags that a list describes without a value.
    switches: Vec<String>,
    /// True where a list tells which flags take values.
    has_list: bool,
    /// True behind `--` in the form that is read.
    behind_dashes: bool,
    /// True in what dots say may be repeated.
    repeats: bool,
    /// The positional that this form showed last.
    last: Option<usize>,
}

/// A positional that forms show.
struct Shown {
    name: String,
    /// In how many forms it stands, and the last of them.
    forms: usize,
    last: usize,
    required: bool,
    dashes: bool,
    choices: Vec<String>,
    many: Many,
}

/// Whether what a form shows has to be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

impl Forms {
    /// Begins, with the options that are known from a list.
    pub(super) fn new(listed: &[HelpOption]) -> Self {
        let switch = |option: &&HelpOption| option.value.is_none() && !option.description.is_empty();
        let switches = listed.iter().filter(switch).map(|option| option.flag.clone()).collect();
        Self { switches, has_list: !listed.is_empty(), ..Self::default() }
    }

    /// Returns the positionals; what does not stand in all of so many forms need not be given.
    pub(super) fn positionals(&self, forms: usize) -> Vec<Positional> {
        let made = self.positionals.iter().map(|shown| Positional {
            name: shown.name.clone(),
            description: String::new(),
            required: shown.required && shown.forms == forms,
            dashes: shown.dashes,
            choices: shown.choices.clone(),
            many: shown.many,
        });
        made.collect()
    }

    /// Reads a form, which has this number.
    pub(super) fn read(&mut self, tokens: &[&str], number: usize) {
        (self.behind_dashes, self.repeats, self.last) = (false, false, None);
        self.form(tokens, Need::Required, number);
    }

    fn form(&mut self, tokens: &[&str], need: Need, number: usize) {
        let mut tokens = tokens.iter().peekable();
        while let Some(shown) = tokens.next() {
            let token = shown.trim_end_matches("...").trim_end_matches('…');
            if token.is_empty() {
                // argparse's `{add,list} ...` are sub-commands.
                if let Some(last) = self.last.and_then(|at| self.positionals.get_mut(at))
                    && last.choices.is_empty()
                {
                    last.many = Many::Repeated;
                }
                continue;
            }
            let outside = self.repeats;
            self.repeats |= token.len() < shown.len() && !token.ends_with([',', '|']);
            self.token(token, &mut tokens, need, number);
            self.repeats = outside;
        }
    }

    /// Reads a token without its dots, with a value behind it where it is a flag.
    fn token(&mut self, token: &str, tokens: &mut Peekable<Iter<'_, &str>>, need: Need, number: usize) {
        if token == "--" {
            self.behind_dashes = true;
        } else if token.starts_with('-') && !token.trim_matches('-').is_empty() {
            // Without a list, what a form shows right behind a flag that has to be given is its value (`-s ca_key file ...`).
            let is_told = !self.has_list && need == Need::Required;
            let takes = |next: &&&str| {
                let is_marked = next.starts_with('<') && next.trim_end_matches("...").ends_with('>');
                let is_word = next.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
                !token.contains('=') && (is_marked || is_told && is_word && !next.starts_with('-'))
            };
            // A flag that its own list shows without a value has none; what follows it stands by itself.
            let is_switch = self.switches.iter().any(|switch| switch == token);
            let value = tokens.next_if(|next| !is_switch && takes(next));
            self.option(value.map_or_else(|| token.to_owned(), |value| format!("{token} {value}")));
            self.last = None;
        } else if let Some(inner) = bracketed(token, '[', ']') {
            self.optional(inner, number);
        } else if let Some(inner) = bracketed(token, '(', ')').or_else(|| bracketed(token, '{', '}')) {
            match literal_choices(token) {
                choices if token.starts_with('{') && !choices.is_empty() => self.choice(inner, choices, need, number),
                _ => self.group(inner, number),
            }
        } else {
            self.positional(token, need, number);
        }
    }

    /// Keeps an option; dots behind its brackets stand behind it.
    fn option(&mut self, mut shown: String) {
        if self.repeats {
            shown.push_str(" ...");
        }
        self.options.push(shown);
    }

    /// Reads alternatives in round or curly brackets; a sentence in brackets shows nothing.
    fn group(&mut self, inner: &str, number: usize) {
        let parts = split_outside(inner, &['|']);
        let is_prose = parts.len() == 1 && !inner.contains(['<', '-', '[']) && inner.contains(' ');
        for part in parts.into_iter().filter(|_| !is_prose) {
            self.form(&tokens(part), Need::Optional, number);
        }
    }

    /// Reads `{a,b}` as one positional that has one of these values.
    fn choice(&mut self, inner: &str, choices: Vec<String>, need: Need, number: usize) {
        let name = clean_name(inner);
        self.named(&name, need, number);
        if let Some(shown) = self.positionals.iter_mut().find(|shown| shown.name == name) {
            shown.choices = choices;
        }
    }

    /// Reads what stands in brackets: flags, each with its value, or positionals.
    fn optional(&mut self, inner: &str, number: usize) {
        // click's `[[a|b]]`
        if let Some(choices) = bracketed(inner, '[', ']').map(|_| literal_choices(inner)).filter(|list| list.len() > 1)
        {
            self.choice("choice", choices, Need::Optional, number);
            return;
        }
        let mut parts: Vec<&str> = split_outside(inner, &['|']).into_iter().map(str::trim).collect();
        let is_flag =
            |part: &str| part.starts_with('-') && !part.trim_matches('-').is_empty() && !part.starts_with("-- ");
        if parts.len() > 1 && parts.iter().any(|part| part.starts_with(['-', '('])) {
            // `--compress gzip|xz` is one flag with its values; beside a flag without a value stands nothing of its own.
            match parts.first() {
                Some(first) if first.contains(' ') && parts.iter().skip(1).all(|part| !part.starts_with('-')) => {
                    parts = vec![inner];
                }
                Some(_) | None => parts.retain(|part| part.starts_with('-')),
            }
        }
        if !parts.iter().all(|part| is_flag(part)) {
            for part in parts {
                self.form(&tokens(part), Need::Optional, number);
            }
            return;
        }
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            if let Some(letters) = cluster(part) {
                self.options.extend(letters.chars().map(|letter| format!("-{letter}")));
                continue;
            }
            // A short flag right before a long one is the same option.
            let short = !part.starts_with("--");
            let long = parts.next_if(|next| short && next.starts_with("--"));
            self.option(long.map_or_else(|| part.to_owned(), |long| format!("{part}, {long}")));
        }
    }

    fn positional(&mut self, token: &str, need: Need, number: usize) {
        let token = token.trim_matches(['"', '\'', ',']);
        let name = clean_name(token.trim_matches(['[', ']']));
        let generic =
            ["options", "option", "flags", "switches"].iter().any(|word| name.ends_with(word)) || name == "or";
        // `[<@scope>/]<pkg>`
        let is_name = token.starts_with(|c: char| c.is_alphanumeric() || c == '<') || token.contains('<');
        if generic || name.is_empty() || !is_name {
            return;
        }
        let outside = self.repeats;
        self.repeats |= many::is_dotted(token);
        self.named(&name, need, number);
        self.repeats = outside;
    }

    fn named(&mut self, name: &str, need: Need, number: usize) {
        let (required, dashes) = (need == Need::Required, self.behind_dashes);
        let many = if self.repeats { Many::Repeated } else { Many::One };
        let known = self.positionals.iter().position(|shown| shown.name == name);
        self.last = Some(known.unwrap_or(self.positionals.len()));
        match known.and_then(|at| self.positionals.get_mut(at)) {
            Some(shown) => {
                if shown.last < number {
                    shown.forms += 1;
                    shown.last = number;
                    shown.required &= required;
                    shown.dashes &= dashes;
                }
                shown.many = shown.many.max(many);
            }
            None => {
                let (name, choices) = (name.to_owned(), Vec::new());
                self.positionals.push(Shown { name, forms: 1, last: number, required, dashes, choices, many });
            }
        }
    }
}

/// Splits a form at blanks that stand in no brackets.
pub(super) fn tokens(form: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let mut keep = |token: &&str| {
        let inside = is_quoted;
        is_quoted ^= token.matches('"').count() % 2 == 1;
        // Of a text in quotes the first word stands for all.
        !inside && !token.is_empty()
    };
    split_outside(form, &[' ', '\t']).into_iter().filter(|token| keep(token)).collect()
}

fn bracketed(token: &str, open: char, close: char) -> Option<&str> {
    token.strip_prefix(open)?.strip_suffix(close)
}

/// Recognizes `-46AaCf`: letters in their order stand for a flag each.
fn cluster(part: &str) -> Option<&str> {
    let letters = part.strip_prefix('-').filter(|letters| letters.len() > 2 || matches!(*letters, "hV" | "hv"))?;
    let plain = letters.chars().all(|c| c.is_ascii_alphanumeric());
    let lower: Vec<char> = letters.chars().map(|c| c.to_ascii_lowercase()).collect();
    let is_long_word = letters.len() == 3 && letters.chars().all(|c| c.is_ascii_lowercase());
    (plain && lower.is_sorted() && !is_long_word).then_some(letters)
}
