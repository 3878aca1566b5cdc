//! The forms behind `Usage:`, as words, brackets and alternatives.

use super::{Help, Positional, Subcommand, clean_name, is_command_word, option, split_outside};

/// Reads forms into a help: options and positionals that the text did not describe, and sub-commands where forms differ in a word.
pub(super) fn apply(help: &mut Help, known: &mut Vec<String>, forms: &[String], words: &[&str]) {
    let own: Vec<Vec<&str>> = forms.iter().filter_map(|form| behind(form, words)).collect();
    help.of_another = !forms.is_empty() && own.is_empty();
    if help.commands.is_empty() {
        commands_of_forms(help, &own);
        commands_in_braces(help, &own);
    }
    let lists_commands = !help.commands.is_empty();
    let mut read = Forms::default();
    let mut count = 0;
    for form in &own {
        let literal = form
            .iter()
            .find(|token| !token.starts_with(['-', '[']))
            .is_some_and(|token| help.commands.iter().any(|command| command.name == *token));
        if literal {
            continue;
        }
        count += 1;
        read.form(form, Need::Required, count);
    }
    for positional in &mut read.positionals {
        positional.required &= positional.forms == count;
    }
    take_options(help, known, &read);
    if help.positionals.is_empty() && !lists_commands {
        help.positionals = read.positionals();
    }
}

/// Reads what stands behind a sub-command's word in its parent's list (`UNIT [PATH]`).
pub(super) fn arguments(text: &str) -> Vec<Positional> {
    let mut read = Forms::default();
    read.form(&tokens(text), Need::Required, 1);
    read.positionals()
}

fn take_options(help: &mut Help, known: &mut Vec<String>, read: &Forms) {
    for shown in &read.options {
        let Some(read) = option::read(shown, "") else { continue };
        if matches!(read.option.flag.as_str(), "--help" | "-h" | "--version") {
            continue;
        }
        if let Some(value) = &read.option.value
            && let Some(listed) = help.options.iter_mut().find(|listed| read.flags.contains(&listed.flag))
        {
            // The list below may leave out that a value follows.
            listed.value.get_or_insert_with(|| value.clone());
        }
        if !read.flags.iter().any(|flag| known.contains(flag)) {
            known.extend(read.flags);
            help.options.push(read.option);
        }
    }
}

/// Returns the tokens behind the command's own words; none when the form is of another command.
fn behind<'f>(form: &'f str, words: &[&str]) -> Option<Vec<&'f str>> {
    let all = tokens(form);
    let mut rest = all.iter().skip(1);
    let same_program =
        all.first().is_some_and(|first| words.first().is_some_and(|program| base(first) == base(program)));
    let mut left = words.get(1..).unwrap_or_default().iter().peekable();
    let mut out: Vec<&str> = Vec::new();
    for token in rest.by_ref() {
        match left.peek() {
            Some(word) if *word == token => {
                left.next();
            }
            // Options of the program stand before the sub-command's word.
            Some(_) if token.starts_with(['[', '-', '<']) => {}
            Some(_) if same_program => return None,
            _ => out.push(token),
        }
    }
    if left.peek().is_some() && same_program { None } else { Some(out) }
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Takes the first literal word of each form as a sub-command, where there are several.
fn commands_of_forms(help: &mut Help, forms: &[Vec<&str>]) {
    let found: Vec<(&str, &[&str])> = forms.iter().filter_map(|form| literal(form)).collect();
    let mut names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    names.dedup();
    if names.len() < 2 {
        return;
    }
    help.alone = found.len() < forms.len();
    for (name, rest) in found {
        if help.commands.iter().any(|command| command.name == name) {
            continue;
        }
        let mut read = Forms::default();
        read.form(rest, Need::Required, 1);
        let mut shown = Help { positionals: read.positionals(), ..Help::default() };
        take_options(&mut shown, &mut Vec::new(), &read);
        help.commands.push(Subcommand { name: name.to_owned(), listed: false, shown });
    }
}

