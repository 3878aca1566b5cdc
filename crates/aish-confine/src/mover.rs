//! Moves one path between layer and tree, forwards or back. A move that is done already is left alone, so that the same
//! list can be gone through again after a cut.

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, RenameFlags, chmodat, fchmod, renameat_with, statat};
use rustix::io::Errno;

use crate::attributes::{self, Attributes};
use crate::beneath::{Beneath, name};
use crate::journal::{Move, MoveKind};
use crate::keep::OnConflict;

/// Why a move was not made.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The path is not what the journal says on either side.
    Changed,
    /// The system refused it.
    Refused(io::Error),
}

impl<E: Into<io::Error>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// One root's tree, and where the other side of its moves is.
pub(crate) struct Sides {
    pub(crate) tree: Beneath,
    pub(crate) tree_path: PathBuf,
    /// The changed files, by the same paths; or, when staged, by numbers.
    pub(crate) layer: Beneath,
    pub(crate) layer_path: PathBuf,
    /// What is deleted, by numbers.
    pub(crate) aside: Beneath,
    /// Folders of the layer, whose extended attributes the tree's get.
    pub(crate) new_folders: PathBuf,
    /// Folders by numbers that have the extended attributes of before.
    pub(crate) old_folders: PathBuf,
    /// Whether the layer's side is named by numbers.
    pub(crate) staged: bool,
}

impl Sides {
    /// Returns the name of a move's other side, below the layer.
    fn layer_name(&self, one: &Move) -> PathBuf {
        if self.staged { one.number.to_string().into() } else { one.path.clone() }
    }

    /// Makes a move.
    pub(crate) fn forward(&mut self, one: &Move) -> Result<(), Stopped> {
        let other = self.layer_name(one);
        let aside = PathBuf::from(one.number.to_string());
        match one.kind {
            MoveKind::Create => {
                let there = inode(&mut self.tree, &one.path)?;
                if there.is_none() || there != inode_of(one.new.as_ref()) {
                    rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::NOREPLACE)?;
                }
                self.clean(one)
            }
            MoveKind::Exchange => {
                let there = inode(&mut self.tree, &one.path)?;
                if there == inode_of(one.new.as_ref()) {
                    return self.clean(one);
                }
                if there != inode_of(one.old.as_ref()) {
                    return Err(Stopped::Changed);
                }
                rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::EXCHANGE)?;
                // Whoever wrote between the look and the exchange has written to what is in the layer now.
                let out = Attributes::within(self.layer.parent(&other)?, name(&other))?;
                match (out, &one.old) {
                    (Some(out), Some(old)) if out.is_same_version(old) => self.clean(one),
                    _ => {
                        rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::EXCHANGE)?;
                        Err(Stopped::Changed)
                    }
                }
            }
            MoveKind::Delete => {
                let there = inode(&mut self.tree, &one.path)?;
                if there.is_none() && inode(&mut self.aside, &aside)?.is_some() {
                    return Ok(());
                }
                if there.is_none() || there != inode_of(one.old.as_ref()) {
                    return Err(Stopped::Changed);
                }
                rename(&mut self.tree, &one.path, &mut self.aside, &aside, RenameFlags::NOREPLACE)
            }
            MoveKind::Attributes => self.file(one, one.new.as_ref(), &self.new_folders.join(&one.path)),
            MoveKind::Folder => self.folder(one, [&one.old, &one.new], &self.new_folders.join(&one.path)),
        }
    }

    /// Takes overlayfs's notes off a file that came. Done again, it does nothing.
    fn clean(&mut self, one: &Move) -> Result<(), Stopped> {
        if one.noted && !self.staged {
            let parent = self.tree.parent(&one.path)?;
            match attributes::strip(&opened(parent).join(name(&one.path))) {
                // It has gone again.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => _ = done?,
            }
        }
        Ok(())
    }

    /// Takes a move back. Where another thing is there by now it is replaced, and goes to the layer's side, or nothing is done.
    pub(crate) fn back(&mut self, one: &Move, on_conflict: OnConflict) -> Result<(), Stopped> {
        let force = on_conflict == OnConflict::Replace;
        let other = self.layer_name(one);
        let aside = PathBuf::from(one.number.to_string());
        let there = if matches!(one.kind, MoveKind::Folder | MoveKind::Attributes) {
            None
        } else {
            inode(&mut self.tree, &one.path)?
        };
        let is_new = there == inode_of(one.new.as_ref());
        match one.kind {
            MoveKind::Create => match there {
                None => Ok(()),
                Some(_) if is_new || force => {
                    rename(&mut self.tree, &one.path, &mut self.layer, &other, RenameFlags::NOREPLACE)
                }
                Some(_) => Err(Stopped::Changed),
            },
            MoveKind::Exchange if there == inode_of(one.old.as_ref()) => Ok(()),
            MoveKind::Exchange => match there {
                None if force => rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::NOREPLACE),
                Some(_) if is_new || force => {
                    rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::EXCHANGE)
                }
                None | Some(_) => Err(Stopped::Changed),
            },
            MoveKind::Delete if there.is_some() && there == inode_of(one.old.as_ref()) => Ok(()),
            MoveKind::Delete => match there {
                // Not made yet, and gone by another's hand.
                None if inode(&mut self.aside, &aside)?.is_none() => Err(Stopped::Changed),
                None => rename(&mut self.aside, &aside, &mut self.tree, &one.path, RenameFlags::NOREPLACE),
                Some(_) if force => rename(&mut self.aside, &aside, &mut self.tree, &one.path, RenameFlags::EXCHANGE),
                Some(_) => Err(Stopped::Changed),
            },
            MoveKind::Attributes => self.file(one, one.old.as_ref(), &self.old_folders.join(&aside)),
            MoveKind::Folder => self.folder(one, [&one.new, &one.old], &self.old_folders.join(&aside)),
        }
    }

    /// Gives a file of the tree attributes, and extended ones where another file has them to be copied.
    fn file(&mut self, one: &Move, wanted: Option<&Attributes>, extended: &Path) -> Result<(), Stopped> {
        let Some(wanted) = wanted else { return Ok(()) };
        if inode(&mut self.tree, &one.path)? != inode_of(one.old.as_ref()) {
            return Err(Stopped::Changed);
        }
        let parent = self.tree.parent(&one.path)?;
        let path = opened(parent).join(name(&one.path));
        if extended.is_file() && !attributes::has_same_extended(extended, &path)? {
            attributes::copy_extended(extended, &path)?;
        }
        Ok(wanted.apply(parent, name(&one.path))?)
    }

    /// Gives a folder of the tree what is different in the second of two attributes, and extended ones where another folder
    /// has them to be copied.
    fn folder(&self, one: &Move, change: [&Option<Attributes>; 2], extended: &Path) -> Result<(), Stopped> {
        let [Some(from), Some(wanted)] = change else { return Ok(()) };
        // Opened first, so that no link is followed.
        let folder = Beneath::open(&self.tree_path.join(&one.path));
        let mut folder = match folder {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let folder = folder.folder(Path::new(""))?;
        let path = opened(folder).join(".");
        if extended.is_dir() && !attributes::has_same_extended(extended, &path)? {
            attributes::copy_extended(extended, &path)?;
        }
        Ok(wanted.apply_changed(from, folder, Path::new("."))?)
    }
}

