//! A tree in a folder of its own, and what the tests do in it.

use std::path::{Path, PathBuf};

use aish_files::{Change, FileError, Text, Tree, edit};

/// A tree in a folder of its own, beside which other files lie.
pub(crate) struct Place {
    _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) outside: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let whole = std::fs::canonicalize(folder.path()).unwrap();
        let (root, outside) = (whole.join("tree"), whole.join("outside"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        Self { _folder: folder, root, outside }
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::open(&self.root, &self.root).unwrap()
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// Edits a file as the tools do: locate, read, decode, edit, encode, replace.
pub(crate) fn edit_file(tree: &Tree, path: &str, old: &str, new: &str) -> Result<(), String> {
    let words = |error: FileError| error.to_string();
    let located = tree.locate(path).map_err(words)?;
    let content = tree.read(&located).map_err(words)?;
    let text = Text::decode(&content.bytes).map_err(|error| error.to_string())?;
    let edited = edit(&text.text, old, new).map_err(|error| error.to_string())?;
    let bytes = text.encode(&edited.text).map_err(|c| format!("no {c}"))?;
    tree.replace(&located, Change::Replace { expected: &content.hash, bytes: &bytes }).map_err(words)
}

/// Returns the names in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
