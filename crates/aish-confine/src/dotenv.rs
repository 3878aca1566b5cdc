//! Files of secret settings in a tree: `.env` and its like.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::git_index::Index;

/// What the last word of a name is where a file shows what a secret one is like.
const EXAMPLES: &[&[u8]] = &[b"example", b"sample", b"template", b"dist", b"defaults"];

/// Says whether a file of a work tree holds settings that are secret by custom: `.env`, `.env.*` and copies of them, but for
/// examples.
pub fn is_dotenv(name: &str) -> bool {
    is_dotenv_bytes(name.as_bytes())
}

pub(crate) fn is_dotenv_bytes(name: &[u8]) -> bool {
    [".env", ".envrc"].iter().any(|known| is_or_copies(name, known))
}

/// Says whether a name is one that is known, or that of a version of it which an editor, a program or a person puts beside it
/// (`#NAME#`, `.NAME.swp`, `.NAME.un~`, `NAME~`, `NAME.bak`, `NAME-old`, `NAME2`), and no example.
pub(crate) fn is_or_copies(name: &[u8], known: &str) -> bool {
    let marks = name.iter().take_while(|byte| b".#~".contains(byte)).count();
    let start = marks.saturating_sub(usize::from(known.starts_with('.')));
    let rest = name.get(start..).and_then(|rest| rest.strip_prefix(known.as_bytes()));
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    rest.is_some_and(|rest| {
        let last = rest.split(|byte| !is_letter(byte)).rfind(|word| !word.is_empty());
        !rest.first().is_some_and(is_letter) && !last.is_some_and(|word| EXAMPLES.contains(&word))
    })
}

/// What git has of files of secret settings, read where it is first asked.
#[derive(Debug, Default)]
pub(crate) struct OfGit {
    indexes: Vec<(PathBuf, Option<Index>)>,
}

impl OfGit {
    /// Says whether git has exactly this content of a file, so that whoever reads the repository has it anyway.
    pub(crate) fn has(&mut self, root: &Path, path: &Path) -> bool {
        let is_work_tree = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
        let work_tree = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)).find(is_work_tree);
        let Some(work_tree) = work_tree else { return false };
        if !self.indexes.iter().any(|(known, _)| known == work_tree) {
            self.indexes.push((work_tree.to_owned(), Index::of(work_tree, &[])));
        }
        let index = self.indexes.iter().find(|(known, _)| known == work_tree).and_then(|(_, index)| index.as_ref());
        let Ok(below) = path.strip_prefix(work_tree) else { return false };
        index.is_some_and(|index| index.has(below.as_os_str().as_bytes(), path))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn examples_of_settings_are_no_secrets() {
        let secret: Vec<_> = [
            ".env",
            ".env.local",
            ".envrc",
            ".env.example",
            ".environment",
            "x.env",
            ".envoy",
            ".env.production.sample",
            ".env-sample",
            ".env.example~",
            "a.env~",
        ]
        .into_iter()
        .filter(|name| is_dotenv(name))
        .collect();
        assert_eq!(secret, [".env", ".env.local", ".envrc"]);
    }

    #[test]
    fn what_editors_put_beside_secrets_is_secret() {
        let copies = [
            ".env~",
            "#.env#",
            ".env.swp",
            "..env.swp",
            "..env.un~",
            ".env.~1~",
            ".#.env",
            ".env-old",
            ".env_backup",
            ".env2",
            ".env (copy)",
            ".envrc~",
            "..envrc.swo",
            ".env.local~",
            ".env.example.bak",
        ];
        for name in copies {
            assert!(is_dotenv(name), "{name}");
        }
        for name in [".npmrc~", "..npmrc.swp", ".npmrc"] {
            assert!(is_or_copies(name.as_bytes(), ".npmrc"), "{name}");
        }
        assert!(!is_or_copies(b".npmrcs", ".npmrc") && !is_or_copies(b"npmrc", ".npmrc"));
    }

    #[test]
    fn what_git_has_is_no_secret_and_what_differs_from_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let git = |words: &[&str]| {
            let done = Command::new("git").arg("-C").arg(&root).args(words).env("HOME", &root).output().unwrap();
            assert!(done.status.success(), "{words:?} {}", String::from_utf8_lossy(&done.stderr));
        };
        git(&["init", "-q"]);
        fs::create_dir_all(root.join("deep/er")).unwrap();
        for path in [".env.test", ".env.changed", "deep/er/.env", "deep/.env.local", "deep/.env.example"] {
            fs::write(root.join(path), format!("{path}=1\n")).unwrap();
        }
        fs::write(root.join("elsewhere"), "x").unwrap();
        std::os::unix::fs::symlink("elsewhere", root.join(".env")).unwrap();
        std::os::unix::fs::symlink("/usr/bin/env", root.join("deep/.env")).unwrap();
        for version in ["2", "4"] {
            git(&["add", "-f", ".env.test", ".env.changed", "deep/er/.env"]);
            git(&["update-index", "--index-version", version]);
            fs::write(root.join(".env.changed"), "changed\n").unwrap();
            let found = crate::in_tree::look(&root, None, None).unwrap().closed;
            let below: Vec<_> = found.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
            assert_eq!(below, [".env.changed", "deep/.env.local", "elsewhere"], "index version {version}");
            fs::write(root.join(".env.changed"), ".env.changed=1\n").unwrap();
        }
        // An entry that was made without the content does not open it.
        git(&["rm", "-q", "--cached", "-f", ".env.changed"]);
        git(&["update-index", "--add", "--cacheinfo", "100644,ce013625030ba8dba906f756967f9e9ca394464a,.env.changed"]);
        assert!(crate::in_tree::look(&root, None, None).unwrap().closed.contains(&root.join(".env.changed")));
    }
}
