//! Specifications of the npm package `@withfig/autocomplete`, as `data/fig.mjs` writes them, put together to configurations.

use serde::Deserialize;

use super::draft::Draft;
use super::help::{Help, HelpOption, Many, Positional, Subcommand};

/// The program for `node` that writes the specifications of a package's folder, a line of JSON each.
pub const READER: &str = include_str!("../../data/fig.mjs");

/// One command or sub-command.
#[derive(Debug, Deserialize)]
struct Command {
    name: String,
    about: String,
    commands: Vec<Command>,
    options: Vec<Flag>,
    arguments: Vec<Argument>,
}

#[derive(Debug, Deserialize)]
struct Flag {
    flags: Vec<String>,
    about: String,
    value: Option<String>,
    equals: bool,
    required: bool,
    /// True where the flag may be given again.
    #[serde(default)]
    repeats: bool,
    /// True where its value goes on up to the next option.
    #[serde(default)]
    variadic: bool,
}

#[derive(Debug, Deserialize)]
struct Argument {
    name: String,
    about: String,
    required: bool,
    #[serde(default)]
    variadic: bool,
}

/// Makes a draft of one line: every sub-command that has no further ones becomes a tool.
///
/// # Errors
/// When the line is no specification.
pub fn draft(line: &str) -> Result<Draft, serde_json::Error> {
    let command: Command = serde_json::from_str(line)?;
    let mut draft = Draft::of_fig(&command.name, &command.help());
    let mut words = Vec::new();
    command.add_leaves(&mut words, &mut draft);
    Ok(draft)
}

impl Command {
    fn add_leaves(&self, words: &mut Vec<String>, draft: &mut Draft) {
        for inner in &self.commands {
            words.push(inner.name.clone());
            if inner.commands.is_empty() {
                draft.add(words, &inner.help());
            } else {
                inner.add_leaves(words, draft);
            }
            words.pop();
        }
    }

    /// Says the same as a help text would.
    fn help(&self) -> Help {
        Help {
            about: self.about.clone(),
            commands: self
                .commands
                .iter()
                .map(|inner| Subcommand { name: inner.name.clone(), listed: true, shown: Help::default() })
                .collect(),
            options: self.options.iter().filter_map(Flag::help).collect(),
            positionals: self
                .arguments
                .iter()
                .map(|argument| Positional {
                    name: plain(&argument.name),
                    description: argument.about.clone(),
                    required: argument.required,
                    dashes: false,
                    choices: Vec::new(),
                    many: if argument.variadic { Many::Repeated } else { Many::One },
                })
                .collect(),
            ..Help::default()
        }
    }
}

impl Flag {
    fn help(&self) -> Option<HelpOption> {
        let known = |flag: &&String| flag.starts_with('-') && !flag.contains(char::is_whitespace);
        let long = self.flags.iter().filter(known).find(|flag| flag.starts_with("--"));
        let flag = long.or_else(|| self.flags.iter().find(known))?;
        if matches!(flag.as_str(), "--help" | "-h" | "--version") || flag.trim_matches('-').is_empty() {
            return None;
        }
        let joined = self.equals && self.value.is_some() && !flag.ends_with('=');
        Some(HelpOption {
            flag: if joined { format!("{flag}=") } else { flag.clone() },
            value: self.value.clone(),
            description: self.about.clone(),
            choices: Vec::new(),
            required: self.required,
            many: match self.value {
                Some(_) if self.repeats || self.variadic && joined => Many::Repeated,
                Some(_) if self.variadic => Many::Greedy,
                Some(_) | None => Many::One,
            },
        })
    }
}

/// Makes an argument's name of its title.
fn plain(title: &str) -> String {
    let name: String =
        title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let name = name.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    if name.is_empty() { "argument".into() } else { name }
}
