//! Covers over secrets, sockets and FIFOs: an empty file or folder lies over each, and goes on lying there.
//!
//! A cover lies on what has a name, and not on the name. When another program puts a new file in the place of a covered one, or
//! another folder, the kernel takes the cover away, and what is new lies open; so the covers are looked at while the command runs.

use std::fs;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::mount::{OpenTreeFlags, open_tree};

use crate::plan::Plan;
use crate::set_up_error::SetUpError;
use crate::sockets;
use crate::view::{at, attach, read_only};

/// What covers and is covered.
pub(crate) struct Covers {
    /// Seems empty in the place of a file.
    file: OwnedFd,
    /// Seems empty in the place of a folder.
    folder: OwnedFd,
    /// Cannot be opened.
    locked: OwnedFd,
    /// The number of the file system that these three are of.
    device: u64,
    seem_empty: Vec<PathBuf>,
    are_locked: Vec<PathBuf>,
}

impl Covers {
    /// Lists every secret that would be seen. `inner` are paths of what covers them, which must be in sight.
    pub(crate) fn of(plan: &Plan, private: &[PathBuf], inner: impl Fn(&str) -> PathBuf) -> Result<Self, SetUpError> {
        let is_seen = |path: &&PathBuf| {
            let is_private = private.iter().any(|one| path.starts_with(one));
            !is_private || in_root(plan, path) || plan.shown.iter().any(|shown| path.starts_with(shown))
        };
        let open = |name: &str| {
            let path = inner(name);
            at(path.display(), rustix::fs::open(&path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()))
        };
        let file = open("empty-file")?;
        let device = at("what covers", rustix::fs::fstat(&file))?.st_dev;
        Ok(Self {
            folder: open("empty-folder")?,
            locked: open("locked-file")?,
            seem_empty: plan.hidden.iter().filter(is_seen).cloned().collect(),
            are_locked: plan.locked.iter().filter(is_seen).cloned().collect(),
            file,
            device,
        })
    }

    /// Adds those of some sockets and FIFOs that are seen, when everything else is in its place.
    pub(crate) fn add_orders(&mut self, plan: &Plan, orders: Vec<PathBuf>) {
        // A socket below a root is another one there: the overlay's inode is not the one that is bound.
        self.seem_empty.extend(orders.into_iter().filter(|path| !in_root(plan, path) && sockets::takes_orders(path)));
    }

    /// Covers all that is there and not covered.
    pub(crate) fn put(&self) -> Result<(), SetUpError> {
        self.all().try_for_each(|(path, file)| self.cover(path, file))
    }

    /// Covers again what lost its cover.
    pub(crate) fn renew(&self) {
        for (path, file) in self.all() {
            // What cannot be covered was moved again at this moment; the next look finds it.
            let _ = self.cover(path, file);
        }
    }

    /// Says whether there is anything to be covered.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    fn all(&self) -> impl Iterator<Item = (&PathBuf, &OwnedFd)> {
        let seem_empty = self.seem_empty.iter().map(|path| (path, &self.file));
        seem_empty.chain(self.are_locked.iter().map(|path| (path, &self.locked)))
    }

    /// Covers a path. One that goes meanwhile needs no cover; one that comes back with another file does.
    fn cover(&self, path: &Path, file: &OwnedFd) -> Result<(), SetUpError> {
        let mut tries = 100;
        loop {
            let done = self.cover_once(path, file);
            tries -= 1;
            if done.is_ok() || tries == 0 {
                return done;
            }
            if fs::symlink_metadata(path).is_err() {
                return Ok(());
            }
        }
    }

    fn cover_once(&self, path: &Path, file: &OwnedFd) -> Result<(), SetUpError> {
        // What has gone needs no cover.
        let Ok(mut meta) = fs::symlink_metadata(path) else { return Ok(()) };
        let mut path = path.to_owned();
        if meta.is_symlink() {
            // It is a link by now: the secret is where that leads.
            let Ok(led) = fs::canonicalize(&path) else { return Ok(()) };
            meta = at(led.display(), fs::symlink_metadata(&led))?;
            path = led;
        }
        if meta.dev() == self.device {
            return Ok(());
        }
        let source = if meta.is_dir() { &self.folder } else { file };
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH;
        let mount = at(path.display(), open_tree(source.as_fd(), "", flags))?;
        read_only(&mount)?;
        attach(&mount, &path)
    }
}

fn in_root(plan: &Plan, path: &Path) -> bool {
    plan.roots.iter().any(|root| path.starts_with(&root.path))
}
