//! Where guarded names of a tree lead: a file that a hook is a link to, that git's configuration or a script names which acts by
//! itself, or that instructions for models are a link to acts later under that name.
//!
//! What is too long or too much to be read may lead anywhere: then the whole tree is guarded.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::git_config::Named;
use super::scripts::{self, Kind, Script};
use super::settings_files::Of;
use super::walk;
use super::ways::{Text, place, text, ways};
use super::{BUILT, RESULTS, environment, git_config, modules, person, settings_files};
use crate::git_index::{self, Index};
use crate::tree;

/// Files of git's settings that are read for one work tree.
const MOST_CONFIGURATIONS: usize = 256;

/// Words that git's configuration is asked for at once; one that has more is read section by section.
const MOST_WORDS: usize = 1_000;

/// The file of git's settings for everybody.
const OF_MACHINE: &str = "/etc/gitconfig";

/// How names of git's hooks begin; what else is in their folder is run where a hook names it.
#[rustfmt::skip]
const HOOKS: &[&str] = &[
    "applypatch", "commit-msg", "fsmonitor", "p4-", "post-", "pre", "proc-receive", "push-to-", "reference-", "sendemail", "update",
];

/// Returns files and folders below a tree, relative to it, that act under other names; an empty path is all of it. None of them
/// lies below another.
pub(super) fn of(tree: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    with(tree, home, &|_| false)
}

/// Does the same where files of some more names are guarded as settings.
pub(super) fn with(tree: &Path, home: Option<&Path>, is_settings: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let (tree, home) = (&real(tree), home.map(real));
    let indexes = RefCell::new(HashMap::new());
    let has_source = |folder: &Path| {
        let mut indexes = indexes.borrow_mut();
        git_index::around(tree, folder).any(|(work_tree, below)| {
            let read = || Index::of(&tree.join(work_tree), BUILT);
            let index: &mut Option<Index> = indexes.entry(work_tree.to_owned()).or_insert_with(read);
            index.as_ref().is_some_and(|index| index.has_in(below.as_os_str().as_bytes()))
        })
    };
    let (found, left_outside) = (BTreeSet::new(), walk::MOST_IN_HOME);
    let home = home.as_deref();
    let mut leads = Leads { tree, home, found, scripts: Vec::new(), walked: Vec::new(), left_outside };
    let walked = walk::tree(tree, has_source, is_settings);
    if walked.is_cut {
        leads.add_all();
    }
    leads.links(walked.links.clone());
    if leads.home.is_some_and(|home| walk::is_settings_of(home, tree)) {
        leads.add_all();
    }
    // The root has what its own repository and the person's settings name, with or without a `.git`.
    let person = leads.home.map(person::of).unwrap_or_default();
    let mut of_all: Vec<PathBuf> = person.configurations.into_iter().collect();
    of_all.push(OF_MACHINE.into());
    leads.repository(tree, &of_all);
    let nested = walked.work_trees.iter().filter(|work_tree| *work_tree != tree);
    nested.for_each(|work_tree| leads.repository(work_tree, &of_all));
    leads.around(&of_all);
    leads.entered(&walked.entered);
    leads.settings(&walked.settings, Of::Folder(tree));
    leads.person(person.scripts);
    // What a build makes is ordinary, whoever runs it.
    let of_process = environment::led_to(tree, leads.home, std::env::vars_os());
    leads.scripts.extend(of_process.scripts);
    let is_ordinary = |path: &Path| path.strip_prefix(tree).is_ok_and(|below| is_built(below, &has_source));
    let named = scripts::named(tree, leads.home, std::mem::take(&mut leads.scripts), &is_ordinary);
    if named.is_cut {
        leads.add_all();
    }
    let paths = named.paths.into_iter().chain(of_process.paths);
    paths.filter(|path| !is_ordinary(path)).for_each(|path| leads.add(&path));
    leads.least()
}

/// Returns a path without links, where it is there.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Says whether a path is in a folder that a build fills.
fn is_built(path: &Path, has_source: &impl Fn(&Path) -> bool) -> bool {
    let is = |folder: &Path| {
        let is_named = |names: &[&str]| folder.file_name().is_some_and(|name| names.iter().any(|known| name == *known));
        is_named(RESULTS) || is_named(BUILT) && !has_source(folder)
    };
    path.ancestors().skip(1).any(is)
}

