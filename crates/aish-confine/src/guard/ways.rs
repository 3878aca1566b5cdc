//! Where a path leads, link by link, and what the file at its end says.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::attributes;

/// Links that are followed one by one; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// Bytes of a file that are read: far more than people write by hand.
const LONGEST: u64 = 4 << 20;

/// Bytes that tell whether a file is a text, and those of a longer one that is none of which the rest is not read.
const START: u64 = 4096;
const LONGEST_BINARY: u64 = 64 << 10;

/// What a file says.
pub(super) struct Text {
    /// The text, with a mark in the place of bytes that are none.
    pub(super) text: String,
    /// Whether that is all of it: what the rest leads to is unknown, which may be anything.
    pub(super) is_whole: bool,
    /// Whether it is a program or data and no text.
    pub(super) is_binary: bool,
}

/// Reads a plain file. One that is not there says nothing, and neither does one that may not be read: no program of the person
/// reads it either. Of another that cannot be read it is unknown what it says.
pub(super) fn text(file: &Path) -> Text {
    let read = || -> io::Result<(Vec<u8>, bool)> {
        let mut bytes = Vec::new();
        let file = attributes::open(file)?;
        let meta = file.metadata()?;
        // A pipe or a device would never end.
        if !meta.is_file() {
            return Ok((bytes, true));
        }
        let mut file = file.take(LONGEST);
        file.by_ref().take(START).read_to_end(&mut bytes)?;
        if bytes.contains(&0) && meta.len() > LONGEST_BINARY {
            return Ok((bytes, false));
        }
        file.read_to_end(&mut bytes)?;
        Ok((bytes, meta.len() <= LONGEST))
    };
    let (bytes, is_whole) = read().unwrap_or_else(|error| {
        use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied};
        let says_nothing = matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | InvalidFilename)
            // A link to itself, and a socket.
            || matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENXIO));
        (Vec::new(), says_nothing)
    });
    let is_binary = bytes.iter().take(4096).any(|byte| *byte == 0);
    Text { text: String::from_utf8_lossy(&bytes).into_owned(), is_whole, is_binary }
}

/// Returns the path that is named from a folder, or with `~/` from the home folder; none where there is no home folder. `~ana/`
/// is from that of another.
pub(super) fn place(from: &Path, home: Option<&Path>, named: &str) -> Option<PathBuf> {
    let Some(rest) = named.strip_prefix('~') else { return Some(from.join(named)) };
    let (user, below) = rest.split_once('/').unwrap_or((rest, ""));
    match user {
        "" => Some(home?.join(below)),
        // A file may be called so, too.
        user => Some(home_of(user).map_or_else(|| from.join(named), |home| home.join(below))),
    }
}

/// Returns the home folder that the table of users has for a name.
fn home_of(user: &str) -> Option<PathBuf> {
    let table = fs::read("/etc/passwd").ok()?;
    let table = String::from_utf8_lossy(&table);
    let mut lines = table.lines().map(|line| line.split(':'));
    lines.find_map(|mut fields| (fields.next()? == user).then(|| fields.nth(4))?.map(PathBuf::from))
}

/// Returns a path as it is written, each link on its way, and what is there or would be: whoever replaces one of them changes
/// what is read.
pub(super) fn ways(first: &Path) -> Vec<PathBuf> {
    let mut all = vec![plain(first)];
    for path in follow(PathBuf::new(), first) {
        if all.first() != Some(&path) {
            all.push(path);
        }
    }
    all
}

/// Follows a path from a folder without links in its own: returns each link on its way, and last what is there or would be.
fn follow(folder: PathBuf, path: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut at = folder;
    let mut left = parts(path);
    while let Some(part) = left.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        // A path from the root begins anew.
        at.push(&part);
        if part == "/" || all.len() >= MOST_LINKS {
            continue;
        }
        if let Ok(target) = fs::read_link(&at) {
            all.push(at.clone());
            at.pop();
            left.extend(parts(&target));
        }
    }
    all.push(at);
    all
}

/// Lists the parts of a path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().map(|part| part.as_os_str());
    parts.filter(|part| *part != ".").map(OsString::from).rev().collect()
}

/// Writes a path without steps up.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components().map(|part| part.as_os_str()) {
        if part == ".." {
            plain.pop();
        } else if part != "." {
            plain.push(part);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn each_link_on_the_way_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(real.join("a/deep")).unwrap();
        fs::write(real.join("a/file"), "").unwrap();
        for (target, link) in [("a/deep", "b"), ("b/../file", "c"), ("c", "d"), ("round", "round"), ("a/later", "e")] {
            symlink(target, real.join(link)).unwrap();
        }
        symlink(real.join("d"), real.join("f")).unwrap();
        let of = |path: &str| {
            let ways = ways(&real.join(path));
            ways.iter().map(|way| way.strip_prefix(&real).unwrap().display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("a/file"), ["a/file"]);
        assert_eq!(of("x/../a/./file"), ["a/file"]);
        assert_eq!(of("b/x"), ["b/x", "b", "a/deep/x"]);
        assert_eq!(of("f"), ["f", "d", "c", "b", "a/file"]);
        assert_eq!(of("e"), ["e", "a/later"]);
        assert_eq!(of("round").last().unwrap(), "round");
    }

    #[test]
    fn a_place_may_be_named_from_the_home_of_anybody() {
        let (from, home) = (Path::new("/from"), Some(Path::new("/home/ana")));
        for (named, expected) in [
            ("~/a", "/home/ana/a"),
            ("~", "/home/ana"),
            ("~root/a", "/root/a"),
            ("~nobody-here/a", "/from/~nobody-here/a"),
        ] {
            assert_eq!(place(from, home, named), Some(expected.into()), "{named}");
        }
        assert_eq!(place(from, None, "~/a"), None);
    }

    #[test]
    fn bytes_that_are_no_text_hide_nothing_and_a_long_file_is_not_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, b"caf\xe9 @x").unwrap();
        let found = text(&file);
        assert!(found.text.ends_with(" @x") && found.is_whole && !found.is_binary);
        fs::File::options().write(true).open(&file).unwrap().set_len(LONGEST + 1).unwrap();
        let found = text(&file);
        assert!(found.text.contains(" @x") && !found.is_whole && found.is_binary);
        for path in ["", "none", "a/b"] {
            let found = text(&folder.path().join(path));
            assert!(found.text.is_empty() && found.is_whole, "{path}");
        }
    }
}
