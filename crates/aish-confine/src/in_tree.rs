//! Secrets that lie in a tree: files that are closed, and files of settings of which a layer has a version without secrets.
//!
//! One walk looks for all names. A name leads to a file: what a link leads to is what is closed, wherever it lies, and so are
//! the other names that such a file has in the tree.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::dotenv::{is_dotenv_bytes, is_or_copies};
use crate::dotenv_folder;
use crate::folders::{self, Sought};
use crate::key_files;
use crate::named_by_git;
use crate::of_git::OfGit;
use crate::private::has_password;
use crate::tracked::Tracked;
use crate::tree::is_repository;
use crate::veil;

/// Files of logins that no program needs to work in a tree.
#[rustfmt::skip]
const LOGINS: &[&str] = &[
    ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials", ".my.cnf", ".mylogin.cnf", ".authinfo", ".dockercfg",
    ".vault-token", ".s3cfg", ".boto",
];

/// Files of logins below folders of one name.
const LOGINS_BELOW: &[(&str, &[&str])] =
    &[(".cargo", &["credentials"]), (".gem", &["credentials"]), (".aws", &["credentials"])];

/// Files of settings that programs must read.
const SETTINGS: &[&str] = &[".npmrc", ".yarnrc", "pip.conf"];

/// The same below folders of one name.
const SETTINGS_BELOW: &[(&str, &[&str])] = &[(".cargo", &["config"])];

/// How all these begin, with what is put before them in the names of copies.
const FIRST: &[u8] = b".#~_cp";

/// What every repository has, and how its files of settings begin.
const HEAD: &str = "HEAD";
const CONFIG: &str = "config";

/// Where a repository notes what became of its branches.
const LOGS: &str = "logs";

/// Where nobody keeps a secret of a tree: a link there leads to what all have.
const OF_THE_SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/proc", "/sys", "/dev"];

/// What a tree has.
#[derive(Debug, Default)]
pub(crate) struct InTree {
    /// Files that cannot be opened, and folders that cannot be looked into; none is a link.
    pub(crate) closed: Vec<PathBuf>,
    /// Files of settings outside the tree that seem empty: a program that cannot open them would end.
    pub(crate) empty: Vec<PathBuf>,
    /// Files of settings in the tree whose lines may hold secrets.
    pub(crate) settings: Vec<PathBuf>,
}

/// What a look asks for.
const SOUGHT: Sought = Sought { names: is_wanted, folders: dotenv_folder::is_one };

/// Says whether a name may be that of a secret, or stands beside one.
fn is_wanted(name: &[u8]) -> bool {
    let is = |known: &[&str]| known.iter().any(|one| is_or_copies(name, one));
    let is_below = |known: &[(&str, &[&str])]| known.iter().any(|(_, names)| is(names));
    // Asked of each name in a tree, and nearly all of them begin in another way.
    let may_be = name.first().is_some_and(|first| FIRST.contains(first));
    may_be
        && (is_dotenv_bytes(name) || is(LOGINS) || is(SETTINGS) || is_below(LOGINS_BELOW) || is_below(SETTINGS_BELOW))
        || name == HEAD.as_bytes()
        || key_files::is_named(name)
}

/// Says whether a file is one of settings that programs must read, wherever it lies.
pub(crate) fn is_settings(path: &Path) -> bool {
    kind(path) == Kind::Settings
}

/// What a path is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Dotenv,
    Logins,
    Settings,
    /// It holds a secret, perhaps.
    Key,
    /// It stands in a repository.
    OfRepository,
    /// A name of the same kind elsewhere.
    Nothing,
}

fn kind(path: &Path) -> Kind {
    let name = path.file_name().unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let is = |known: &[&str]| known.iter().any(|one| is_or_copies(name.as_bytes(), one));
    let is_below = |known: &[(&str, &[&str])]| known.iter().any(|(below, names)| folder.ends_with(below) && is(names));
    if is_dotenv_bytes(name.as_bytes()) {
        Kind::Dotenv
    } else if is(LOGINS) || is_below(LOGINS_BELOW) {
        Kind::Logins
    } else if is(SETTINGS) || is_below(SETTINGS_BELOW) {
        Kind::Settings
    } else if (name == HEAD || name == CONFIG) && (folder.ends_with(".git") || is_repository(folder)) {
        Kind::OfRepository
    } else if key_files::is_named(name.as_bytes()) {
        Kind::Key
    } else {
        Kind::Nothing
    }
}

