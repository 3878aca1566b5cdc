//! What scripts name that act by themselves: a hook, what is read when a folder is entered or a shell starts, and in turn what
//! those source or run.
//!
//! No script is understood, it is only cut into words. A word that names a file in the tree, from the tree, from the script's
//! folder or from one that the script goes to, is taken for one that is run or read.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use super::modules;
use super::script_words::{self, Word};
use super::spellings;
use super::tasks;
use super::ways::{Text, place, plain, text, ways};
use crate::attributes;

/// Scripts that are read, and words that are looked up. With more than that it is unknown what they lead to.
const MOST: usize = 2_000;
const MOST_WORDS: usize = 10_000;

/// Folders from which the words of one script are looked up. One that goes to more may name anything.
const MOST_FOLDERS: usize = 64;

/// How names of scripts end that shells read.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "ksh", "fish", "envrc"];

/// A script that acts by itself.
#[derive(Clone)]
pub(super) struct Script {
    pub(super) path: PathBuf,
    /// The folder that it starts in.
    pub(super) folder: PathBuf,
    pub(super) kind: Kind,
}

/// Where a script starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// In a folder that is known.
    InTree,
    /// Anywhere: only whole paths name something in a tree.
    OfPerson,
    /// No script but settings, in a tree and for a person: folders that they name are mostly looked through.
    Settings,
    SettingsOfPerson,
}

impl Kind {
    fn is_of_person(self) -> bool {
        matches!(self, Self::OfPerson | Self::SettingsOfPerson)
    }

    fn is_settings(self) -> bool {
        matches!(self, Self::Settings | Self::SettingsOfPerson)
    }

    /// Returns of what kind a script is that one of this kind names.
    fn of_named(self) -> Self {
        if self.is_of_person() { Self::OfPerson } else { Self::InTree }
    }
}

/// What scripts name.
#[derive(Default)]
pub(super) struct Named {
    /// Paths, with the links on their ways; not all of them lie in the tree.
    pub(super) paths: Vec<PathBuf>,
    /// Whether they may name more than was found.
    pub(super) is_cut: bool,
}

/// Returns what some scripts name in a tree, there or not. `is_ordinary` says of a path that nobody is asked about it.
pub(super) fn named(
    tree: &Path,
    home: Option<&Path>,
    scripts: Vec<Script>,
    is_ordinary: &dyn Fn(&Path) -> bool,
) -> Named {
    let (names, named) = (HashMap::new(), Named::default());
    let mut reader = Reader { tree, home, is_ordinary, left: scripts, words: 0, names, named };
    let mut seen = HashSet::new();
    while let Some(script) = reader.left.pop() {
        if !seen.insert((script.path.clone(), script.folder.clone())) {
            continue;
        }
        if seen.len() > MOST || reader.named.is_cut {
            reader.named.is_cut = true;
            break;
        }
        reader.read(&script);
    }
    reader.named
}

struct Reader<'a> {
    tree: &'a Path,
    home: Option<&'a Path>,
    is_ordinary: &'a dyn Fn(&Path) -> bool,
    left: Vec<Script>,
    words: usize,
    /// Names in folders from which words are looked up, so that most words cost no look-up of their own.
    names: HashMap<PathBuf, HashSet<OsString>>,
    named: Named,
}

