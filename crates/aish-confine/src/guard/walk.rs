//! The walk of a tree, or of the hidden folders of a home, for links whose own name is guarded.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::seen::Seen;
use super::{BUILT, RESULTS, instructs, is_entered, settings_files};

/// Entries of a tree that are looked at. They are counted from above, folder by folder: what lies deep hides nothing above it.
pub(super) const MOST_IN_TREE: usize = 1_000_000;

/// Entries of a home that are looked at. Where there are more, any of them may lead into the tree.
pub(super) const MOST_IN_HOME: usize = 1_000_000;

/// Folders of a home, relative to it, that programs fill with what they fetched, or with their state: nothing is run from there.
#[rustfmt::skip]
const FETCHED: &[&str] = &[
    ".cargo/registry", ".cargo/git", ".rustup", ".npm", ".nvm/versions", ".pyenv/versions", ".rbenv/versions", ".asdf/installs",
    ".local/share/Trash", ".local/share/containers", ".local/share/flatpak", ".local/share/Steam", ".local/share/mise",
    ".local/share/pnpm", ".local/share/uv", ".local/share/nvim/lazy", ".mozilla", ".thunderbird", ".config/google-chrome",
    ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/Slack", ".config/discord", ".gradle/caches",
    ".gradle/wrapper", ".m2/repository", ".ivy2/cache", ".bun/install", ".nuget/packages", ".conda/pkgs", ".wine", ".steam",
    ".vscode-server/bin", ".opam", ".ghcup", ".stack/programs", ".stack/pantry", ".julia/packages", ".julia/artifacts",
    ".android/avd", ".local/state",
];

/// Folders that programs fill with copies, wherever they lie in a home.
const COPIES: &[&str] = &["Cache", "Code Cache", "GPUCache", "CacheStorage", "CachedData", "workspaceStorage"];

/// Hidden folders in which people and programs keep more work trees of a repository, and a repository's own.
const WORK_TREES: &[&str] = &[".worktrees", ".git"];

/// What is read when a folder is entered.
pub(super) const ENVRC: &str = ".envrc";

/// Folders of a repository that hold no settings.
const STORED: &[&str] = &["objects", "refs", "logs", "lfs", "annex"];

/// What a walk found.
#[derive(Default)]
pub(super) struct Found {
    /// Links whose own path is guarded by name.
    pub(super) links: Vec<PathBuf>,
    /// Folders that have an entry `.git`.
    pub(super) work_trees: Vec<PathBuf>,
    /// Files that are read when a folder is entered.
    pub(super) entered: Vec<PathBuf>,
    /// Files that may be settings.
    pub(super) settings: Vec<PathBuf>,
    /// Whether something was left out because there is too much.
    pub(super) is_cut: bool,
    /// Entries that may still be looked at.
    pub(super) left: usize,
}

struct Folder {
    path: PathBuf,
    depth: usize,
    /// Whether all in it is guarded by name.
    is_guarded: bool,
}

/// Walks a tree. `has_source` says of a folder, relative to it, whether it is called as one that builds fill and is none, and
/// `is_settings` of a name whether programs take settings from such a file.
pub(super) fn tree(tree: &Path, has_source: impl Fn(&Path) -> bool, is_settings: &dyn Fn(&str) -> bool) -> Found {
    let start = Folder { path: tree.to_owned(), depth: 0, is_guarded: false };
    let is_left_out = |folder: &Folder, name: &OsStr| {
        BUILT.iter().any(|built| name == *built) && !folder.path.join(name).strip_prefix(tree).is_ok_and(&has_source)
    };
    walk(start, MOST_IN_TREE, is_left_out, is_settings)
}

/// Walks the hidden folders of a home, but for a tree in them.
pub(super) fn home(home: &Path, tree: &Path) -> Found {
    let start = Folder { path: home.to_owned(), depth: 0, is_guarded: false };
    let is_left_out = |folder: &Folder, name: &OsStr| {
        let path = folder.path.join(name);
        folder.depth == 0 && !is_hidden(name)
            || BUILT.iter().chain(COPIES).any(|built| name == *built)
            || path == tree
            || FETCHED.iter().any(|fetched| path.strip_prefix(home).is_ok_and(|path| path == Path::new(fetched)))
    };
    let mut found = walk(start, MOST_IN_HOME, is_left_out, &|_| false);
    found.links.retain(|link| link.strip_prefix(home).is_ok_and(|path| path.iter().next().is_some_and(is_hidden)));
    found
}

/// Says whether a tree lies in a hidden folder of a home: programs take settings from each of its files, whatever it is called.
pub(super) fn is_settings_of(home: &Path, tree: &Path) -> bool {
    let Ok(below) = tree.strip_prefix(home) else { return false };
    let is_filled = |folder: &Path| FETCHED.iter().any(|fetched| folder == Path::new(fetched));
    let is_ordinary = |name: &OsStr| RESULTS.iter().chain(WORK_TREES).any(|known| name == *known);
    !below.ancestors().any(is_filled) && below.iter().any(|name| is_hidden(name) && !is_ordinary(name))
}

/// Lists the links below a folder all of which is guarded, of a number of entries.
pub(super) fn below(folder: &Path, most: usize) -> Found {
    let start = Folder { path: folder.to_owned(), depth: 0, is_guarded: true };
    let is_left_out = |_: &Folder, name: &OsStr| BUILT.iter().any(|built| name == *built);
    walk(start, most, is_left_out, &|_| false)
}

