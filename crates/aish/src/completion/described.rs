//! What stands beside completions: what a command is, and what manual pages say of it, its sub-commands and options.

use std::sync::{Arc, PoisonError};

use aish_term::Candidate;

use super::fit::Fit;
use super::manual::Page;
use super::place::Place;
use super::{Completer, plain};

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

    /// Says of options and sub-commands what manual pages say.
    pub(super) fn described(&mut self, place: &Place<'_>, before: &str, mut found: Vec<Candidate>) -> Vec<Candidate> {
        let command = name_of(place.command).to_owned();
        if place.typed.starts_with('-') {
            let page = self.page_of(place, before);
            for candidate in &mut found {
                candidate.description = page.told(&candidate.value);
            }
        } else if place.is_first_argument && found.len() <= MOST_PAGES {
            for candidate in &mut found {
                let about = self.page(&format!("{command}-{}", candidate.value)).about.clone();
                candidate.description = Some(about).filter(|about| !about.is_empty());
            }
        }
        found
    }

    /// Completes an option by the command's manual page.
    pub(super) fn options(&mut self, place: &Place<'_>, before: &str) -> Vec<Candidate> {
        if !place.typed.starts_with('-') {
            return Vec::new();
        }
        let page = self.page_of(place, before);
        let names = || page.options.iter().map(|(name, _)| name.as_str());
        let fit = Fit::best(place.typed, names());
        let span = place.start..place.start + place.typed.len();
        let fitting = page.options.iter().filter(|(name, _)| fit.admits(place.typed, name));
        fitting
            .map(|(name, told)| Candidate {
                description: Some(told.clone()).filter(|told| !told.is_empty()),
                ..plain(name, span.clone(), true)
            })
            .collect()
    }

    /// Returns the page of a command with its sub-command, where there is one, else that of the command.
    fn page_of(&mut self, place: &Place<'_>, before: &str) -> Arc<Page> {
        let command = name_of(place.command).to_owned();
        if let Some(word) = second(before, place.command) {
            let page = self.page(&format!("{command}-{word}"));
            if *page != Page::default() {
                return page;
            }
        }
        self.page(&command)
    }

    fn page(&mut self, name: &str) -> Arc<Page> {
        let snapshot = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let path = snapshot.environment.get("MANPATH").cloned();
        drop(snapshot);
        self.manuals.page(name, path.as_deref())
    }
}

/// Returns a command's name without its folder.
fn name_of(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}

/// Returns the first word behind a command that is no option.
fn second<'a>(before: &'a str, command: &str) -> Option<&'a str> {
    let at = before.rfind(command)? + command.len();
    before.get(at..)?.split_whitespace().find(|word| !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_behind_a_command_is_found() {
        for (before, command, expected) in [
            ("git commit --am", "git", Some("commit")),
            ("sudo git -C x commit -", "git", Some("x")),
            ("ls -", "ls", None),
            ("ls", "ls", None),
        ] {
            assert_eq!(second(before, command), expected, "{before}");
        }
        assert_eq!(name_of("/usr/bin/git"), "git");
    }
}
