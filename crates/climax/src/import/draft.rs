//! Help texts put together to a configuration.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::help::{Help, HelpOption};

/// Words of sub-commands that only look.
const READS: &[&str] = &[
    "list", "ls", "show", "get", "view", "status", "info", "describe", "inspect", "search", "find", "cat", "read",
    "check", "diff", "log", "logs", "version", "tree", "count", "stats", "top", "ps", "whoami", "history", "doctor",
    "verify", "validate", "explain", "is", "grep", "head", "tail", "wc", "stat", "which", "du", "df", "ping", "dig",
];
/// Words of sub-commands that may lose something.
#[rustfmt::skip]
const DESTROYS: &[&str] = &[
    "delete", "remove", "rm", "destroy", "purge", "prune", "drop", "kill", "reset", "clean", "clear", "erase", "wipe",
    "terminate", "uninstall", "rollback", "force", "truncate", "format", "publish", "halt", "poweroff", "reboot",
    "shutdown",
];

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
        let plain = format!("{} {shown}", self.program);
        let description = if help.about.is_empty() { plain.trim() } else { &help.about };
        if help.about.is_empty() {
            self.remarks.push(format!("{name}: the help does not say what it does"));
        }
        let own = [self.program.rsplit('/').next().unwrap_or(&self.program).to_owned()];
        let risk = risk(if words.is_empty() { &own } else { words });
        let out = &mut self.tools;
        line(out, &format!("  - name: {name}"));
        line(out, &format!("    description: {}", quoted(description)));
        if !shown.is_empty() {
            line(out, &format!("    command: {}", quoted(&shown)));
        }
        line(out, &format!("    risk: {risk}"));
        if help.options.is_empty() && help.positionals.is_empty() {
            return;
        }
        line(out, "    args:");
        let mut used: BTreeSet<String> = BTreeSet::new();
        for option in &help.options {
            self.tools.push_str(&option_line(option, &mut used));
        }
        for positional in &help.positionals {
            // `--file` and FILE are two arguments.
            let name = [positional.name.clone(), format!("{}_argument", positional.name)]
                .into_iter()
                .find(|name| !used.contains(name));
            let Some(name) = name else { continue };
            let required = if positional.required { ", required: true" } else { "" };
            let description = match positional.description.as_str() {
                "" => String::new(),
                text => format!(", description: {}", quoted(text)),
            };
            let text = format!("      - {{name: {}, positional: true{required}{description}}}", quoted(&name));
            line(&mut self.tools, &text);
            used.insert(name);
        }
    }

    /// Writes the configuration.
    pub fn yaml(&self) -> String {
        let base = self.program.rsplit('/').next().unwrap_or(&self.program);
        let mut out = String::new();
        line(
            &mut out,
            &format!("# Made from {}. Look at every risk before it is used: they are guessed by name.", self.origin),
        );
        line(&mut out, &format!("name: {}", quoted(&format!("{base}-tools"))));
        // What says nothing is not found.
        let runs = format!("Runs {base}");
        let about = if self.about.is_empty() { &runs } else { &self.about };
        line(&mut out, &format!("description: {}", quoted(about)));
        line(&mut out, &format!("command: {}", quoted(&shell_words::quote(&self.program))));
        if self.tools.is_empty() {
            line(&mut out, "tools: []");
        } else {
            line(&mut out, "tools:");
            out.push_str(&self.tools);
        }
        out
    }
}

fn option_line(option: &HelpOption, used: &mut BTreeSet<String>) -> String {
    let name = word(option.flag.trim_matches(['-', '=']));
    if name.is_empty() || !used.insert(name.clone()) {
        return String::new();
    }
    let mut out = format!("      - {{name: {}", quoted(&name));
    match &option.value {
        None => out.push_str(", type: boolean"),
        Some(_) if !option.choices.is_empty() => {}
        Some(value) if is_integer(value) => out.push_str(", type: integer"),
        Some(value) if is_number(value) => out.push_str(", type: number"),
        Some(_) => {}
    }
    out.push_str(&format!(", flag: {}", quoted(&option.flag)));
    if option.required {
        out.push_str(", required: true");
    }
    if option.value.is_some() && !option.choices.is_empty() {
        let choices: Vec<String> = option.choices.iter().map(|choice| quoted(choice)).collect();
        out.push_str(&format!(", enum: [{}]", choices.join(", ")));
    }
    if !option.description.is_empty() {
        out.push_str(&format!(", description: {}", quoted(&option.description)));
    }
    out.push_str("}\n");
    out
}

fn is_integer(value: &str) -> bool {
    matches!(
        value,
        "int" | "integer" | "n" | "count" | "uint" | "int32" | "int64" | "lines" | "port" | "depth" | "cols"
    )
}

fn is_number(value: &str) -> bool {
    matches!(value, "number" | "float" | "float64" | "sec" | "secs" | "seconds")
}

fn risk(words: &[String]) -> &'static str {
    let parts: Vec<&str> = words.iter().flat_map(|word| word.split(['-', '_', ':'])).collect();
    match parts.as_slice() {
        parts if parts.iter().any(|part| DESTROYS.contains(part)) => "destructive",
        parts if parts.iter().any(|part| READS.contains(part)) => "read",
        _ => "write",
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
