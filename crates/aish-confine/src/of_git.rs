//! Whether git has a file of secret settings as it is.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::git_index::Index;

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
        for path in [".env.test", ".env.changed", "..env.swp", "deep/er/.env", "deep/.env.local", "deep/.env.example"] {
            fs::write(root.join(path), format!("{path}=1\n")).unwrap();
        }
        fs::write(root.join("elsewhere"), "x").unwrap();
        std::os::unix::fs::symlink("elsewhere", root.join(".env")).unwrap();
        std::os::unix::fs::symlink("/usr/bin/env", root.join("deep/.env")).unwrap();
        for version in ["2", "4"] {
            git(&["add", "-f", ".env.test", ".env.changed", "..env.swp", "deep/er/.env"]);
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
