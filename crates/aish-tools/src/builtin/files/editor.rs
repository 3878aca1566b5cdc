//! Files that an editor has open: what it has not saved is read, never written over, and it writes what is changed, so that
//! it can show that.
//!
//! An editor is trusted with nothing: where it is slow, fails or did something else, the disk holds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aish_files::{Change, Content, FileError, Located, MOST_BYTES, Tree};
use aish_types::BoxFuture;

use super::Files;
use crate::plan::awaited;

/// How long an editor is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// An editor that may have files open. Paths are absolute and without links.
pub trait Editor: Send + Sync {
    /// Returns a file's text as the editor has it; none where it does not tell.
    fn read(&self, path: PathBuf) -> BoxFuture<'_, Option<String>>;

    /// Lets the editor write a file whole, and says whether it says that it did.
    fn write(&self, path: PathBuf, text: String) -> BoxFuture<'_, bool>;
}

/// What a file holds after a change.
pub(super) enum Written {
    /// What it was to hold.
    AsMeant,
    /// Something else: the editor put its own into it, as where it formats what it saves.
    Otherwise,
}

impl Files {
    /// Returns the text that an editor has for a file, where that is not what is on the disk. Waits; outside of async code.
    pub(super) fn unsaved(&self, path: &Path, saved: &str) -> Option<String> {
        let text = self.wait(|editor| editor.read(path.to_owned())).flatten()?;
        let is_same = || text.lines().eq(saved.lines());
        (text.len() as u64 <= MOST_BYTES && !is_same()).then_some(text)
    }

    /// Writes a change, through the editor where it takes that. Waits; outside of async code.
    pub(super) fn write(
        &self,
        tree: &Tree,
        located: &Located,
        change: Change<'_>,
        text: Option<&str>,
    ) -> Result<Written, FileError> {
        let (expected, bytes) = match change {
            Change::Create(bytes) => (None, bytes),
            Change::Replace { expected, bytes } => (Some(expected), bytes),
            Change::CreateLike { .. } | Change::Delete { .. } => {
                return tree.replace(located, change).map(|()| Written::AsMeant);
            }
        };
        // An editor knows nothing of encodings and ends of lines: what is not plain is written here.
        let plain = text.filter(|text| text.as_bytes() == bytes && !text.contains('\r'));
        let took = plain.and_then(|text| self.wait(|editor| editor.write(located.absolute.clone(), text.to_owned())));
        if took == Some(true) {
            match tree.read(located) {
                Ok(Content { bytes: now, .. }) if now == bytes => return Ok(Written::AsMeant),
                Ok(Content { hash, .. }) if expected != Some(&hash) => return Ok(Written::Otherwise),
                Ok(_) | Err(_) => {}
            }
        }
        tree.replace(located, change).map(|()| Written::AsMeant)
    }

    fn wait<'a, T>(&'a self, ask: impl FnOnce(&'a dyn Editor) -> BoxFuture<'a, T>) -> Option<T> {
        awaited(ask(self.editor.as_deref()?), PATIENCE)
    }
}
