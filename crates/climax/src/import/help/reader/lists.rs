//! Entries of lists: sub-commands and positionals.

use super::super::{Help, Many, Positional, Subcommand, clean_name, is_command_word, many, split_outside, usage};
use super::text::columns;
use super::{Entry, MAX_INDENT, Reader};

impl Reader<'_> {
    pub(super) fn commands(&mut self, body: &str, indent: usize) {
        self.entry = Entry::None;
        if indent == 0 || indent > MAX_INDENT {
            return;
        }
        let bullet = body.strip_prefix("- ");
        let body = bullet.unwrap_or(body);
        let names: Vec<&str> = body.trim_end_matches(',').split(", ").collect();
        // A list without descriptions: `access, adduser, audit,`. BusyBox's begins with `[, [[,`.
        let is_name = |name: &&str| is_command_word(name) || matches!(*name, "help" | "completion" | "[" | "[[");
        if names.len() > 1 && names.iter().all(is_name) {
            names.into_iter().for_each(|name| self.command(name, "", ""));
            self.entry = Entry::None;
            return;
        }
        let (left, right) = match body.split_once(" - ") {
            Some((left, right)) if is_command_word(left.trim()) => (left.trim(), right.trim()),
            _ if bullet.is_some() => body.split_once(": ").unwrap_or_default(),
            _ => self.split(body, indent),
        };
        let (left, right) = (left.to_owned(), right.to_owned());
        // argparse lists sub-commands as `{a,b}`, and mostly each of them below.
        if let Some(inner) = left.strip_prefix('{').and_then(|left| left.strip_suffix('}')) {
            inner.split(',').for_each(|name| self.command(name, "", ""));
            self.entry = Entry::None;
            return;
        }
        // yargs repeats the program's name.
        let mut rest = left.split_whitespace().peekable();
        for word in self.words {
            rest.next_if(|next| next == word);
        }
        let name = rest.next().unwrap_or_default().trim_end_matches([':', '*', ',']);
        let arguments: Vec<&str> = rest.collect();
        // Prose below a list.
        if right.is_empty() && arguments.iter().any(|word| word.starts_with(|c: char| c.is_ascii_lowercase())) {
            return;
        }
        // Behind a comma stand other names of the same.
        let arguments = if left.contains(", ") { String::new() } else { arguments.join(" ") };
        self.indent = indent;
        self.list_at.get_or_insert(indent);
        self.command(name, &arguments, &right);
    }

    pub(super) fn command(&mut self, name: &str, arguments: &str, description: &str) {
        if !is_command_word(name) {
            return;
        }
        match self.help.commands.iter_mut().find(|command| command.name == name) {
            Some(known) if known.shown.about.is_empty() => description.clone_into(&mut known.shown.about),
            Some(_) => return,
            None => {
                let shown =
                    Help { about: description.to_owned(), positionals: usage::arguments(arguments), ..Help::default() };
                self.help.commands.push(Subcommand { name: name.to_owned(), listed: true, shown });
            }
        }
        self.entry = Entry::Command;
    }

    /// Reads what stands under a positional as its sub-commands, where the usage has more behind it: argparse's `TYPE ...`.
    pub(super) fn commands_of_positional(&mut self, body: &str, indent: usize) -> bool {
        let (name, about) = columns(body);
        let fits = self.list_at.is_some_and(|at| indent > at) && is_command_word(name) && !about.is_empty();
        let is_open = |name: &str| {
            let shown = |word: &str| clean_name(word) == name;
            let pairs = |form: &String| {
                form.split(' ').zip(form.split(' ').skip(1)).any(|(word, next)| next == "..." && shown(word))
            };
            self.forms.iter().any(pairs)
        };
        let last = self.help.positionals.last();
        let begins = last.is_some_and(|last| last.description.is_empty() && is_open(&last.name));
        if begins && fits {
            self.help.positionals.pop();
        } else if self.help.commands.is_empty() || !fits {
            return false;
        }
        self.commands(body, indent);
        true
    }

    pub(super) fn positional(&mut self, body: &str, indent: usize) {
        self.entry = Entry::None;
        let (name, description) = self.split(body, indent);
        let (name, description) = (name.to_owned(), description.to_owned());
        // `{a,b}` lists sub-commands where the usage has more behind it, and values else.
        let has_more = self.forms.iter().any(|form| form.contains(&format!("{name} ...")));
        let in_braces = name.starts_with('{') && (has_more || self.forms.is_empty());
        if in_braces || (!self.help.commands.is_empty() && is_command_word(&name)) {
            self.commands(body, indent);
            return;
        }
        let clean = clean_name(name.split([':']).next().unwrap_or_default());
        if clean.is_empty()
            || !is_metavar(&name)
            || indent > MAX_INDENT
            || self.help.positionals.iter().any(|known| known.name == clean)
        {
            return;
        }
        self.indent = indent;
        self.list_at.get_or_insert(indent);
        let required = !name.starts_with('[');
        // yargs writes its type behind it.
        let is_list = many::is_dotted(&name) || description.contains("[array]");
        let many = if is_list { Many::Repeated } else { Many::One };
        self.help.positionals.push(Positional {
            name: clean,
            description,
            required,
            dashes: false,
            choices: Vec::new(),
            many,
        });
        self.entry = Entry::Positional;
    }
}

/// Says whether an entry is the name of an argument, with signs that it may be repeated, and no sentence.
fn is_metavar(entry: &str) -> bool {
    let mut words = split_outside(entry, &[' ']).into_iter().filter(|word| !word.is_empty());
    let is_name = |word: &str| {
        word.starts_with(['<', '[', '{'])
            || !word.trim_end_matches("...").contains(['.', ',', '\'', '"', '`', '$', ';', '!', '?', '(', ')', '/'])
    };
    let is_sign =
        |word: &str| word.starts_with(['[', '<', '{', '.', '…']) || !word.contains(|c: char| c.is_ascii_lowercase());
    words.next().is_some_and(is_name) && words.all(is_sign)
}
