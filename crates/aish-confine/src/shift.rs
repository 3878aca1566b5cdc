//! A rename between layer and tree, also of and in folders that their owner may not write to.
//!
//! For that they get another mode. Those of the tree, and what comes to it or goes, are noted before: after a cut they get the
//! mode that they had by the note.

use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, RenameFlags, Stat, chmod, chmodat, renameat_with, statat};
use rustix::io::Errno;

use crate::beneath::{Beneath, name, opened};
use crate::modes::Modes;
use crate::mover::Stopped;

/// Which of both ends of a rename is in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// That to which it goes.
    In,
    /// That from which it comes.
    Out,
}

/// Where modes of the tree are noted.
#[derive(Clone, Copy)]
pub(crate) struct Notes<'a> {
    pub(crate) open: &'a Modes,
    pub(crate) root: usize,
    pub(crate) way: Way,
}

/// Says whether its owner may not change what is in a folder of a mode.
pub(crate) fn is_shut(mode: u32) -> bool {
    mode & 0o300 != 0o300
}

/// Returns the mode that such a folder has for the time of a move.
pub(crate) fn opened_up(mode: u32) -> u32 {
    mode | 0o700
}

/// Moves a path from a folder to another.
pub(crate) fn rename(
    (from, from_path): (&mut Beneath, &Path),
    (to, to_path): (&mut Beneath, &Path),
    flags: RenameFlags,
    notes: Notes<'_>,
) -> Result<(), Stopped> {
    let (from, to) = (from.parent(from_path)?, to.parent(to_path)?);
    let (old, new) = (name(from_path), name(to_path));
    match renameat_with(from, old, to, new, flags) {
        Ok(()) => return Ok(()),
        Err(Errno::EXIST) => return Err(Stopped::Changed),
        Err(Errno::ACCESS) => {}
        Err(error) => return Err(error.into()),
    }
    // A folder that may not be written gives and takes no names, and cannot get another parent; for the moment of the move it may.
    let (tree, tree_path, other) = match notes.way {
        Way::In => (to, to_path, from),
        Way::Out => (from, from_path, to),
    };
    // It stays open as long as others are.
    let _ = notes.open.open(notes.root, tree_path.parent().unwrap_or(Path::new("")), tree);
    let parent = shut(other, Path::new(""));
    if let Some(stat) = &parent {
        let _ = set_mode(other, Path::new(""), opened_up(stat.st_mode & 0o7777));
    }
    let open_up = |folder, name| {
        let stat = shut(folder, name)?;
        let mode = stat.st_mode & 0o7777;
        let noted = notes.open.note(notes.root, tree_path, mode, stat.st_ino);
        (noted.is_ok() && set_mode(folder, name, opened_up(mode)).is_ok()).then_some(mode)
    };
    let ours = open_up(from, old);
    let theirs = if flags.contains(RenameFlags::EXCHANGE) { open_up(to, new) } else { None };
    let done = renameat_with(from, old, to, new, flags);
    let (mine, others) = if done.is_ok() { ((to, new), (from, old)) } else { ((from, old), (to, new)) };
    let parent = parent.map(|stat| stat.st_mode & 0o7777);
    for ((folder, name), mode) in [(mine, ours), (others, theirs), ((other, Path::new("")), parent)] {
        if let Some(mode) = mode {
            set_mode(folder, name, mode)?;
        }
    }
    match done {
        Err(Errno::EXIST) => Err(Stopped::Changed),
        done => Ok(done?),
    }
}

/// Looks at a folder that its owner may not write to; none where it is another one, or none at all. Without a name it is the one
/// that is open.
fn shut(folder: BorrowedFd<'_>, name: &Path) -> Option<Stat> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH).ok()?;
    (FileType::from_raw_mode(stat.st_mode) == FileType::Directory && is_shut(stat.st_mode)).then_some(stat)
}

fn set_mode(folder: BorrowedFd<'_>, name: &Path, mode: u32) -> rustix::io::Result<()> {
    let mode = Mode::from_raw_mode(mode);
    if name.as_os_str().is_empty() {
        chmod(opened(folder), mode)
    } else {
        chmodat(folder, name, mode, AtFlags::empty())
    }
}