/// Looks through a tree. `memory` is where the look is remembered.
///
/// # Errors
/// When there are more files than can be looked through.
pub(crate) fn look(root: &Path, home: Option<&Path>, memory: Option<&Path>) -> io::Result<InTree> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_secs()).unwrap_or(0);
    let (mut found, mut git) = (InTree::default(), OfGit::default());
    let mut tracked = Tracked::default();
    let mut repositories = Vec::new();
    let (mut closed, mut settings) = (Vec::new(), Vec::new());
    let in_tree = folders::find(root, memory, SOUGHT, now)?;
    if in_tree.inside.len() > folders::MOST_INSIDE {
        closed.extend(in_tree.folders);
    } else {
        let mut is_secret = |path: &PathBuf| dotenv_folder::has_secret(path) && !git.has(root, path);
        closed.extend(in_tree.inside.into_iter().filter(&mut is_secret));
    }
    for path in in_tree.named {
        match kind(&path) {
            Kind::Dotenv if !git.has(root, &path) => closed.push(path),
            Kind::Logins if !tracked.has(root, &path) => closed.push(path),
            Kind::Settings => settings.push(path),
            Kind::OfRepository => repositories.extend(path.parent().map(Path::to_owned)),
            Kind::Key if key_files::is_one(&path) && !git.has(root, &path) => closed.push(path),
            Kind::Dotenv | Kind::Logins | Kind::Key => {}
            // Not asked for by its name, it is a folder that cannot be read.
            Kind::Nothing if !path.file_name().is_some_and(|name| is_wanted(name.as_bytes())) => closed.push(path),
            Kind::Nothing => {}
        }
    }
    repositories.sort();
    repositories.dedup();
    for repository in &repositories {
        for name in names(repository).filter(|name| name.as_bytes().starts_with(CONFIG.as_bytes())) {
            settings.push(repository.join(name));
        }
        add_logs(&repository.join(LOGS), &mut settings);
    }
    // What settings of git take in is settings as well, and may take in more.
    let mut looked_at = 0;
    while let Some(path) = settings.get(looked_at).cloned() {
        looked_at += 1;
        if let Some(folder) = path.parent().filter(|folder| repositories.iter().any(|one| one == folder)) {
            let named = named_by_git::files(&path, folder, root, home);
            closed.extend(named.secrets);
            if settings.len() < MOST {
                settings.extend(named.settings);
            }
        }
    }
    found.closed = closed.iter().filter_map(|path| target(path, root, home)).collect();
    for path in settings.iter().filter_map(|path| target(path, root, home)).filter(|path| path.is_file()) {
        if path.starts_with(root) {
            found.settings.push(path);
        } else if veil::read(&path).is_some_and(|text| veil::hide(&text).is_some()) {
            found.empty.push(path);
        }
    }
    found.settle();
    Ok(found)
}

/// Adds the logs of a repository where they have a password in them: `git pull ADDRESS` writes its address there as it is. Who moves a
/// branch by that moves `HEAD`, whose log tells whether the others are looked at.
fn add_logs(logs: &Path, settings: &mut Vec<PathBuf>) {
    let has = |file: &Path| veil::read(file).is_some_and(|text| has_password(&text));
    let head = logs.join(HEAD);
    if !has(&head) {
        return;
    }
    let mut folders = vec![logs.join("refs")];
    settings.push(head);
    while let Some(folder) = folders.pop().filter(|_| settings.len() < MOST) {
        for path in names(&folder).map(|name| folder.join(name)) {
            match fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() => folders.push(path),
                Ok(_) if has(&path) => settings.push(path),
                Ok(_) | Err(_) => {}
            }
        }
    }
}

/// Files of settings from which on no more are followed.
const MOST: usize = 10_000;

impl InTree {
    /// Puts in order, each once.
    fn settle(&mut self) {
        for list in [&mut self.closed, &mut self.empty, &mut self.settings] {
            list.sort();
            list.dedup();
        }
    }

    /// Adds the other names that these files have in the tree, and those that files elsewhere have there.
    ///
    /// # Errors
    /// When there are more files than can be looked through.
    pub(crate) fn add_other_names(&mut self, root: &Path, elsewhere: &[PathBuf]) -> io::Result<()> {
        let closed = several(self.closed.iter().chain(&self.empty).chain(elsewhere));
        let settings = several(self.settings.iter());
        if closed.is_empty() && settings.is_empty() {
            return Ok(());
        }
        let both: Vec<u64> = closed.iter().chain(&settings).map(|(_, inode)| *inode).collect();
        for path in folders::with_inodes(root, &both)? {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let file = (meta.dev(), meta.ino());
            if closed.contains(&file) {
                self.closed.push(path);
            } else if settings.contains(&file) {
                self.settings.push(path);
            }
        }
        self.settle();
        Ok(())
    }
}

/// Lists the files with more than one name, by device and inode.
fn several<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<(u64, u64)> {
    let meta = paths.filter_map(|path| fs::symlink_metadata(path).ok());
    meta.filter(|meta| meta.is_file() && meta.nlink() > 1).map(|meta| (meta.dev(), meta.ino())).collect()
}

/// Returns what is opened by a path, where that is a file or a folder that can be covered.
fn target(path: &Path, root: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let real = path.canonicalize().ok()?;
    let holds_all = root.starts_with(&real) || home.is_some_and(|home| home.starts_with(&real));
    if holds_all {
        return None;
    }
    if real.starts_with(root) {
        return (real.is_file() || real.is_dir()).then_some(real);
    }
    let is_of_the_system = OF_THE_SYSTEM.iter().any(|known| real.starts_with(known));
    let may_be = !is_of_the_system && (real.is_file() || real.is_dir() && !dotenv_folder::is_environment(&real));
    may_be.then_some(real)
}

fn names(folder: &Path) -> impl Iterator<Item = std::ffi::OsString> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_is_looked_for_and_its_copies_are() {
        let below = LOGINS_BELOW.iter().chain(SETTINGS_BELOW).flat_map(|(_, names)| names.iter());
        for name in LOGINS.iter().chain(SETTINGS).chain(below).chain(&[".env", ".envrc", HEAD]) {
            assert!(is_wanted(name.as_bytes()), "{name}");
        }
        for name in LOGINS.iter().chain(SETTINGS).chain(&[".env", ".envrc"]) {
            for copy in [format!("#{name}#"), format!("~{name}"), format!(".#{name}"), format!("{name}~")] {
                assert!(is_wanted(copy.as_bytes()), "{copy}");
            }
        }
        assert!(!is_wanted(b"main.c") && !is_wanted(b"README") && !is_wanted(b""));
    }
}
