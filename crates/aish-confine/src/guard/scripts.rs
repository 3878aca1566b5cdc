//! What scripts name that act by themselves: a hook, what is read when a folder is entered or a shell starts, and in turn what
//! those source or run.
//!
//! No script is understood, it is only cut into words. A word that names a file in the tree, from the tree, from the script's
//! folder or from one that the script goes to, is taken for one that is run or read.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use super::script_words::{self, Word};
use super::ways::{Text, text, ways};
use crate::attributes;

/// Scripts that are read, and words that are looked up. With more than that it is unknown what they lead to.
const MOST: usize = 500;
const MOST_WORDS: usize = 10_000;

/// Folders from which the words of one script are looked up.
const MOST_FOLDERS: usize = 16;

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
        let words = script_words::of(&text);
        let folders = self.folders(script, &words);
        let mut seen = HashSet::new();
        for word in words.iter().filter(|word| seen.insert((&word.text, word.is_run, word.is_path))) {
            let places = self.places(script, &folders, word);
            self.words += usize::from(!places.is_empty());
            if self.words > MOST_WORDS {
                self.named.is_cut = true;
                return;
            }
            places.iter().for_each(|path| self.add(script, word, path));
        }
    }

    /// Lists the folders from which the words of a script may be meant: where it starts, its own, and where it goes.
    fn folders(&self, script: &Script, words: &[Word]) -> Vec<PathBuf> {
        let mut folders = vec![script.folder.clone(), self.tree.to_owned()];
        // Where it is a link its own folder is that of the link or of what is there.
        folders.extend(ways(&script.path).iter().filter_map(|way| way.parent()).map(Path::to_owned));
        if script.kind == Kind::InTree {
            let entered: BTreeSet<&str> =
                words.iter().filter(|word| word.is_entered).map(|word| word.text.as_str()).collect();
            let start = folders.clone();
            let entered = entered.iter().flat_map(|word| start.iter().map(|folder| folder.join(below(word))));
            folders.extend(entered.filter(|folder| folder.is_dir()));
        }
        let mut seen = HashSet::new();
        folders.retain(|folder| seen.insert(folder.clone()));
        folders.truncate(MOST_FOLDERS);
        folders
    }

    /// Lists the paths that a word may stand for.
    fn places(&mut self, script: &Script, folders: &[PathBuf], word: &Word) -> Vec<PathBuf> {
        let text = known(word);
        if let Some(below) = ["~/", "$HOME/"].iter().find_map(|home| text.strip_prefix(home)) {
            return self.home.map(|home| home.join(below)).into_iter().collect();
        }
        if text.starts_with('/') {
            let path = PathBuf::from(text);
            let may_be = path.starts_with(self.tree) || self.is_there(Path::new("/"), &path);
            return if may_be { vec![path] } else { Vec::new() };
        }
        let below = below(text);
        // A person's shell starts anywhere; what is not known before a path may stand for the tree.
        if below.is_empty() || script.kind == Kind::OfPerson && !text.starts_with('$') {
            return Vec::new();
        }
        let there: Vec<PathBuf> = folders
            .iter()
            .filter(|folder| self.is_there(folder, Path::new(below)))
            .map(|folder| folder.join(below))
            .collect();
        // What is run when it is there may come later.
        let is_later = there.is_empty() && word.is_run && below.contains('/') && script.kind == Kind::InTree;
        if is_later { folders.iter().map(|folder| folder.join(below)).collect() } else { there }
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

    fn add(&mut self, script: &Script, word: &Word, path: &Path) {
        let ways = ways(path);
        let Some(real) = ways.last() else { return };
        if (self.is_ordinary)(real) {
            return;
        }
        let is_any = known(word) != word.text;
        let counts = match fs::metadata(real) {
            Ok(meta) if meta.is_dir() => word.is_path || is_any || script.kind == Kind::OfPerson && !word.is_entered,
            Ok(meta) => {
                let is_near = real.starts_with(self.tree) || self.home.is_some_and(|home| real.starts_with(home));
                if is_near
                    && meta.is_file()
                    && (word.is_run || meta.permissions().mode() & 0o111 != 0 || is_script(real))
                {
                    self.left.push(Script { path: real.clone(), ..script.clone() });
                }
                true
            }
            Err(_) => word.is_run,
        };
        if counts {
            self.named.paths.extend(ways);
        }
    }
}

/// Returns what is known of a word: where a name in the folder is not, the folder, all in which is run.
fn known(word: &Word) -> &str {
    let text = word.text.as_str();
    let Some(at) = text.get(1..).and_then(|rest| rest.find(['*', '?', '$'])).filter(|_| word.is_run) else {
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
    path.extension().is_some_and(|end| SHELLS.iter().any(|shell| end == *shell)) || begins()
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
        let found: BTreeSet<String> = below.map(|path| path.display().to_string()).collect();
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
            ("tools/inc.sh src/main.c", &["src/main.c", "tools/inc.sh"]),
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
    }
}
