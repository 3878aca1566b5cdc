//! The lines of a help text, one after another.
//!
//! A line is a part of the usage, a heading, an option, an entry of a list (a sub-command, a positional), or goes on with
//! the description of the entry above. Where descriptions begin is learnt from the entries that have a clear gap.

use super::option::{self, Read};
use super::section::{self, Section};
use super::{Help, Positional, Subcommand, clean_name, is_command_word, usage};

/// Characters of a description that are kept.
const MAX_DESCRIPTION: usize = 300;
/// Blanks that an entry of a list may have before it.
const MAX_INDENT: usize = 12;

/// What the line above was an entry of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    None,
    Option,
    Command,
    Positional,
}

pub(super) fn read(text: &str, words: &[&str]) -> Help {
    let mut reader = Reader::new(words);
    for line in text.lines().map(str::trim_end) {
        reader.line(line);
    }
    let mut help = reader.help;
    if help.commands.is_empty() && reader.forms.iter().any(|form| form.to_lowercase().contains("command")) {
        help.commands = without_heading(text);
    }
    help.about = first_sentence(&help.about);
    usage::apply(&mut help, &mut reader.flags, &reader.forms, words);
    help
}

struct Reader<'w> {
    words: &'w [&'w str],
    help: Help,
    /// All flags that were listed.
    flags: Vec<String>,
    forms: Vec<String>,
    section: Section,
    entry: Entry,
    /// Where the entry above begins, and where descriptions do.
    indent: usize,
    column: usize,
    about_ended: bool,
}

