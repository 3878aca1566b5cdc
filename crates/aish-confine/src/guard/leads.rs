//! Where guarded names of a tree lead: a file that a hook is a link to, that git's configuration names, or that
//! instructions for models are a link to acts later under that name.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::git_config::Named;
use super::{LONGEST, git_config, instructs};
use crate::tree;

/// Entries of a folder that are looked at.
const MOST: usize = 10_000;

/// Links that are followed one by one; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// Paths of one script that are looked up.
const MOST_PATHS: usize = 1_000;

/// Files of git's settings that are read.
const MOST_CONFIGURATIONS: usize = 32;

/// Files of git's settings for all of a person's work, from the home folder, and for everybody's.
const OF_PERSON: &[&str] = &[".gitconfig", ".config/git/config"];
const OF_MACHINE: &str = "/etc/gitconfig";

/// What is read whenever a person's shell starts or connects to another host, from the home folder.
#[rustfmt::skip]
const STARTED: &[&str] = &[
    ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
    ".config/fish/config.fish", ".ssh/config",
];

/// Returns files and folders below a tree, relative to it, that act under other names. `tree` and `home` have no links in their
/// paths.
pub(super) fn of(tree: &Path, home: Option<&Path>) -> Vec<PathBuf> {
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
    // Settings in the home folder are often links into a tree of their own.
    if let Some(home) = home {
        let config = home.join(".config");
        links(home, |name| name.starts_with('.')).for_each(&mut add);
        links(&config, |_| true).for_each(&mut add);
        folders(&config).for_each(|folder| links(&folder, |_| true).for_each(&mut add));
    }
    let mut configurations = vec![git.join("config"), git.join("config.worktree")];
    configurations.extend(tree::pointer(&tree.join(".git")).map(|own| tree.join(own).join("config.worktree")));
    let of_repository = configurations.len();
    configurations.extend(home.into_iter().flat_map(|home| OF_PERSON.iter().map(move |name| home.join(name))));
    configurations.push(OF_MACHINE.into());
    let mut words = Vec::new();
    // Each may include more.
    for number in 0..MOST_CONFIGURATIONS {
        let Some(file) = configurations.get(number).cloned() else { break };
        let text = text(&file);
        // The person's own are for all trees, and name what lies in one by a path.
        let is_path = |word: &String| number < of_repository || word.contains(['/', '.']);
        words.extend(git_config::words(&text).into_iter().filter(is_path));
        for named in git_config::named(&text) {
            let (from, named, is_settings) = match named {
                Named::Hooks(folder) => (tree, folder, false),
                Named::Settings(path) => (file.parent().unwrap_or(tree), path, true),
            };
            let ways = place(from, home, &named).map(|path| ways(&path)).unwrap_or_default();
            configurations.extend(ways.last().filter(|_| is_settings).cloned());
            ways.into_iter().for_each(&mut add);
        }
    }
    // What is read whenever the folder is entered names more that is read then.
    words.extend(git_config::split(&text(&tree.join(".envrc"))));
    words.extend(home.into_iter().flat_map(|home| STARTED.iter().flat_map(move |name| paths(&text(&home.join(name))))));
    words.iter().flat_map(|word| inside(tree, home, word)).for_each(&mut add);
    found.sort();
    found.dedup();
    found
}

/// Reads a plain file of a usual length; empty where it is another.
pub(super) fn text(file: &Path) -> String {
    let is_short = fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
    if is_short { fs::read_to_string(file).unwrap_or_default() } else { String::new() }
}

/// Lists the words of a shell's script that are whole paths, but for those in comments; at most 1,000.
fn paths(script: &str) -> Vec<String> {
    let lines = script.lines().filter(|line| !line.trim_start().starts_with('#'));
    let words = lines.flat_map(git_config::split);
    let at_home = |word: String| {
        let below = ["$HOME/", "${HOME}/"].iter().find_map(|home| word.strip_prefix(home));
        below.map(|below| format!("~/{below}")).unwrap_or(word)
    };
    words.map(at_home).filter(|word| word.starts_with(['/', '~'])).take(MOST_PATHS).collect()
}

/// Returns the path that is named from a folder, or with `~/` from the home folder; none where there is no home folder.
pub(super) fn place(from: &Path, home: Option<&Path>, named: &str) -> Option<PathBuf> {
    match named.strip_prefix("~/") {
        Some(below) => Some(home?.join(below)),
        None => Some(from.join(named)),
    }
}

/// Returns a path, there or not, and each that it leads to as a link: whoever replaces one of them changes what is read. The last
/// is what is there.
pub(super) fn ways(first: &Path) -> Vec<PathBuf> {
    let real = fs::canonicalize(first).ok();
    let mut all = vec![plain(first)];
    for _ in 0..MOST_LINKS {
        let Some((folder, target)) = all.last().and_then(|last| Some((last.parent()?, fs::read_link(last).ok()?)))
        else {
            break;
        };
        let next = plain(&folder.join(target));
        all.push(next);
    }
    let is_other = real.as_ref().is_some_and(|real| all.last() != Some(real));
    all.extend(real.filter(|_| is_other));
    all
}

