//! Who keeps, takes back or forgets a layer has it alone, until it is done or its process ends.

use std::fs::File;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock, fstat};
use rustix::io::Errno;

use crate::layer::{Layer, LayerError, at};
use crate::outcome::KeepError;

/// How long another one is waited for: most are done in less than a second.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A layer's folder, held. The kernel lets go of it with the process.
pub(crate) struct Lock {
    folder: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that is being started at this moment has the descriptor as well, and would hold it on.
        let _ = flock(&self.folder, FlockOperation::Unlock);
    }
}

impl Layer {
    /// Takes the layer for oneself, after a short wait for whoever has it.
    ///
    /// # Errors
    /// When another one has it all that time, or it is not there any more.
    pub(crate) fn lock(&self) -> Result<Lock, KeepError> {
        let until = Instant::now() + LONGEST_WAIT;
        loop {
            match self.try_lock() {
                Err(KeepError::Busy) if Instant::now() < until => thread::sleep(PAUSE),
                done => return done,
            }
        }
    }

    /// The same without a wait.
    pub(crate) fn try_lock(&self) -> Result<Lock, KeepError> {
        let folder = at(&self.folder, File::open(&self.folder))?;
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(KeepError::Busy),
            Err(error) => return Err(LayerError { path: self.folder.clone(), source: error.into() }.into()),
        }
        // Whoever had it may have thrown it away.
        if at(&self.folder, fstat(&folder).map_err(io::Error::from))?.st_nlink == 0 {
            return Err(LayerError { path: self.folder.clone(), source: io::ErrorKind::NotFound.into() }.into());
        }
        Ok(Lock { folder })
    }
}
