//! Patterns that mean a folder with secrets, or a group of letters before the name of a secret.

use alloc::string::String;
use alloc::vec::Vec;

use aish_programs::words::secret_files;

use super::super::fields::GROUPS;
use super::secret::without_groups;
use super::{Place, glob_match};

/// Parts of a path that are patterns and are held against what is known; a path with more of them means anything.
const MOST_PARTS: usize = 16;

impl<T: AsRef<str>> Place<T> {
    /// Says whether parts of a path that are patterns mean a place where secrets are: `.ss*/*`, `.config/g*/x`, `/run/secret*/*`.
    /// A star alone is made for no folder.
    pub(super) fn means_a_secret_path(&self) -> bool {
        let text = self.text();
        if !self.glob || !text.contains('/') && !text.contains("**") {
            return false;
        }
        let groups = text.contains('(').then(|| without_groups(text));
        let text = groups.as_deref().unwrap_or(text);
        let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        if parts.iter().filter(|part| is_pattern(part)).count() > MOST_PARTS {
            return true;
        }
        // Where a pattern stands no further than a known path reaches, at most four parts before it.
        let starts = (0..parts.len()).filter(|at| parts.iter().skip(*at).take(4).any(|part| is_pattern(part)));
        starts.take(4 * MOST_PARTS).any(|at| {
            let rest = parts.get(at..).unwrap_or_default();
            let begin = rest.first().and_then(|part| part.split(['*', '?', '[']).next()).unwrap_or_default();
            let more =
                secret_files::MORE_PATHS.iter().filter(|path| path.starts_with("/.") || path.starts_with("/run/"));
            let known = secret_files::PATHS.iter().chain(more).map(|path| path.trim_start_matches('/'));
            known.filter(|path| path.starts_with(begin)).any(|path| leads_to(rest, path))
        })
    }

    /// Returns the path without the group of letters that a part begins with, where that may be no letter or a dot: of `*(.)env`
    /// that is `.env`.
    pub(super) fn without_first_group(&self) -> Option<String> {
        if !self.glob || !self.text().contains('(') {
            return None;
        }
        let mut parts: Vec<&str> = self.text().split('/').collect();
        let (part, rest) = parts.iter_mut().find_map(|part| {
            let begins = part.starts_with(GROUPS) && part.get(1..).is_some_and(|rest| rest.starts_with('('));
            let (_, rest) =
                part.split_once(')').filter(|(group, rest)| begins && group.contains('.') && !rest.is_empty())?;
            Some((part, alloc::format!(".{rest}")))
        })?;
        *part = &rest;
        Some(parts.join("/"))
    }
}

/// Says whether the parts of a path, some of them patterns, lie at a known place or below it.
fn leads_to(parts: &[&str], known: &str) -> bool {
    let dotted = known.starts_with('.');
    let mut parts = parts.iter();
    for (at, name) in known.split('/').enumerate() {
        let Some(part) = parts.next() else { return false };
        if *part == name {
            continue;
        }
        let is_meant = is_made_for(part, dotted) || at > 0 && dotted;
        if !(is_pattern(part) && is_meant) {
            return false;
        }
        if goes_into(part, name) {
            return true;
        }
        if !glob_match(part, name) {
            return false;
        }
    }
    true
}

/// Says whether a pattern means what lies in a folder, too: in fish `**` stands for any letters and slashes.
pub(super) fn goes_into(part: &str, name: &str) -> bool {
    part.split_once("**").is_some_and(|(begin, _)| glob_match(&alloc::format!("{begin}*"), name))
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

/// Says whether a pattern is made for some names and not for all: a dot and more, or two letters.
fn is_made_for(part: &str, dotted: bool) -> bool {
    if dotted {
        part.len() > 2 && part.starts_with('.')
    } else {
        part.chars().filter(char::is_ascii_alphanumeric).count() >= 2
    }
}
