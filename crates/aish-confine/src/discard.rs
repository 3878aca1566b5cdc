//! Throwing a layer away.

use std::io;

use crate::deep::remove_tree;
use crate::layer::{Layer, LayerError, State, at};
use crate::modes::OpenTrees;
use crate::outcome::KeepError;

impl Layer {
    /// Throws it away, with what it holds: never while it is being kept or taken back.
    ///
    /// # Errors
    /// When it is, or something of it cannot be deleted.
    pub fn discard(&self) -> Result<(), LayerError> {
        let _lock = match self.lock() {
            Err(KeepError::Layer(error)) if error.source.kind() == io::ErrorKind::NotFound => return Ok(()),
            lock => lock.map_err(|error| self.stays(error))?,
        };
        // While it is moved, what was there before may be nowhere else.
        match self.state()? {
            State::Open | State::Kept | State::TakenBack => {}
            state @ (State::Keeping | State::TakingBack) => return Err(self.stays(KeepError::State(state))),
        }
        // A keeping that was cut before its first move may have left copies in the tree.
        self.clear_staging()?;
        // And modes that were others for the time of moving.
        drop(OpenTrees::of(self, [])?);
        at(&self.folder, remove_tree(&self.folder))
    }

    fn stays(&self, error: KeepError) -> LayerError {
        match error {
            KeepError::Layer(error) => error,
            error => LayerError { path: self.folder.clone(), source: io::Error::other(error) },
        }
    }
}
