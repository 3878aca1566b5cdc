//! Files that are kept to save time and can be made anew: believed only where nobody else can have written them.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::replace::{ReplaceError, replace};

/// Write permission of a group and of everybody.
const OTHERS_WRITE: u32 = 0o022;

/// Reads a file of at most so many bytes that belongs to this user, or to root, and that nobody else may write; a link is not
/// followed, and a pipe or device is not waited for.
///
/// # Errors
/// When it is not there, cannot be read, or is another one than that.
pub fn read_own(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let facts = file.metadata()?;
    if !is_own(&facts) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "somebody else may have written it"));
    }
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than such a file gets");
    if facts.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).map_err(|_| too_large())?);
    // It may grow while it is read.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Puts a content in the place of such a file. What is there and would not be read is taken away first: a link stays no link,
/// and its permissions are not taken over.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn replace_own(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    if fs::symlink_metadata(path).is_ok_and(|facts| !is_own(&facts)) {
        // Where that fails, writing says why.
        let _ = fs::remove_file(path);
    }
    replace(path, content)
}

fn is_own(facts: &fs::Metadata) -> bool {
    let owners = [rustix::process::geteuid().as_raw(), 0];
    facts.is_file() && owners.contains(&facts.uid()) && facts.mode() & OTHERS_WRITE == 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn what_was_written_is_read_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/kept");
        replace_own(&path, b"1234").unwrap();
        assert_eq!(read_own(&path, 4).unwrap(), b"1234");
        assert_eq!(read_own(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_own(&folder.path().join("none"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_others_may_have_written_is_not_read_and_gives_way() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("kept"), folder.path().join("other"));
        replace_own(&other, b"other").unwrap();
        let put: [&dyn Fn(); 4] = [
            &|| {
                fs::write(&path, "x").unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
            },
            &|| symlink(&other, &path).unwrap(),
            &|| symlink("/dev/zero", &path).unwrap(),
            &|| rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap(),
        ];
        for put in put {
            put();
            assert!(read_own(&path, 100).is_err());
            replace_own(&path, b"mine").unwrap();
            assert_eq!(read_own(&path, 100).unwrap(), b"mine");
            fs::remove_file(&path).unwrap();
        }
        assert_eq!(fs::read(&other).unwrap(), b"other", "what a link leads to is left alone");
    }
}
