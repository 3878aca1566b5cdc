//! The lines of a help text, one after another.
//!
//! A line is a part of the usage, a heading, an option, an entry of a list (a sub-command, a positional), or goes on with
//! the description of the entry above. Where descriptions begin is learnt from the entries that have a clear gap.

mod lists;
mod text;

use super::option::{self, Read, Words};
use super::section::{self, Section};
use super::{Help, boxes, usage};
use text::{columns, first_sentence, is_about_program, is_noise, is_sentence, option_columns, width, without_heading};

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
    let text = &*boxes::plain(text);
    // What click's own sentence tells.
    let metavars = if text.contains("Show this message and exit.") { Words::OneName } else { Words::Values };
    let mut reader = Reader::new(words, metavars);
    let mut lines = text.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        reader.line(line, lines.peek().copied());
    }
    let mut help = reader.help;
    if help.commands.is_empty() && reader.forms.iter().any(|form| form.to_lowercase().contains("command")) {
        help.commands = without_heading(text);
    }
    help.about = first_sentence(&help.about);
    usage::apply(&mut help, &mut reader.flags, &reader.forms, words);
    option::values_from_descriptions(&mut help.options);
    help
}

struct Reader<'w> {
    words: &'w [&'w str],
    /// What several words behind a flag are here.
    metavars: Words,
    help: Help,
    /// All flags that were listed.
    flags: Vec<String>,
    forms: Vec<String>,
    /// How far the last form is indented.
    form_at: usize,
    section: Section,
    entry: Entry,
    /// Where the entry above begins, and where descriptions do.
    indent: usize,
    column: usize,
    /// Where descriptions begin that stand below their entries.
    below: Option<usize>,
    /// Where the entries of this list begin.
    list_at: Option<usize>,
    about_ended: bool,
}

