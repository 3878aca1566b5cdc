//! Files and folders whose owner may not read them, let be read while they are copied, and files let be written while attributes
//! of them change.
//!
//! Each one's mode is written down before it is another one, so that a cut leaves the note, by which it gets that mode again.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Access, Mode, chmod};
use serde::{Deserialize, Serialize};

use crate::attributes::{Attributes, FileKind};
use crate::layer::{Layer, LayerError, at};

/// A line of the note.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(with = "crate::spelling")]
    path: PathBuf,
    inode: u64,
    /// Its own, and the one that it has while it is read.
    modes: (u32, u32),
}

/// Where modes are written down.
pub(crate) struct Readables {
    note: PathBuf,
    is_used: AtomicBool,
}

impl Readables {
    /// Notes go to a file; what is there already is kept.
    pub(crate) fn new(note: PathBuf) -> Self {
        Self { note, is_used: AtomicBool::new(false) }
    }

    /// Does something with a file or folder, and lets its owner read it for that where it is refused else.
    pub(crate) fn read<T>(&self, path: &Path, work: impl Fn() -> io::Result<T>) -> io::Result<T> {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let Some(attributes) = Attributes::of(path)? else { return Err(error) };
                let _readable = self.make(path, &attributes)?;
                work()
            }
            done => done,
        }
    }

    /// Lets the owner of a file or folder read it until what is returned is dropped; nothing is done where that is so already.
    pub(crate) fn make(&self, path: &Path, attributes: &Attributes) -> io::Result<Readable> {
        let (needed, access) = match attributes.kind {
            FileKind::Folder => (0o500, Access::READ_OK | Access::EXEC_OK),
            FileKind::File => (0o400, Access::READ_OK),
            FileKind::Link | FileKind::Whiteout | FileKind::Special => return Ok(Readable(None)),
        };
        // Who may read everything needs no other mode.
        if attributes.mode & needed == needed || rustix::fs::access(path, access).is_ok() {
            return Ok(Readable(None));
        }
        let modes = (attributes.mode, attributes.mode | needed);
        let mut line = serde_json::to_vec(&Entry { path: path.to_owned(), inode: attributes.inode, modes })?;
        line.push(b'\n');
        File::options().append(true).create(true).open(&self.note)?.write_all(&line)?;
        self.is_used.store(true, Ordering::Relaxed);
        chmod(path, Mode::from_raw_mode(modes.1))?;
        Ok(Readable(Some((path.to_owned(), modes.0))))
    }
}

impl Drop for Readables {
    fn drop(&mut self) {
        if self.is_used.load(Ordering::Relaxed) {
            // What fails leaves the note, and is done again the next time.
            let _ = put_back(&self.note);
        }
    }
}

/// Something whose owner may not read it, which is let do so until this is dropped.
pub(crate) struct Readable(Option<(PathBuf, u32)>);

impl Drop for Readable {
    fn drop(&mut self) {
        if let Some((path, mode)) = &self.0 {
            let _ = chmod(path, Mode::from_raw_mode(*mode));
        }
    }
}

/// Does something with a file that its owner may have to write to for that; for that time it may. Its mode is `had`, and is written
/// down by its path and a note.
pub(crate) fn written<T>(
    (note, place): (&Path, PathBuf),
    path: &Path,
    had: &Attributes,
    work: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    if had.kind != FileKind::File || had.mode & 0o600 == 0o600 || rustix::fs::access(path, Access::WRITE_OK).is_ok() {
        return work();
    }
    let modes = (had.mode, had.mode | 0o600);
    let mut line = serde_json::to_vec(&Entry { path: place, inode: had.inode, modes })?;
    line.push(b'\n');
    fs::write(note, line)?;
    chmod(path, Mode::from_raw_mode(modes.1))?;
    let done = work();
    chmod(path, Mode::from_raw_mode(modes.0))?;
    // What it gets from now on is not to be taken back.
    fs::remove_file(note)?;
    done
}

/// Gives what a note names its modes again, and deletes the note. What has got another mode since keeps it.
fn put_back(note: &Path) -> io::Result<()> {
    let text = match fs::read_to_string(note) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    // The last first: behind a closed folder there is no way. A line that was cut while it was written was not acted on.
    let entries: Vec<Entry> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for entry in entries.iter().rev() {
        match fs::symlink_metadata(&entry.path) {
            Ok(meta) if meta.ino() == entry.inode && !meta.is_symlink() && meta.mode() & 0o7777 == entry.modes.1 => {
                chmod(&entry.path, Mode::from_raw_mode(entry.modes.0))?;
            }
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            // Its tree is closed, and is opened up where it is copied again.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    fs::remove_file(note)
}

impl Layer {
    fn readables_path(&self) -> PathBuf {
        self.folder.join("readable")
    }

    /// Lets what is copied from or to this layer be read, after giving back modes that a cut left.
    pub(crate) fn readables(&self) -> Result<Readables, LayerError> {
        self.put_modes_back()?;
        Ok(Readables::new(self.readables_path()))
    }

    /// Where the mode is written down of a file of the tree that is written to for a moment.
    pub(crate) fn writable_path(&self) -> PathBuf {
        self.folder.join("writable")
    }

    /// Gives back modes that a cut left.
    pub(crate) fn put_modes_back(&self) -> Result<(), LayerError> {
        [self.readables_path(), self.writable_path()].iter().try_for_each(|note| at(note, put_back(note)))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn modes_that_a_cut_left_come_back_and_those_that_were_given_since_stay() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("note");
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        let entry = |name: &str, modes: (u32, u32), now: u32| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(now)).unwrap();
            let inode = fs::metadata(&path).unwrap().ino();
            let line = serde_json::to_string(&Entry { path: path.clone(), inode, modes }).unwrap() + "\n";
            File::options().append(true).create(true).open(&note).unwrap().write_all(line.as_bytes()).unwrap();
            path
        };
        let cut = entry("cut", (0o200, 0o600), 0o600);
        let given = entry("given", (0, 0o400), 0o644);
        put_back(&note).unwrap();
        assert_eq!((mode(&cut), mode(&given)), (0o200, 0o644));
        assert!(!note.exists());
        put_back(&note).unwrap();
    }
}
