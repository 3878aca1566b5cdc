//! Completion of lines: meta commands, models and tools, commands and their sub-commands, files, and bash's own
//! programmable completion.

mod alias;
mod described;
mod files;
mod fit;
mod help;
mod manual;
mod meta;
mod place;
mod quoting;
mod targets;
mod variables;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use aish_shell::Snapshot;
use aish_term::{Candidate, LineCompleter};
use tokio::runtime::Handle;

use crate::live::Live;
use crate::repl::Known;

use fit::Fit;
use help::Helps;
pub use help::{ShowsHelp, judged};
use manual::Manuals;
pub use meta::Vocabulary;
use place::Place;

/// How long bash may think about a completion.
const LIMIT: Duration = Duration::from_millis(700);
/// Candidates at most; how many were left out is told.
const MOST: usize = 200;

/// Completes lines for the editor, on its thread.
pub struct Completer {
    live: Arc<Live>,
    known: Known,
    runtime: Handle,
    vocabulary: Arc<Vocabulary>,
    manuals: Manuals,
    helps: Helps,
    /// How many candidates the last completion left out.
    left_out: usize,
}

impl Completer {
    /// Makes a completer over the live shell.
    pub fn new(
        live: Arc<Live>,
        known: Known,
        runtime: Handle,
        vocabulary: Arc<Vocabulary>,
        shows_help: ShowsHelp,
    ) -> Self {
        let helps = Helps::new(shows_help, runtime.clone());
        Self { live, known, runtime, vocabulary, manuals: Manuals::default(), helps, left_out: 0 }
    }

    /// Leaves out what is over the most that is offered, and keeps count of it.
    fn bounded(&mut self, mut found: Vec<Candidate>) -> Vec<Candidate> {
        self.left_out = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        found
    }

    fn commands(&self, start: usize, typed: &str) -> Vec<Candidate> {
        let found = self.commands_known(start, typed);
        if !found.is_empty() {
            return found;
        }
        // What a line has just defined is asked for while the person types, and Tab may be quicker.
        let asked = self.runtime.block_on(async { tokio::time::timeout(LIMIT, self.live.snapshot()).await });
        let Ok(Some(snapshot)) = asked else { return found };
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
        self.commands_known(start, typed)
    }

    fn commands_known(&self, start: usize, typed: &str) -> Vec<Candidate> {
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let own =
            snapshot.aliases.keys().chain(&snapshot.functions).chain(&snapshot.builtins).chain(&snapshot.keywords);
        let mut names: Vec<String> = own.cloned().collect();
        let path = snapshot.environment.get("PATH").cloned().or_else(|| std::env::var("PATH").ok()).unwrap_or_default();
        for folder in std::env::split_paths(&path) {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            names.extend(entries.filter_map(|entry| entry.file_name().into_string().ok()));
        }
        let fit = Fit::best(typed, names.iter().map(String::as_str));
        names.retain(|name| fit.admits(typed, name));
        names.sort_unstable();
        names.dedup();
        names.iter().map(|name| plain(name, start..start + typed.len())).collect()
    }

    /// Asks the live bash what one of its variables is.
    fn value_of(&self, name: &str) -> Option<String> {
        let asked = self.runtime.block_on(async { tokio::time::timeout(LIMIT, self.live.value_of(name)).await });
        asked.ok().flatten()
    }

    fn folder(&self) -> PathBuf {
        self.live.remembered().folder.unwrap_or_else(|| PathBuf::from("."))
    }

    /// Completes the names of files, where variables are known, and of folders below `CDPATH`.
    fn files(&self, place: &Place<'_>, snapshot: &Snapshot) -> Vec<Candidate> {
        let folder = self.folder();
        let variable = |name: &str| {
            let exported = snapshot.environment.get(name).cloned().or_else(|| std::env::var(name).ok());
            exported.or_else(|| snapshot.variables.contains(name).then(|| self.value_of(name)).flatten())
        };
        let mut found = files::complete(&folder, place, &variable);
        if let Some(path) = place.looks_elsewhere().then(|| variable("CDPATH")).flatten() {
            files::extend_by_path(&mut found, &folder, &path, place);
        }
        found
    }

    /// Asks the live bash what its own completion says.
    fn programmed(&self, line: &str, cursor: usize) -> Vec<Candidate> {
        let asked =
            self.runtime.block_on(async { tokio::time::timeout(LIMIT, self.live.complete(line, cursor)).await });
        let Ok(found) = asked else { return Vec::new() };
        let mut candidates: Vec<Candidate> = found
            .into_iter()
            .map(|found| {
                // `~name` stays what it is where it was typed so.
                let (tilde, rest) = match found
                    .text
                    .strip_prefix('~')
                    .filter(|_| line.get(found.start..).is_some_and(|word| word.starts_with('~')))
                {
                    Some(rest) => ("~", rest),
                    None => ("", found.text.as_str()),
                };
                let value = format!("{tilde}{}", quoting::escaped(rest));
                Candidate { space_after: found.done, ..plain(&value, found.start..cursor) }
            })
            .collect();
        candidates.sort_by(|a, b| a.value.cmp(&b.value));
        candidates.dedup_by(|a, b| a.value == b.value);
        candidates
    }
}

impl LineCompleter for Completer {
    fn complete(&mut self, line: &str, cursor: usize) -> Vec<Candidate> {
        self.left_out = 0;
        let before = line.get(..cursor).unwrap_or(line);
        if let Some(typed) = before.strip_prefix(':') {
            return self.vocabulary.complete(typed);
        }
        let mut place = Place::find(before);
        // A file that a question mentions.
        if let Some(typed) = place.typed.strip_prefix('@').filter(|_| place.quote.is_none()) {
            place = Place { start: place.start + 1, typed, is_command: false, command: "", ..place };
            return self.bounded(files::complete(&self.folder(), &place, &|_| None));
        }
        if place.is_command && !place.typed.contains('/') && !place.typed.is_empty() {
            let found = self.commands(place.start, place.typed);
            let found = self.bounded(found);
            return self.described_commands(found);
        }
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(followed) = alias::followed(before, &place, &snapshot.aliases) {
            let rest = line.get(cursor..).unwrap_or_default();
            let found = self.complete(&format!("{}{rest}", followed.before), followed.before.len());
            return followed.back(found);
        }
        if let Some(found) = variables::complete(&place, &snapshot).or_else(|| variables::users(&place)) {
            return self.bounded(found);
        }
        // Bash's functions see a variable's name and not what it stands for.
        if !place.is_command && place.quote.is_none() && !place.typed.contains(['$', '`']) {
            let programmed = self.programmed(line, cursor);
            if !programmed.is_empty() {
                let programmed = self.bounded(programmed);
                return self.described(&place, before, programmed);
            }
            let options = if place.ends_options(before) { Vec::new() } else { self.options(&place, before) };
            if !options.is_empty() {
                return options;
            }
        }
        let found = self.targets(&place, before);
        if !found.is_empty() {
            return found;
        }
        // What most people have no completion file for.
        if place.is_first_argument && !place.typed.contains(['/', '.']) {
            let known = self.subcommands(&place);
            if !known.is_empty() {
                return self.described(&place, before, known);
            }
        }
        let found = self.files(&place, &snapshot);
        self.bounded(found)
    }

    fn left_out(&self) -> usize {
        self.left_out
    }
}

/// Makes a candidate of a word that is whole.
fn plain(value: &str, span: std::ops::Range<usize>) -> Candidate {
    Candidate { value: value.to_owned(), display: None, description: None, span, space_after: true }
}
