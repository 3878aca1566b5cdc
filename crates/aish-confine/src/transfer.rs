//! Copies of files and folders with everything that belongs to them, where a rename cannot reach.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, SeekFrom, StatxFlags, seek, statx};

use crate::attributes::{Attributes, FileKind};
use crate::extended::{self, Which};
use crate::readable::Readables;

/// Says whether a rename between two folders can work: they are on the same mount of the same file system.
pub(crate) fn is_same_mount(a: &Path, b: &Path) -> io::Result<bool> {
    let of = |path: &Path| -> io::Result<_> {
        let stat =
            statx(CWD, path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS | StatxFlags::MNT_ID)?;
        Ok((stat.stx_mnt_id, stat.stx_dev_major, stat.stx_dev_minor))
    };
    Ok(of(a)? == of(b)?)
}

/// A file by its device and inode: roots may be on several file systems.
pub(crate) type FileId = (u64, u64);

/// Files with several names, and what is known of them.
#[derive(Default)]
pub(crate) struct Seen {
    /// Where names of each are that a link can be made of: one on each file system that a link was refused to.
    names: HashMap<FileId, Vec<PathBuf>>,
    /// What they were before another of their names was changed, and with it they themselves.
    before: HashMap<FileId, Before>,
}

/// What a file was.
pub(crate) struct Before {
    pub(crate) attributes: Attributes,
    /// What has its extended attributes of then, where they changed.
    pub(crate) extended: Option<PathBuf>,
}

impl Seen {
    /// Gives a file that was copied another name, and says whether that was done.
    fn link(&self, file: FileId, to: &Path) -> io::Result<bool> {
        for name in self.names.get(&file).into_iter().flatten() {
            match fs::hard_link(name, to) {
                // That one is on another mount, or has all the names that it may have.
                Err(error) if matches!(error.kind(), io::ErrorKind::CrossesDevices | io::ErrorKind::TooManyLinks) => {}
                done => return done.map(|()| true),
            }
        }
        Ok(false)
    }

    /// Notes where a name of a file is.
    pub(crate) fn add(&mut self, file: FileId, name: &Path) {
        self.names.entry(file).or_default().push(name.to_owned());
    }

    /// Lists files and where names of them are.
    pub(crate) fn copies(&self) -> impl Iterator<Item = (FileId, &Path)> {
        self.names.iter().flat_map(|(file, names)| names.iter().map(|name| (*file, name.as_path())))
    }

    /// Notes what a file was.
    pub(crate) fn was(&mut self, file: FileId, before: Before) {
        self.before.entry(file).or_insert(before);
    }
}

/// Copies what is at a path to a path where nothing is: contents with their holes, links among each other, times, modes,
/// owners where the system allows it, extended attributes.
///
/// `seen` holds inodes that were copied before and have several names; `readable` is where modes are noted of what its owner may
/// not read; `which` says whether notes of overlayfs belong to it,
/// as they do to what a layer was not made of.
pub(crate) fn copy(from: &Path, to: &Path, seen: &mut Seen, readable: &Readables, which: Which) -> io::Result<()> {
    let Some(attributes) = Attributes::of(from)? else { return Err(io::ErrorKind::NotFound.into()) };
    // What its owner may not read is ours all the same.
    let _readable = readable.make(from, &attributes)?;
    let file = file_id(from)?;
    match attributes.kind {
        FileKind::File => {
            if attributes.links > 1 || seen.names.contains_key(&file) {
                if seen.link(file, to)? {
                    return Ok(());
                }
                seen.add(file, to);
            }
            let target = File::options().write(true).create_new(true).mode(0o600).open(to)?;
            copy_content(&File::open(from)?, &target, attributes.size)?;
        }
        FileKind::Link => symlink(fs::read_link(from)?, to)?,
        FileKind::Folder => {
            fs::create_dir(to)?;
            for entry in fs::read_dir(from)? {
                let name = entry?.file_name();
                copy(&from.join(&name), &to.join(&name), seen, readable, which)?;
            }
        }
        FileKind::Whiteout => return Ok(()),
        FileKind::Special => {
            let meta = fs::symlink_metadata(from)?;
            let kind = rustix::fs::FileType::from_raw_mode(meta.mode());
            rustix::fs::mknodat(CWD, to, kind, Mode::from_raw_mode(0o600), meta.rdev())?;
        }
    }
    let before = seen.before.get(&file);
    let attributes = before.map_or(&attributes, |before| &before.attributes);
    // A new owner takes a file's capabilities away.
    attributes.give_owner(CWD.as_fd(), to)?;
    extended::copy(from, to, which)?;
    if let Some(extended) = before.and_then(|before| before.extended.as_deref()) {
        extended::copy(extended, to, Which::Seen)?;
    }
    attributes.apply(CWD, to)
}

pub(crate) fn file_id(path: &Path) -> io::Result<FileId> {
    let meta = fs::symlink_metadata(path)?;
    Ok((meta.dev(), meta.ino()))
}

/// Copies the pieces of a file that hold data, so that holes stay holes.
fn copy_content(from: &File, to: &File, size: u64) -> io::Result<()> {
    to.set_len(size)?;
    let mut at = 0;
    while at < size {
        let start = match seek(from, SeekFrom::Data(at)) {
            Ok(start) => start,
            Err(rustix::io::Errno::NXIO) => break,
            Err(_) => at,
        };
        let end = seek(from, SeekFrom::Hole(start)).unwrap_or(size).min(size);
        if end <= start {
            break;
        }
        seek(from, SeekFrom::Start(start))?;
        seek(to, SeekFrom::Start(start))?;
        let (mut reader, mut writer) = (io::Read::take(from, end - start), to);
        if io::copy(&mut reader, &mut writer)? == 0 {
            break;
        }
        at = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileExt as _, PermissionsExt as _};

    use super::*;

    #[test]
    fn a_copy_has_holes_links_modes_and_times() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("empty")).unwrap();
        let sparse = File::create(from.join("sparse")).unwrap();
        sparse.set_len(8 << 20).unwrap();
        sparse.write_at(b"end", (8 << 20) - 3).unwrap();
        fs::write(from.join("a"), "one").unwrap();
        fs::hard_link(from.join("a"), from.join("b")).unwrap();
        symlink("nowhere", from.join("link")).unwrap();
        fs::set_permissions(from.join("a"), fs::Permissions::from_mode(0o440)).unwrap();
        fs::set_permissions(&from, fs::Permissions::from_mode(0o750)).unwrap();
        copy(&from, &to, &mut Seen::default(), &Readables::new(folder.path().join("note")), Which::All).unwrap();
        let meta = |name: &str| fs::symlink_metadata(to.join(name)).unwrap();
        assert!(meta("sparse").blocks() * 512 < 1 << 20);
        assert_eq!(fs::read(to.join("sparse")).unwrap(), fs::read(from.join("sparse")).unwrap());
        assert_eq!(meta("a").ino(), meta("b").ino());
        assert_eq!(meta("a").mode() & 0o777, 0o440);
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("nowhere"));
        let times = |path: &Path| fs::symlink_metadata(path).unwrap().modified().unwrap();
        for name in ["a", "sparse", "empty", "link", ""] {
            assert_eq!(times(&from.join(name)), times(&to.join(name)), "{name}");
        }
    }
}
