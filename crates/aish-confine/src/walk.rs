//! All that lies below a folder, however deep: a path to it may be longer than the system takes.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::deep::nearer;
use crate::layer::{LayerError, at};

/// Something below a folder.
pub(crate) struct Below<'a> {
    /// Its path below that.
    pub(crate) path: &'a Path,
    /// A path by which it can be opened.
    pub(crate) place: &'a Path,
    pub(crate) meta: &'a Metadata,
}

/// Visits everything below a folder; a folder comes before what is in it. Says whether all of it could be looked at: what is gone
/// by then counts as if it had never been there.
pub(crate) fn all(folder: &Path, mut visit: impl FnMut(&Below<'_>)) -> bool {
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let mut is_whole = true;
    let mut folders = vec![(None, folder.to_owned(), PathBuf::new())];
    while let Some((base, folder, path)) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                is_whole &= is_gone(&error);
                continue;
            }
        };
        for entry in entries {
            let found = entry.and_then(|entry| Ok((entry.metadata()?, entry)));
            let (meta, entry) = match found {
                Ok(found) => found,
                Err(error) => {
                    is_whole &= is_gone(&error);
                    continue;
                }
            };
            let (place, path) = (entry.path(), path.join(entry.file_name()));
            visit(&Below { path: &path, place: &place, meta: &meta });
            if meta.is_dir() {
                let (base, place) = nearer(base.clone(), place);
                folders.push((base, place, path));
            }
        }
    }
    is_whole
}

/// Lists names of a folder of a layer in order.
pub(crate) fn names(folder: &Path) -> Result<Vec<OsString>, LayerError> {
    let list = || -> io::Result<Vec<OsString>> { fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect() };
    let mut names = match list() {
        // The command took the right to read it away; it is ours all the same.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let was = at(folder, fs::symlink_metadata(folder))?.permissions();
            let open = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            at(folder, fs::set_permissions(folder, open))?;
            let names = list();
            at(folder, fs::set_permissions(folder, was))?;
            at(folder, names)?
        }
        names => at(folder, names)?,
    };
    names.sort();
    Ok(names)
}