impl<'w> Reader<'w> {
    fn new(words: &'w [&'w str]) -> Self {
        Self {
            words,
            help: Help::default(),
            flags: Vec::new(),
            forms: Vec::new(),
            section: Section::About,
            entry: Entry::None,
            indent: 0,
            column: 0,
            about_ended: false,
        }
    }

    fn line(&mut self, line: &str) {
        let body = line.trim_start();
        let indent = width(line);
        if body.is_empty() {
            self.entry = Entry::None;
            self.about_ended |= !self.help.about.is_empty();
            if self.section == Section::Usage && !self.forms.is_empty() {
                self.section = Section::About;
            }
            return;
        }
        if let Some(rest) = section::usage(body) {
            self.section = Section::Usage;
            self.form(rest.trim());
            return;
        }
        if self.begins_bare_form(body, indent) {
            self.section = Section::Usage;
            self.form(body);
            return;
        }
        if let Some(heading) = section::heading(line) {
            (self.section, self.entry, self.column) = (heading, Entry::None, 0);
            return;
        }
        match self.section {
            Section::Usage if body.starts_with('-') && !columns(body).1.is_empty() => {
                self.section = Section::Options;
                self.option(body, indent);
            }
            Section::Usage if indent > 0 || self.begins_form(body) || body.starts_with(['[', '<', '{']) => {
                self.usage(body);
            }
            Section::Usage => {
                self.section = Section::About;
                self.about(body);
            }
            Section::Skipped => {}
            _ if self.goes_on(body, indent) => self.go_on(body),
            Section::Commands if body.starts_with("- ") => self.commands(body, indent),
            // A bullet, or the end of the options.
            _ if body.starts_with("- ") || body == "-" || body.starts_with("-- ") => self.entry = Entry::None,
            _ if body.starts_with('-') => self.option(body, indent),
            Section::About => self.about(body),
            Section::Commands => self.commands(body, indent),
            Section::Positionals => self.positional(body, indent),
            Section::Options | Section::GeneralOptions | Section::Other => self.entry = Entry::None,
        }
    }

    /// Recognizes a usage without the word: `systemctl [OPTIONS...] COMMAND ...`, and further forms below a blank line.
    fn begins_bare_form(&self, body: &str, indent: usize) -> bool {
        let Some((first, rest)) = body.split_once(' ') else { return false };
        let further = self.section == Section::About && indent > 0 && self.help.about.is_empty();
        self.is_program(first)
            && (if self.forms.is_empty() { rest.trim_start().starts_with(['[', '<', '{']) } else { further })
    }

    fn is_program(&self, word: &str) -> bool {
        self.words.first().is_some_and(|program| program.rsplit('/').next() == word.rsplit('/').next())
    }

    fn begins_form(&self, body: &str) -> bool {
        let first = body.split_whitespace().next().unwrap_or_default();
        let of_first = self.forms.first().and_then(|form| form.split_whitespace().next());
        body.starts_with("or:") || self.is_program(first) || of_first == Some(first)
    }

    fn form(&mut self, text: &str) {
        if !text.is_empty() {
            // What stands behind a gap explains the form.
            self.forms.push(columns(text).0.to_owned());
        }
    }

    fn usage(&mut self, body: &str) {
        let begins = self.begins_form(body);
        let body = body.strip_prefix("or:").map_or(body, str::trim);
        match self.forms.last_mut() {
            Some(form) if !begins => {
                form.push(' ');
                form.push_str(body);
            }
            Some(_) | None => self.form(body),
        }
    }

    fn about(&mut self, body: &str) {
        let about = &mut self.help.about;
        if self.about_ended || about.len() > MAX_DESCRIPTION || is_noise(body) {
            return;
        }
        if !about.is_empty() {
            about.push(' ');
        }
        about.push_str(body);
    }

    /// Says whether a line goes on with the description of the entry above.
    fn goes_on(&self, body: &str, indent: usize) -> bool {
        if self.entry == Entry::None || indent <= self.indent {
            return false;
        }
        let flag = body.starts_with('-');
        match self.column {
            0 => !flag,
            column => indent + 2 >= column || (!flag && self.description().is_some_and(String::is_empty)),
        }
    }

    fn description(&self) -> Option<&String> {
        match self.entry {
            Entry::Option => self.help.options.last().map(|option| &option.description),
            Entry::Command => self.help.commands.last().map(|command| &command.shown.about),
            Entry::Positional => self.help.positionals.last().map(|positional| &positional.description),
            Entry::None => None,
        }
    }

    fn go_on(&mut self, body: &str) {
        let description = match self.entry {
            Entry::Option => self.help.options.last_mut().map(|option| &mut option.description),
            Entry::Command => self.help.commands.last_mut().map(|command| &mut command.shown.about),
            Entry::Positional => self.help.positionals.last_mut().map(|positional| &mut positional.description),
            Entry::None => None,
        };
        let Some(description) = description else { return };
        if description.len() < MAX_DESCRIPTION {
            if !description.is_empty() {
                description.push(' ');
            }
            description.push_str(body);
        }
        if self.entry == Entry::Option
            && let Some(option) = self.help.options.last_mut()
        {
            option::finish(option);
        }
    }

    /// Splits an entry from its description: at a gap, or where the descriptions of this list begin.
    fn split<'l>(&mut self, body: &'l str, indent: usize) -> (&'l str, &'l str) {
        let (left, right) = columns(body);
        if !right.is_empty() {
            self.column = indent + body.len() - right.len();
            return (left, right);
        }
        let at = self.column.saturating_sub(indent);
        match (body.get(..at), body.get(at..)) {
            (Some(left), Some(right)) if at > 0 && left.ends_with(' ') && !right.is_empty() => (left.trim(), right),
            _ => option::run_on(left).unwrap_or((left, "")),
        }
    }

    fn option(&mut self, body: &str, indent: usize) {
        let (flags, description) = match body.split_once(" : ") {
            Some((flags, description)) if !flags.trim().contains("  ") => (flags.trim(), description),
            _ => self.split(body, indent),
        };
        let (flags, description) = (flags.to_owned(), description.trim_start_matches(": "));
        (self.entry, self.indent) = (Entry::None, indent);
        let Some(Read { option, flags: all }) = option::read(&flags, description) else {
            if !body.trim_matches('-').is_empty() {
                self.help.unread.push(body.to_owned());
            }
            return;
        };
        let general = self.section == Section::GeneralOptions && self.words.len() > 1;
        let flag = option.flag.trim_end_matches('=');
        let idle = matches!(flag, "--help" | "-h" | "--version" | "--usage" | "-?" | "-help")
            || (flag == "-V" && description.to_lowercase().contains("version"));
        if idle || general || all.iter().any(|flag| self.flags.contains(flag)) {
            self.flags.extend(all);
            return;
        }
        self.flags.extend(all);
        self.help.options.push(option);
        self.entry = Entry::Option;
    }

    fn commands(&mut self, body: &str, indent: usize) {
        self.entry = Entry::None;
        if indent == 0 || indent > MAX_INDENT {
            return;
        }
        let bullet = body.strip_prefix("- ");
        let body = bullet.unwrap_or(body);
        let names: Vec<&str> = body.trim_end_matches(',').split(", ").collect();
        // A list without descriptions: `access, adduser, audit,`.
        if names.len() > 1 && names.iter().all(|name| is_command_word(name) || *name == "help" || *name == "completion")
        {
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
        self.command(name, &arguments, &right);
    }

    fn command(&mut self, name: &str, arguments: &str, description: &str) {
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

    fn positional(&mut self, body: &str, indent: usize) {
        self.entry = Entry::None;
        let (name, description) = self.split(body, indent);
        let (name, description) = (name.to_owned(), description.to_owned());
        let in_braces = name.starts_with('{');
        if in_braces || (!self.help.commands.is_empty() && is_command_word(&name)) {
            self.commands(body, indent);
            return;
        }
        let clean = clean_name(name.split([':']).next().unwrap_or_default());
        if clean.is_empty() || indent > MAX_INDENT || self.help.positionals.iter().any(|known| known.name == clean) {
            return;
        }
        self.indent = indent;
        self.help.positionals.push(Positional { name: clean, description, required: !name.starts_with('[') });
        self.entry = Entry::Positional;
    }
}

/// Returns how far a line is indented, in columns.
fn width(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 8 } else { 1 }).sum()
}