impl Reader<'_> {
    fn read(&mut self, script: &Script) {
        let Text { text, is_whole, is_binary } = text(&script.path);
        if is_binary {
            return;
        }
        self.named.is_cut |= !is_whole;
        let words = match script.kind.is_settings() {
            // Lists, in most formats.
            true => script_words::of(&text.replace(['[', ']'], " ")),
            false => script_words::of(&text),
        };
        let (folders, entered) = self.folders(script, &words);
        self.modules(script, &text, &words, &entered);
        let mut seen = HashSet::new();
        for word in words.iter().filter(|word| seen.insert((&word.text, word.is_run, word.is_path))) {
            let places = self.places(script, (&folders, &entered), word);
            self.words += usize::from(!places.is_empty());
            if self.words > MOST_WORDS {
                self.named.is_cut = true;
                return;
            }
            places.iter().for_each(|path| self.add(script, word, path));
        }
    }

    /// Adds what interpreters that a script starts, or the one that reads it, find by the names of modules.
    fn modules(&mut self, script: &Script, text: &str, words: &[Word], entered: &[PathBuf]) {
        let texts = || words.iter().map(|word| word.text.as_str());
        // A shell of the person stands anywhere.
        let mut starts: Vec<&Path> = entered.iter().map(PathBuf::as_path).collect();
        if !script.kind.is_of_person() {
            starts.push(script.folder.as_path());
            starts.extend(self.may_mean_tree(script).then_some(self.tree));
        }
        let mut named = modules::named(texts());
        let behind = words.iter().skip(1).map(|word| word.text.as_str()).chain([""]);
        for (word, next) in words.iter().zip(behind) {
            // Settings list programs with their versions, too.
            let is_started =
                word.is_run || script.kind.is_settings() && next.starts_with(|c: char| c.is_alphabetic() || c == '-');
            named.extend(tasks::of(&word.text).iter().filter(|_| is_started).map(PathBuf::from));
        }
        self.named.paths.extend(starts.iter().flat_map(|folder| named.iter().map(|path| folder.join(path))));
        if script.kind.is_settings() || !modules::is_python_script(&script.path, text) {
            return;
        }
        for way in ways(&script.path).iter().filter(|way| way.starts_with(self.tree)) {
            match way.parent() {
                Some(folder) if folder == self.tree => {
                    let imported = modules::imported(texts()).into_iter().map(|path| folder.join(path));
                    self.named.paths.extend(imported);
                }
                Some(folder) => self.named.paths.push(folder.to_owned()),
                None => {}
            }
        }
    }

    /// Lists the folders from which the words of a script may be meant: where it starts, its own, and where it goes; the last
    /// ones once more.
    fn folders(&mut self, script: &Script, words: &[Word]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let mut folders = vec![script.folder.clone()];
        folders.extend(self.may_mean_tree(script).then(|| self.tree.to_owned()));
        // Where it is a link its own folder is that of the link or of what is there.
        folders.extend(ways(&script.path).iter().filter_map(|way| way.parent()).map(Path::to_owned));
        let named: BTreeSet<&str> =
            words.iter().filter(|word| word.is_entered).map(|word| word.text.as_str()).collect();
        let mut entered: BTreeSet<PathBuf> = BTreeSet::new();
        for word in named {
            match self.whole(word) {
                Some(path) => entered.extend(path),
                None if script.kind == Kind::InTree => {
                    entered.extend(folders.iter().map(|folder| folder.join(below(word))));
                }
                None => {}
            }
            entered.extend(self.elsewhere(script, word));
        }
        entered.retain(|folder| folder.is_dir());
        let entered: Vec<PathBuf> = entered.into_iter().map(|folder| plain(&folder)).collect();
        if script.kind == Kind::InTree {
            folders.extend_from_slice(&entered);
        }
        let mut seen = HashSet::new();
        folders.retain(|folder| seen.insert(folder.clone()));
        self.named.is_cut |= folders.len().max(entered.len()) > MOST_FOLDERS;
        folders.truncate(MOST_FOLDERS);
        (folders, entered)
    }

    /// Lists the paths that a word may stand for.
    fn places(&mut self, script: &Script, (folders, entered): (&[PathBuf], &[PathBuf]), word: &Word) -> Vec<PathBuf> {
        let text = known(word);
        if let Some(path) = self.whole(text) {
            let path = path.filter(|path| {
                !text.starts_with('/') || path.starts_with(self.tree) || self.is_there(Path::new("/"), path)
            });
            return path.into_iter().collect();
        }
        // Names that are not known, where the script went to.
        let is_any = word.text.contains(['*', '?']) && !word.text.contains('/');
        if is_any && !word.is_run && !word.is_read {
            return entered.iter().filter(|folder| *folder != self.tree).cloned().collect();
        }
        let below = below(text);
        // Most words of settings are names of keys and tasks.
        let is_plain = script.kind.is_settings() && !below.contains(['/', '.']);
        if below.is_empty() || is_plain {
            return Vec::new();
        }
        // A person's shell starts anywhere; what is not known before a path may stand for the tree.
        let is_of_person = script.kind.is_of_person();
        let folders = if is_of_person && !text.starts_with('$') { entered } else { folders };
        let there: Vec<PathBuf> = folders
            .iter()
            .filter(|folder| self.is_there(folder, Path::new(below)))
            .map(|folder| folder.join(below))
            .collect();
        // What is run when it is there may come later.
        let is_named = below.contains('/') || Path::new(below).extension().is_some_and(is_shell);
        let is_meant = word.is_run && is_named || word.is_path && !word.names_path();
        let is_later = there.is_empty() && is_meant && !(is_of_person && text.starts_with('$'));
        // Interpreters find files without their ending.
        let has_endings = word.is_run || text.starts_with(['.', '$']) && below.contains('/');
        let with_ending = |folder: &PathBuf| {
            let folder = folder.clone();
            modules::ENDINGS.iter().map(move |end| folder.join(format!("{below}{end}")))
        };
        let with_endings = folders.iter().filter(|_| has_endings && is_named).flat_map(with_ending);
        let mut all: Vec<PathBuf> = with_endings.filter(|path| is_later || path.symlink_metadata().is_ok()).collect();
        all.extend(if is_later { folders.iter().map(|folder| folder.join(below)).collect() } else { there });
        let elsewhere = self.elsewhere(script, text).into_iter();
        all.extend(elsewhere.filter(|path| path != self.tree && (is_meant || path.symlink_metadata().is_ok())));
        all
    }

    /// Says whether words of a script may be meant from the tree; those of a folder around it are from there.
    fn may_mean_tree(&self, script: &Script) -> bool {
        script.kind.is_of_person() || script.folder.starts_with(self.tree)
    }

    /// Lists what a word may name in the tree from none of the folders that a script is known to stand in: behind what is not known
    /// by the tree's own name, and one of the person's by a way up from where it lies.
    fn elsewhere(&self, script: &Script, text: &str) -> Vec<PathBuf> {
        if text.starts_with('$') {
            return spellings::behind_unknown(self.tree, below(text));
        }
        if !script.kind.is_of_person() || !text.starts_with("../") {
            return Vec::new();
        }
        let folders = ways(&script.path).into_iter().filter_map(|way| way.parent().map(|folder| folder.join(text)));
        folders.map(|path| plain(&path)).filter(|path| path.starts_with(self.tree)).collect()
    }

    /// Returns the path that a word names whatever folder it is meant from; within, none where there is no home folder.
    #[expect(clippy::option_option, reason = "the outer one says whether it is such a word")]
    fn whole(&self, text: &str) -> Option<Option<PathBuf>> {
        // Services write the home folder in a way of their own.
        if let Some(below) = ["$HOME/", "%h/"].iter().find_map(|home| text.strip_prefix(home)) {
            return Some(self.home.map(|home| home.join(below)));
        }
        let is_whole = text.starts_with(['/', '~']) || text == "$HOME";
        is_whole.then(|| place(self.tree, self.home, if text == "$HOME" { "~" } else { text }))
    }

    /// Says whether a path from a folder is there, or a link is.
    fn is_there(&mut self, folder: &Path, path: &Path) -> bool {
        let first = path.components().find_map(|part| match part {
            Component::Normal(name) => Some(name),
            Component::ParentDir | Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        });
        let names = self.names.entry(folder.to_owned()).or_insert_with(|| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name()).collect()
        });
        let may_be = path.starts_with("..") || first.is_some_and(|first| names.contains(first));
        may_be && folder.join(path).symlink_metadata().is_ok()
    }

    /// Has all files of a folder read that a script of the person may read.
    fn all_in(&mut self, script: &Script, folder: &Path) {
        let is_near =
            folder.starts_with(self.tree) || self.home.is_some_and(|home| folder.starts_with(home) && folder != home);
        let entries = is_near.then(|| fs::read_dir(folder).ok()).flatten().into_iter().flatten().flatten();
        let files =
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir())).map(|entry| entry.path());
        // One more than are read, so that it is known when there are more.
        let files = files.take(MOST + 1).map(|path| Script { path, ..script.clone() });
        self.left.extend(files);
    }

    fn add(&mut self, script: &Script, word: &Word, path: &Path) {
        let ways = ways(path);
        let Some(real) = ways.last() else { return };
        if (self.is_ordinary)(real) {
            return;
        }
        let is_any = known(word) != word.text || word.text.contains(['*', '?']);
        // All of it may be run.
        if is_any && real == self.tree && !word.is_read && !script.kind.is_settings() {
            self.named.is_cut = true;
        }
        if is_any && script.kind == Kind::OfPerson && !word.is_read {
            self.all_in(script, real);
        }
        let counts = match fs::metadata(real) {
            // A script may run all that is in a folder.
            Ok(meta) if meta.is_dir() => {
                word.is_path || !word.is_read && !script.kind.is_settings() && (is_any || !word.is_entered)
            }
            Ok(meta) => {
                let is_near = real.starts_with(self.tree) || self.home.is_some_and(|home| real.starts_with(home));
                let is_near = is_near && meta.is_file();
                if is_near && (word.is_run || meta.permissions().mode() & 0o111 != 0 || is_script(real)) {
                    self.left.push(Script { path: real.clone(), kind: script.kind.of_named(), ..script.clone() });
                } else if is_near && script.kind.is_settings() && real.extension() == script.path.extension() {
                    self.left.push(Script { path: real.clone(), ..script.clone() });
                }
                true
            }
            Err(_) => word.is_run || word.is_path || is_any && !script.kind.is_settings(),
        };
        if counts {
            self.named.paths.extend(ways);
        }
    }
}

