//! The names by which a tree is reached in what is read as words.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Names of folders around a tree by which a path to it may be written behind what is not known.
const MOST: usize = 4;

/// Lists the names by which paths lead to a tree: its own, and those of links to it, or to what is in it, beside it, in folders around
/// it and in the home folder.
pub(super) fn names(tree: &Path, home: &Path) -> Vec<String> {
    let mut names: BTreeSet<String> =
        tree.file_name().map(|name| name.to_string_lossy().into_owned()).into_iter().collect();
    let folders: BTreeSet<&Path> = tree.ancestors().skip(1).chain([home]).collect();
    for entry in folders.into_iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten()) {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_link && fs::canonicalize(entry.path()).is_ok_and(|real| real.starts_with(tree)) {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.into_iter().collect()
}

/// Returns what a path names in a tree that is written behind what is not known, where it begins with names of folders around the
/// tree and its own: `one/x` in `$W/one/x`.
pub(super) fn behind_unknown(tree: &Path, path: &str) -> Vec<PathBuf> {
    let names: Vec<_> = tree.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let starts = (1..=MOST.min(names.len())).filter_map(|number| names.get(names.len() - number..));
    let below = |start: &[Component<'_>]| Path::new(path).strip_prefix(start.iter().collect::<PathBuf>()).ok();
    starts.filter_map(below).map(|below| tree.join(below)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_known_by_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let tree = home.join("work/tree");
        fs::create_dir_all(tree.join("sub")).unwrap();
        for (to, at) in [("work/tree", "dot"), ("work/tree/sub", "deep"), ("work", "all"), ("none", "other")] {
            std::os::unix::fs::symlink(to, home.join(at)).unwrap();
        }
        assert_eq!(names(&tree, &home), ["deep", "dot", "tree"]);
        assert_eq!(behind_unknown(&tree, "tree/x"), [tree.join("x")]);
        assert_eq!(behind_unknown(&tree, "work/tree/x/y"), [tree.join("x/y")]);
        assert!(behind_unknown(&tree, "trees/x").is_empty() && behind_unknown(&tree, "x").is_empty());
    }
}