/// Writes a path without steps up.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// Lists the folders in a folder.
fn folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST);
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

/// Lists where links of a folder lead whose names are asked for.
fn links(folder: &Path, is_asked_for: impl Fn(&str) -> bool) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST);
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .filter(move |entry| is_asked_for(&entry.file_name().to_string_lossy()))
        .flat_map(|entry| {
            let path = entry.path();
            // What is not there leads nowhere.
            let ways = if path.exists() { ways(&path) } else { Vec::new() };
            ways.into_iter().skip(1)
        })
}

/// Returns the paths by which a word of a configuration names something in a tree; empty where it names nothing there.
fn inside(tree: &Path, home: Option<&Path>, word: &str) -> Vec<PathBuf> {
    let is_plain =
        Path::new(word).components().all(|part| !matches!(part, Component::ParentDir | Component::Prefix(_)));
    let path = place(tree, home, word).filter(|_| !word.is_empty() && is_plain);
    let real = path.as_ref().and_then(|path| fs::canonicalize(path).ok());
    match (path, real) {
        (Some(path), Some(real)) if real.starts_with(tree) && real != tree => ways(&path),
        (Some(_) | None, _) => Vec::new(),
    }
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
        link("guide.md", "docs/link.md");
        link("docs/link.md", "CLAUDE.md");
        link("env.sh", ".envrc");
        fs::write(tree.join("env.sh"), "source ./tools/env.sh # as documented\nlayout \"src\"\n").unwrap();
        link("src/main.c", "plain");
        link("/etc/hostname", ".outside");
        let config = "[core]\n\tbare = false\n\thooksPath = tools/hooks\n[filter \"x\"]\n\tclean = \"./tools/clean.sh\" %f\n\
                      [alias]\n\tup = !git -C .. x\n[branch \"main\"]\n\tmerge = src\n";
        fs::write(tree.join(".git/config"), config).unwrap();
        let found: Vec<_> = of(&tree, None).into_iter().map(|path| path.display().to_string()).collect();
        assert_eq!(
            found,
            [
                "docs/guide.md",
                "docs/link.md",
                "env.sh",
                "src",
                "tools/check",
                "tools/clean.sh",
                "tools/env.sh",
                "tools/hooks"
            ]
        );
    }

    #[test]
    fn what_the_settings_of_a_person_name_in_a_tree_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let tree = home.join("work/tree");
        for name in [".config/git", "work/tree/.git", "work/tree/main", "work/tree/tools"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        for name in ["tools/clean.sh", "tools/env.sh", "tools/more.sh", "shrc", "editor", "plain"] {
            fs::write(tree.join(name), "").unwrap();
        }
        fs::create_dir(home.join(".config/edit")).unwrap();
        std::os::unix::fs::symlink(tree.join("shrc"), home.join(".bashrc")).unwrap();
        std::os::unix::fs::symlink("../../work/tree/editor", home.join(".config/edit/init")).unwrap();
        std::os::unix::fs::symlink(tree.join("plain"), home.join("plain")).unwrap();
        fs::write(tree.join("shrc"), ". \"$HOME/work/tree/tools/env.sh\"\n# . ~/work/tree/plain\ncd ~/work/tree\n")
            .unwrap();
        fs::write(home.join(".profile"), "[ -r x ] && source ~/work/tree/tools/more.sh; plain\n").unwrap();
        let global = "[init]\n\tdefaultBranch = main\n[alias]\n\tm = switch main\n[core]\n\thooksPath = git-hooks\n\
                      [include]\n\tpath = ~/work/tree/git/settings\n[includeIf \"gitdir:~/work/\"]\n\tpath = .config/git/more\n";
        fs::write(home.join(".gitconfig"), global).unwrap();
        fs::write(home.join(".config/git/more"), "[core]\n\thooksPath = ~/work/tree/more\n").unwrap();
        fs::write(home.join(".config/git/config"), "[filter \"x\"]\n\tclean = ./tools/clean.sh %f\n").unwrap();
        let found: Vec<_> = of(&tree, Some(&home)).into_iter().map(|path| path.display().to_string()).collect();
        assert_eq!(
            found,
            ["editor", "git/settings", "git-hooks", "more", "shrc", "tools/clean.sh", "tools/env.sh", "tools/more.sh"]
        );
        assert!(of(&tree, None).is_empty());
    }

    #[test]
    fn a_tree_without_a_repository_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(of(folder.path(), None).is_empty());
    }
}
