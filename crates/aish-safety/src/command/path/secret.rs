//! Files that hold secrets.

use alloc::string::String;
use alloc::vec::Vec;

use aish_programs::words::secret_files;
use aish_types::secret_files::{AT_HOME, ELSEWHERE, OPEN_IN_SSH, names_secret};

use super::super::fields::GROUPS;
use super::kernel::is_shut;
use super::repository::SETTINGS_OF_GIT;
use super::{HOLE, Place, glob_match};
use crate::rules::secret_names;

impl<T: AsRef<str>> Place<T> {
    /// A file or folder that holds secrets.
    pub(crate) fn is_secret(&self) -> bool {
        let text = self.text();
        let is_folded = text.len() < super::MAX_PATH && text.bytes().any(|byte| byte.is_ascii_uppercase());
        (self.is_secret_as_written()
            // To some file systems `.AWS` is `.aws`.
            || is_folded && Place { text: text.to_ascii_lowercase(), glob: self.glob }.lies_at_secrets())
            && !secret_names::is_open(self.last())
    }

    /// A file that holds secrets by its name, though the name is an ordinary word: where it is known that a file is meant.
    pub(crate) fn is_plainly_secret(&self) -> bool {
        !self.glob && secret_names::tells_of_a_file(self.last()) || self.text().starts_with("secrets/")
    }

    /// A folder that a search which goes through it finds secrets in: a home, a folder in one in which known secrets lie, or
    /// that of a repository.
    pub(crate) fn holds_secrets(&self) -> bool {
        self.holds_settings_of_git() || self.holds_secrets_of_homes()
    }

    fn holds_secrets_of_homes(&self) -> bool {
        let leads = |parts: &[&str]| AT_HOME.iter().any(|known| lies_below(known, parts).is_some());
        self.is_root()
            || self.is_home() && !self.text().starts_with("/root/")
            || self.below_home().is_some_and(|parts| leads(&parts.take(MAX_DEEP).collect::<Vec<&str>>()))
    }

    /// A folder in a home in which known secrets lie, among other files.
    pub(crate) fn is_settings(&self) -> bool {
        self.text().starts_with(['~', '/']) && !self.is_root() && !self.is_home() && self.holds_secrets()
    }

    /// Says whether a search that goes through the place may find one of the secrets that are known to lie in homes; `finds` is
    /// asked about their paths, each from a folder on.
    pub(crate) fn is_searched_for_secrets(&self, finds: impl Fn(&str) -> bool) -> bool {
        if self.holds_settings_of_git() && finds(SETTINGS_OF_GIT) {
            return true;
        }
        if !self.holds_secrets_of_homes() {
            return false;
        }
        let from: Vec<&str> = match self.is_root() || self.is_home() {
            true => Vec::new(),
            false => self.below_home().map(Iterator::collect).unwrap_or_default(),
        };
        let elsewhere = [secret_files::PATHS, secret_files::MORE_PATHS].into_iter().flatten();
        let elsewhere = elsewhere.filter_map(|path| path.strip_prefix('/')).filter(|path| path.starts_with('.'));
        AT_HOME.iter().copied().chain(elsewhere).filter(|known| lies_below(known, &from).is_some()).any(finds)
    }

    fn is_secret_as_written(&self) -> bool {
        self.looks_secret()
            || self.is_hidden_at_home()
            || self.is_hidden_elsewhere()
            || self.is_shut_by_kernel()
            || self.means_a_secret_path()
            || self.is_settings_of_git()
            || self.without_copies().is_some_and(|text| Place { text, glob: false }.lies_at_secrets())
            || self.without_first_group().is_some_and(|text| Place { text, glob: true }.is_secret_as_written())
    }

    /// The same without what the last name alone tells.
    fn lies_at_secrets(&self) -> bool {
        self.is_at_a_secret_path() || self.is_hidden_at_home() || self.is_hidden_elsewhere()
    }

    fn is_at_a_secret_path(&self) -> bool {
        self.is_below(secret_files::PATHS) || self.is_below(secret_files::MORE_PATHS)
    }

    fn looks_secret(&self) -> bool {
        let last = self.last();
        if !self.glob {
            return secret_names::tells(last) || self.is_at_a_secret_path();
        }
        // All files of an ordinary kind are not those of them that hold secrets.
        let kind = last.strip_prefix("*.").is_some_and(|kind| secret_files::ORDINARY_KINDS.contains(&kind));
        let literal = !kind && last.chars().filter(|letter| !matches!(letter, '*' | '?' | '[' | ']')).count() >= 3;
        if !kind && secret_names::may_name_key(last) {
            return true;
        }
        let stem = last.split(['*', '?', '[']).next().unwrap_or_default();
        if stem.len() >= 4 && secret_files::NAMES.iter().any(|name| name.starts_with(stem)) {
            return true;
        }
        // Names with a leading dot are meant by few patterns, and those are meant for just them.
        let dotted = last.starts_with('.');
        let groups = dotted.then(|| without_groups(last));
        let last = groups.as_deref().unwrap_or(last);
        secret_files::NAMES.iter().any(|name| {
            glob_match(name, last)
                || (literal || dotted && name.starts_with('.'))
                    && (glob_match(last, name) || glob_match(last, name.trim_end_matches('*')))
        }) || self.is_at_a_secret_path()
            || literal
                && secret_files::PATHS
                    .iter()
                    .any(|path| path.rsplit('/').next().is_some_and(|end| glob_match(last, end)))
    }

