//! Folders that are watched, also where another one is put in the place of one of them.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use climax::load::Source;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

use super::configs::Selection;

/// Bytes of notices that are taken at once; what they say does not matter, only that they came.
const NOTICES: usize = 4096;

/// Device and number of a folder; none where there is no folder.
type Identity = Option<(u64, u64)>;

/// The folders of configs and policy: folders are watched, not files, since an editor puts a new file in the place of the old
/// one.
pub(super) struct Watched {
    notices: OwnedFd,
    folders: Vec<(PathBuf, Identity)>,
}

impl Watched {
    /// Begins to watch.
    ///
    /// # Errors
    /// When a folder cannot be watched.
    pub(super) fn new(sources: &[Source], selection: &Selection) -> io::Result<Self> {
        let folders = folders(sources, selection);
        // Looked at before they are watched: one that is replaced in between is noticed at the first look.
        let folders: Vec<(PathBuf, Identity)> =
            folders.into_iter().map(|folder| (folder.clone(), identity(&folder))).collect();
        let notices = notices()?;
        for (folder, _) in &folders {
            watch(&notices, folder)?;
        }
        Ok(Self { notices, folders })
    }

    /// Returns what can be waited for. That a folder was replaced is seen by [`Self::take`] alone.
    pub(super) fn notices(&self) -> &OwnedFd {
        &self.notices
    }

    /// Takes all notices that are there; says whether there were any, or a folder was replaced, went away or came back.
    ///
    /// # Errors
    /// When the folders can no longer be watched.
    pub(super) fn take(&mut self) -> io::Result<bool> {
        let changed = take_notices(&self.notices)?;
        Ok(self.follow_folders()? || changed)
    }

    /// Watches the folders that have these names now, where they are others: a notice is about a folder, not about its name.
    fn follow_folders(&mut self) -> io::Result<bool> {
        let now: Vec<Identity> = self.folders.iter().map(|(folder, _)| identity(folder)).collect();
        if now.iter().eq(self.folders.iter().map(|(_, known)| known)) {
            return Ok(false);
        }
        self.notices = notices()?;
        for ((folder, known), now) in self.folders.iter_mut().zip(now) {
            *known = now;
            if now.is_some()
                && let Err(error) = watch(&self.notices, folder)
            {
                // One that went away just now is missed at the next look.
                tracing::warn!(%error, "{} cannot be watched", folder.display());
            }
        }
        Ok(true)
    }
}

fn identity(folder: &Path) -> Identity {
    let meta = folder.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    Some((meta.dev(), meta.ino()))
}

fn folders(sources: &[Source], selection: &Selection) -> Vec<PathBuf> {
    let files = sources.iter().filter_map(|source| match source {
        Source::File(path) => Some(path.as_path()),
        Source::Bundled(_) => None,
    });
    let parent = |path: &Path| match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        Some(_) | None => PathBuf::from("."),
    };
    let mut folders: Vec<PathBuf> = files.chain(selection.policy.as_deref()).map(parent).collect();
    folders.sort();
    folders.dedup();
    folders
}

fn notices() -> io::Result<OwnedFd> {
    Ok(inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?)
}

fn watch(notices: &OwnedFd, folder: &Path) -> io::Result<()> {
    let changes = WatchFlags::CREATE
        | WatchFlags::MODIFY
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE;
    inotify::add_watch(notices, folder, changes)?;
    Ok(())
}

fn take_notices(notices: &OwnedFd) -> io::Result<bool> {
    let mut room = [0_u8; NOTICES];
    let mut any = false;
    loop {
        match rustix::io::read(notices, &mut room) {
            Ok(0) | Err(Errno::WOULDBLOCK) => return Ok(any),
            Ok(_) => any = true,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
