//! Files of secrets by what they are and not by their names: a file with several names is one under each of them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::folders;
use crate::in_tree;

/// How long a look through a tree stands, and how many times as long as it took: whoever asks about each of many files waits for
/// few looks.
const STANDS: (Duration, u32) = (Duration::from_secs(2), 10);

/// A file by its device and inode.
type FileId = (u64, u64);

/// What trees have of secrets, looked up where a file with several names is asked about.
#[derive(Debug, Default)]
pub struct SecretFiles {
    looks: Mutex<HashMap<PathBuf, Look>>,
}

#[derive(Debug)]
struct Look {
    until: Instant,
    /// None where there are more files than can be looked through.
    files: Option<HashSet<FileId>>,
}

impl SecretFiles {
    /// Says whether a file has several names of which one in a tree, or one of those `elsewhere`, is that of a secret. So it is where
    /// nobody can know. `layers` is the folder of layers, beside which a look is remembered.
    pub fn has_such_a_name<'a>(
        &self,
        file: &Path,
        root: &Path,
        home: Option<&Path>,
        layers: Option<&Path>,
        elsewhere: impl IntoIterator<Item = &'a PathBuf>,
    ) -> bool {
        let Some(meta) = of_several(file) else { return false };
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        if looks.get(root).is_none_or(|look| look.until < begun) {
            let files = look(root, home, layers, elsewhere);
            let stands = STANDS.0.max(begun.elapsed() * STANDS.1);
            looks.insert(root.to_owned(), Look { until: Instant::now() + stands, files });
        }
        let files = looks.get(root).and_then(|look| look.files.as_ref());
        files.is_none_or(|files| files.contains(&(meta.dev(), meta.ino())))
    }
}

/// Says whether a file has several names.
pub fn has_names(file: &Path) -> bool {
    of_several(file).is_some()
}

fn of_several(file: &Path) -> Option<fs::Metadata> {
    fs::symlink_metadata(file).ok().filter(|meta| meta.is_file() && meta.nlink() > 1)
}

fn look<'a>(
    root: &Path,
    home: Option<&Path>,
    layers: Option<&Path>,
    elsewhere: impl IntoIterator<Item = &'a PathBuf>,
) -> Option<HashSet<FileId>> {
    let memory = layers.and_then(|layers| folders::memory(layers, root));
    let found = in_tree::look(root, home, memory.as_deref()).ok()?;
    let of_tree = [found.closed, found.empty, found.settings].into_iter().flatten();
    // One that has no other name yet may get one while this stands.
    let known = of_tree.chain(elsewhere.into_iter().cloned()).filter_map(|path| fs::symlink_metadata(path).ok());
    Some(known.filter(fs::Metadata::is_file).map(|meta| (meta.dev(), meta.ino())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_of_a_secret_is_that_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for path in ["tree/deep", "home"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        for path in ["tree/.env", "tree/deep/server.key", "tree/a.txt", "home/token"] {
            fs::write(root.join(path), "token = a1B2c3D4e5\n").unwrap();
        }
        for (file, name) in [
            ("tree/.env", "tree/notes.txt"),
            ("tree/deep/server.key", "tree/deep/k"),
            ("tree/a.txt", "tree/b.txt"),
            ("home/token", "tree/t"),
        ] {
            fs::hard_link(root.join(file), root.join(name)).unwrap();
        }
        let (tree, elsewhere, files) = (root.join("tree"), [root.join("home/token")], SecretFiles::default());
        let is_one = |name: &str| files.has_such_a_name(&tree.join(name), &tree, None, None, &elsewhere);
        for (name, expected) in [("notes.txt", true), ("deep/k", true), ("t", true), ("b.txt", false), ("none", false)]
        {
            assert_eq!(is_one(name), expected, "{name}");
        }
    }
}
