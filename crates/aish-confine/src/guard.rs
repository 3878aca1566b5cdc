//! Guarded places: what a kept file there would do later, in the person's own commands, is decided by a person.

mod git_config;
mod leads;
mod package_json;
mod place;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::attributes::{Attributes, FileKind};
use crate::changes::{Change, ChangeKind, Changes, names};
use crate::git_index::Index;
use crate::layer::Layer;
use crate::settings::Settings;
use crate::tree;

pub use place::guarded;

/// Folders that builds fill; what is below them is ordinary, whatever it is called.
const BUILT: &[&str] =
    &["target", "node_modules", "build", "dist", "out", "_build", "__pycache__", "coverage", "bower_components"];

/// Hidden folders and files that hold results alone.
const RESULTS: &[&str] = &[
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".nyc_output",
    ".coverage",
    ".eslintcache",
    ".parcel-cache",
    ".turbo",
    ".hypothesis",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".tsbuildinfo",
    ".phpunit.result.cache",
    ".DS_Store",
    ".cache",
    ".gitkeep",
    ".keep",
];

/// Files that tell a model or a program what to do.
const INSTRUCTIONS: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md", "SKILL.md", "copilot-instructions.md"];

/// Entries of a git folder that git writes every day and runs nothing from.
const GIT_FILES: &[&str] = &[
    "index",
    "HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "packed-refs",
    "COMMIT_EDITMSG",
    "description",
    "gc.log",
    "shallow",
    "info/exclude",
    "info/refs",
];

/// Bytes of a file whose content decides; a longer one is guarded.
const LONGEST: u64 = 1 << 20;

/// Guarded paths that are told of one layer; with more it is clear that a person decides.
const MOST: usize = 1000;

/// A changed path that a person decides on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarded {
    /// The number of the root.
    pub root: usize,
    /// The path below it; for a folder that is new as a whole, the path in it.
    pub path: PathBuf,
    /// Why, in words.
    pub why: &'static str,
}

impl Layer {
    /// Says why a change is one that a person decides on; none for ordinary files. `ordinary` are more paths, which may
    /// end in `/**`; `settings` names files that programs take settings from.
    pub fn guard(&self, change: &Change, ordinary: &[String], settings: &[&str]) -> Option<&'static str> {
        self.guards(std::slice::from_ref(change), ordinary, settings).into_iter().next().flatten()
    }

    /// Says of each of some changes why a person decides on it, as [`Layer::guard`] does.
    pub fn guards(&self, changes: &[Change], ordinary: &[String], settings: &[&str]) -> Vec<Option<&'static str>> {
        let known = Known::default();
        let why = |change: &Change| {
            let mut found = Vec::new();
            self.judge(change, ordinary, settings, &known, &mut found);
            found.first().map(|guarded| guarded.why)
        };
        changes.iter().map(why).collect()
    }

    /// Lists the paths of changes that a person decides on, at most 1,000.
    pub fn guarded(&self, changes: &Changes, settings: &Settings) -> Vec<Guarded> {
        let names: Vec<&str> = settings.settings_files.iter().map(String::as_str).collect();
        let (mut found, known) = (Vec::new(), Known::default());
        for change in &changes.changes {
            self.judge(change, &settings.ordinary, &names, &known, &mut found);
        }
        found
    }

    fn judge(&self, change: &Change, ordinary: &[String], settings: &[&str], known: &Known, found: &mut Vec<Guarded>) {
        let Some(covered) = self.about.covered.get(change.root) else { return };
        if !covered.cache {
            Judge { layer: self, root: change.root, ordinary, settings, known }.change(change, found);
        }
    }
}

/// What was looked up for one layer.
#[derive(Default)]
struct Known {
    /// Folders that were looked at, by root, and whether git takes them for a repository's own.
    repositories: RefCell<HashMap<(usize, PathBuf), bool>>,
    /// Of each root, what acts under other names.
    leads: RefCell<HashMap<usize, Vec<PathBuf>>>,
    /// Of each root, what git has.
    indexes: RefCell<HashMap<usize, Option<Index>>>,
}

struct Judge<'a> {
    layer: &'a Layer,
    root: usize,
    ordinary: &'a [String],
    settings: &'a [&'a str],
    known: &'a Known,
}

