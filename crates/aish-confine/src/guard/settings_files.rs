//! Files of settings that are guarded by their names, and what they may name: programs start from them what lies elsewhere.
//!
//! Which of them do is not known. Left out are those that only list names, those that other machines act on, and what programs
//! note for themselves.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::scripts::{Kind, Script};
use super::{is_entered, spellings};
use crate::attributes;

/// Files of a tree or a home that are read. With more it is unknown what they name.
const MOST: usize = 5_000;

/// Bytes of a file that is looked through for a name.
const LONGEST: u64 = 16 << 20;

/// How names of settings end; those of the first kind are scripts of a program, whose folders count too.
#[rustfmt::skip]
const SCRIPTS: &[&str] = &[
    "vim", "lua", "el", "fish", "sh", "bash", "zsh", "ksh", "nu", "py", "rb", "pl", "jl", "R", "js", "cjs", "mjs", "ts", "nix", "rc",
    "service", "timer", "path", "socket", "desktop",
];
const DATA: &[&str] =
    &["json", "jsonc", "json5", "toml", "yaml", "yml", "ini", "cfg", "conf", "local", "kdl", "ron", "xml", "plist"];

/// Words in names of what lists names alone, or is noted by programs; `.env` is closed.
#[rustfmt::skip]
const NOTED: &[&str] = &[
    "gitattributes", "gitmodules", "mailmap", "editorconfig", "blame", "history", "hist", "hsts", "viminfo", "todo", "baseline",
    "recent", "recently", "session", "sessions", "errors", "lock", "cache", "log", "logs", "changelog", "travis", "codecov", "coverage", "woodpecker", "drone",
    "appveyor", "cirrus", "dependabot", "readthedocs", "Xauthority", "ICEauthority",
];

/// How such words end, and begin.
const NOTED_ENDS: &[&str] = &["ignore", "history", "cache", "hst"];
const NOTED_STARTS: &[&str] = &["gitlab-ci", "zcompdump"];

/// Folders of such files.
#[rustfmt::skip]
const NOTED_FOLDERS: &[&str] = &[
    ".git", ".github", ".gitlab", ".forgejo", ".gitea", ".circleci", ".buildkite", ".ci", ".hg", ".svn", ".venv", ".tox", ".nox", ".yarn",
    ".terraform", ".gradle", ".idea", ".vs", ".changeset", ".specstory", ".history", "globalStorage", "History", "Backups", "logs",
    "sessions", "projects", "todos", "state", "shell-snapshots", "file-history", "Local Storage", "Session Storage", "IndexedDB",
];

/// How far below a hidden folder its settings lie, and below that of many programs.
const DEEP: usize = 1;
const OF_MANY: &str = ".config";
const DEEP_OF_MANY: usize = 3;

/// Folders that lie deeper.
const DEEPER: &[&str] = &[
    ".local/share/applications",
    ".local/share/bash-completion/completions",
    ".local/share/dbus-1/services",
    ".local/share/systemd/user",
    ".local/share/zsh/site-functions",
    ".ipython/profile_default/startup",
];

/// Says of a folder whether all that is right in it may be settings.
pub(super) fn is_of_settings(folder: &Path) -> bool {
    if DEEPER.iter().any(|known| folder.ends_with(known)) {
        return true;
    }
    let mut names = folder.iter().rev().take(DEEP_OF_MANY + 1).enumerate();
    let near = names.find(|(_, name)| name.as_bytes().starts_with(b"."));
    near.is_some_and(|(depth, name)| depth <= if name == OF_MANY { DEEP_OF_MANY } else { DEEP })
}

/// Says whether a file of this name may be read for what it names; in a folder of settings each may be one.
pub(super) fn is_one(name: &OsStr, is_in_settings: bool) -> bool {
    // Most names are none, and there are many.
    let is_hidden = name.as_bytes().first() == Some(&b'.');
    let Some(name) = name.to_str() else { return false };
    if !(is_in_settings || is_hidden || is_entered(name)) {
        return false;
    }
    let ending = name.trim_start_matches('.').rsplit_once('.').map(|(_, ending)| ending);
    let is_script = ending.is_some_and(|ending| SCRIPTS.contains(&ending));
    let is_format = ending.is_none_or(|ending| DATA.contains(&ending)) || is_entered(name);
    let is_closed = name.starts_with(".env") && name != ".envrc";
    // What is run is no note, whatever it is called.
    (is_script || is_format && !is_noted(name)) && !is_closed
}

