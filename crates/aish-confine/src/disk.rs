//! The disk that a layer is on: what was written is on it before the first move.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::layer::{LayerError, at};

/// The file system of a layer, which is being synced while the layer is looked at.
pub(crate) struct Disk {
    folder: Arc<File>,
    ahead: Option<JoinHandle<io::Result<()>>>,
}

impl Disk {
    pub(crate) fn begin(folder: &Path) -> Result<Self, LayerError> {
        let folder = Arc::new(at(folder, File::open(folder))?);
        let disk = Arc::clone(&folder);
        // Without a thread all is left to the sync at the end.
        let ahead = std::thread::Builder::new().name("sync".to_owned()).spawn(move || sync(&disk));
        Ok(Self { folder, ahead: ahead.ok() })
    }

    /// Syncs what is left. One descriptor for both, so that a fault is told which the first one met.
    pub(crate) fn sync(mut self) -> io::Result<()> {
        let ahead = self.ahead.take().map(JoinHandle::join);
        ahead.transpose().map_err(|_| crashed())?.transpose()?;
        sync(&self.folder)
    }

    /// Syncs some files of the layer and its list of them, where all else was there before the sync began: that of the
    /// whole file system would wait once more for what other programs write.
    pub(crate) fn sync_files(mut self, files: &[PathBuf]) -> io::Result<()> {
        let Some(ahead) = self.ahead.take() else { return sync(&self.folder) };
        let (folder, mut opened) = (Arc::clone(&self.folder), Vec::new());
        for file in files {
            opened.push(File::open(file)?);
        }
        // At the same time: each waits for the disk, which takes several as one.
        let synced = std::thread::scope(|scope| {
            let begin = |file| {
                let begun = std::thread::Builder::new().spawn_scoped(scope, move || File::sync_all(file));
                begun.map_err(|_| file)
            };
            let begun: Vec<_> = opened.iter().map(begin).collect();
            let synced = folder.sync_all();
            let rest = begun.into_iter().map(|one| match one {
                Ok(one) => one.join().unwrap_or_else(|_| Err(crashed())),
                Err(file) => file.sync_all(),
            });
            rest.fold(synced, io::Result::and)
        });
        ahead.join().map_err(|_| crashed())??;
        synced
    }
}

fn crashed() -> io::Error {
    io::Error::other("the sync crashed")
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            let _ = ahead.join();
        }
    }
}

pub(crate) fn sync(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}
