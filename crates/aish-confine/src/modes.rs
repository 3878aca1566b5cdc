//! Folders whose mode keeps their owner out, opened up for as long as something is done in them.
//!
//! Each one's mode is written down before it is another one: what is read of the folder meanwhile is told with the mode that
//! it has, and a cut leaves the note, by which it gets that mode again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, Mode, chmod, statat};
use serde::{Deserialize, Serialize};

use crate::attributes::{Attributes, FileKind};
use crate::beneath::{opened, within};
use crate::layer::{Layer, LayerError, at};

/// What the owner of a folder needs to do anything in it.
const OPEN: u32 = 0o700;

/// Modes of folders that were opened up, by root and path.
pub(crate) struct Modes {
    note: PathBuf,
    known: Mutex<BTreeMap<(usize, PathBuf), Vec<Had>>>,
}

/// The mode that a folder had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Had {
    mode: u32,
    /// Which one it was, as another one may be in its place.
    inode: Option<u64>,
}

/// A line of the note.
#[derive(Serialize, Deserialize)]
struct Entry {
    root: usize,
    #[serde(with = "crate::spelling")]
    path: PathBuf,
    mode: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inode: Option<u64>,
}

impl Modes {
    /// Reads what was written down; nothing where there is no note.
    pub(crate) fn read(note: PathBuf) -> Result<Self, LayerError> {
        let mut known: BTreeMap<_, Vec<Had>> = BTreeMap::new();
        match File::open(&note) {
            Ok(file) => {
                for line in BufReader::new(file).lines() {
                    // One that was cut while it was written was not acted on.
                    if let Ok(entry) = serde_json::from_str::<Entry>(&at(&note, line)?) {
                        let had = Had { mode: entry.mode, inode: entry.inode };
                        known.entry((entry.root, entry.path)).or_default().push(had);
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(LayerError { path: note, source }),
        }
        Ok(Self { note, known: Mutex::new(known) })
    }

    /// Returns the mode that a folder has, of one that it is seen with.
    pub(crate) fn of(&self, root: usize, path: &Path, seen: u32) -> u32 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            return seen;
        }
        let all = known.get(&(root, path.to_owned())).map(Vec::as_slice).unwrap_or_default();
        all.iter().find(|had| had.mode | OPEN == seen).map_or(seen, |had| had.mode)
    }

    /// Returns the attributes of what is at a path, a folder's with the mode that it has.
    pub(crate) fn attributes(&self, root: usize, path: &Path, place: &Path) -> io::Result<Option<Attributes>> {
        let mut found = Attributes::of(place)?;
        if let Some(folder) = found.as_mut().filter(|found| found.kind == FileKind::Folder) {
            folder.mode = self.of(root, path, folder.mode);
        }
        Ok(found)
    }

    /// Opens a folder up that is open by its place.
    pub(crate) fn open(&self, root: usize, path: &Path, folder: BorrowedFd<'_>) -> io::Result<()> {
        let stat = statat(folder, "", AtFlags::EMPTY_PATH)?;
        let mode = stat.st_mode & 0o7777;
        if mode & OPEN == OPEN {
            return Ok(());
        }
        self.note(root, path, mode, stat.st_ino)?;
        Ok(chmod(opened(folder), Mode::from_raw_mode(mode | OPEN))?)
    }

    /// Writes down which mode a folder has that is opened up next, and that is at a path or comes to it.
    pub(crate) fn note(&self, root: usize, path: &Path, mode: u32, inode: u64) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let inode = Some(inode);
        let mut line = serde_json::to_vec(&Entry { root, path: path.to_owned(), mode, inode })?;
        line.push(b'\n');
        let mut note = File::options().append(true).create(true).open(&self.note)?;
        note.write_all(&line)?;
        let all = known.entry((root, path.to_owned())).or_default();
        // Of one folder the last note holds.
        all.retain(|had| had.inode != inode);
        all.push(Had { mode, inode });
        Ok(())
    }