impl<'w> Reader<'w> {
    fn new(words: &'w [&'w str], metavars: Words) -> Self {
        Self {
            words,
            metavars,
            help: Help::default(),
            flags: Vec::new(),
            forms: Vec::new(),
            form_at: 0,
            section: Section::About,
            entry: Entry::None,
            indent: 0,
            column: 0,
            below: None,
            list_at: None,
            about_ended: false,
        }
    }

    fn line(&mut self, line: &str, next: Option<&str>) {
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
            self.form_at = indent + body.len() - rest.trim_start().len();
            self.form(rest.trim());
            return;
        }
        if self.begins_bare_form(body, indent) {
            (self.section, self.form_at) = (Section::Usage, indent);
            self.form(body);
            return;
        }
        if let Some(heading) = section::heading(line, next) {
            (self.section, self.entry, self.column) = (heading, Entry::None, 0);
            (self.below, self.list_at) = (None, None);
            return;
        }
        if self.section == Section::Usage {
            self.below_usage(body, indent);
        } else {
            self.entry_or_text(body, indent);
        }
    }

    /// Reads a line below the first form: another form, more of the last one, or what follows.
    fn below_usage(&mut self, body: &str, indent: usize) {
        let is_option = body.starts_with('-')
            && (!columns(body).1.is_empty() || indent <= self.form_at || option::run_on(body).is_some());
        let opens = body.starts_with(['[', '<', '{', '(', '|', '.']);
        let goes_on = indent > 0 && opens || indent > self.form_at && !is_sentence(body) || self.forms.is_empty();
        if is_option && !self.begins_form(body) {
            self.section = Section::Options;
            self.option(body, indent);
        } else if self.begins_form(body) || goes_on && !self.is_argument(body, indent) {
            self.usage(body, indent);
        } else {
            self.section = Section::About;
            self.entry_or_text(body, indent);
        }
    }

    /// Recognizes an argument that stands right below a usage, with its description behind a gap.
    fn is_argument(&self, body: &str, indent: usize) -> bool {
        let (left, right) = columns(body);
        indent > 0 && !self.forms.is_empty() && left.starts_with(['<', '[']) && !right.is_empty() && is_sentence(right)
    }

    fn entry_or_text(&mut self, body: &str, indent: usize) {
        if self.section == Section::Positionals && self.commands_of_positional(body, indent) {
            return;
        }
        match self.section {
            Section::Skipped | Section::Usage => {}
            // npm's: `[--omit <dev|peer>]` in the place of values in the list.
            Section::Options if body.starts_with("[-") && indent == 0 && !self.forms.is_empty() => {
                self.forms.iter_mut().for_each(|form| form.extend([" ", body]));
            }
            _ if self.goes_on(body, indent) => self.go_on(body, indent),
            // What stands under descriptions is no entry.
            Section::Commands | Section::Positionals if self.list_at.is_some_and(|at| indent > at) => {}
            Section::Commands if body.starts_with("- ") => self.commands(body, indent),
            // A bullet, or the end of the options.
            _ if body.starts_with("- ") || body == "-" || body.starts_with("-- ") => self.entry = Entry::None,
            _ if body.starts_with('-') && self.is_description(indent) => {}
            _ if body.starts_with('-') => self.option(body, indent),
            Section::About if self.is_argument(body, indent) => self.positional(body, indent),
            Section::About => self.about(body),
            Section::Commands => self.commands(body, indent),
            Section::Positionals => self.positional(body, indent),
            Section::Options | Section::GeneralOptions | Section::Other => self.entry = Entry::None,
        }
    }

    /// Says whether a line stands where descriptions do, so that a dash in it begins no option.
    fn is_description(&self, indent: usize) -> bool {
        self.column > 0 && indent + 2 >= self.column || self.below.is_some_and(|below| indent >= below && below > 0)
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
        let body = body.strip_prefix("or ").map_or(body, str::trim);
        let first = body.split_whitespace().next().unwrap_or_default();
        let of_first = self.forms.first().and_then(|form| form.split_whitespace().next());
        body.starts_with("or:") || (self.is_program(first) || of_first == Some(first)) && !is_about_program(body)
    }

    fn form(&mut self, text: &str) {
        if !text.is_empty() {
            // What stands behind a gap explains the form.
            self.forms.push(columns(text).0.to_owned());
        }
    }

    fn usage(&mut self, body: &str, indent: usize) {
        let begins = self.begins_form(body);
        if begins || self.forms.is_empty() {
            self.form_at = indent;
        }
        let body = body.strip_prefix("or:").or_else(|| body.strip_prefix("or ")).map_or(body, str::trim);
        match self.forms.last_mut() {
            Some(form) if !begins => {
                form.push(' ');
                form.push_str(body);
            }
            Some(_) | None => self.form(body),
        }
    }

    fn about(&mut self, body: &str) {
        // `name - what it does`
        let titled = body.split_once(" - ").filter(|(name, _)| {
            self.help.about.is_empty()
                && name.split(' ').count() <= self.words.len()
                && self.is_program(name.split(' ').next().unwrap_or_default())
        });
        let body = titled.map_or(body, |(_, about)| about.trim());
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
        let flag = body.starts_with('-');
        // tsc's: flags and their descriptions stand at the edge.
        let is_flush = indent == 0 && self.indent == 0 && self.column == 0 && self.entry == Entry::Option && !flag;
        if self.entry == Entry::None || indent <= self.indent && !is_flush {
            return false;
        }
        match self.column {
            0 => !flag || self.is_description(indent),
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

    fn go_on(&mut self, body: &str, indent: usize) {
        if self.column == 0 {
            self.below.get_or_insert(indent);
        }
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
        let (left, right) = if body.starts_with('-') { option_columns(body) } else { columns(body) };
        if !right.is_empty() {
            self.column = indent + body.len() - right.len();
            return (left, right);
        }
        let at = self.column.saturating_sub(indent);
        match (body.get(..at), body.get(at..)) {
            (Some(left), Some(right))
                if at > 0
                    && left.ends_with(' ')
                    && right.contains(|c: char| c.is_ascii_lowercase())
                    && !right.starts_with(['<', '[', '{']) =>
            {
                (left.trim(), right)
            }
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
        let Some(Read { option, flags: all, off }) = option::read(&flags, description, self.metavars) else {
            if !body.trim_matches('-').is_empty() {
                self.help.unread.push(body.to_owned());
            }
            return;
        };
        if let Some(more) = option::others(&flags, description) {
            self.help.unread.push(more.to_owned());
        }
        let general = self.section == Section::GeneralOptions && self.words.len() > 1;
        let flag = option.flag.trim_end_matches('=');
        let idle = matches!(flag, "--help" | "-h" | "--version" | "--usage" | "-?" | "-help")
            || (flag == "-V" && description.to_lowercase().contains("version"));
        if idle || general || all.iter().any(|flag| self.flags.contains(flag)) {
            self.flags.extend(all);
            return;
        }
        self.flags.extend(all);
        self.help.options.extend(off);
        self.help.options.push(option);
        self.entry = Entry::Option;
    }
}