/// Lines that say nothing of what the command does: versions, complaints about `--help`.
fn is_noise(body: &str) -> bool {
    let lower = body.to_lowercase();
    let is_version = body.split_whitespace().nth(1).is_some_and(|word| {
        let word = word.trim_start_matches(['v', '(']);
        word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
    });
    let complaint = ["unknown option", "invalid option", "unrecognized option", "illegal option", "warning", "error"];
    is_version || complaint.iter().any(|words| lower.contains(words)) || !body.contains(char::is_alphabetic)
}

/// Cuts a text behind its first sentence.
fn first_sentence(text: &str) -> String {
    let end = text
        .match_indices(". ")
        .map(|(at, _)| at)
        .find(|&at| at > 8 && !text.get(..at).unwrap_or_default().ends_with("e.g"));
    let text = end.map_or(text, |end| text.get(..=end).unwrap_or(text));
    let cut = text.char_indices().nth(MAX_DESCRIPTION).map_or(text.len(), |(at, _)| at);
    text.get(..cut).unwrap_or(text).trim().to_owned()
}

/// Splits a line at the first gap of two blanks or more.
fn columns(body: &str) -> (&str, &str) {
    match body.find("  ").or_else(|| body.find('\t')) {
        Some(at) => {
            let (left, right) = body.split_at(at);
            (left.trim(), right.trim())
        }
        None => (body.trim(), ""),
    }
}

/// Finds sub-commands in lists that no heading names, as git's: indented, a word, a gap, a description.
fn without_heading(text: &str) -> Vec<Subcommand> {
    let mut found: Vec<Subcommand> = Vec::new();
    for line in text.lines() {
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        let (name, about) = columns(body);
        let fits = (1..=MAX_INDENT).contains(&indent) && is_command_word(name) && !about.is_empty();
        if fits && !found.iter().any(|command| command.name == name) {
            let shown = Help { about: about.to_owned(), ..Help::default() };
            found.push(Subcommand { name: name.to_owned(), listed: true, shown });
        }
    }
    if found.len() > 2 { found } else { Vec::new() }
}
