//! What stands beside completions: what a command is, and what manual pages, its help and the data about programs say of it, its
//! sub-commands and options.

use std::sync::{Arc, PoisonError};

use aish_route::words::programs;
use aish_term::Candidate;

use super::fit::Fit;
use super::manual::Page;
use super::place::Place;
use super::{Completer, plain, targets};

/// Candidates whose own pages are read at most.
const MOST_PAGES: usize = 40;

impl Completer {
    /// Says of commands what they are.
    pub(super) fn described_commands(&mut self, mut found: Vec<Candidate>) -> Vec<Candidate> {
        if found.len() > MOST_PAGES {
            return found;
        }
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for candidate in &mut found {
            let name = candidate.value.as_str();
            candidate.description = match snapshot.aliases.get(name) {
                Some(alias) => Some(format!("alias of {alias}")),
                None if snapshot.functions.contains(name) => Some("function".to_owned()),
                None if snapshot.builtins.contains(name) => Some("built into bash".to_owned()),
                None => Some(self.page(name).about.clone()).filter(|about| !about.is_empty()),
            };
        }
        found
    }

    /// Says of options and sub-commands what manual pages say, and else the program itself.
    pub(super) fn described(&mut self, place: &Place<'_>, before: &str, mut found: Vec<Candidate>) -> Vec<Candidate> {
        let command = name_of(place.command).to_owned();
        if place.typed.starts_with('-') {
            let page = self.page_of(place, before);
            for candidate in &mut found {
                candidate.description = page.told(&candidate.value);
            }
        } else if place.is_first_argument {
            let some = found.len() <= MOST_PAGES;
            for candidate in &mut found {
                let about = if some {
                    self.page(&format!("{command}-{}", candidate.value)).about.clone()
                } else {
                    String::new()
                };
                candidate.description = Some(about).filter(|about| !about.is_empty());
            }
            if found.iter().all(|candidate| candidate.description.is_none()) && self.has_commands(&command) {
                let page = self.help(&command, None);
                for candidate in &mut found {
                    candidate.description = page.says(&candidate.value);
                }
            }
        }
        found
    }

    /// Completes an option by the command's manual page, else by its own help, else by what is known of it.
    pub(super) fn options(&mut self, place: &Place<'_>, before: &str) -> Vec<Candidate> {
        if !place.typed.starts_with('-') {
            return Vec::new();
        }
        let page = self.page_of(place, before);
        // What is known of a program names the options of all its sub-commands.
        if page.options.is_empty() && second(before, place).is_none() {
            let names: Vec<(String, String)> =
                programs::options(name_of(place.command)).map(|name| (name.to_owned(), String::new())).collect();
            return listed(place, &names);
        }
        // A page may be read in part only, or say less than the program.
        if !page.options.iter().any(|(name, _)| name.starts_with(place.typed)) {
            let help = self.help(place.command, second(before, place));
            if help.options.iter().any(|(name, _)| name.starts_with(place.typed)) {
                return listed(place, &help.options);
            }
        }
        listed(place, &page.options)
    }

    /// Completes a sub-command by what is known of the command, and by its own help.
    pub(super) fn subcommands(&mut self, place: &Place<'_>) -> Vec<Candidate> {
        let command = name_of(place.command).to_owned();
        // Targets that no file names would be invented.
        if !self.has_commands(&command) || targets::has_targets(&command) {
            return Vec::new();
        }
        let mut names: Vec<(String, String)> = self.help(&command, None).commands.clone();
        for name in programs::subcommands(&command) {
            if names.iter().all(|(known, _)| known != name) {
                names.push((name.to_owned(), String::new()));
            }
        }
        names.sort();
        listed(place, &names)
    }

    /// Completes a target by the project's own file.
    pub(super) fn targets(&self, place: &Place<'_>, before: &str) -> Vec<Candidate> {
        if place.is_command || place.quote.is_some() || place.typed.starts_with('-') {
            return Vec::new();
        }
        let words = before.get(place.command_at + place.command.len()..place.start).unwrap_or_default();
        // Behind such an option stands a file or a folder.
        let takes_path = ["-C", "-f", "-d", "-I", "-o", "-W", "--directory", "--file", "--makefile", "--justfile"];
        if words.split_whitespace().next_back().is_some_and(|word| takes_path.contains(&word)) || words.ends_with('=') {
            return Vec::new();
        }
        let folder = self.live.remembered().folder.unwrap_or_default();
        let found = targets::targets(name_of(place.command), &folder, words.split_whitespace()).unwrap_or_default();
        let names: Vec<(String, String)> = found.into_iter().map(|name| (name, String::new())).collect();
        listed(place, &names)
    }

    /// Says whether a command is known to have sub-commands: only then is it asked for them.
    fn has_commands(&self, command: &str) -> bool {
        programs::subcommands(command).next().is_some()
    }

    /// Returns the page of a command with its sub-command, where there is one, else that of the command, else its own help.
    fn page_of(&mut self, place: &Place<'_>, before: &str) -> Arc<Page> {
        let command = name_of(place.command).to_owned();
        let word = second(before, place).map(str::to_owned);
        if let Some(word) = &word {
            let page = self.page(&format!("{command}-{word}"));
            if *page != Page::default() {
                return page;
            }
        }
        // The page of a command with sub-commands says little of theirs.
        let asks = word.is_some() && self.has_commands(&command);
        let page = self.page(&command);
        if !asks && !page.options.is_empty() {
            return page;
        }
        let help = self.help(place.command, word.as_deref());
        if help.options.is_empty() { page } else { help }
    }

    /// Returns what a program says of itself, where its name stands for it and for nothing else in the shell.
    fn help(&mut self, command: &str, word: Option<&str>) -> Arc<Page> {
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if snapshot.functions.contains(command) || snapshot.builtins.contains(command) {
            return Arc::default();
        }
        let folder = self.live.remembered().folder.unwrap_or_default();
        // Before the shell has told its variables they are ours.
        let own = || {
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        };
        let variables = if snapshot.environment.is_empty() { own().collect() } else { snapshot.environment };
        self.helps.page(command, word, &variables, &folder)
    }

    fn page(&mut self, name: &str) -> Arc<Page> {
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let path = snapshot.environment.get("MANPATH").cloned();
        drop(snapshot);
        self.manuals.page(name, path.as_deref())
    }
}

/// Makes candidates of names with what is said of each.
fn listed(place: &Place<'_>, names: &[(String, String)]) -> Vec<Candidate> {
    let fit = Fit::best(place.typed, names.iter().map(|(name, _)| name.as_str()));
    let span = place.start..place.start + place.typed.len();
    let fitting = names.iter().filter(|(name, _)| fit.admits(place.typed, name));
    fitting
        .map(|(name, told)| Candidate {
            description: Some(told.clone()).filter(|told| !told.is_empty()),
            ..plain(name, span.clone())
        })
        .collect()
}

/// Returns a command's name without its folder.
fn name_of(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}

/// Returns the first word behind a command that is no option.
fn second<'a>(before: &'a str, place: &Place<'_>) -> Option<&'a str> {
    let behind = before.get(place.command_at + place.command.len()..place.start)?;
    behind.split_whitespace().find(|word| !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_behind_a_command_is_found() {
        for (before, expected) in [
            ("git commit --am", Some("commit")),
            ("git commit git --am", Some("commit")),
            ("sudo git -C x commit -", Some("x")),
            ("ls -", None),
            ("ls", None),
        ] {
            assert_eq!(second(before, &Place::find(before)), expected, "{before}");
        }
        assert_eq!(name_of("/usr/bin/git"), "git");
    }
}
