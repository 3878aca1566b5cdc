//! Moves one path between layer and tree, forwards or back. A move that is done already is left alone, so that the same
//! list can be gone through again after a cut.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, Mode, RenameFlags, chmodat};

use crate::attributes::{Attributes, FileKind};
use crate::beneath::{self, Beneath, name, opened, within};
use crate::conflict::{self, Given};
use crate::extended;
use crate::journal::{Move, MoveKind};
use crate::modes::{Forgets, Modes, is_gone};
use crate::outcome::OnConflict;
use crate::readable;
use crate::shift::{Notes, Way, is_shut, opened_up, rename};

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
    /// Files that moves give attributes to.
    pub(crate) given: Rc<Given>,
    /// The device of the tree.
    pub(crate) device: u64,
    /// The number of the root.
    pub(crate) root: usize,
    /// Whether some moves may have been taken back before a cut.
    pub(crate) resumes: bool,
    /// Folders of the tree that are open for the time of moving.
    pub(crate) open: &'a Modes,
    /// Where the mode is noted of a file that is let be written for a moment.
    pub(crate) writable: PathBuf,
}

impl<'a> Sides<'a> {
    /// Returns the name of a move's other side, below the layer.
    fn layer_name(&self, one: &Move) -> PathBuf {
        if self.staged { one.number.to_string().into() } else { one.path.clone() }
    }