/// Returns the first word of a form that stands for itself, with what follows it.
fn literal<'f, 't>(form: &'f [&'t str]) -> Option<(&'t str, &'f [&'t str])> {
    let at = form.iter().position(|token| !token.starts_with(['-', '[']))?;
    let word = *form.get(at)?;
    is_command_word(word).then(|| (word, form.get(at + 1..).unwrap_or_default()))
}

/// Takes argparse's `{add,list} ...` as sub-commands.
fn commands_in_braces(help: &mut Help, forms: &[Vec<&str>]) {
    for form in forms {
        let pairs = form.iter().zip(form.iter().skip(1));
        for (token, _) in pairs.filter(|(token, next)| token.starts_with('{') && **next == "...") {
            let names = token.trim_matches(['{', '}']).split(',').filter(|name| is_command_word(name));
            let command = |name: &str| Subcommand { name: name.to_owned(), listed: true, shown: Help::default() };
            help.commands.extend(names.map(command));
        }
    }
}

/// Splits a form at blanks that stand in no brackets.
fn tokens(form: &str) -> Vec<&str> {
    split_outside(form, &[' ', '\t']).into_iter().filter(|token| !token.is_empty()).collect()
}

/// What forms show.
#[derive(Default)]
struct Forms {
    positionals: Vec<Shown>,
    /// Flags with their values, as in a list of options.
    options: Vec<String>,
}

/// A positional that forms show.
struct Shown {
    name: String,
    /// In how many forms it stands, and the last of them.
    forms: usize,
    last: usize,
    required: bool,
}

/// Whether what a form shows has to be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

impl Forms {
    fn positionals(&self) -> Vec<Positional> {
        let made = self.positionals.iter().map(|shown| Positional {
            name: shown.name.clone(),
            description: String::new(),
            required: shown.required,
        });
        made.collect()
    }

    fn form(&mut self, tokens: &[&str], need: Need, number: usize) {
        let mut tokens = tokens.iter().peekable();
        while let Some(token) = tokens.next() {
            let token = token.trim_end_matches("...").trim_end_matches('…');
            if token.starts_with('-') && !token.trim_matches('-').is_empty() {
                let value = tokens.next_if(|next| !token.contains('=') && next.starts_with('<') && next.ends_with('>'));
                self.options.push(value.map_or_else(|| token.to_owned(), |value| format!("{token} {value}")));
            } else if let Some(inner) = bracketed(token, '[', ']') {
                self.optional(inner, number);
            } else if let Some(inner) = bracketed(token, '(', ')').or_else(|| bracketed(token, '{', '}')) {
                for part in split_outside(inner, &['|']) {
                    self.form(&self::tokens(part), Need::Optional, number);
                }
            } else {
                self.positional(token, need, number);
            }
        }
    }

    /// Reads what stands in brackets: flags, each with its value, or positionals.
    fn optional(&mut self, inner: &str, number: usize) {
        let mut parts: Vec<&str> = split_outside(inner, &['|']).into_iter().map(str::trim).collect();
        if parts.len() > 1 && parts.iter().any(|part| part.starts_with(['-', '('])) {
            // What stands beside a flag is its values.
            parts.retain(|part| part.starts_with('-'));
        }
        if !parts.iter().all(|part| part.starts_with('-') && !part.trim_matches('-').is_empty()) {
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
            self.options.push(long.map_or_else(|| part.to_owned(), |long| format!("{part}, {long}")));
        }
    }

    fn positional(&mut self, token: &str, need: Need, number: usize) {
        let required = need == Need::Required;
        let name = clean_name(token.trim_matches(['[', ']']));
        let generic = name.ends_with("options") || name.ends_with("option") || name.ends_with("flags") || name == "or";
        if generic || name.is_empty() || !token.starts_with(|c: char| c.is_alphanumeric() || c == '<') {
            return;
        }
        match self.positionals.iter_mut().find(|shown| shown.name == name) {
            Some(shown) if shown.last < number => {
                shown.forms += 1;
                shown.last = number;
                shown.required &= required;
            }
            Some(_) => {}
            None => self.positionals.push(Shown { name, forms: 1, last: number, required }),
        }
    }
}

fn bracketed(token: &str, open: char, close: char) -> Option<&str> {
    token.strip_prefix(open)?.strip_suffix(close)
}

/// Recognizes `-46AaCf`: letters in their order stand for a flag each.
fn cluster(part: &str) -> Option<&str> {
    let letters = part.strip_prefix('-').filter(|letters| letters.len() > 3)?;
    let plain = letters.chars().all(|c| c.is_ascii_alphanumeric());
    let lower: Vec<char> = letters.chars().map(|c| c.to_ascii_lowercase()).collect();
    (plain && lower.is_sorted()).then_some(letters)
}