/// Returns a path to what is open, whatever becomes of the names that led to it.
fn opened(folder: BorrowedFd<'_>) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

fn inode_of(attributes: Option<&Attributes>) -> Option<u64> {
    attributes.map(|attributes| attributes.inode)
}

/// Returns the inode at a path below a folder; none where nothing is.
fn inode(folder: &mut Beneath, path: &Path) -> io::Result<Option<u64>> {
    let parent = match folder.parent(path) {
        Ok(parent) => parent,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match statat(parent, name(path), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat.st_ino)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn rename(
    from: &mut Beneath,
    from_path: &Path,
    to: &mut Beneath,
    to_path: &Path,
    flags: RenameFlags,
) -> Result<(), Stopped> {
    let (from, to) = (from.parent(from_path)?, to.parent(to_path)?);
    let (old, new) = (name(from_path), name(to_path));
    match renameat_with(from, old, to, new, flags) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(Stopped::Changed),
        Err(Errno::ACCESS) => {
            // A folder that may not be written gives and takes no names, and cannot get another parent; for the moment of the
            // move it may.
            let parents = [from, to].map(|parent| (parent, open_up(parent, Path::new(""))));
            let ours = open_up(from, old);
            let theirs = if flags.contains(RenameFlags::EXCHANGE) { open_up(to, new) } else { None };
            let done = renameat_with(from, old, to, new, flags);
            let (mine, other) = if done.is_ok() { ((to, new), (from, old)) } else { ((from, old), (to, new)) };
            let moved = [(mine, ours), (other, theirs)];
            let parents = parents.map(|(parent, mode)| ((parent, Path::new("")), mode));
            for ((folder, name), mode) in moved.into_iter().chain(parents) {
                if let Some(mode) = mode {
                    set_mode(folder, name, mode)?;
                }
            }
            Ok(done?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Lets the owner of a folder write to it, and returns its mode of before; none where it may already, or is no folder. Without a
/// name it is the one that is open.
fn open_up(folder: BorrowedFd<'_>, name: &Path) -> Option<u32> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH).ok()?;
    let mode = stat.st_mode & 0o7777;
    let is_shut = stat.st_mode & 0o170_000 == 0o040_000 && mode & 0o300 != 0o300;
    (is_shut && set_mode(folder, name, mode | 0o700).is_ok()).then_some(mode)
}

fn set_mode(folder: BorrowedFd<'_>, name: &Path, mode: u32) -> rustix::io::Result<()> {
    let mode = Mode::from_raw_mode(mode);
    if name.as_os_str().is_empty() { fchmod(folder, mode) } else { chmodat(folder, name, mode, AtFlags::empty()) }
}
