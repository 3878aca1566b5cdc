//! Settings whose value is a line for a shell, and keys that are typed into a terminal.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::Language;

use super::path::glob_match;
use super::walk::Walker;
use super::word::{Stream, Word};
use crate::rules::Effect;
use crate::rules::variables::is_inherited;
use crate::verdict::Verdict;

/// How many files of a folder of scripts are looked at.
const MAX_SCRIPTS: usize = 16;

/// Settings whose values are lines for a shell.
#[derive(Default)]
pub(crate) struct Settings<'t> {
    /// Options whose value is a setting; none: any argument.
    pub(crate) options: Vec<&'t str>,
    /// Globs over their names in lower case.
    pub(crate) names: Vec<&'t str>,
    /// Values that run nothing to look at.
    pub(crate) plain: Vec<&'t str>,
    /// Globs over the names of those whose value is a line for the program itself.
    pub(crate) own: Vec<&'t str>,
    /// Globs over the names of those whose value is a folder of scripts that are run.
    pub(crate) scripts: Vec<&'t str>,
    /// Options behind whose name a variable stands that holds the value: `--config-env=NAME=VARIABLE`.
    pub(crate) held: Vec<&'t str>,
}

impl Walker<'_> {
    /// Says whether programs get a variable from the environment, so that an assignment alone changes it for them.
    pub(crate) fn is_inherited(&self, name: &str) -> bool {
        is_inherited(name) || self.around.exported.contains(name)
    }

    /// Asks about a variable that changes which code runs.
    pub(crate) fn ask_variable(&mut self, name: &str, value: &Word) {
        let mut reason = String::from("changes which code runs through the variable ");
        reason.push_str(name);
        self.note_plain(&value.text, Verdict::Ask, Effect::Run, "shell.code-variable", &reason);
    }

    /// Judges the values of settings by their names.
    pub(crate) fn setting(&mut self, settings: &Settings<'_>, arguments: &[Word], program: &str) -> bool {
        let Settings { options, names, plain, own, scripts, held } = settings;
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
            let by_name = held.iter().any(|option| word.text.starts_with(option));
            let variable = by_name.then(|| self.state.look_up(value)).flatten();
            let variable = variable.and_then(|words| words.into_iter().next()).map(|word| word.text);
            let value = variable.as_deref().unwrap_or(value);
            let name = name.to_ascii_lowercase();
            let is_among = |globs: &[&str]| globs.iter().any(|glob| glob_match(glob, &name));
            if !is_among(names) || value.is_empty() || plain.contains(&value) {
                continue;
            }
            found = true;
            if is_among(scripts) {
                self.scripts_below(program, &Word { text: value.into(), ..word.clone() });
                continue;
            }
            let (value, taint, known) = (value.to_string(), word.taint, word.is_known());
            let line = match value.strip_prefix('!') {
                Some(line) => line.to_string(),
                None if is_among(own) => alloc::format!("{program} {value}"),
                None => value,
            };
            self.code(program, &line, taint, known, Language::Shell, &Stream::default());
        }
        found
    }

    /// Judges what the line itself has put into a folder of scripts.
    fn scripts_below(&mut self, program: &str, folder: &Word) {
        let mut below = self.place(folder).text;
        below.push('/');
        let scripts = self.state.files.beginning(&below);
        let scripts: Vec<Stream> = scripts
            .map(|(_, file)| Stream { text: file.text.clone(), taint: file.taint, connected: true })
            .take(MAX_SCRIPTS)
            .collect();
        for script in scripts {
            self.code_stream(program, &script);
        }
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
