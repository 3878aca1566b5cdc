//! Files of secret settings in a tree: `.env` and its like.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::folders;
use crate::git_index::Index;

/// Says whether a file of a work tree holds settings that are secret by custom: `.env` and `.env.*`, but for examples.
pub fn is_dotenv(name: &str) -> bool {
    is_dotenv_bytes(name.as_bytes())
}

fn is_dotenv_bytes(name: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(b".env") else { return false };
    let examples = [&b".example"[..], b".sample", b".template", b".dist", b".defaults"];
    (rest.is_empty() || rest == b"rc" || rest.starts_with(b".")) && !examples.iter().any(|end| name.ends_with(end))
}

/// Lists the files of secret settings below a root that nobody can have from git anyway, and folders that may hold some and
/// cannot be read. `memory` is where the look is
/// remembered.
///
/// # Errors
/// When there are more files than can be looked through.
pub(crate) fn locked(root: &Path, memory: Option<&Path>) -> io::Result<Vec<PathBuf>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_secs()).unwrap_or(0);
    let mut found = folders::find(root, memory, is_dotenv_bytes, now)?;
    let mut indexes: Vec<(PathBuf, Option<Index>)> = Vec::new();
    found.retain(|path| !is_in_git(root, path, &mut indexes));
    // What a link leads to is what is opened; out of the tree it is no file of the tree.
    let mut real: Vec<PathBuf> = found.iter().filter_map(|path| path.canonicalize().ok()).collect();
    real.retain(|path| path.starts_with(root) && path != root && (path.is_file() || path.is_dir()));
    real.sort();
    real.dedup();
    Ok(real)
}

/// Says whether git has exactly this content of a file, so that whoever reads the repository has it anyway.
fn is_in_git(root: &Path, path: &Path, indexes: &mut Vec<(PathBuf, Option<Index>)>) -> bool {
    let is_work_tree = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let work_tree = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)).find(is_work_tree);
    let Some(work_tree) = work_tree else { return false };
    if !indexes.iter().any(|(known, _)| known == work_tree) {
        indexes.push((work_tree.to_owned(), Index::of(work_tree, &[])));
    }
    let index = indexes.iter().find(|(known, _)| known == work_tree).and_then(|(_, index)| index.as_ref());
    let Ok(below) = path.strip_prefix(work_tree) else { return false };
    index.is_some_and(|index| index.has(below.as_os_str().as_bytes(), path))
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
        ]
        .into_iter()
        .filter(|name| is_dotenv(name))
        .collect();
        assert_eq!(secret, [".env", ".env.local", ".envrc"]);
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
        std::os::unix::fs::symlink("/etc/hostname", root.join("deep/.env")).unwrap();
        for version in ["2", "4"] {
            git(&["add", "-f", ".env.test", ".env.changed", "deep/er/.env"]);
            git(&["update-index", "--index-version", version]);
            fs::write(root.join(".env.changed"), "changed\n").unwrap();
            let found = locked(&root, None).unwrap();
            let below: Vec<_> = found.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
            assert_eq!(below, [".env.changed", "deep/.env.local", "elsewhere"], "index version {version}");
            fs::write(root.join(".env.changed"), ".env.changed=1\n").unwrap();
        }
        // An entry that was made without the content does not open it.
        git(&["rm", "-q", "--cached", "-f", ".env.changed"]);
        git(&["update-index", "--add", "--cacheinfo", "100644,ce013625030ba8dba906f756967f9e9ca394464a,.env.changed"]);
        assert!(locked(&root, None).unwrap().contains(&root.join(".env.changed")));
    }
}