/// Returns what is known of a word: where a name in the folder is not, the folder, all in which is run.
fn known(word: &Word) -> &str {
    let text = word.text.as_str();
    let Some(at) = text.get(1..).and_then(|rest| rest.find(['*', '?', '[', '$'])) else {
        return text;
    };
    match text.get(..=at).and_then(|start| start.rsplit_once('/')) {
        Some((folder, _)) if folder.len() > 1 => folder,
        _ => text,
    }
}

/// Returns a path without what is not known before it.
fn below(text: &str) -> &str {
    let below = match text.split_once('/') {
        Some((first, below)) if first.starts_with('$') => below,
        None if text.starts_with('$') => "",
        _ => text,
    };
    let mut below = below.trim_start_matches('/');
    while let Some(rest) = below.strip_prefix("./") {
        below = rest;
    }
    if below == "." { "" } else { below }
}

/// Says whether a file is a script by its name or how it begins.
fn is_script(path: &Path) -> bool {
    let begins = || {
        let mut start = [0; 2];
        attributes::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
    };
    path.extension().is_some_and(is_shell) || begins()
}

fn is_shell(end: &OsStr) -> bool {
    SHELLS.iter().any(|shell| end == *shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Returns what a hook names, and whether it may name more.
    fn named_by(tree: &Path, hook: &str) -> (Vec<String>, bool) {
        write(tree, ".hooks/hook", hook);
        let script = Script { path: tree.join(".hooks/hook"), folder: tree.to_owned(), kind: Kind::InTree };
        let named =
            named(tree, Some(Path::new("/nowhere")), vec![script], &|path| path.starts_with(tree.join("built")));
        let below = named.paths.iter().filter_map(|path| path.strip_prefix(tree).ok());
        // Files that are found without their ending may come later.
        let found: BTreeSet<String> = below
            .map(|path| path.display().to_string())
            .filter(|path| !modules::ENDINGS.iter().any(|end| path.ends_with(end)))
            .collect();
        (found.into_iter().collect(), named.is_cut)
    }

    #[test]
    fn what_hooks_name_and_in_turn_what_that_names_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let tree = fs::canonicalize(folder.path()).unwrap();
        for path in
            ["check", "tools/check", "tools/inc.sh", "tools/deep/x", ".hooks/beside", "built/x", "a b/c", "src/main.c"]
        {
            write(&tree, path, "");
        }
        write(&tree, "tools/first", "#!/bin/sh\n. ./tools/second\n");
        write(&tree, "tools/second", "sh \"$(dirname \"$0\")\"/third\n");
        write(&tree, "tools/third", "cd deep; ./x");
        write(&tree, "tools/program", "\u{7f}ELF\0 tools/check");
        let tree = tree.as_path();
        let absolute = format!("{}/tools/check", tree.display());
        for (hook, expected) in [
            ("exec sh tools/check", &["tools/check"][..]),
            ("exec sh -e $PWD/tools/check", &["tools/check"]),
            ("\"${PWD}\"/tools/check", &["tools/check"]),
            ("$(pwd)/tools/check", &["tools/check"]),
            ("\"$(git rev-parse --show-toplevel)/tools/check\"", &["tools/check"]),
            ("`git rev-parse --show-toplevel`/tools/check", &["tools/check"]),
            ("\"$(dirname \"$0\")\"/../tools/check", &["tools/check"]),
            (absolute.as_str(), &["tools/check"]),
            ("cd tools && ./check", &["check", "tools/check"]),
            ("A=1 make --file=tools/check", &["tools/check"]),
            ("./a\\ b/c", &["a b/c"]),
            ("# sh tools/check\ncat plain", &[]),
            ("ls src built/x; built/x", &[]),
            ("tools/program", &["tools/program"]),
            ("PATH=tools:$PATH", &["tools"]),
            (". tools/*.sh", &["tools"]),
            ("sh tools/$1", &["tools"]),
            ("[ -f tools/own ] && . tools/own", &["tools/own"]),
            ("for f in tools/deep/*; do . \"$f\"; done", &["tools/deep"]),
            ("run-parts tools/deep", &["tools/deep"]),
            ("find tools/deep -exec sh {} \\;", &["tools/deep"]),
            ("cd tools/deep; for f in *; do sh $f; done", &["tools/deep"]),
            ("grep -r x src; npm run src; git diff -- 'src/*.c' || exit", &[]),
            ("ls tools/deep | xargs sh", &["tools/deep"]),
            ("PATH=later:$PATH", &["later"]),
            ("sh later.sh", &["later.sh"]),
            ("tools/inc.sh src/main.c", &["src/main.c", "tools/inc.sh"]),
            ("cd tools && just lint", &["Justfile", "justfile", "tools/Justfile", "tools/justfile"]),
            ("echo just lint", &[]),
        ] {
            let (found, is_cut) = named_by(tree, hook);
            let found: Vec<_> = found.iter().filter(|path| !path.starts_with(".hooks")).collect();
            assert_eq!(
                (found, is_cut),
                (expected.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>().iter().collect(), false),
                "{hook}"
            );
        }
        let (found, _) = named_by(tree, "tools/first; . \"${0%/*}/beside\"");
        for path in ["tools/first", "tools/second", "tools/third", "tools/deep/x", ".hooks/beside"] {
            assert!(found.iter().any(|found| found == path), "{path}: {found:?}");
        }
    }

    #[test]
    fn what_is_too_much_may_name_anything() {
        let folder = tempfile::tempdir().unwrap();
        let tree = fs::canonicalize(folder.path()).unwrap();
        assert!(named_by(&tree, &"#".repeat(5 << 20)).1);
        let many: String = (0..30_000).map(|number| format!("a/{number}\n")).collect();
        assert!(named_by(&tree, &many).1);
        let mut hook = String::new();
        for number in 0..80 {
            write(&tree, &format!("p{number}/check.sh"), "");
            hook.push_str(&format!("(cd p{number} && sh check.sh)\n"));
        }
        assert!(named_by(&tree, &hook).1);
    }
}
