//! Guarded places: what a kept file there would do later, in the person's own commands, is decided by a person.

mod around;
mod entered;
mod environment;
mod git_config;
mod imports;
mod leads;
mod modules;
mod package_json;
mod person;
mod place;
mod program;
mod repository;
mod script_words;
mod scripts;
mod seen;
mod settings_files;
mod spellings;
mod staged;
mod taken;
mod tasks;
mod walk;
mod ways;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::attributes::{Attributes, FileKind};
use crate::changes::{Change, ChangeKind, Changes};
use crate::diff;
use crate::extended;
use crate::git_index::{self, Index};
use crate::layer::{Layer, LayerError};
use crate::settings::Settings;
use crate::walk::names;

use entered::is_entered;
pub use place::guarded;

/// Folders that builds fill; what is below them is ordinary, whatever it is called.
const BUILT: &[&str] =
    &["target", "node_modules", "build", "dist", "out", "_build", "__pycache__", "coverage", "bower_components"];

/// Hidden folders and files that hold results alone.
#[rustfmt::skip]
const RESULTS: &[&str] = &[
    ".pytest_cache", ".mypy_cache", ".ruff_cache", ".nyc_output", ".coverage", ".eslintcache", ".parcel-cache",
    ".turbo", ".hypothesis", ".next", ".nuxt", ".svelte-kit", ".tsbuildinfo", ".phpunit.result.cache", ".DS_Store",
    ".cache", ".gitkeep", ".keep",
];

/// How names of files begin that tell a model what to do: `AGENTS.md`, and `AGENTS.override.md` beside it. In
/// small letters alone it is a text about one.
#[rustfmt::skip]
const INSTRUCTIONS: &[&str] = &[
    "agent", "agents", "aider", "amazonq", "augment", "claude", "cline", "codex", "copilot", "crush", "cursor", "devin",
    "gemini", "goose", "jules", "junie", "kiro", "opencode", "qwen", "replit", "roo", "skill", "trae", "warp", "windsurf",
];

/// How names of files end that do so.
const INSTRUCTION_ENDS: &[&str] =
    &["copilot-instructions.md", ".instructions.md", ".prompt.md", ".chatmode.md", ".agent.md"];

/// Why a path is asked about that something guarded leads to, and one that instructions take in.
const LED_TO: &str = "git or a model takes it under another name";
const IMPORTED: &str = "instructions for models take it in";

/// Why a repository that is deleted is asked about, or a part of it that holds what is nowhere else.
const GONE: &str = "the repository is gone with it";

/// Why what everybody can write to is asked about.
const OPEN_TO_ALL: &str = "everybody on this machine can change it from now on";

/// Why settings with a secret are asked about that more people may read.
const SECRET_OPEN: &str = "others on this machine can read the secret in it from now on";

/// Why a file is asked about that has a word where a secret was.
const WORD_LEFT: &str = "a word stands in it where a secret was";

/// Bytes of a file whose content decides; a longer one is guarded.
const LONGEST: u64 = 1 << 20;

/// Names at the end of a path by which settings are known.
const TAIL: usize = 4;

/// Guarded paths that are told of one layer; with more it is clear that a person decides.
const MOST: usize = 1000;

/// Reads the folders of a tree and the hidden ones of a home on a thread of its own, while a command runs: what it changed is
/// judged by them. Whoever judges before that is done waits for it.
pub(crate) fn look_ahead(tree: &Path, home: Option<&Path>) {
    let (tree, home) = (tree.to_owned(), home.map(Path::to_owned));
    let look = move || {
        walk::tree(&tree, |_| false, &|_| false);
        home.map(|home| walk::home(&home, &tree));
    };
    // Without a thread all is read when it is needed.
    drop(std::thread::Builder::new().name("look ahead".to_owned()).spawn(look));
}

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
    /// Says why a change is one that a person decides on; none for ordinary files.
    pub fn guard(&self, change: &Change, settings: &Settings) -> Option<&'static str> {
        let all = self.guards(std::slice::from_ref(change), settings);
        all.into_iter().flatten().next().map(|guarded| guarded.why)
    }

    /// Says of each of some changes which paths of it a person decides on, as [`Layer::guard`] does: of a folder that is
    /// new as a whole those in it, at most 1,000.
    pub fn guards(&self, changes: &[Change], settings: &Settings) -> Vec<Vec<Guarded>> {
        let known = Known::default();
        let words = self.with_words();
        let of = |change: &Change| {
            let mut found = words_in(change, words.as_deref());
            self.judge(change, settings, &known, &mut found);
            found
        };
        changes.iter().map(of).collect()
    }

    /// Lists the paths of changes that a person decides on, at most 1,000.
    pub fn guarded(&self, changes: &Changes, settings: &Settings) -> Vec<Guarded> {
        let (mut found, known, words) = (Vec::new(), Known::default(), self.with_words());
        for change in &changes.changes {
            found.extend(words_in(change, words.as_deref()));
            self.judge(change, settings, &known, &mut found);
        }
        found
    }

    fn judge(&self, change: &Change, settings: &Settings, known: &Known, found: &mut Vec<Guarded>) {
        let Some(covered) = self.about.covered.get(change.root) else { return };
        if !covered.cache {
            Judge { layer: self, root: change.root, settings, known }.change(change, found);
        }
    }
}