/// Says whether a file of this name lists names alone, or is a program's own.
fn is_noted(name: &str) -> bool {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    let shown = name.trim_start_matches('.');
    NOTED_STARTS.iter().any(|start| shown.starts_with(start))
        || words.any(|word| NOTED.contains(&word) || NOTED_ENDS.iter().any(|end| word.ends_with(end)))
}

/// Whose settings are looked at.
#[derive(Clone, Copy)]
pub(super) enum Of<'a> {
    /// Those of a tree or a folder around it: they name what lies in it from there.
    Folder(&'a Path),
    /// A person's, for all trees, with the home folder.
    Person(&'a Path),
}

/// Returns those of some files of settings that name something in a tree, as scripts; none where there are too many to be read.
pub(super) fn naming(tree: &Path, files: &[PathBuf], of: Of<'_>) -> Option<Vec<Script>> {
    let (Of::Folder(around) | Of::Person(around)) = of;
    let is_noted = |file: &&PathBuf| {
        let below = file.strip_prefix(around).unwrap_or(file);
        below.iter().any(|name| NOTED_FOLDERS.iter().any(|folder| name == *folder))
    };
    let files: Vec<&PathBuf> = files.iter().filter(|file| !is_noted(file)).collect();
    if files.len() > MOST {
        return None;
    }
    let marks = match of {
        Of::Folder(_) => Vec::new(),
        Of::Person(home) => spellings::names(tree, home),
    };
    let names_tree = |file: &&&PathBuf| matches!(of, Of::Folder(_)) || holds(file, &marks);
    let script = |file: &PathBuf| {
        let is_script = file.extension().is_none_or(|end| SCRIPTS.iter().any(|known| end == *known));
        let kind = match (of, is_script) {
            (Of::Person(_), true) => Kind::OfPerson,
            (Of::Person(_), false) => Kind::SettingsOfPerson,
            (Of::Folder(_), _) => Kind::Settings,
        };
        Script { path: file.clone(), folder: around.to_owned(), kind }
    };
    Some(files.iter().filter(names_tree).map(|file| script(file)).collect())
}

/// Says whether a file has one of some names as a part of a path, or is too long to be looked through.
fn holds(file: &Path, names: &[String]) -> bool {
    let is_plain = attributes::open(file).and_then(|file| file.metadata()).is_ok_and(|meta| meta.is_file());
    let is_long = || fs::metadata(file).is_ok_and(|meta| meta.len() > LONGEST);
    let is_of_a_name = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let has = |text: &[u8]| {
        // A search in a text is far faster than one for bytes.
        let text = String::from_utf8_lossy(text);
        names.iter().any(|name| {
            let mark = format!("/{name}");
            text.match_indices(&mark)
                .any(|(at, _)| !text.get(at + mark.len()..).unwrap_or_default().starts_with(is_of_a_name))
        })
    };
    is_plain && (is_long() || fs::read(file).is_ok_and(|text| has(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_may_name_programs_are_told_from_lists_and_notes() {
        let is = |path: &str| {
            let path = Path::new(path);
            is_one(path.file_name().unwrap(), is_of_settings(path.parent().unwrap()))
        };
        for path in [
            "/t/.pre-commit-config.yaml",
            "/t/lefthook.yml",
            "/t/flake.nix",
            "/t/.claude/settings.json",
            "/h/.vimrc",
            "/h/.config/systemd/user/x.service",
            "/h/.config/nvim/lua/a.lua",
            "/h/.xsession",
            "/h/.local/share/applications/x.desktop",
            "/h/.config/sway/lock.sh",
            "/h/.config/systemd/user/changelog.service",
        ] {
            assert!(is(path), "{path}");
        }
        for path in [
            "/t/.gitignore",
            "/t/main.py",
            "/h/.bash_history",
            "/h/.zcompdump-host-5.9",
            "/t/.package-lock.json",
            "/t/.dockerignore",
            "/t/.env.local",
            "/t/.venv/lib/x/a.py",
            "/t/.claude/a.md",
        ] {
            assert!(!is(path), "{path}");
        }
    }
}