pub(super) struct Leads<'a> {
    pub(super) tree: &'a Path,
    pub(super) home: Option<&'a Path>,
    /// Relative to the tree.
    found: BTreeSet<PathBuf>,
    /// What is to be read for what it names.
    pub(super) scripts: Vec<Script>,
    /// Folders below which links were looked for.
    walked: Vec<PathBuf>,
    /// Entries of folders outside the tree that may still be looked at.
    left_outside: usize,
}

impl Leads<'_> {
    pub(super) fn add(&mut self, path: &Path) {
        let Some(below) = path.strip_prefix(self.tree).ok() else { return };
        // A hidden folder or file is guarded by its own name, but for what a build fills.
        let is_one_of = |name: &OsStr, names: &[&str]| names.iter().any(|known| name == *known);
        let mut sources = below.iter().take_while(|name| !is_one_of(name, BUILT) && !is_one_of(name, RESULTS));
        let is_named = sources.any(|name| name.as_bytes().starts_with(b"."));
        if !is_named && !below.as_os_str().is_empty() {
            self.found.insert(below.to_owned());
        }
    }

    fn add_all(&mut self) {
        self.found.insert(PathBuf::new());
    }

    /// Adds where links lead, and in turn the links in folders to which they do.
    fn links(&mut self, mut links: Vec<PathBuf>) {
        while let Some(link) = links.pop() {
            let ways = ways(&link);
            ways.iter().skip(1).for_each(|way| self.add(way));
            let Some(real) = ways.last().filter(|real| self.is_near(real) && real.is_dir()) else { continue };
            if self.walked.iter().any(|walked| real.starts_with(walked)) {
                continue;
            }
            let is_in_tree = real.starts_with(self.tree);
            let below = walk::below(real, if is_in_tree { walk::MOST_IN_TREE } else { self.left_outside });
            self.walked.push(real.clone());
            if !is_in_tree {
                self.left_outside = below.left;
            }
            if below.is_cut {
                self.add_all();
            }
            links.extend(below.links);
        }
    }

    /// Says whether a folder is in the tree or the home folder and none around the tree; in hidden ones of the tree all links were
    /// found.
    fn is_near(&self, folder: &Path) -> bool {
        let is_inside = |around: &Path| folder.starts_with(around) && folder != around;
        match folder.strip_prefix(self.tree) {
            Ok(below) => is_inside(self.tree) && !below.as_os_str().as_bytes().starts_with(b"."),
            Err(_) => self.home.is_some_and(is_inside) && !self.tree.starts_with(folder),
        }
    }

    /// Adds what the hooks and settings of a repository lead to, and settings that hold for all.
    pub(super) fn repository(&mut self, work_tree: &Path, of_all: &[PathBuf]) {
        // A linked work tree and a submodule have their repository elsewhere.
        let git = tree::repository(work_tree).unwrap_or_else(|| work_tree.join(".git"));
        let mut files = vec![git.join("config"), git.join("config.worktree")];
        let own = tree::pointer(&work_tree.join(".git")).map(|own| work_tree.join(own));
        files.extend(own.iter().flat_map(|own| ["config", "config.worktree"].map(|name| own.join(name))));
        let of_repository = files.len();
        files.extend_from_slice(of_all);
        self.hooks(&git.join("hooks"), work_tree);
        let mut read = 0;
        // Each may include more.
        while let Some(file) = files.get(read).cloned() {
            if read >= MOST_CONFIGURATIONS {
                return self.add_all();
            }
            // The person's own are for all trees, and name what lies in one by a path.
            let is_of_all = read >= of_repository && read < of_repository + of_all.len();
            read += 1;
            if files.iter().take(read - 1).any(|before| *before == file) {
                continue;
            }
            let Text { text, is_whole, .. } = text(&file);
            if !is_whole {
                self.add_all();
            }
            let words = whole(&text, git_config::words);
            for module in modules::named(words.iter().map(String::as_str)) {
                self.add(&work_tree.join(module));
            }
            for word in words {
                if !is_of_all || word.contains(['/', '.']) {
                    self.program(work_tree, &word, is_of_all);
                }
            }
            for named in whole(&text, git_config::named) {
                match named {
                    Named::Hooks(folder) => self.hooks_elsewhere(work_tree, &folder),
                    Named::Settings(path) => {
                        let folder = file.parent().unwrap_or(work_tree);
                        let ways = place(folder, self.home, &path).map(|path| ways(&path)).unwrap_or_default();
                        ways.iter().for_each(|way| self.add(way));
                        files.extend(ways.into_iter().last());
                    }
                }
            }
        }
    }

    fn hooks_elsewhere(&mut self, work_tree: &Path, folder: &str) {
        let Some(folder) = place(work_tree, self.home, folder).filter(|_| !folder.is_empty()) else { return };
        let ways = ways(&folder);
        ways.iter().for_each(|way| self.add(way));
        let Some(real) = ways.last() else { return };
        if real == self.tree {
            return self.add_all();
        }
        self.hooks(real, work_tree);
        // Husky's own hooks in `_` run those beside it.
        if let Some(beside) = real.parent().filter(|_| real.ends_with("_")) {
            self.hooks(beside, work_tree);
        }
    }

    /// Adds where links in a folder of hooks lead, and has what the hooks name looked up.
    fn hooks(&mut self, folder: &Path, work_tree: &Path) {
        let below = walk::below(&real(folder), walk::MOST_IN_HOME);
        if below.is_cut {
            self.add_all();
        }
        self.links(below.links);
        let is_hook = |name: &str| HOOKS.iter().any(|begin| name.starts_with(begin)) && !name.ends_with(".sample");
        self.started(folder, work_tree, Kind::InTree, is_hook);
    }

    /// Has files of a folder read as scripts.
    fn started(&mut self, folder: &Path, start: &Path, kind: Kind, is_run: impl Fn(&str) -> bool) {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.filter(|entry| is_run(&entry.file_name().to_string_lossy())).map(|entry| entry.path());
        self.scripts.extend(files.map(|path| Script { path, folder: start.to_owned(), kind }));
    }

    /// Adds what a word of git's configuration names in a work tree, which git runs or takes settings from. In a configuration for
    /// all trees what is not there is no name of one of them.
    fn program(&mut self, work_tree: &Path, word: &str, is_of_all: bool) {
        // What a shell puts in before a path is mostly the work tree.
        let word = match word.split_once('/') {
            Some((first, below)) if first.starts_with('$') => below,
            _ => word,
        };
        let Some(path) = place(work_tree, self.home, word) else { return };
        // What is run when it is there may come later.
        let is_named = word.contains('/') || !is_of_all && word.contains('.') && !word.starts_with(['-', '%']);
        if path == self.tree || !is_named && fs::symlink_metadata(&path).is_err() {
            return;
        }
        let ways = ways(&path);
        ways.iter().for_each(|way| self.add(way));
        if let Some(real) = ways.into_iter().last().filter(|real| real.starts_with(self.tree) && real.is_file()) {
            self.scripts.push(Script { path: real, folder: work_tree.to_owned(), kind: Kind::InTree });
        }
    }

    /// Has what is read whenever a folder is entered looked up. Each of its words counts, folders too.
    pub(super) fn entered(&mut self, files: &[PathBuf]) {
        for file in files {
            let folder = file.parent().unwrap_or(self.tree);
            for word in git_config::split(&text(file).text) {
                let path = place(folder, self.home, &word).filter(|path| path.starts_with(self.tree) && path.exists());
                path.iter().flat_map(|path| ways(path)).for_each(|way| self.add(&way));
            }
            self.scripts.push(Script { path: file.clone(), folder: folder.to_owned(), kind: Kind::InTree });
        }
    }

    /// Has what settings name looked up; those of a person name what lies in a tree by whole paths.
    pub(super) fn settings(&mut self, files: &[PathBuf], of: Of<'_>) {
        match settings_files::naming(self.tree, files, of) {
            Some(scripts) => self.scripts.extend(scripts),
            None => self.add_all(),
        }
    }

    /// Adds what settings in the home folder are links to, often in a tree of their own, and has what shells read looked up.
    fn person(&mut self, scripts: BTreeSet<PathBuf>) {
        let Some(home) = self.home else { return };
        let walked = walk::home(home, self.tree);
        // A whole tree may be one program's settings, or lie in a folder of them. So may what was left out.
        let is_around = |folder: &Path| self.tree.starts_with(folder) && folder.starts_with(home) && folder != home;
        if walked.is_cut || walked.links.iter().any(|link| is_around(&real(link))) {
            self.add_all();
        }
        self.settings(&walked.settings, Of::Person(home));
        self.settings(&person::of_machine(), Of::Person(home));
        self.links(walked.links);
        let kind = Kind::OfPerson;
        self.scripts.extend(scripts.into_iter().map(|path| Script { path, folder: home.to_owned(), kind }));
    }

    /// Lists what was found, without what lies below something else of it.
    fn least(self) -> Vec<PathBuf> {
        let mut least: Vec<PathBuf> = Vec::new();
        for path in self.found {
            if least.last().is_none_or(|last| !path.starts_with(last)) {
                least.push(path);
            }
        }
        least
    }
}

