//! Moves one path between layer and tree, forwards or back. A move that is done already is left alone, so that the same
//! list can be gone through again after a cut.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, Mode, RenameFlags, chmod, chmodat, renameat_with, statat};
use rustix::io::Errno;

use crate::attributes::Attributes;
use crate::beneath::{Beneath, name, opened, within};
use crate::extended;
use crate::journal::{Move, MoveKind};
use crate::modes::{Forgets, Modes, is_gone};
use crate::outcome::OnConflict;

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
pub(crate) struct Sides<'a> {
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
    /// Files with several names that a move changed, by device and inode: names of one may be in several roots.
    pub(crate) moved: Rc<RefCell<BTreeSet<(u64, u64)>>>,
    /// The device of the tree.
    pub(crate) device: u64,
    /// The number of the root.
    pub(crate) root: usize,
    /// Folders of the tree that are open for the time of moving.
    pub(crate) open: &'a Modes,
}

impl Sides<'_> {
    /// Returns the name of a move's other side, below the layer.
    fn layer_name(&self, one: &Move) -> PathBuf {
        if self.staged { one.number.to_string().into() } else { one.path.clone() }
    }

    /// Returns the attributes of a path of the tree; none where nothing is.
    pub(crate) fn look(&mut self, path: &Path) -> io::Result<Option<Attributes>> {
        look(&mut self.tree, path)
    }

    /// Makes a move.
    pub(crate) fn forward(&mut self, one: &Move) -> Result<(), Stopped> {
        let other = self.layer_name(one);
        let aside = PathBuf::from(one.number.to_string());
        match one.kind {
            MoveKind::Create => {
                let there = inode(&mut self.tree, &one.path)?;
                if there.is_some() && there == inode_of(one.new.as_ref()) {
                    return Ok(());
                }
                rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::NOREPLACE)
            }
            MoveKind::Exchange => {
                let there = look(&mut self.tree, &one.path)?;
                if inode_of(there.as_ref()) == inode_of(one.new.as_ref()) {
                    return Ok(());
                }
                let looks_now = self.is_untouched(one, there.as_ref())?;
                rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::EXCHANGE)?;
                if looks_now && !is_version(&mut self.layer, &other, one)? {
                    rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::EXCHANGE)?;
                    return Err(Stopped::Changed);
                }
                Ok(())
            }
            MoveKind::Delete => {
                let there = look(&mut self.tree, &one.path)?;
                if there.is_none() && inode(&mut self.aside, &aside)?.is_some() {
                    return Ok(());
                }
                let looks_now = self.is_untouched(one, there.as_ref())?;
                rename(&mut self.tree, &one.path, &mut self.aside, &aside, RenameFlags::NOREPLACE)?;
                if looks_now && !is_version(&mut self.aside, &aside, one)? {
                    rename(&mut self.aside, &aside, &mut self.tree, &one.path, RenameFlags::NOREPLACE)?;
                    return Err(Stopped::Changed);
                }
                Ok(())
            }
            MoveKind::Attributes | MoveKind::Folder => {
                let (before, after) = (self.old_folders.join(&aside), self.new_folders.join(&one.path));
                self.change(one, (one.old.as_ref(), &before), (one.new.as_ref(), &after), false)
            }
        }
    }

    /// Looks at what came out of the tree once more, and takes overlayfs's notes off a file that came. Done again, it does nothing.
    pub(crate) fn settle(&mut self, one: &Move) -> Result<(), Stopped> {
        let other = self.layer_name(one);
        // Whoever changed it between the look and the move has changed what is in the layer now.
        let is_version = match one.kind {
            _ if one.old.as_ref().is_some_and(Attributes::has_names) => true,
            MoveKind::Exchange => is_version(&mut self.layer, &other, one)?,
            MoveKind::Delete => is_version(&mut self.aside, Path::new(&one.number.to_string()), one)?,
            MoveKind::Create | MoveKind::Attributes | MoveKind::Folder => true,
        };
        if !is_version {
            return Err(Stopped::Changed);
        }
        if one.noted && !self.staged {
            let strip = |parent: BorrowedFd<'_>| extended::with_file(parent, name(&one.path), |of| extended::strip(of));
            match self.tree.parent(&one.path).and_then(strip) {
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
        // Where it was never made the tree is not looked at: there may be no way to it.
        if !force && self.waits(one)? {
            return Ok(());
        }
        let there = if matches!(one.kind, MoveKind::Folder | MoveKind::Attributes) {
            None
        } else {
            inode(&mut self.tree, &one.path)?
        };
        let is_new = there == inode_of(one.new.as_ref());
        // Taken back already, before a cut.
        if force && (there.is_none() || !is_new) && self.waits(one)? {
            return Ok(());
        }
        match one.kind {
            MoveKind::Create => match there {
                None => Ok(()),
                Some(_) if is_new || force => {
                    rename(&mut self.tree, &one.path, &mut self.layer, &other, RenameFlags::NOREPLACE)
                }
                // It is another's, and nothing was there before.
                Some(_) => Ok(()),
            },
            MoveKind::Exchange if there == inode_of(one.old.as_ref()) => Ok(()),
            MoveKind::Exchange => match there {
                None => rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::NOREPLACE),
                Some(_) if is_new || force => {
                    rename(&mut self.layer, &other, &mut self.tree, &one.path, RenameFlags::EXCHANGE)
                }
                // Another program has put its own in the place of the one that came, as it would have of the one before.
                Some(_) => Ok(()),
            },
            MoveKind::Delete if there.is_some() && there == inode_of(one.old.as_ref()) => Ok(()),
            MoveKind::Delete => match there {
                None => rename(&mut self.aside, &aside, &mut self.tree, &one.path, RenameFlags::NOREPLACE),
                Some(_) if force => rename(&mut self.aside, &aside, &mut self.tree, &one.path, RenameFlags::EXCHANGE),
                Some(_) => Err(Stopped::Changed),
            },
            MoveKind::Attributes | MoveKind::Folder => {
                let (before, after) = (self.old_folders.join(&aside), self.new_folders.join(&one.path));
                match self.change(one, (one.new.as_ref(), &after), (one.old.as_ref(), &before), force) {
                    // What is as in neither is another's doing; nothing of before is lost by it.
                    Err(Stopped::Changed) => Ok(()),
                    done => done,
                }
            }
        }
    }

    /// Says whether the move of a path was not made, or was taken back: its other side is still where it was. Of attributes
    /// that cannot be told.
    fn waits(&mut self, one: &Move) -> io::Result<bool> {
        let other = self.layer_name(one);
        Ok(match one.kind {
            MoveKind::Create | MoveKind::Exchange => {
                let waiting = inode(&mut self.layer, &other)?;
                waiting.is_some() && waiting == inode_of(one.new.as_ref())
            }
            MoveKind::Delete => inode(&mut self.aside, Path::new(&one.number.to_string()))?.is_none(),
            MoveKind::Attributes | MoveKind::Folder => false,
        })
    }

    /// Makes a move again that was taken back, where taking back is given up. `came` is the inode of what came back for it.
    pub(crate) fn again(&mut self, one: &Move, came: Option<u64>) -> Result<(), Stopped> {
        let (other, aside) = (self.layer_name(one), PathBuf::from(one.number.to_string()));
        let (side, name) = match one.kind {
            MoveKind::Create | MoveKind::Exchange => (&mut self.layer, other),
            MoveKind::Delete => (&mut self.aside, aside),
            MoveKind::Attributes | MoveKind::Folder => {
                let (before, after) = (self.old_folders.join(&aside), self.new_folders.join(&one.path));
                return match self.change(one, (one.old.as_ref(), &before), (one.new.as_ref(), &after), false) {
                    Err(Stopped::Changed) => Ok(()),
                    done => done,
                };
            }
        };
        let out = inode(side, &name)?;
        if one.kind == MoveKind::Create {
            let Some(_) = out else { return Ok(()) };
            return rename(side, &name, &mut self.tree, &one.path, RenameFlags::NOREPLACE);
        }
        if out.is_some() && out == came {
            return Ok(());
        }
        if inode(&mut self.tree, &one.path)? != came {
            return Err(Stopped::Changed);
        }
        let flags = if out.is_some() { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
        rename(&mut self.tree, &one.path, side, &name, flags)
    }

    /// Fails where the path is not what the journal says any more. Of a file with several names only the first move tells: each
    /// changes the file. Says whether it is such a first one, which must be looked at before the next.
    fn is_untouched(&mut self, one: &Move, there: Option<&Attributes>) -> Result<bool, Stopped> {
        let (Some(there), Some(old)) = (there, &one.old) else { return Err(Stopped::Changed) };
        let is_first = !old.has_names() || self.moved.borrow_mut().insert((self.device, old.inode));
        let same = there.inode == old.inode && (there.changed == old.changed || !is_first);
        if same { Ok(is_first && old.has_names()) } else { Err(Stopped::Changed) }
    }

    /// Gives a file or folder of the tree what differs between two attributes, and between two paths' extended ones where the
    /// run changed them: what was there before is noted then.
    fn change(
        &mut self,
        one: &Move,
        from: (Option<&Attributes>, &Path),
        wanted: (Option<&Attributes>, &Path),
        force: bool,
    ) -> Result<(), Stopped> {
        if one.kind == MoveKind::Folder {
            return self.change_folder(&one.path, from, wanted, force);
        }
        let ((Some(old), from), (Some(new), wanted)) = (from, wanted) else { return Ok(()) };
        let (parent, name) = (self.tree.parent(&one.path)?, name(&one.path));
        let Some(now) = Attributes::within(parent, name)? else { return Err(Stopped::Changed) };
        if Some(now.inode) != inode_of(one.old.as_ref()) {
            return Err(Stopped::Changed);
        }
        self.moved.borrow_mut().insert((self.device, now.inode));
        let merged = new.in_place_of(old, &now);
        let Some(merged) = merged.or_else(|| force.then(|| new.clone())) else { return Err(Stopped::Changed) };
        if is_noted(from, wanted) && !extended::change(from, wanted, &opened(parent).join(name), force)? {
            return Err(Stopped::Changed);
        }
        if merged.is_alike(&now) { Ok(()) } else { Ok(merged.apply(parent, name)?) }
    }

    /// The same of a folder that is on both sides. All that lies in it is done by then: what was opened up there is closed.
    fn change_folder(
        &self,
        path: &Path,
        (old, from): (Option<&Attributes>, &Path),
        (new, wanted): (Option<&Attributes>, &Path),
        force: bool,
    ) -> Result<(), Stopped> {
        let (Some(old), Some(new)) = (old, new) else { return Ok(()) };
        // Opened first, so that no link is followed.
        let folder = match within(&self.tree_path, path) {
            Ok(folder) => folder,
            Err(error) if is_gone(&error) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let seen = Attributes::of_open(folder.as_fd())?;
        let now = Attributes { mode: self.open.of(self.root, path, seen.mode), ..seen.clone() };
        let merged = new.in_place_of(old, &now);
        let Some(merged) = merged.or_else(|| force.then(|| new.clone())) else { return Err(Stopped::Changed) };
        let mut is_so = merged.is_alike(&seen);
        if is_noted(from, wanted) {
            if seen.mode & 0o500 != 0o500 {
                // Its attributes are told to who can enter it.
                chmod(opened(folder.as_fd()), Mode::from_raw_mode(seen.mode | 0o700))?;
                is_so = false;
            }
            if !extended::change(from, wanted, &opened(folder.as_fd()).join("."), force)? {
                chmod(opened(folder.as_fd()), Mode::from_raw_mode(now.mode))?;
                return Err(Stopped::Changed);
            }
        }
        self.open.put_back(self.root, &self.tree_path, path, Forgets::Them)?;
        if is_so && seen.mode == now.mode { Ok(()) } else { Ok(merged.apply_to_open(folder.as_fd())?) }
    }
}

/// Says whether what a run changed of extended attributes was noted.
fn is_noted(from: &Path, wanted: &Path) -> bool {
    from.symlink_metadata().is_ok() && wanted.symlink_metadata().is_ok()
}

fn inode_of(attributes: Option<&Attributes>) -> Option<u64> {
    attributes.map(|attributes| attributes.inode)
}

/// Returns the attributes of a path below a folder; none where nothing is.
fn look(folder: &mut Beneath, path: &Path) -> io::Result<Option<Attributes>> {
    match folder.parent(path) {
        Ok(parent) => Attributes::within(parent, name(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn inode(folder: &mut Beneath, path: &Path) -> io::Result<Option<u64>> {
    Ok(inode_of(look(folder, path)?.as_ref()))
}

/// Says whether what came out of the tree is the version that the journal has. Its move changed the time of its change.
fn is_version(folder: &mut Beneath, path: &Path, one: &Move) -> io::Result<bool> {
    let (Some(out), Some(old)) = (look(folder, path)?, &one.old) else { return Ok(false) };
    if !out.is_same_version(old) || out.permissions() != old.permissions() {
        return Ok(false);
    }
    let Some(before) = one.before else { return Ok(true) };
    Ok(extended::with_file(folder.parent(path)?, name(path), |of| extended::known(of))?.print == before)
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
    if name.as_os_str().is_empty() {
        chmod(opened(folder), mode)
    } else {
        chmodat(folder, name, mode, AtFlags::empty())
    }
}
