//! Where guarded names of a tree lead: a file that a hook is a link to, that git's configuration names, or that
//! instructions for models are a link to acts later under that name.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::git_config::Named;
use super::{LONGEST, git_config, instructs};
use crate::tree;

/// Entries of a folder that are looked at.
const MOST: usize = 10_000;

/// Files of git's settings that are read.
const MOST_CONFIGURATIONS: usize = 32;

/// Returns files and folders below a tree, relative to it, that act under other names. `tree` has no links in its path.
pub(super) fn of(tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut add = |path: PathBuf| {
        let below = path.strip_prefix(tree).ok().filter(|below| !below.as_os_str().is_empty());
        // A folder of settings is guarded by its own name.
        found.extend(below.filter(|below| !below.starts_with(".git")).map(Path::to_owned));
    };
    // A linked work tree and a submodule have their repository elsewhere.
    let git = tree::repository(tree).unwrap_or_else(|| tree.join(".git"));
    links(&git.join("hooks"), |_| true).for_each(&mut add);
    let is_guarded = |name: &str| name.starts_with('.') || instructs(name);
    links(tree, is_guarded).for_each(&mut add);
    let mut configurations = vec![git.join("config"), git.join("config.worktree")];
    configurations.extend(tree::pointer(&tree.join(".git")).map(|own| tree.join(own).join("config.worktree")));
    let mut words = Vec::new();
    // Each may include more.
    for number in 0..MOST_CONFIGURATIONS {
        let Some(file) = configurations.get(number).cloned() else { break };
        let text = text(&file);
        words.extend(git_config::words(&text));
        for named in git_config::named(&text) {
            match named {
                Named::Hooks(folder) => add(placed(tree, &folder)),
                Named::Settings(path) => {
                    let path = placed(file.parent().unwrap_or(tree), &path);
                    add(path.clone());
                    configurations.push(path);
                }
            }
        }
    }
    // What is read whenever the folder is entered names more that is read then.
    words.extend(git_config::split(&text(&tree.join(".envrc"))));
    words.iter().filter_map(|word| inside(tree, word)).for_each(&mut add);
    found.sort();
    found.dedup();
    found
}

/// Reads a plain file of a usual length; empty where it is another.
fn text(file: &Path) -> String {
    let is_short = fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
    if is_short { fs::read_to_string(file).unwrap_or_default() } else { String::new() }
}

/// Returns the path that is named from a folder, with links followed where it is there: it may come later.
fn placed(from: &Path, named: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in from.join(named).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => path.push(part),
        }
    }
    fs::canonicalize(from.join(named)).unwrap_or(path)
}

/// Lists where links of a folder lead whose names are asked for.
fn links(folder: &Path, is_asked_for: impl Fn(&str) -> bool) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST);
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .filter(move |entry| is_asked_for(&entry.file_name().to_string_lossy()))
        .filter_map(|entry| fs::canonicalize(entry.path()).ok())
}

/// Returns the path that a word of a configuration names in a tree, where there is one.
fn inside(tree: &Path, word: &str) -> Option<PathBuf> {
    let path = Path::new(word);
    let is_plain = path.components().all(|part| !matches!(part, Component::ParentDir | Component::Prefix(_)));
    if word.is_empty() || !is_plain {
        return None;
    }
    let real = fs::canonicalize(tree.join(path)).ok()?;
    (real.starts_with(tree) && real != tree).then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_under_another_name_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let tree = fs::canonicalize(folder.path()).unwrap();
        for name in [".git/hooks", "tools/hooks", "docs", "src"] {
            fs::create_dir_all(tree.join(name)).unwrap();
        }
        for name in ["tools/check", "tools/clean.sh", "tools/env.sh", "docs/guide.md", "src/main.c"] {
            fs::write(tree.join(name), "").unwrap();
        }
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, tree.join(at)).unwrap();
        link("../../tools/check", ".git/hooks/pre-commit");
        link("docs/guide.md", "CLAUDE.md");
        link("env.sh", ".envrc");
        fs::write(tree.join("env.sh"), "source ./tools/env.sh # as documented\nlayout \"src\"\n").unwrap();
        link("src/main.c", "plain");
        link("/etc/hostname", ".outside");
        let config = "[core]\n\tbare = false\n\thooksPath = tools/hooks\n[filter \"x\"]\n\tclean = \"./tools/clean.sh\" %f\n\
                      [alias]\n\tup = !git -C .. x\n[branch \"main\"]\n\tmerge = src\n";
        fs::write(tree.join(".git/config"), config).unwrap();
        let found: Vec<_> = of(&tree).into_iter().map(|path| path.display().to_string()).collect();
        assert_eq!(
            found,
            ["docs/guide.md", "env.sh", "src", "tools/check", "tools/clean.sh", "tools/env.sh", "tools/hooks"]
        );
    }

    #[test]
    fn a_tree_without_a_repository_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(of(folder.path()).is_empty());
    }
}
