//! One help text, read: clap, argparse, cobra, click, yargs, GNU and hand-written ones.
//!
//! [`boxes`] takes drawn boxes apart, [`reader`] goes through the lines, [`section`] tells headings, [`option`] reads what
//! stands before a description, [`many`] tells lists, [`usage`] reads the forms behind `Usage:`.

mod boxes;
mod many;
mod option;
mod reader;
mod section;
mod usage;

/// What a help text says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Help {
    /// The first sentence on what the command does.
    pub about: String,
    /// Sub-commands with what they do.
    pub commands: Vec<Subcommand>,
    /// Options that have a flag.
    pub options: Vec<HelpOption>,
    /// Positional arguments in order.
    pub positionals: Vec<Positional>,
    /// Lines that look like options and could not be read.
    pub unread: Vec<String>,
    /// True when the command does something without a sub-command, though it has some.
    pub alone: bool,
    /// True when the text shows a usage.
    pub has_usage: bool,
    /// True when the usage that the text shows is that of another command.
    pub of_another: bool,
}

/// A sub-command as its parent's help text shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subcommand {
    /// Its word.
    pub name: String,
    /// True when it stands in a list; one that only a usage shows might run when it is asked for its help.
    pub listed: bool,
    /// What the parent's text says of it: used where it has no help of its own.
    pub shown: Help,
}

/// An option of a help text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelpOption {
    /// The flag as it is written, long where there is one; it ends in `=` where only that form is shown.
    pub flag: String,
    /// The word that stands for its value; none for a switch.
    pub value: Option<String>,
    /// What it does.
    pub description: String,
    /// The values that it may have.
    pub choices: Vec<String>,
    /// True when the text says that it must be given.
    pub required: bool,
    /// How many values it takes.
    pub many: Many,
}

/// How many values an argument takes, and how they are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Many {
    /// One.
    #[default]
    One,
    /// Several: the flag stands before each, and positionals stand one after another.
    Repeated,
    /// Several, all behind the flag, up to the next option.
    Greedy,
}

/// A positional argument of a help text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positional {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// False when the usage shows it in brackets.
    pub required: bool,
    /// True when the usage shows `--` before it.
    pub dashes: bool,
    /// The values that it may have.
    pub choices: Vec<String>,
    /// How many values it takes.
    pub many: Many,
}

impl Help {
    /// Reads the help text of a command; `words` are the program's name and the sub-command's words.
    pub fn read(text: &str, words: &[&str]) -> Self {
        reader::read(text, words)
    }

    /// Says whether nothing in the text shows how the command is called: it may be anything.
    pub fn is_prose(&self) -> bool {
        !self.has_usage && self.options.is_empty() && self.commands.is_empty() && self.positionals.is_empty()
    }

    /// Says whether a text is a page of a manual, and no help text: `-h` may give that.
    pub fn is_manual(text: &str) -> bool {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let page = first.split_whitespace().next().and_then(|word| word.strip_suffix(')')?.split_once('('));
        let is_page = page.is_some_and(|(name, section)| {
            !name.is_empty() && section.starts_with(|c: char| c.is_ascii_digit()) && section.len() <= 3
        });
        is_page || first.starts_with("No manual entry") || text.contains("no man viewer")
    }
}

/// Makes an argument's name of the word that stands for its value.
fn clean_name(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let name: String =
        word.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    name.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

/// Splits a text at the characters of `marks` that stand in no brackets.
fn split_outside<'t>(text: &'t str, marks: &[char]) -> Vec<&'t str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' | '<' => depth += 1,
            ']' | ')' | '}' | '>' => depth = (depth - 1).max(0),
            c if depth == 0 && marks.contains(&c) => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

/// Says whether a word is one that a sub-command can have.
fn is_command_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        && !word.ends_with('.')
        && !matches!(word, "help" | "completion" | "completions")
}
