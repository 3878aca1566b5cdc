//! Which files of projects a person trusts: paths to the hash of what they held then. Another content is not trusted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::parsed::Parsed;
use crate::replace::update;

const VERSION: u32 = 1;

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    version: u32,
    files: BTreeMap<String, String>,
}

impl Default for Content {
    fn default() -> Self {
        Self { version: VERSION, files: BTreeMap::new() }
    }
}

/// Why it is not known what is trusted; nothing is, then.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read or written.
    #[error("the list of trusted files cannot be used")]
    Io(#[from] std::io::Error),
    /// It is not ours.
    #[error("{0} is corrupt; look at it, and remove it to trust files anew")]
    Corrupt(PathBuf),
}

/// The trusted files, in a file.
#[derive(Debug)]
pub struct TrustFile {
    path: PathBuf,
    parsed: Parsed<Content>,
}

impl TrustFile {
    /// Names the file; it is made when the first file is trusted.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), parsed: Parsed::default() }
    }

    /// Returns the hash that a file had when it was trusted.
    ///
    /// # Errors
    /// When the list is there and cannot be read.
    pub fn hash(&self, file: &Path) -> Result<Option<String>, TrustError> {
        let content = self.parsed.of(&self.path, |bytes| self.parse(bytes))?;
        Ok(content.files.get(&name(file)).cloned())
    }

    /// Trusts files with these hashes.
    ///
    /// # Errors
    /// When the list cannot be read or written; it is then as it was.
    pub fn trust<'a>(&self, files: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Result<(), TrustError> {
        self.change(|content| {
            content.files.extend(files.into_iter().map(|(file, hash)| (name(file), hash.to_owned())));
        })
    }

    /// Trusts files no longer.
    ///
    /// # Errors
    /// As [`TrustFile::trust`].
    pub fn distrust<'a>(&self, files: impl IntoIterator<Item = &'a Path>) -> Result<(), TrustError> {
        self.change(|content| {
            for file in files {
                content.files.remove(&name(file));
            }
        })
    }

    fn change(&self, change: impl FnOnce(&mut Content)) -> Result<(), TrustError> {
        update(&self.path, |old| {
            let mut content = self.parse(old)?;
            change(&mut content);
            serde_json::to_vec_pretty(&content).map_err(|error| TrustError::Io(error.into()))
        })
    }

    fn parse(&self, bytes: Option<&[u8]>) -> Result<Content, TrustError> {
        let Some(bytes) = bytes else { return Ok(Content::default()) };
        match serde_json::from_slice::<Content>(bytes) {
            Ok(content) if content.version == VERSION => Ok(content),
            Ok(_) | Err(_) => Err(TrustError::Corrupt(self.path.clone())),
        }
    }
}

/// A path as a key; bytes that are no UTF-8 are written so that two paths stay two.
fn name(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("{path:?}"),
    }
}