impl Judge<'_> {
    fn change(&self, change: &Change, found: &mut Vec<Guarded>) {
        if let Some(why) = self.path(&change.path, change.kind) {
            self.add(&change.path, why, found);
        } else if change.after == Some(FileKind::Folder) && (change.kind == ChangeKind::New || change.replaces) {
            self.inside(&change.path, found);
        } else if change.after == Some(FileKind::File)
            && change.mode.is_some_and(|(old, new)| old & 0o111 == 0 && new & 0o111 != 0)
        {
            self.add(&change.path, "it can be run from now on", found);
        }
    }

    fn add(&self, path: &Path, why: &'static str, found: &mut Vec<Guarded>) {
        if found.len() < MOST {
            found.push(Guarded { root: self.root, path: path.to_owned(), why });
        }
    }

    /// Judges all in a folder that is new as a whole.
    fn inside(&self, path: &Path, found: &mut Vec<Guarded>) {
        let names = match names(&self.layer.upper(self.root).join(path)) {
            Ok(names) => names,
            Err(_) => return self.add(path, "what is in it cannot be read", found),
        };
        for name in names {
            let path = path.join(name);
            if found.len() >= MOST {
                return;
            }
            let kind = Attributes::of(&self.layer.upper(self.root).join(&path));
            match (self.path(&path, ChangeKind::New), kind) {
                (Some(why), _) => self.add(&path, why, found),
                (None, Ok(Some(attributes))) if attributes.kind == FileKind::Folder => self.inside(&path, found),
                (None, _) => {}
            }
        }
    }

    fn path(&self, path: &Path, kind: ChangeKind) -> Option<&'static str> {
        let text = path.to_string_lossy();
        let is_named = |pattern: &String| match pattern.strip_suffix("/**") {
            Some(folder) => path.starts_with(folder),
            None => *pattern == text,
        };
        if self.ordinary.iter().any(is_named) {
            return None;
        }
        if let Some(below) = self.below_repository(path) {
            return self.in_git(path, &below);
        }
        if self.is_led_to(path) {
            return Some("git or a model takes it under another name");
        }
        let mut built = None;
        let mut folder = PathBuf::new();
        for part in path.components() {
            let Component::Normal(name) = part else { continue };
            folder.push(name);
            let name = name.to_string_lossy();
            if name == ".git" {
                return match kind {
                    ChangeKind::Deleted => Some("the repository is gone with it"),
                    ChangeKind::Changed | ChangeKind::New if self.is_folder(path) => None,
                    ChangeKind::Changed | ChangeKind::New => self.pointer(path),
                };
            }
            if INSTRUCTIONS.contains(&&*name) && built != Some("node_modules") {
                return Some("it instructs models");
            }
            if let Some(known) = BUILT.iter().chain(RESULTS).find(|known| **known == name) {
                // What git has in a folder is no result of a build.
                built = built.or_else(|| (!self.is_source(&folder)).then_some(*known));
            }
            if built.is_some() {
                continue;
            }
            if name.starts_with('.') {
                return Some("its name begins with a dot: settings are kept there");
            }
            if name == "skills" {
                return Some("it instructs models");
            }
        }
        if built.is_some() {
            return None;
        }
        let name = path.file_name()?.to_string_lossy();
        if kind == ChangeKind::New
            && let Some(why) = place::misleads(&name)
        {
            return Some(why);
        }
        if kind == ChangeKind::New && self.is_script(path) {
            return Some("it is a new script that can be run");
        }
        if name == "package.json" {
            let same = self.contents(path).is_some_and(|(old, new)| package_json::runs_the_same(&old, &new));
            return (!same).then_some("it names scripts that are run");
        }
        self.settings.contains(&&*name).then_some("programs take settings from it")
    }

    /// Returns where in a repository's own folder a path is: git takes every folder for one that looks like one, whatever
    /// it is called, and runs what its configuration names.
    fn below_repository(&self, path: &Path) -> Option<PathBuf> {
        let folder = path.ancestors().skip(1).find(|folder| {
            let key = (self.root, (*folder).to_owned());
            let known = self.known.repositories.borrow().get(&key).copied();
            known.unwrap_or_else(|| {
                let is = self.is_repository(folder);
                self.known.repositories.borrow_mut().insert(key, is);
                is
            })
        })?;
        path.strip_prefix(folder).ok().map(Path::to_owned)
    }

    fn is_repository(&self, folder: &Path) -> bool {
        let has = |name: &str| {
            let there = |side: PathBuf| Attributes::of(&side.join(folder).join(name)).ok().flatten();
            let above = there(self.layer.upper(self.root)).or_else(|| there(self.layer.tree(self.root)));
            above.is_some_and(|found| found.kind != FileKind::Whiteout)
        };
        folder.file_name().is_some_and(|name| name == ".git")
            || (has("HEAD") && (has("commondir") || (has("objects") && has("refs"))))
    }

    /// Says whether something guarded leads to a path, or to a folder around it.
    fn is_led_to(&self, path: &Path) -> bool {
        let mut leads = self.known.leads.borrow_mut();
        let leads = leads.entry(self.root).or_insert_with(|| leads::of(&self.layer.tree(self.root)));
        leads.iter().any(|lead| path.starts_with(lead) || lead.starts_with(path))
    }

    /// Says whether git has something in a folder that has the name of one that builds fill.
    fn is_source(&self, folder: &Path) -> bool {
        let mut indexes = self.known.indexes.borrow_mut();
        let index = indexes.entry(self.root).or_insert_with(|| Index::of(&self.layer.tree(self.root), BUILT));
        index.as_ref().is_some_and(|index| index.has_in(folder.as_os_str().as_bytes()))
    }

    fn is_folder(&self, path: &Path) -> bool {
        match Attributes::of(&self.layer.upper(self.root).join(path)) {
            Ok(Some(above)) => above.kind == FileKind::Folder,
            Ok(None) => self.layer.tree(self.root).join(path).is_dir(),
            Err(_) => false,
        }
    }

    /// Judges a `.git` that is no folder: a work tree takes its configuration from where it leads.
    fn pointer(&self, path: &Path) -> Option<&'static str> {
        let named = tree::pointer(&self.layer.upper(self.root).join(path));
        let is_module = named.is_some_and(|named| {
            let mut below = path.parent().unwrap_or(Path::new("")).to_owned();
            let stays = named.components().all(|part| match part {
                Component::ParentDir => below.pop(),
                Component::Normal(name) => {
                    below.push(name);
                    true
                }
                Component::CurDir => true,
                Component::RootDir | Component::Prefix(_) => false,
            });
            stays && below.starts_with(".git/modules")
        });
        (!is_module).then_some("git takes its configuration from where it leads")
    }

    /// Judges a path below a git folder.
    fn in_git(&self, path: &Path, below: &Path) -> Option<&'static str> {
        let text = below.to_string_lossy();
        let text = text.trim_end_matches(".lock");
        if text.is_empty() || GIT_FILES.contains(&text) {
            return None;
        }
        if text == "config" {
            let same = self.contents(path).is_some_and(|(old, new)| git_config::runs_the_same(&old, &new));
            return (!same).then_some("git runs what it names");
        }
        let mut parts = text.split('/');
        match (parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) {
            ("objects", "info") if text.ends_with("alternates") => Some("git takes objects from elsewhere by it"),
            ("objects" | "refs" | "logs" | "branches" | "lfs", _) | ("info" | "modules" | "worktrees", "") => None,
            ("hooks", "") => None,
            ("hooks", name) if name.ends_with(".sample") => None,
            ("worktrees" | "modules", _) if parts.next().is_none_or(|rest| GIT_FILES.contains(&rest)) => None,
            ("hooks", _) => Some("git runs it"),
            _ => Some("it is git's own"),
        }
    }

    fn is_script(&self, path: &Path) -> bool {
        let path = self.layer.upper(self.root).join(path);
        let runs =
            Attributes::of(&path).ok().flatten().is_some_and(|a| a.kind == FileKind::File && a.mode & 0o111 != 0);
        let mut start = [0; 2];
        runs && fs::File::open(&path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == *b"#!")
    }

    /// Reads the old and the new content of a file; none where one is no text or too long.
    fn contents(&self, path: &Path) -> Option<(String, String)> {
        let read = |path: PathBuf| match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() && meta.len() <= LONGEST => fs::read_to_string(path).ok(),
            Ok(_) => None,
            Err(_) => Some(String::new()),
        };
        Some((read(self.layer.tree(self.root).join(path))?, read(self.layer.upper(self.root).join(path))?))
    }
}
