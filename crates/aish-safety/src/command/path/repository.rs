//! Settings of repositories, which hold secrets by the end of their path wherever that lies, what contains them, and copies of what
//! is known by its path.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Place, glob_match};
use crate::rules::secret_names::without_marks_of_copies;

/// Files in the folder of a repository in which addresses and headers with tokens stand.
const SETTINGS: &[&str] = &["config", "config.worktree", "credentials"];

/// One of them, as it is searched for.
pub(super) const SETTINGS_OF_GIT: &str = ".git/config";

impl<T: AsRef<str>> Place<T> {
    /// Settings of a repository, of one in it, or of a work tree of it: `.git/config`, `x.git/config`, `.git/modules/x/config`.
    pub(super) fn is_settings_of_git(&self) -> bool {
        self.in_repositories().any(|inside| {
            let Some((last, between)) = inside.split_last() else { return false };
            let is_below = inside.iter().any(|part| part.contains("**"));
            let is_there = match between {
                [] => true,
                [kind, _, ..] => self.may_be(kind, "modules") || self.may_be(kind, "worktrees"),
                [kind] => is_below && self.may_be(kind, "modules"),
            };
            let bare = without_marks_of_copies(last);
            let bare = bare.strip_suffix(".lock").unwrap_or(bare);
            is_there && SETTINGS.iter().any(|name| self.may_be(bare, name) || self.glob && glob_match(last, name))
        })
    }

    /// A folder in which such settings lie: `.git`, `.git/modules`.
    pub(super) fn holds_settings_of_git(&self) -> bool {
        self.in_repositories().any(|inside| match inside.as_slice() {
            [] => true,
            [kind, ..] => self.may_be(kind, "modules") || self.may_be(kind, "worktrees"),
        })
    }

    /// Goes through the folders of repositories that a path goes through, each with the parts behind it.
    fn in_repositories(&self) -> impl Iterator<Item = Vec<&str>> {
        let text = self.text();
        let may = text.contains(".git") || self.glob && text.contains(".g");
        let starts = may.then(|| text.split('/').enumerate()).into_iter().flatten();
        let is_one =
            |part: &str| part.ends_with(".git") || self.glob && part.starts_with(".g") && glob_match(part, ".git");
        let found = starts.filter(move |(_, part)| is_one(part)).map(|(at, _)| at).take(MOST);
        found.map(move |at| text.split('/').skip(at + 1).filter(|part| !part.is_empty()).collect())
    }

    fn may_be(&self, part: &str, name: &str) -> bool {
        part == name || self.glob && part.contains(['*', '?', '[']) && glob_match(part, name)
    }

    /// Returns the path of which a file is a copy by its name: of `.docker/config.json.bak` that is `.docker/config.json`.
    pub(super) fn without_copies(&self) -> Option<String> {
        let (folder, last) = self.text().rsplit_once('/')?;
        let bare = without_marks_of_copies(last);
        (bare != last && !self.glob).then(|| alloc::format!("{folder}/{bare}"))
    }
}

/// Repositories in one another that are looked into.
const MOST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Place<&str> {
        Place { text, glob: text.contains('*') }
    }

    #[test]
    fn settings_of_repositories_are_told() {
        for text in [
            ".git/config",
            "/srv/x/.git/config",
            ".git/config.bak",
            ".git/config~",
            ".git/config.lock",
            ".git/config.worktree",
            ".git/credentials",
            "x.git/config",
            ".git/modules/x/config",
            ".git/modules/a/b/config",
            ".git/modules/x/modules/y/config.old",
            ".git/worktrees/x/config.worktree",
            ".git/modules/*/*",
            ".git/*/*/c*",
            ".git/modules/**",
            ".g*/modules/x/config",
        ] {
            assert!(at(text).is_settings_of_git(), "{text}");
        }
        for text in
            [".git", ".git/HEAD", ".git/logs/config/x", ".git/hooks/config", ".git/logs/*", "config", ".github/config"]
        {
            assert!(!at(text).is_settings_of_git(), "{text}");
        }
    }

    #[test]
    fn folders_of_repositories_are_told() {
        for text in [".git", "/srv/x/.git", "sub/.git", ".git/modules", ".git/modules/x", ".git/worktrees", "x.git"] {
            assert!(at(text).holds_settings_of_git(), "{text}");
        }
        for text in [".", "src", ".github", ".git/hooks", ".git/logs", "xgit"] {
            assert!(!at(text).holds_settings_of_git(), "{text}");
        }
    }
}
