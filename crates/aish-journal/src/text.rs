//! Texts that other programs and other people's folders hold: a pipe, a device or a file without an end holds no reader.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Bytes of the longest text of another program that is read.
const LONGEST: u64 = 64 << 20;

/// Reads a plain file, through links too; what is something else is not waited for.
///
/// # Errors
/// When it is not there, is no plain file, has more than 64 MiB or is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(Errno::ISDIR.into());
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    read_whole(file, LONGEST)
}

/// Reads a text of at most so many bytes to its end.
///
/// # Errors
/// When it is longer, cannot be read or is no UTF-8.
pub fn read_whole(from: impl Read, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {} MiB", most >> 20)));
    }
    // The words of the standard library for it.
    let not_utf_8 = |_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(bytes).map_err(not_utf_8)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_a_plain_file_is_read_and_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("plain"), "ä").unwrap();
        symlink("plain", path("link")).unwrap();
        std::fs::write(path("latin"), b"\xe4").unwrap();
        symlink("/dev/zero", path("device")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        let said = |name: &str| read_text(&path(name)).map_err(|error| error.to_string());
        assert_eq!((said("plain"), said("link")), (Ok("ä".to_owned()), Ok("ä".to_owned())));
        for (name, why) in [
            ("latin", "stream did not contain valid UTF-8"),
            ("device", "it is no plain file"),
            ("pipe", "it is no plain file"),
            ("folder", "Is a directory (os error 21)"),
            ("none", "No such file or directory (os error 2)"),
        ] {
            assert_eq!(said(name), Err(why.to_owned()), "{name}");
        }
        let whole = |most| read_whole(&b"12345"[..], most).map_err(|error| error.kind());
        assert_eq!((whole(5), whole(4)), (Ok("12345".to_owned()), Err(io::ErrorKind::FileTooLarge)));
    }
}
