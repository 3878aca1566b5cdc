//! Copies of files, links and folders, with their modes and times.

use std::fs::{self, DirBuilder, File, FileTimes, Metadata};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Copies what is at a path, as long as it fits into `room` bytes; returns its bytes, none when there is nothing.
pub(super) fn aside(from: &Path, to: &Path, room: u64) -> io::Result<Option<u64>> {
    let meta = match fs::symlink_metadata(from) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut left = room;
    let result = copy(from, to, &meta, &mut left);
    if result.is_err() {
        // A part of a folder is no copy of it.
        let _ = fs::remove_dir_all(to).or_else(|_| fs::remove_file(to));
    }
    result.map(|()| Some(room - left))
}

/// Puts a copy in the place of what is at a path now.
pub(super) fn back(copy_path: &Path, to: &Path) -> io::Result<()> {
    let meta = fs::symlink_metadata(copy_path)?;
    // First beside it, then into its place: what is there now goes only when the copy is whole.
    let name = to.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
    let folder = to.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    fs::create_dir_all(folder)?;
    let beside = tempfile::Builder::new().prefix(".aish-undo-").tempdir_in(folder)?;
    let fresh = beside.path().join(name);
    copy(copy_path, &fresh, &meta, &mut u64::MAX.clone())?;
    if let Ok(now) = fs::symlink_metadata(to)
        && (now.is_dir() || meta.is_dir())
    {
        fs::rename(to, beside.path().join("now"))?;
    }
    fs::rename(&fresh, to)
}

/// Takes away what was not there before: a file, a link, an empty folder.
pub(super) fn take_away(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn copy(from: &Path, to: &Path, meta: &Metadata, left: &mut u64) -> io::Result<()> {
    if meta.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if meta.is_dir() {
        DirBuilder::new().mode(0o700).create(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()), &fs::symlink_metadata(entry.path())?, left)?;
        }
        fs::set_permissions(to, meta.permissions())?;
        return Ok(());
    }
    if !meta.is_file() {
        return Err(io::Error::other("it is neither file nor folder nor link"));
    }
    let Some(rest) = left.checked_sub(meta.len()) else {
        return Err(io::Error::other("it is too large to be put aside"));
    };
    *left = rest;
    fs::copy(from, to)?;
    if let (Ok(modified), Ok(file)) = (meta.modified(), File::open(to)) {
        // Times are a courtesy: a copy without them is a copy.
        let _ = file.set_times(FileTimes::new().set_modified(modified));
    }
    Ok(())
}
