//! The texts of a change before and after, file by file: also of folders that came or went as a whole.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::changes::Change;
use crate::diff::read_text;
use crate::layer::Layer;

/// Entries of a folder that are looked at for texts.
const LOOKED_AT: usize = 2000;

/// A text file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The path below the root.
    pub path: PathBuf,
    /// Its text before; none where it was not there.
    pub before: Option<String>,
    /// Its text after; none where it is gone.
    pub after: Option<String>,
}

impl Layer {
    /// Reads at most `most` texts of a change whose content differs, in the order of their paths. What is no text, or is
    /// longer than 1 MiB, is left out.
    pub fn texts(&self, change: &Change, most: usize) -> Vec<Text> {
        if change.attributes_only {
            return Vec::new();
        }
        let versions = self.versions(change);
        let mut names = BTreeSet::new();
        for version in [&versions.old, &versions.new].into_iter().flatten() {
            names.extend(files(version));
        }
        let text = |name: &PathBuf| {
            let read = |version: &Option<PathBuf>| match version.as_deref().map(|version| below(version, name)) {
                Some(path) if path.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) => read_text(&path).map(Some),
                // It is not there, or a folder is in its place, whose files are listed by themselves.
                Some(_) | None => Some(None),
            };
            let (before, after) = (read(&versions.old)?, read(&versions.new)?);
            (before != after).then(|| Text { path: below(&change.path, name), before, after })
        };
        names.iter().filter_map(text).take(most).collect()
    }
}

/// Joins a name that is empty for the path itself.
fn below(path: &Path, name: &Path) -> PathBuf {
    if name.as_os_str().is_empty() { path.to_owned() } else { path.join(name) }
}

/// Lists the files of a folder, links among them, by their names below it; of a file its empty name.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
        return vec![PathBuf::new()];
    }
    let (mut out, mut folders, mut looked) = (Vec::new(), vec![PathBuf::new()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(below(path, &folder)).into_iter().flatten().flatten() {
            looked += 1;
            if looked > LOOKED_AT {
                return out;
            }
            let name = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(name),
                Ok(_) => out.push(name),
                Err(_) => {}
            }
        }
    }
    out
}