    fn notes(&self, way: Way) -> Notes<'a> {
        Notes { open: self.open, root: self.root, way }
    }

    /// Says whether a folder that came out of the tree has in it what it had when it was looked at.
    fn has_print(&self, path: &Path, one: &Move) -> bool {
        let is_given = |inode| self.given.contains(&(self.root, inode));
        one.old_print.is_none_or(|print| print == conflict::fingerprint_but(path, is_given))
    }

    /// Gives a folder on the layer's side the mode again that it had, where it was open for its move and that was cut.
    pub(crate) fn shut(&mut self, one: &Move, had: Option<&Attributes>) -> Result<(), Stopped> {
        let Some(had) = had.filter(|had| had.kind == FileKind::Folder && is_shut(had.mode)) else { return Ok(()) };
        let (side, name) = match one.kind {
            MoveKind::Create | MoveKind::Exchange => {
                let name = self.layer_name(one);
                (&mut self.layer, name)
            }
            MoveKind::Delete => (&mut self.aside, one.number.to_string().into()),
            MoveKind::Attributes | MoveKind::Folder => return Ok(()),
        };
        if look(side, &name)?.is_some_and(|seen| seen.inode == had.inode && seen.mode == opened_up(had.mode)) {
            chmodat(side.parent(&name)?, beneath::name(&name), Mode::from_raw_mode(had.mode), AtFlags::empty())?;
        }
        Ok(())
    }

    /// Returns the attributes of a path of the tree; none where nothing is.
    pub(crate) fn look(&mut self, path: &Path) -> io::Result<Option<Attributes>> {
        look(&mut self.tree, path)
    }

    /// Makes a move.
    pub(crate) fn forward(&mut self, one: &Move) -> Result<(), Stopped> {
        let there = if one.keeps_place() || one.old.is_none() { Ok(None) } else { look(&mut self.tree, &one.path) };
        // Where the old one is in its place it is the other side that nothing needs to be known of.
        let is_old =
            there.as_ref().is_ok_and(|there| there.is_some() && inode_of(there.as_ref()) == inode_of(one.old.as_ref()));
        if !is_old && self.is_made(one)? {
            let inode = one.old.as_ref().filter(|old| old.has_names()).map(|old| old.inode);
            self.moved.borrow_mut().extend(inode.map(|inode| (self.device, inode)));
            return self.shut(one, one.old.as_ref());
        }
        let there = there?;
        let (into, out) = (self.notes(Way::In), self.notes(Way::Out));
        let other = self.layer_name(one);
        let aside = PathBuf::from(one.number.to_string());
        match one.kind {
            MoveKind::Create => {
                rename((&mut self.layer, &other), (&mut self.tree, &one.path), RenameFlags::NOREPLACE, into)
            }
            MoveKind::Exchange => {
                let looks_now = self.is_untouched(one, there.as_ref())?;
                rename((&mut self.layer, &other), (&mut self.tree, &one.path), RenameFlags::EXCHANGE, into)?;
                if looks_now && !is_version(&mut self.layer, &other, one)? {
                    rename((&mut self.layer, &other), (&mut self.tree, &one.path), RenameFlags::EXCHANGE, into)?;
                    return Err(Stopped::Changed);
                }
                Ok(())
            }
            MoveKind::Delete => {
                let looks_now = self.is_untouched(one, there.as_ref())?;
                rename((&mut self.tree, &one.path), (&mut self.aside, &aside), RenameFlags::NOREPLACE, out)?;
                if looks_now && !is_version(&mut self.aside, &aside, one)? {
                    rename((&mut self.aside, &aside), (&mut self.tree, &one.path), RenameFlags::NOREPLACE, into)?;
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
            MoveKind::Exchange => {
                is_version(&mut self.layer, &other, one)? && self.has_print(&self.layer_path.join(&other), one)
            }
            MoveKind::Delete => {
                let name = PathBuf::from(one.number.to_string());
                let folder = if self.staged { &self.layer_path } else { &self.old_folders };
                is_version(&mut self.aside, &name, one)? && self.has_print(&folder.join(&name), one)
            }
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
        let (into, out) = (self.notes(Way::In), self.notes(Way::Out));
        let other = self.layer_name(one);
        let aside = PathBuf::from(one.number.to_string());
        // Where it was never made the tree is not looked at: there may be no way to it.
        if !force && self.waits(one)? || self.resumes && !self.is_made(one)? && !one.keeps_place() {
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
                    rename((&mut self.tree, &one.path), (&mut self.layer, &other), RenameFlags::NOREPLACE, out)
                }
                // It is another's, and nothing was there before.
                Some(_) => Ok(()),
            },
            MoveKind::Exchange if there == inode_of(one.old.as_ref()) => Ok(()),
            MoveKind::Exchange => match there {
                None => rename((&mut self.layer, &other), (&mut self.tree, &one.path), RenameFlags::NOREPLACE, into),
                Some(_) if is_new || force => {
                    rename((&mut self.layer, &other), (&mut self.tree, &one.path), RenameFlags::EXCHANGE, into)
                }
                // Another program has put its own in the place of the one that came, as it would have of the one before.
                Some(_) => Ok(()),
            },
            MoveKind::Delete if there.is_some() && there == inode_of(one.old.as_ref()) => Ok(()),
            MoveKind::Delete => match there {
                None => rename((&mut self.aside, &aside), (&mut self.tree, &one.path), RenameFlags::NOREPLACE, into),
                Some(_) if force => {
                    rename((&mut self.aside, &aside), (&mut self.tree, &one.path), RenameFlags::EXCHANGE, into)
                }
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

    /// Takes attributes back where they are as they came, and fails where they are not.
    pub(crate) fn attributes_back(&mut self, one: &Move) -> Result<(), Stopped> {
        let (before, after) = (self.old_folders.join(one.number.to_string()), self.new_folders.join(&one.path));
        self.change(one, (one.new.as_ref(), &after), (one.old.as_ref(), &before), false)
    }

    /// Returns where something lies that came out of the tree and is not the version of the journal; none where all is as it
    /// should be when a move was taken back.
    pub(crate) fn gave_way(&mut self, one: &Move) -> Result<Option<PathBuf>, Stopped> {
        self.shut(one, one.new.as_ref())?;
        let (side, folder, name) = match one.kind {
            MoveKind::Create | MoveKind::Exchange => {
                let name = self.layer_name(one);
                (&mut self.layer, &self.layer_path, name)
            }
            MoveKind::Delete => {
                let folder = if self.staged { &self.layer_path } else { &self.old_folders };
                (&mut self.aside, folder, one.number.to_string().into())
            }
            MoveKind::Attributes | MoveKind::Folder => return Ok(None),
        };
        let Some(out) = look(side, &name)? else { return Ok(None) };
        let path = folder.join(name);
        let is_other = match &one.new {
            Some(new) => conflict::is_other_version(one, (&out, new), &path).map_err(|error| error.source)?,
            None => true,
        };
        Ok(is_other.then_some(path))
    }

    /// Says whether the move of a path was made: what was there is on the layer's side, or what came is there no more, whatever
    /// the tree has by now. Of attributes that cannot be told.
    fn is_made(&mut self, one: &Move) -> io::Result<bool> {
        let old = inode_of(one.old.as_ref());
        Ok(match one.kind {
            MoveKind::Create => {
                let other = self.layer_name(one);
                inode(&mut self.layer, &other)?.is_none()
            }
            MoveKind::Exchange => {
                let other = self.layer_name(one);
                old.is_some() && inode(&mut self.layer, &other)? == old
            }
            MoveKind::Delete => old.is_some() && inode(&mut self.aside, Path::new(&one.number.to_string()))? == old,
            MoveKind::Attributes | MoveKind::Folder => false,
        })
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
        let (into, back) = (self.notes(Way::In), self.notes(Way::Out));
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
            return rename((side, &name), (&mut self.tree, &one.path), RenameFlags::NOREPLACE, into);
        }
        if out.is_some() && out == came {
            return Ok(());
        }
        if inode(&mut self.tree, &one.path)? != came {
            return Err(Stopped::Changed);
        }
        let flags = if out.is_some() { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
        rename((&mut self.tree, &one.path), (side, &name), flags, back)
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
        // Another file that has got the name since gets them where that is wanted.
        if now.kind != old.kind || !force && Some(now.inode) != inode_of(one.old.as_ref()) {
            return Err(Stopped::Changed);
        }
        self.moved.borrow_mut().insert((self.device, now.inode));
        let merged = new.in_place_of(old, &now);
        let Some(merged) = merged.or_else(|| force.then(|| new.clone())) else { return Err(Stopped::Changed) };
        let is_alike = merged.is_alike(&now);
        if is_noted(from, wanted) {
            // A new owner takes a file's capabilities away.
            if !is_alike {
                merged.give_owner(parent, name)?;
            }
            let path = opened(parent).join(name);
            let noted = (self.writable.as_path(), self.tree_path.join(&one.path));
            if !readable::written(noted, &path, &now, || extended::change(from, wanted, &path, force))? {
                return Err(Stopped::Changed);
            }
        }
        if is_alike { Ok(()) } else { Ok(merged.apply(parent, name)?) }
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
            // Its attributes are told to who can enter it, and changed by who can write to it.
            self.open.open(self.root, path, folder.as_fd())?;
            is_so &= seen.mode & 0o700 == 0o700;
            if !extended::change(from, wanted, &opened(folder.as_fd()).join("."), force)? {
                self.open.put_back(self.root, &self.tree_path, path, Forgets::Them)?;
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
