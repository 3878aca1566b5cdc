//! Settings whose value is a line for a shell, and keys that are typed into a terminal.

use alloc::string::{String, ToString};

use aish_program_format::Language;

use super::path::glob_match;
use super::walk::Walker;
use super::word::{Stream, Word};
use crate::rules::Effect;
use crate::verdict::Verdict;

impl Walker<'_> {
    /// Asks about a variable that changes which code runs.
    pub(crate) fn ask_variable(&mut self, name: &str, value: &Word) {
        let mut reason = String::from("changes which code runs through the variable ");
        reason.push_str(name);
        self.note_plain(&value.text, Verdict::Ask, Effect::Run, "shell.code-variable", &reason);
    }

    /// Judges the values of settings by their names.
    pub(crate) fn setting(&mut self, options: &[&str], names: &[&str], arguments: &[Word], program: &str) -> bool {
        let mut found = false;
        for (at, word) in arguments.iter().enumerate() {
            let text = if options.is_empty() {
                word.text.as_str()
            } else if let Some(option) = options.iter().find(|option| word.text.starts_with(**option)) {
                let rest = word.text.get(option.len()..).unwrap_or_default();
                match rest.strip_prefix('=').unwrap_or(rest) {
                    "" => arguments.get(at + 1).map_or("", |word| word.text.as_str()),
                    rest => rest,
                }
            } else if let Some((_, rest)) = options
                .iter()
                .filter(|option| option.len() == 2 && !word.text.starts_with("--") && word.text.starts_with('-'))
                .find_map(|option| word.text.split_once(option.get(1..)?))
            {
                // At the end of a cluster: `-voName=value`.
                rest
            } else {
                continue;
            };
            let Some((name, value)) = text.split_once(['=', ' ']) else { continue };
            // `--config-env=NAME=VARIABLE`: the value stands in the environment.
            let held = word.text.starts_with("--config-env").then(|| self.state.look_up(value)).flatten();
            let held = held.and_then(|words| words.into_iter().next()).map(|word| word.text);
            let value = held.as_deref().unwrap_or(value);
            let name = name.to_ascii_lowercase();
            if !names.iter().any(|glob| glob_match(glob, &name))
                || matches!(value, "true" | "false" | "" | "none" | "cat" | "less")
            {
                continue;
            }
            found = true;
            let (value, taint, known) = (value.to_string(), word.taint, word.is_known());
            let line = match value.strip_prefix('!') {
                Some(line) => line.to_string(),
                None if name.starts_with("alias.") => alloc::format!("{program} {value}"),
                None => value,
            };
            self.code(program, &line, taint, known, Language::Shell, &Stream::default());
        }
        found
    }
}

/// Returns what a word types into a terminal: a key by its name, or its letters, with marks for line ends.
pub(crate) fn typed(word: &str) -> String {
    match word {
        "Enter" | "C-m" | "C-j" | "KPEnter" | "Return" => String::from("\n"),
        "Space" => String::from(" "),
        "Tab" | "C-i" => String::from("\t"),
        "C-c" | "C-u" | "C-l" | "C-d" | "Escape" => String::from("\n"),
        _ => ["\\n", "\\r", "\\012", "\\015", "^M", "^J", "\r"]
            .iter()
            .fold(word.to_string(), |text, mark| text.replace(mark, "\n")),
    }
}
