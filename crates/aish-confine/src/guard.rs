//! Guarded places: what a kept file there would do later, in the person's own commands, is decided by a person.

mod git_config;
mod package_json;

use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::attributes::{Attributes, FileKind};
use crate::changes::{Change, ChangeKind, names};
use crate::layer::Layer;

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

impl Layer {
    /// Says why a change is one that a person decides on; none for ordinary files. `ordinary` are more paths, which may
    /// end in `/**`; `settings` names files that programs take settings from.
    pub fn guard(&self, change: &Change, ordinary: &[String], settings: &[&str]) -> Option<&'static str> {
        let covered = self.about.covered.get(change.root)?;
        if covered.cache {
            return None;
        }
        let judge = Judge { layer: self, root: change.root, ordinary, settings, is_git: is_git_folder(&covered.path) };
        judge.change(change)
    }
}

/// Says whether a root is the folder of a repository and not a work tree.
fn is_git_folder(path: &Path) -> bool {
    path.ends_with(".git") || path.parent().is_some_and(|parent| parent.ends_with("worktrees"))
}

struct Judge<'a> {
    layer: &'a Layer,
    root: usize,
    ordinary: &'a [String],
    settings: &'a [&'a str],
    is_git: bool,
}

impl Judge<'_> {
    fn change(&self, change: &Change) -> Option<&'static str> {
        if let Some(why) = self.path(&change.path, change.kind) {
            return Some(why);
        }
        if change.after == Some(FileKind::Folder) && (change.kind == ChangeKind::New || change.replaces) {
            return self.inside(&change.path);
        }
        if change.after == Some(FileKind::File) && change.kind == ChangeKind::Changed {
            let (old, new) = change.mode?;
            if old & 0o111 == 0 && new & 0o111 != 0 {
                return Some("it can be run from now on");
            }
        }
        None
    }

    /// Judges all in a folder that is new as a whole.
    fn inside(&self, path: &Path) -> Option<&'static str> {
        let folder = self.layer.upper(self.root).join(path);
        for name in names(&folder).ok()? {
            let path = path.join(name);
            if let Some(why) = self.path(&path, ChangeKind::New) {
                return Some(why);
            }
            let is_folder = Attributes::of(&self.layer.upper(self.root).join(&path)).ok()??.kind == FileKind::Folder;
            if is_folder && let Some(why) = self.inside(&path) {
                return Some(why);
            }
        }
        None
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
        if self.is_git {
            return self.in_git(path, path);
        }
        let mut before = PathBuf::new();
        for part in path.components() {
            let Component::Normal(name) = part else { continue };
            let name = name.to_string_lossy();
            before.push(&*name);
            if BUILT.contains(&&*name) || RESULTS.contains(&&*name) {
                return None;
            }
            if name == ".git" {
                return self.in_git(path, path.strip_prefix(&before).unwrap_or(path));
            }
            if name.starts_with('.') {
                return Some("its name begins with a dot: settings are kept there");
            }
            if INSTRUCTIONS.contains(&&*name) || name == "skills" {
                return Some("it instructs models");
            }
        }
        let name = path.file_name()?.to_string_lossy();
        if kind == ChangeKind::New && self.is_script(path) {
            return Some("it is a new script that can be run");
        }
        if name == "package.json" {
            let same = self.contents(path).is_some_and(|(old, new)| package_json::runs_the_same(&old, &new));
            return (!same).then_some("it names scripts that are run");
        }
        self.settings.contains(&&*name).then_some("programs take settings from it")
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
            ("objects" | "refs" | "logs" | "branches" | "lfs", _) | ("info", "") => None,
            ("hooks", "") => None,
            ("hooks", name) if name.ends_with(".sample") => None,
            ("worktrees", _) if parts.next().is_none_or(|rest| GIT_FILES.contains(&rest)) => None,
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
            Ok(meta) if !meta.is_file() => None,
            Ok(_) => None,
            Err(_) => Some(String::new()),
        };
        Some((read(self.layer.tree(self.root).join(path))?, read(self.layer.upper(self.root).join(path))?))
    }
}