    /// Opens all folders up that lead to one below a root, itself included, as far as they are there.
    pub(crate) fn open_to(&self, root: usize, place: &Path, path: &Path) -> io::Result<()> {
        let mut folders: Vec<&Path> = path.ancestors().collect();
        while let Some(path) = folders.pop() {
            match within(place, path) {
                Ok(folder) => self.open(root, path, folder.as_fd())?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Gives folders at a path and below it their modes again, and forgets them where that is all. Those that have got
    /// another mode since keep it.
    pub(crate) fn put_back(&self, root: usize, place: &Path, path: &Path, forgets: Forgets) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let below: Vec<PathBuf> =
            known.keys().filter(|(of, at)| *of == root && at.starts_with(path)).map(|(_, at)| at.clone()).collect();
        // From below: behind a closed one there is no way.
        for path in below.into_iter().rev() {
            let key = (root, path);
            let Some(all) = known.get(&key) else { continue };
            let folder = match within(place, &key.1) {
                Ok(folder) => Some(folder),
                Err(error) if is_gone(&error) => None,
                Err(error) => return Err(error),
            };
            if let Some(folder) = folder {
                let stat = statat(&folder, "", AtFlags::EMPTY_PATH)?;
                let is_it = |had: &&Had| {
                    stat.st_mode & 0o7777 == had.mode | OPEN && had.inode.is_none_or(|inode| inode == stat.st_ino)
                };
                if let Some(had) = all.iter().rev().find(is_it) {
                    chmod(opened(folder.as_fd()), Mode::from_raw_mode(had.mode))?;
                }
            }
            if forgets == Forgets::Them {
                known.remove(&key);
            }
        }
        Ok(())
    }

    /// Gives all their modes again and deletes the note.
    fn close(&self, layer: &Layer) -> Result<(), LayerError> {
        if self.known.lock().unwrap_or_else(PoisonError::into_inner).is_empty() && !self.note.exists() {
            return Ok(());
        }
        for root in 0..layer.about.covered.len() {
            let tree = layer.tree(root);
            at(&tree, self.put_back(root, &tree, Path::new(""), Forgets::Them))?;
        }
        at(&self.note, fs::remove_file(&self.note))
    }
}

/// Whether a mode that was put back is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forgets {
    /// It is not: the folder is as it was.
    Them,
    /// It is: the folder may be opened up again.
    Nothing,
}

/// Says whether nothing is at a path any more, or another thing than a folder.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || is_replaced(error)
}

/// Says whether a link or a file is where a folder was.
pub(crate) fn is_replaced(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENOTDIR | libc::EXDEV))
}

impl Layer {
    /// Modes of the layer's own folders, which stay open as long as it is there.
    pub(crate) fn modes(&self) -> Result<Modes, LayerError> {
        Modes::read(self.folder.join("modes"))
    }
}

/// Folders of trees that are open while something is moved in them. They get their modes again when this is dropped.
pub(crate) struct OpenTrees<'a> {
    layer: &'a Layer,
    pub(crate) modes: Modes,
}

impl<'a> OpenTrees<'a> {
    /// Opens up what leads to some folders, by root and path, where that keeps its owner out.
    pub(crate) fn of(
        layer: &'a Layer,
        folders: impl IntoIterator<Item = (usize, PathBuf)>,
    ) -> Result<Self, LayerError> {
        let this = Self { layer, modes: Modes::read(layer.folder.join("opened"))? };
        for (root, path) in folders {
            let tree = layer.tree(root);
            let way = within(&tree, &path.join("."));
            if way.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
                // What cannot be opened is told where it is needed, and keeps nothing else from being done.
                let _ = this.modes.open_to(root, &tree, &path);
            }
        }
        Ok(this)
    }
}

impl Layer {
    /// Opens up some of the trees themselves.
    pub(crate) fn open_roots(&self, roots: impl IntoIterator<Item = usize>) -> Result<OpenTrees<'_>, LayerError> {
        let this = OpenTrees::of(self, [])?;
        for root in roots {
            let tree = self.tree(root);
            // Names come into it and go.
            let _ = this.modes.open_to(root, &tree, Path::new(""));
        }
        Ok(this)
    }
}

impl Drop for OpenTrees<'_> {
    fn drop(&mut self) {
        // What fails leaves the note, and is done again the next time.
        let _ = self.modes.close(self.layer);
    }
}