/// Lists files of a change that have a word in the place of a secret; the change itself where that cannot be told.
fn words_in(change: &Change, words: Result<&[(usize, PathBuf)], &LayerError>) -> Vec<Guarded> {
    let guarded = |path: &Path| Guarded { root: change.root, path: path.to_owned(), why: WORD_LEFT };
    match words {
        Ok(words) => {
            let is_in = |(root, path): &&(usize, PathBuf)| *root == change.root && path.starts_with(&change.path);
            // A folder that is on both sides has changes of its own for what is in it.
            let is_whole = change.after != Some(FileKind::Folder) || change.kind == ChangeKind::New || change.replaces;
            words.iter().filter(is_in).filter(|_| is_whole).take(MOST).map(|(_, path)| guarded(path)).collect()
        }
        Err(_) => vec![guarded(&change.path)],
    }
}

/// What was looked up for one layer.
#[derive(Default)]
struct Known {
    /// Folders that were looked at, by root, and whether git takes them for a repository's own.
    repositories: RefCell<HashMap<(usize, PathBuf), bool>>,
    /// Of each root, what acts under other names.
    leads: RefCell<HashMap<usize, Vec<PathBuf>>>,
    /// Of folders, by root, what instructions for models in them take in.
    imports: RefCell<HashMap<(usize, PathBuf), Vec<PathBuf>>>,
    /// Of each work tree, by root, what git has.
    indexes: RefCell<HashMap<(usize, PathBuf), Option<Index>>>,
    /// What is taken from the folders of each root.
    taken: RefCell<HashMap<usize, taken::Taken>>,
}

struct Judge<'a> {
    layer: &'a Layer,
    root: usize,
    settings: &'a Settings,
    known: &'a Known,
}

