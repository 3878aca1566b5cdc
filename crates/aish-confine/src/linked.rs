//! Files with several names in folders that went as a whole and were copied: which file of the tree each was, so that it comes back
//! as a name of that one.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::layer::{Layer, LayerError, at};
use crate::transfer::Seen;

/// A copy of such a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Linked {
    pub(crate) root: usize,
    /// The file's in the tree.
    pub(crate) inode: u64,
    /// Below the layer.
    #[serde(with = "crate::spelling")]
    pub(crate) path: PathBuf,
}

impl Layer {
    fn linked_path(&self) -> PathBuf {
        self.folder.join("linked")
    }

    /// Notes of copies which files they are of. `moved` are what was copied: where it is, where it goes to, and its root.
    pub(crate) fn note_linked(&self, copies: &Seen, moved: &[(PathBuf, PathBuf, usize)]) -> Result<(), LayerError> {
        let mut all = Vec::new();
        for ((_, inode), copy) in copies.copies() {
            // What is moved by itself is in the journal.
            let around = moved.iter().find(|(from, ..)| copy.starts_with(from) && copy != from);
            let place = around.and_then(|(from, to, root)| Some((to.join(copy.strip_prefix(from).ok()?), *root)));
            let below = place.as_ref().and_then(|(place, root)| Some((place.strip_prefix(&self.folder).ok()?, *root)));
            all.extend(below.map(|(path, root)| Linked { root, inode, path: path.to_owned() }));
        }
        let path = self.linked_path();
        if all.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(LayerError { path, source: error }),
                _ => Ok(()),
            };
        }
        let text = serde_json::to_vec(&all).map_err(io::Error::from);
        at(&path, text.and_then(|text| fs::write(&path, text)))
    }

    /// Lists what was noted.
    pub(crate) fn linked(&self) -> Result<Vec<Linked>, LayerError> {
        let path = self.linked_path();
        match fs::read(&path) {
            Ok(text) => at(&path, serde_json::from_slice(&text).map_err(io::Error::from)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(LayerError { path, source }),
        }
    }
}