fn walk(
    start: Folder,
    most: usize,
    is_left_out: impl Fn(&Folder, &OsStr) -> bool,
    is_settings: &dyn Fn(&str) -> bool,
) -> Found {
    let mut found = Found { left: most, ..Found::default() };
    let root = start.path.clone();
    let mut folders = VecDeque::from([start]);
    let mut seen = Seen::hold();
    while let Some(mut folder) = folders.pop_front() {
        // A folder that may not be read leads nowhere: no program of the person finds a link in it.
        let entries = seen.entries(&folder.path, &mut found.left);
        let is_repository = entries.is_repository || folder.path.ends_with(".git");
        folder.is_guarded |= is_repository;
        if entries.is_work_tree {
            found.work_trees.push(folder.path.clone());
        }
        if !entries.settings.is_empty() && !is_repository {
            let is_of_settings = folder.path.strip_prefix(&root).is_ok_and(settings_files::is_of_settings);
            let settings = entries.settings.iter().filter(|name| settings_files::is_one(name, is_of_settings));
            found.settings.extend(settings.map(|name| folder.path.join(name)));
        }
        if entries.is_entered {
            found.entered.push(folder.path.join(ENVRC));
        }
        let around = folder.path.file_name().unwrap_or_default().to_string_lossy();
        let is_one = |name: &OsStr| {
            is_guarded(name, is_settings) || is_settings(&format!("{around}/{}", name.to_string_lossy()))
        };
        let links = entries.links.iter().filter(|name| folder.is_guarded || is_one(name));
        found.links.extend(links.map(|name| folder.path.join(name)));
        for name in &entries.folders {
            let is_stored = is_repository && STORED.iter().any(|stored| name == *stored);
            let is_result = RESULTS.iter().any(|result| name == *result);
            if !is_stored && !is_result && !is_left_out(&folder, name) {
                let is_guarded = folder.is_guarded || is_hidden(name) || name == "skills";
                folders.push_back(Folder { path: folder.path.join(name), depth: folder.depth + 1, is_guarded });
            }
        }
        if found.left == 0 {
            found.is_cut = true;
            break;
        }
    }
    found
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

fn is_guarded(name: &OsStr, is_settings: &dyn Fn(&str) -> bool) -> bool {
    let known = |name: &str| {
        instructs(name) || is_entered(name) || name == "skills" || name == "package.json" || is_settings(name)
    };
    is_hidden(name) || known(&name.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Makes links, with the folders around them.
    fn link(folder: &Path, paths: &[&str]) {
        for path in paths {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink("x", path).unwrap();
        }
    }

    fn names(folder: &Path, paths: &[PathBuf]) -> Vec<String> {
        let mut names: Vec<_> =
            paths.iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn links_in_a_tree_are_found_where_their_own_path_is_guarded() {
        let folder = tempfile::tempdir().unwrap();
        let asked = [
            ".a",
            ".b/c",
            "d/.e/f/g",
            "d/AGENTS.md",
            "d/flake.nix",
            "d/lefthook.yml",
            "opencode.json",
            "x.code-workspace",
            "d/skills/h",
            "d/sub/.git/hooks/i",
            "bare/hooks/j",
            "out/.k",
        ];
        link(folder.path(), &asked);
        link(
            folder.path(),
            &["l", "d/m", "target/.n", "node_modules/.bin/o", ".cache/p", ".git/objects/q", "bare/refs/r"],
        );
        fs::create_dir(folder.path().join("bare/objects")).unwrap();
        fs::write(folder.path().join("bare/HEAD"), "").unwrap();
        fs::write(folder.path().join("d/.envrc"), "").unwrap();
        let found = tree(folder.path(), |path| path == Path::new("out"), &|_| false);
        let mut expected = asked.to_vec();
        expected.sort_unstable();
        assert_eq!(names(folder.path(), &found.links), expected);
        assert_eq!(names(folder.path(), &found.work_trees), ["", "d/sub"]);
        assert_eq!(names(folder.path(), &found.entered), ["d/.envrc"]);
        assert!(!found.is_cut);
    }

    #[test]
    fn of_a_home_the_hidden_folders_are_walked_but_for_what_was_fetched() {
        let folder = tempfile::tempdir().unwrap();
        let asked =
            [".1/2/3/4/5/6/7/8/9/10", ".a", ".config/b", ".config/systemd/user/default.target.wants/c", ".ssh/config"];
        link(folder.path(), &asked);
        link(folder.path(), &["d", "e/.f", ".npm/g", ".cargo/registry/h", ".cache/i", ".own/j", ".config/x/Cache/k"]);
        let found = home(folder.path(), &folder.path().join(".own"));
        assert_eq!(names(folder.path(), &found.links), asked);
    }

    #[test]
    fn a_walk_that_is_cut_says_so_and_has_what_lies_above() {
        let folder = tempfile::tempdir().unwrap();
        link(folder.path(), &["z/.a", "y/x/w/.b"]);
        let start = || Folder { path: folder.path().to_owned(), depth: 0, is_guarded: false };
        let found = walk(start(), 5, |_, _| false, &|_| false);
        assert_eq!(names(folder.path(), &found.links), ["z/.a"]);
        assert!(found.is_cut);
        assert!(!walk(start(), 7, |_, _| false, &|_| false).is_cut);
    }
}
