//! Who has an open layer holds a file in it for as long as it lives: another process sees by that that the layer is in use, also
//! one that does not see the process, as in a container with the same home folder.
//!
//! Keeping, taking back and throwing away are locked apart from it: its owner does these while it holds the layer.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::layer::Layer;

/// The hold on a layer, if this process has it. The kernel lets go of it with the process; programs that it starts do not get it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held(#[expect(dead_code, reason = "it is held by being open")] Option<Arc<File>>);

impl Held {
    /// Holds a new layer. Where the file system has no locks, its process alone tells whether it is in use.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(path(folder))?;
        let is_held = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
        Ok(Self(is_held.then(|| Arc::new(file))))
    }
}

/// Two views of a layer are the same whoever holds it.
impl PartialEq for Held {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Held {}

fn path(folder: &Path) -> PathBuf {
    folder.join("held")
}

impl Layer {
    /// Says whether somebody has it who made it and is not done with it, in whatever process name space.
    pub fn is_held(&self) -> bool {
        // Who may not open it is another user, and does not throw it away.
        let file = match fs::File::options().append(true).open(path(&self.folder)) {
            Ok(file) => file,
            Err(error) => return error.kind() != io::ErrorKind::NotFound,
        };
        // The lock goes with the file.
        flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_held_as_long_as_who_made_it_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir(&tree).unwrap();
        let layers = folder.path().join("layers");
        let made = Layer::create(&layers, "x", None, &[(tree.clone(), false)]).unwrap();
        let seen = Layer::all(&layers).remove(0);
        assert_eq!(seen, made);
        let again = made.clone();
        drop(made);
        assert!(seen.is_held());
        drop(again);
        assert!(!seen.is_held());
        seen.discard().unwrap();
        let made = Layer::create(&layers, "x", None, &[(tree, false)]).unwrap();
        made.discard().unwrap();
    }
}