/// Reads all of a configuration by a function that reads some of it.
fn whole<T>(text: &str, of: impl Fn(&str) -> Vec<T>) -> Vec<T> {
    let found = of(text);
    if found.len() < MOST_WORDS {
        return found;
    }
    let mut sections = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices("\n[") {
        sections.push(text.get(start..at).unwrap_or_default());
        start = at;
    }
    sections.push(text.get(start..).unwrap_or_default());
    sections.into_iter().flat_map(of).collect()
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

    #[test]
    fn what_cannot_be_read_whole_leads_anywhere_and_a_tree_may_be_settings_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let tree = home.join("tree");
        fs::create_dir_all(tree.join(".git")).unwrap();
        fs::create_dir(home.join(".config")).unwrap();
        let config = tree.join(".git/config");
        fs::write(&config, "#".repeat(5 << 20)).unwrap();
        assert_eq!(of(&tree, None), [Path::new("")]);
        fs::write(&config, "[core]\n\thooksPath = \n").unwrap();
        assert!(of(&tree, None).is_empty());
        // More words than are asked for at once.
        let many: String = (0..1200).map(|number| format!("[submodule \"{number}\"]\n\turl = x\n")).collect();
        fs::write(&config, format!("{many}[core]\n\tfsmonitor = ./monitor\n")).unwrap();
        fs::write(tree.join("monitor"), "").unwrap();
        assert_eq!(of(&tree, None), [Path::new("monitor")]);
        std::os::unix::fs::symlink(&tree, home.join(".config/editor")).unwrap();
        assert_eq!(of(&tree, Some(&home)), [Path::new("")]);
    }

    #[test]
    fn repositories_and_settings_deep_in_a_tree_are_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let tree = fs::canonicalize(folder.path()).unwrap();
        let write = |path: &str, text: &str| {
            let path = tree.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("sub/.git/config", "[core]\n\thooksPath = own/hooks\n");
        write("sub/own/hooks/pre-commit", "sh tools/check; ../beside; target/x");
        write("sub/.git/hooks/pre-push.sample", "sh plain");
        write("sub/deep/.envrc", "PATH_add programs; export X=$PWD/data");
        for path in ["tools/check", "plain", "deep/programs/x", "deep/data/y", "target/x"] {
            write(&format!("sub/{path}"), "");
        }
        write("beside", "");
        write("dot/agent/x", "");
        write("docs/rule.md", "");
        write("web/tool.config", "");
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, tree.join(at)).unwrap();
        link("dot/agent", ".agent");
        link("../../docs", "dot/agent/rules");
        link("web/tool.config", "settings");
        let found: Vec<_> = of(&tree, None).into_iter().map(|path| path.display().to_string()).collect();
        let expected = ["beside", "docs", "dot/agent", "sub/deep/programs", "sub/own/hooks", "sub/tools/check"];
        assert_eq!(found, expected);
        assert!(with(&tree, None, &|name| name == "settings").contains(&"web/tool.config".into()));
    }
}
