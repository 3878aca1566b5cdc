//! The machine's commands and files, for routing.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use aish_route::Environment;

/// Programs on PATH and files of a folder, looked up as they are asked for and remembered for this value's life.
#[derive(Debug)]
pub struct PathNames {
    folders: Vec<PathBuf>,
    folder: PathBuf,
    known: RefCell<HashMap<String, bool>>,
    /// Names that the shell knows: aliases, functions, builtins.
    shell: HashSet<String>,
}

impl PathNames {
    /// Makes an environment over the folders of a PATH and a working folder.
    pub fn new(path: &str, folder: &Path) -> Self {
        let folders = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()).collect();
        Self { folders, folder: folder.to_owned(), known: RefCell::default(), shell: HashSet::new() }
    }

    /// Adds names that the shell knows.
    #[must_use]
    pub fn with_shell_names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.shell.extend(names);
        self
    }
}

impl Environment for PathNames {
    fn is_command(&self, word: &str) -> bool {
        if self.shell.contains(word) {
            return true;
        }
        if word.is_empty() || word.contains('/') || word.len() > 255 {
            return false;
        }
        if let Some(&known) = self.known.borrow().get(word) {
            return known;
        }
        let found = self.folders.iter().any(|folder| is_program(&folder.join(word)));
        self.known.borrow_mut().insert(word.to_owned(), found);
        found
    }

    fn exists(&self, path: &str) -> bool {
        if path.len() > 4096 {
            return false;
        }
        let expanded = match (path.strip_prefix("~/"), std::env::home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(path),
        };
        expanded.symlink_metadata().is_ok()
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
