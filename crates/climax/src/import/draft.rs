//! Help texts put together to a configuration.
//!
//! [`risk`] guesses what a tool may do, [`arguments`] writes what it takes.

mod arguments;
mod risk;

use std::collections::BTreeSet;
use std::fmt::Write;

use super::help::Help;

/// A configuration in the making.
#[derive(Debug, Default)]
pub struct Draft {
    program: String,
    about: String,
    origin: String,
    tools: String,
    names: BTreeSet<String>,
    /// Sentences on what could not be read.
    pub remarks: Vec<String>,
}

impl Draft {
    /// Begins with a program and its own help.
    pub fn new(program: &str, help: &Help) -> Self {
        let base = program.rsplit('/').next().unwrap_or(program);
        Self::begin(program, help, format!("`{base} --help`"))
    }

    /// Begins with a program and what a package's specification says of it.
    pub(super) fn of_fig(program: &str, help: &Help) -> Self {
        Self::begin(program, help, "a specification of @withfig/autocomplete".into())
    }

    fn begin(program: &str, help: &Help, origin: String) -> Self {
        let mut draft = Self { program: program.into(), about: help.about.clone(), origin, ..Self::default() };
        if help.commands.is_empty() || help.alone {
            draft.add(&[], help);
        }
        draft
    }

    /// Returns the program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Counts the tools.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Says whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds the sub-command with these words.
    pub fn add(&mut self, words: &[String], help: &Help) {
        let base = word(self.program.rsplit('/').next().unwrap_or(&self.program));
        let parts = std::iter::once(base).chain(words.iter().map(|part| word(part)));
        let name = parts.collect::<Vec<_>>().join("_");
        if !self.names.insert(name.clone()) {
            return;
        }
        let shown = words.join(" ");
        for line in &help.unread {
            self.remarks.push(format!("{name}: this option could not be read: {line}"));
        }
        let base = self.program.rsplit('/').next().unwrap_or(&self.program);
        let plain = format!("{base} {shown}");
        let description = if help.about.is_empty() { plain.trim() } else { &help.about };
        if help.about.is_empty() {
            self.remarks.push(format!("{name}: the help does not say what it does"));
        }
        let risk = risk::guess(base, words, help).as_str();
        let out = &mut self.tools;
        line(out, &format!("  - name: {name}"));
        line(out, &format!("    description: {}", quoted(description)));
        if !shown.is_empty() {
            line(out, &format!("    command: {}", quoted(&shown)));
        }
        line(out, &format!("    risk: {risk}"));
        let arguments = arguments::lines(&help.options, &help.positionals);
        if !arguments.is_empty() {
            line(out, "    args:");
            out.push_str(&arguments);
        }
    }

    /// Writes the configuration.
    pub fn yaml(&self) -> String {
        let base = self.program.rsplit('/').next().unwrap_or(&self.program);
        let mut out = String::new();
        line(
            &mut out,
            &format!("# Made from {}. Look at every risk before it is used: they are guessed.", self.origin),
        );
        line(
            &mut out,
            "# `judged` runs unasked only where its very command line is known to read; say `read` where you know it.",
        );
        line(&mut out, &format!("name: {}", quoted(&format!("{base}-tools"))));
        // What says nothing is not found.
        let runs = format!("Runs {base}");
        let about = if self.about.is_empty() { &runs } else { &self.about };
        line(&mut out, &format!("description: {}", quoted(about)));
        line(&mut out, &format!("command: {}", quoted(&shell_words::quote(&self.program))));
        line(&mut out, "# Options stand before other arguments: some programs read none behind them.");
        line(&mut out, "options_first: true");
        if self.tools.is_empty() {
            line(&mut out, "tools: []");
        } else {
            line(&mut out, "tools:");
            out.push_str(&self.tools);
        }
        out
    }
}

fn word(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}