impl Judge<'_> {
    fn change(&self, change: &Change, found: &mut Vec<Guarded>) {
        // A file in the place of a folder or a link is as new as one where nothing was.
        let is_new = change.after == Some(FileKind::File) && change.before != Some(FileKind::File);
        let kind = if is_new { ChangeKind::New } else { change.kind };
        let was_folder = change.before == Some(FileKind::Folder);
        let gained = |bits: u32| change.mode.is_some_and(|(old, new)| old & bits == 0 && new & bits != 0);
        let is_link = change.after == Some(FileKind::Link);
        if let Some(why) = self.path(&change.path, kind) {
            return self.add(&change.path, why, found);
        }
        if was_folder && (change.replaces || change.after != Some(FileKind::Folder)) {
            self.gone(&change.path, found);
        }
        if change.after == Some(FileKind::File) && gained(0o111) {
            self.add(&change.path, "it can be run from now on", found);
        } else if gained(0o002) && !is_link || self.opens_what_comes(change) {
            self.add(&change.path, OPEN_TO_ALL, found);
        } else if (gained(0o040) || gained(0o004)) && self.has_secrets(&change.path) {
            self.add(&change.path, SECRET_OPEN, found);
        } else if change.after == Some(FileKind::Folder) && (change.kind == ChangeKind::New || change.replaces) {
            self.inside(&change.path, found);
        }
    }

    /// Says whether secrets of a file were hidden from the run, or may have been.
    fn has_secrets(&self, path: &Path) -> bool {
        let is_it = |(root, veiled): &(usize, PathBuf)| *root == self.root && veiled == path;
        self.layer.veiled().map_or(true, |veiled| veiled.iter().any(is_it))
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
        if self.settings.ordinary.iter().any(is_named) {
            return None;
        }
        if self.makes_repository(path, kind) {
            return Some("git takes the folder around it for a repository from now on");
        }
        if let Some((folder, below)) = self.below_repository(path) {
            let why = self.in_git(path, (&folder, &below), kind);
            // What only looks like a repository is judged as every folder as well.
            if why.is_some() || folder.ancestors().any(repository::is_named_git) || below.starts_with("hooks") {
                return why;
            }
        }
        if self.is_led_to(path) {
            return Some(LED_TO);
        }
        if self.is_imported(path) {
            return Some(IMPORTED);
        }
        let built = match self.on_the_way(path, kind) {
            ControlFlow::Continue(built) => built,
            ControlFlow::Break(found) => return found,
        };
        if built {
            return None;
        }
        let name = path.file_name()?.to_string_lossy();
        if kind == ChangeKind::New
            && let Some(why) = place::misleads(&name)
        {
            return Some(why);
        }
        if kind == ChangeKind::New && self.is_script(path) {
            return Some("it is new and can be run, and no compiler made it");
        }
        if kind == ChangeKind::New && self.is_taken(path) {
            return Some("programs and libraries are taken from the folder one stands in");
        }
        if kind == ChangeKind::New && self.is_open_to_all(path) {
            return Some(OPEN_TO_ALL);
        }
        if name == "package.json" {
            let same = self.contents(path).is_some_and(|(old, new)| package_json::runs_the_same(&old, &new));
            return (!same).then_some("it names scripts that are run");
        }
        (self.is_settings(path) || is_entered(&name)).then_some("programs take settings from it")
    }

    /// Says whether programs take settings from a file, by its name alone or with folders around it, or from all in a folder
    /// around it.
    fn is_settings(&self, path: &Path) -> bool {
        let is_one = |named: &Path| {
            let mut tails =
                named.ancestors().skip(1).take(TAIL).filter_map(|above| named.strip_prefix(above).ok()?.to_str());
            tails.any(|tail| (named == path || tail.contains('/')) && (self.settings.is_settings_file)(tail))
        };
        path.ancestors().any(is_one)
    }

    /// Looks at each name of a path; goes on with whether it is below what a build makes.
    fn on_the_way(&self, path: &Path, kind: ChangeKind) -> ControlFlow<Option<&'static str>, bool> {
        let mut built = None;
        let mut folder = PathBuf::new();
        for part in path.components() {
            let Component::Normal(name) = part else { continue };
            folder.push(name);
            let name = name.to_string_lossy();
            if name == ".git" {
                return ControlFlow::Break(match kind {
                    ChangeKind::Deleted => Some(GONE),
                    ChangeKind::Changed | ChangeKind::New if self.is_folder(path) => None,
                    ChangeKind::Changed | ChangeKind::New => self.pointer(path),
                });
            }
            if instructs(&name) && built != Some("node_modules") {
                return ControlFlow::Break(Some("it instructs models"));
            }
            if let Some(known) = BUILT.iter().chain(RESULTS).find(|known| **known == name) {
                // What git has in a folder is no result of a build, and neither is a file called as such a folder is.
                let is_result = RESULTS.contains(known) || folder != path || self.was_folder(path, kind);
                built = built.or_else(|| (is_result && !self.is_source(&folder)).then_some(*known));
            }
            if built.is_some() {
                continue;
            }
            if name.starts_with('.') {
                return ControlFlow::Break(Some("its name begins with a dot: settings are kept there"));
            }
            if name == "skills" {
                return ControlFlow::Break(Some("it instructs models"));
            }
        }
        ControlFlow::Continue(built.is_some())
    }

    /// Says whether something guarded leads to a path, or to a folder around it.
    fn is_led_to(&self, path: &Path) -> bool {
        let mut leads = self.known.leads.borrow_mut();
        let leads = leads
            .entry(self.root)
            .or_insert_with(|| leads::with(&self.layer.tree(self.root), self.home(), &self.settings.is_settings_file));
        leads.iter().any(|lead| path.starts_with(lead) || lead.starts_with(path))
    }

    /// Says whether instructions for models in a folder around a path take it in.
    fn is_imported(&self, path: &Path) -> bool {
        let tree = self.layer.tree(self.root);
        let mut known = self.known.imports.borrow_mut();
        path.ancestors().skip(1).any(|folder| {
            let key = (self.root, folder.to_owned());
            let imports = known.entry(key).or_insert_with(|| imports::of(&tree, folder, self.home()));
            imports.iter().any(|import| import.starts_with(path))
        })
    }

    fn home(&self) -> Option<&Path> {
        self.settings.home.as_deref()
    }

    /// Says whether git has something in a folder that has the name of one that builds fill: the tree's own, or that of a
    /// repository on the way.
    fn is_source(&self, folder: &Path) -> bool {
        let tree = self.layer.tree(self.root);
        let mut indexes = self.known.indexes.borrow_mut();
        git_index::around(&tree, folder).any(|(work_tree, below)| {
            let key = (self.root, work_tree.to_owned());
            let index = indexes.entry(key).or_insert_with(|| Index::of(&tree.join(work_tree), BUILT));
            index.as_ref().is_some_and(|index| index.has_in(below.as_os_str().as_bytes()))
        })
    }

    fn above(&self, path: &Path) -> std::io::Result<Option<Attributes>> {
        Attributes::of(&self.layer.upper(self.root).join(path))
    }

    /// Says whether a path is a folder, or was one that is deleted.
    fn was_folder(&self, path: &Path, kind: ChangeKind) -> bool {
        match kind {
            ChangeKind::Deleted => {
                let below = self.layer.tree(self.root).join(path).symlink_metadata();
                below.is_ok_and(|below| below.is_dir())
            }
            ChangeKind::Changed | ChangeKind::New => self.is_folder(path),
        }
    }

    fn is_folder(&self, path: &Path) -> bool {
        match self.above(path) {
            Ok(Some(above)) => above.kind == FileKind::Folder,
            Ok(None) => self.layer.tree(self.root).join(path).is_dir(),
            Err(_) => false,
        }
    }

    /// Says whether a file can be run and is no compiled program: a shell runs every text, with or without `#!`, and an
    /// empty file is filled later.
    fn is_script(&self, path: &Path) -> bool {
        self.is_executable(path) && !program::is_one(&self.layer.upper(self.root).join(path))
    }

    fn is_executable(&self, path: &Path) -> bool {
        self.above(path).ok().flatten().is_some_and(|a| a.kind == FileKind::File && a.mode & 0o111 != 0)
    }

    fn is_open_to_all(&self, path: &Path) -> bool {
        let is_one = |above: Attributes| match above.kind {
            FileKind::File => above.mode & 0o002 != 0,
            FileKind::Folder => {
                above.mode & 0o002 != 0 || extended::opens_what_comes(&self.layer.upper(self.root).join(path))
            }
            FileKind::Link | FileKind::Whiteout | FileKind::Special => false,
        };
        self.above(path).ok().flatten().is_some_and(is_one)
    }

    /// Says whether everybody may write to what is made in a folder from now on, and could not before.
    fn opens_what_comes(&self, change: &Change) -> bool {
        let opens = |side: PathBuf| extended::opens_what_comes(&side.join(&change.path));
        change.is_merged() && opens(self.layer.upper(self.root)) && !opens(self.layer.tree(self.root))
    }

    /// Says what is at a path after the run.
    fn kind_now(&self, path: &Path) -> Option<FileKind> {
        let there = |side: PathBuf| Attributes::of(&side.join(path)).ok().flatten();
        let found = there(self.layer.upper(self.root)).or_else(|| there(self.layer.tree(self.root)));
        found.map(|found| found.kind).filter(|kind| *kind != FileKind::Whiteout)
    }

    /// Says whether what is in a folder is made by a build, whatever it is called.
    fn is_built(&self, folder: &Path) -> bool {
        matches!(self.on_the_way(&folder.join("x"), ChangeKind::Deleted), ControlFlow::Continue(true))
    }

    /// Reads the old and the new content of a file; none where one is no text or too long.
    fn contents(&self, path: &Path) -> Option<(String, String)> {
        let read = |path: PathBuf| match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() && meta.len() <= LONGEST => diff::read_whole(&path),
            Ok(_) => None,
            Err(_) => Some(String::new()),
        };
        Some((read(self.layer.tree(self.root).join(path))?, read(self.layer.upper(self.root).join(path))?))
    }
}

/// Says whether a file of this name tells models what to do.
fn instructs(name: &str) -> bool {
    let is_shown = name.split('.').next().is_some_and(|stem| stem.contains(char::is_uppercase));
    let name = name.to_lowercase();
    let begins = |stem: &&str| is_shown && name.strip_prefix(*stem).is_some_and(|rest| rest.starts_with('.'));
    let is_text = name.ends_with(".md") || name.ends_with(".mdc");
    is_text && (INSTRUCTIONS.iter().any(begins) || INSTRUCTION_ENDS.iter().any(|end| name.ends_with(end)))
}