    /// What a confined command finds empty below a home folder.
    fn is_hidden_at_home(&self) -> bool {
        let parts: Vec<&str> = match self.below_home() {
            Some(parts) => parts.collect(),
            // A pattern that begins with a dot is meant for what lies in homes, wherever it stands.
            None if self.glob => {
                let is_open = |part: &&str| !(part.len() > 2 && part.starts_with('.') && is_pattern(part));
                self.text().split('/').skip_while(is_open).collect()
            }
            None => return false,
        };
        // A pattern means no name with a leading dot that it does not begin with.
        if !parts.first().is_some_and(|first| first.starts_with(['.', '_', 's', HOLE])) {
            return false;
        }
        let is_open = parts.starts_with(&[".ssh"])
            && parts.get(1).is_none_or(|name| OPEN_IN_SSH.contains(name) || name.ends_with(".pub"));
        let is_dotted = parts.first().is_some_and(|first| first.starts_with('.'));
        !is_open && (AT_HOME.iter().any(|known| self.leads_to(&parts, known)) || is_dotted && names_secret(self.last()))
    }

    /// The same elsewhere.
    fn is_hidden_elsewhere(&self) -> bool {
        let Some(path) = self.text().strip_prefix('/') else { return false };
        let first = path.split('/').next().unwrap_or_default();
        if !matches!(first, "etc" | "var" | "run") && !is_pattern(first) {
            return false;
        }
        let parts: Vec<&str> = path.split('/').collect();
        let mounted = [secret_files::PATHS, secret_files::MORE_PATHS].into_iter().flatten();
        let mounted = mounted.filter(|path| path.starts_with("/run/") || path.starts_with("/var/run/"));
        ELSEWHERE.iter().chain(mounted).any(|known| self.leads_to(&parts, known.trim_start_matches('/')))
    }

    /// What the kernel shows of devices and of other processes, but for what is known to be harmless, and for disks: they are
    /// named to programs that do not show what is on them.
    fn is_shut_by_kernel(&self) -> bool {
        is_shut(self.text()) && !self.is_device()
    }

    /// Says whether the parts of a path lie at a place or below it. A part may be a pattern, here and there.
    fn leads_to(&self, parts: &[&str], known: &str) -> bool {
        let (mut at, mut goes_into_folders) = (0, false);
        known.split('/').all(|name| {
            let part = parts.get(at).copied();
            at += 1;
            goes_into_folders
                || part.is_some_and(|part| {
                    goes_into_folders = super::meant::goes_into(part, stem(name));
                    let is_meant = goes_into_folders || is_pattern(part) && glob_match(part, stem(name));
                    part == name || name.contains('*') && glob_match(name, part) || is_meant
                })
        })
    }
}

/// The deepest folders below a home that are held against what is known.
const MAX_DEEP: usize = 4;

/// Returns what is left of a known path below a folder; none where it is not below it.
fn lies_below<'k>(known: &'k str, folder: &[&str]) -> Option<&'k str> {
    folder.iter().try_fold(known, |rest, part| rest.strip_prefix(part)?.strip_prefix('/'))
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '[', HOLE])
}

/// Writes a pattern with a star for each group: `.@(a|b)`.
pub(super) fn without_groups(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut depth = 0_usize;
    for letter in pattern.chars() {
        match letter {
            '(' => {
                if depth == 0 && out.ends_with(GROUPS) {
                    out.pop();
                    out.push('*');
                }
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    out
}

/// A name that a pattern of ours stands for.
fn stem(name: &str) -> &str {
    name.trim_end_matches('*')
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// What is judged a secret of a home is hidden in a layer too, but for these: git's settings are veiled, our own state is
    /// hidden by its name, and of the others programs need all but what is hidden.
    #[test]
    fn what_is_asked_about_in_a_home_is_hidden_in_a_layer() {
        const OTHERWISE: &[&str] = &[
            ".git/config",
            ".envs",
            ".local/state/aish",
            ".terraform.d",
            ".config/helm",
            ".config/nushell",
            ".local/share/fish",
        ];
        let judged =
            secret_files::PATHS.iter().chain(secret_files::MORE_PATHS).filter_map(|path| path.strip_prefix('/'));
        for path in judged.filter(|path| path.starts_with('.') && !OTHERWISE.contains(path)) {
            let is_hidden = AT_HOME.iter().any(|known| match known.strip_suffix('*') {
                Some(start) => path.starts_with(start) || format!("{path}/") == start,
                None => path.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            });
            assert!(is_hidden, "{path} can be read in a layer");
        }
    }
}
