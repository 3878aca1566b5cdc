//! What an index of git says, but for what it notes of the files on the disk: git writes that anew whenever it looks, as for a
//! plain `git status` (git's `index-format`, versions 2 to 4).

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use sha1::{Digest as _, Sha1};

/// Bytes of an index that is read.
const LONGEST: u64 = 64 << 20;

/// Bytes of its sum, at the end.
const SUM: usize = 20;

/// Bytes of an entry that tell of the file on the disk, but for the mode, which is git's own.
const MODE: std::ops::Range<usize> = 24..28;

/// Bytes of an entry from the object's name on, and where its flags begin.
const NAME: usize = 40;
const FLAGS: usize = 60;

/// Bytes of an entry before its path.
const FIXED: usize = 62;

/// The flag of an entry with two more bytes of flags.
const EXTENDED: u8 = 0x40;

/// Parts of an index that are made anew from the rest of it and the files.
const CACHES: [&[u8]; 5] = [b"TREE", b"UNTR", b"FSMN", b"EOIE", b"IEOT"];

/// Returns a number that tells such states apart; none of what is no index of git that is understood and whole.
pub(crate) fn print(file: &Path) -> Option<u64> {
    if file.file_name()? != "index" {
        return None;
    }
    let meta = fs::symlink_metadata(file).ok()?;
    let bytes = (meta.is_file() && meta.len() <= LONGEST).then(|| fs::read(file).ok())??;
    of(&bytes)
}

fn of(bytes: &[u8]) -> Option<u64> {
    let (bytes, sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM)?)?;
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let version = number(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) || Sha1::digest(bytes)[..] != *sum {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    let count = number(8)?;
    count.hash(&mut hasher);
    let mut at = 12;
    for _ in 0..count {
        let start = at;
        let flags = bytes.get(start + FLAGS..start + FIXED)?;
        let is_extended = version >= 3 && flags.first()? & EXTENDED != 0;
        at += FIXED + if is_extended { 2 } else { 0 };
        if version == 4 {
            // How much of the path before goes, in bytes of seven bits each.
            at += bytes.get(at..)?.iter().position(|byte| byte & 0x80 == 0)? + 1;
        }
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        bytes.get(start..start + FIXED)?.get(MODE)?.hash(&mut hasher);
        bytes.get(start + NAME..at)?.hash(&mut hasher);
        // Up to version 3 entries are filled with one to eight NULs.
        at = if version == 4 { at + 1 } else { start + ((at - start) / 8 + 1) * 8 };
    }
    while at < bytes.len() {
        let (name, length) = (bytes.get(at..at + 4)?, usize::try_from(number(at + 4)?).ok()?);
        let part = bytes.get(at + 8..at.checked_add(8)?.checked_add(length)?)?;
        if !CACHES.contains(&name) {
            (name, part).hash(&mut hasher);
        }
        at += 8 + length;
    }
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 2 with one entry, and parts behind it.
    fn index(mode: u8, stat: u8, object: u8, parts: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        bytes.extend([stat; 24]);
        bytes.extend([0, 0, 0x81, mode]);
        bytes.extend([stat; 12]);
        bytes.extend([object; 20]);
        bytes.extend([0, 1, b'f', 0]);
        for (name, part) in parts {
            bytes.extend(*name);
            bytes.extend(u32::try_from(part.len()).unwrap().to_be_bytes());
            bytes.extend(*part);
        }
        let sum = Sha1::digest(&bytes);
        bytes.extend(&sum[..]);
        bytes
    }

    #[test]
    fn what_it_notes_of_files_makes_no_difference() {
        let one = of(&index(0xa4, 1, 1, &[])).unwrap();
        for (same, other) in [
            (true, index(0xa4, 2, 1, &[])),
            (true, index(0xa4, 1, 1, &[(b"TREE", b"x")])),
            (false, index(0xed, 1, 1, &[])),
            (false, index(0xa4, 1, 2, &[])),
            (false, index(0xa4, 1, 1, &[(b"REUC", b"x")])),
        ] {
            assert_eq!(of(&other).unwrap() == one, same);
        }
        let mut broken = index(0xa4, 1, 1, &[]);
        broken[40] ^= 1;
        assert_eq!(of(&broken), None);
        assert_eq!(of(b""), None);
        assert_eq!(of(b"DIRC"), None);
    }
}
