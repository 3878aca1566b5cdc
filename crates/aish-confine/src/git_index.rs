//! The index of a git work tree: which content git has of a path (git's `index-format`, versions 2 to 4).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sha1::{Digest as _, Sha1};

use crate::tree::pointer;

/// Bytes of an index that is read.
const LONGEST: u64 = 256 << 20;

/// Bytes of a file that is compared.
const LONGEST_FILE: u64 = 1 << 20;

/// Bytes of an entry before its path: attributes, the object's name, flags.
const FIXED: usize = 62;

/// Where the object's name is in an entry.
const NAME: std::ops::Range<usize> = 40..60;

/// The flag of an entry with two more bytes of flags.
const EXTENDED: u8 = 0x40;

/// Paths and the objects that git has for them; only those of files that are called `.env` and the like.
#[derive(Debug)]
pub(crate) struct Index {
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    /// Folders of a few names with something in them that git has.
    folders: BTreeSet<Vec<u8>>,
}

impl Index {
    /// Reads the index of a work tree; none where there is none that is understood. `names` are those of folders that
    /// [`Index::has_in`] is asked about.
    pub(crate) fn of(work_tree: &Path, names: &[&str]) -> Option<Self> {
        let git = work_tree.join(".git");
        let git = pointer(&git).map_or(git, |named| work_tree.join(named));
        let file = git.join("index");
        let meta = fs::symlink_metadata(&file).ok()?;
        let bytes = (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read(file).ok())??;
        Self::parse(&bytes, names)
    }

    fn parse(bytes: &[u8], names: &[&str]) -> Option<Self> {
        if bytes.get(..4)? != b"DIRC" {
            return None;
        }
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let version = number(4)?;
        if !(2..=4).contains(&version) {
            return None;
        }
        let (mut entries, mut folders) = (Vec::new(), BTreeSet::new());
        let mut path: Vec<u8> = Vec::new();
        let mut at = 12;
        for _ in 0..number(8)? {
            let start = at;
            let object = bytes.get(start + NAME.start..start + NAME.end)?;
            let is_extended = version >= 3 && bytes.get(start + 60)? & EXTENDED != 0;
            at += FIXED + if is_extended { 2 } else { 0 };
            if version == 4 {
                let (strip, read) = offset(bytes.get(at..)?)?;
                at += read;
                path.truncate(path.len().checked_sub(strip)?);
            } else {
                path.clear();
            }
            let rest = bytes.get(at..)?;
            let length = rest.iter().position(|byte| *byte == 0)?;
            path.extend_from_slice(rest.get(..length)?);
            at += length;
            // Up to version 3 entries are filled with one to eight NULs.
            at = if version == 4 { at + 1 } else { start + ((at - start) / 8 + 1) * 8 };
            if path.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(b".env")) {
                entries.push((path.clone(), object.to_vec()));
            }
            let mut start = 0;
            for (end, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/' && !names.is_empty()) {
                let name = path.get(start..end).unwrap_or_default();
                if names.iter().any(|known| known.as_bytes() == name) {
                    let folder = path.get(..end).unwrap_or_default();
                    if !folders.contains(folder) {
                        folders.insert(folder.to_vec());
                    }
                }
                start = end + 1;
            }
        }
        Some(Self { entries, folders })
    }

    /// Says whether git has something in a folder of one of the names.
    pub(crate) fn has_in(&self, folder: &[u8]) -> bool {
        self.folders.contains(folder)
    }

    /// Says whether the content of a file is the one that git has for a path.
    pub(crate) fn has(&self, path: &[u8], file: &Path) -> bool {
        let Some((_, object)) = self.entries.iter().find(|(known, _)| known == path) else { return false };
        let is_short = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST_FILE);
        let Some(Ok(content)) = is_short.then(|| fs::read(file)) else { return false };
        let mut hash = Sha1::new();
        hash.update(format!("blob {}\0", content.len()));
        hash.update(&content);
        hash.finalize()[..] == object[..]
    }
}

/// Reads a number as version 4 writes how much of the path before goes, and how many bytes it took.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (position, byte) in bytes.iter().enumerate().take(5) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, position + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_index_is_none() {
        for bytes in
            [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"DIRC\0\0\0\x09\0\0\0\0", b"PACK\0\0\0\x02\0\0\0\0"]
        {
            assert!(Index::parse(bytes, &["build"]).is_none(), "{bytes:?}");
        }
        assert!(Index::parse(b"DIRC\0\0\0\x02\0\0\0\0", &[]).unwrap().entries.is_empty());
        assert!(Index::parse(&[b"DIRC\0\0\0\x02\xff\xff\xff\xff".to_vec(), vec![1; 200]].concat(), &[]).is_none());
    }
}
