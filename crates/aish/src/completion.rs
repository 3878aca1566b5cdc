//! Completion of lines: meta commands, models and tools, commands, files, and bash's own programmable completion.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use aish_term::{Candidate, LineCompleter};
use tokio::runtime::Handle;

use crate::live::Live;
use crate::meta::COMMANDS;
use crate::repl::Known;

/// How long bash may think about a completion.
const LIMIT: Duration = Duration::from_millis(700);
/// Candidates at most.
const MOST: usize = 200;

/// Completes lines for the editor, on its thread.
pub struct Completer {
    live: Arc<Live>,
    known: Known,
    runtime: Handle,
    models: Vec<String>,
}

impl Completer {
    /// Makes a completer over the live shell.
    pub fn new(live: Arc<Live>, known: Known, runtime: Handle, models: Vec<String>) -> Self {
        Self { live, known, runtime, models }
    }

    fn meta(&self, typed: &str) -> Vec<Candidate> {
        match typed.split_once(' ') {
            None => COMMANDS
                .iter()
                .filter(|command| command.name.starts_with(typed))
                .map(|command| Candidate {
                    value: command.name.to_owned(),
                    display: None,
                    description: Some(command.summary.to_owned()),
                    span: 1..1 + typed.len(),
                    space_after: !command.usage.is_empty(),
                })
                .collect(),
            Some(("model", rest)) => self
                .models
                .iter()
                .filter(|name| name.starts_with(rest))
                .map(|name| plain(name, 7..7 + rest.len(), false))
                .collect(),
            Some(_) => Vec::new(),
        }
    }

    fn commands(&self, start: usize, typed: &str) -> Vec<Candidate> {
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let own =
            snapshot.aliases.keys().chain(&snapshot.functions).chain(&snapshot.builtins).chain(&snapshot.keywords);
        let mut names: Vec<String> = own.filter(|name| name.starts_with(typed)).cloned().collect();
        let path = snapshot.environment.get("PATH").cloned().or_else(|| std::env::var("PATH").ok()).unwrap_or_default();
        for folder in std::env::split_paths(&path) {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            names.extend(
                entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.starts_with(typed)),
            );
        }
        names.sort_unstable();
        names.dedup();
        names.truncate(MOST);
        names.iter().map(|name| plain(name, start..start + typed.len(), true)).collect()
    }

    /// Asks the live bash what its own completion says.
    fn programmed(&self, line: &str, cursor: usize) -> Vec<Candidate> {
        let asked =
            self.runtime.block_on(async { tokio::time::timeout(LIMIT, self.live.complete(line, cursor)).await });
        let Ok(found) = asked else { return Vec::new() };
        let mut candidates: Vec<Candidate> = found
            .into_iter()
            .take(MOST)
            .map(|found| plain(&escaped(&found.text), found.start..cursor, found.done))
            .collect();
        candidates.sort_by(|a, b| a.value.cmp(&b.value));
        candidates.dedup_by(|a, b| a.value == b.value);
        candidates
    }
}

impl LineCompleter for Completer {
    fn complete(&mut self, line: &str, cursor: usize) -> Vec<Candidate> {
        let before = line.get(..cursor).unwrap_or(line);
        if let Some(typed) = before.strip_prefix(':') {
            return self.meta(typed);
        }
        let start = word_start(before);
        let typed = before.get(start..).unwrap_or_default();
        let first = before.get(..start).unwrap_or_default().trim_end();
        let is_command = first.is_empty() || first.ends_with(['|', ';', '&', '(']) || first == "sudo" || first == "!";
        if is_command && !typed.contains('/') && !typed.is_empty() {
            return self.commands(start, typed);
        }
        let programmed = if first.is_empty() { Vec::new() } else { self.programmed(line, cursor) };
        if !programmed.is_empty() {
            return programmed;
        }
        let folder = self.live.remembered().folder.unwrap_or_else(|| PathBuf::from("."));
        files(&folder, typed, start)
    }
}

fn plain(value: &str, span: std::ops::Range<usize>, space_after: bool) -> Candidate {
    Candidate { value: value.to_owned(), display: None, description: None, span, space_after }
}

/// Returns where the word before the cursor begins; a blank behind a backslash is part of it.
fn word_start(before: &str) -> usize {
    let mut escaped = false;
    let mut start = 0;
    for (at, c) in before.char_indices() {
        if !escaped && (c.is_whitespace() || "|;&()<>\"'=".contains(c)) {
            start = at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    start
}

fn files(folder: &Path, typed: &str, start: usize) -> Vec<Candidate> {
    let unescaped = typed.replace('\\', "");
    let (parent, prefix) = unescaped.rsplit_once('/').map_or(("", unescaped.as_str()), |(parent, name)| (parent, name));
    let shown_parent = typed.rfind('/').map_or("", |at| typed.get(..=at).unwrap_or_default());
    let place = match (unescaped.starts_with('/'), parent) {
        (true, "") => PathBuf::from("/"),
        (_, "~") => std::env::home_dir().unwrap_or_default(),
        (_, parent) => match (parent.strip_prefix("~/"), std::env::home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => folder.join(parent),
        },
    };
    let mut found: Vec<Candidate> = std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            // Hidden files are offered when their dot is typed.
            let wanted = name.starts_with(prefix) && (prefix.starts_with('.') || !name.starts_with('.'));
            wanted.then(|| {
                let is_folder = entry.path().is_dir();
                let slash = if is_folder { "/" } else { "" };
                let mut candidate =
                    plain(&format!("{shown_parent}{}{slash}", escaped(&name)), start..start + typed.len(), !is_folder);
                candidate.display = Some(format!("{name}{slash}"));
                candidate
            })
        })
        .collect();
    found.sort_by(|a, b| a.value.cmp(&b.value));
    found.truncate(MOST);
    found
}

/// Puts a backslash before what the shell would take apart.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if " \t\\'\"$`&|;()<>*?[]{}!#~".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_behind_blanks_and_operators() {
        for (before, expected) in [("ls", 0), ("ls -l sr", 6), ("a|b", 2), (r"cat my\ fi", 4), ("x=1", 2), ("", 0)] {
            assert_eq!(word_start(before), expected, "{before:?}");
        }
    }

    #[test]
    fn files_are_escaped_and_folders_end_in_a_slash() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("some file"), "").unwrap();
        std::fs::write(folder.path().join(".hidden"), "").unwrap();
        let values = |typed: &str| -> Vec<String> {
            files(folder.path(), typed, 0).into_iter().map(|candidate| candidate.value).collect()
        };
        assert_eq!(values("s"), [r"some\ file", "src/"]);
        assert_eq!(values("."), [".hidden"]);
        assert_eq!(values("./so"), [r"./some\ file"]);
        assert_eq!(values(""), [r"some\ file", "src/"]);
    }
}
