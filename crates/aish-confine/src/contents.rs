//! Contents of files and folders: how much it is, and whether two are the same.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::attributes::{self, Attributes, FileKind};
use crate::walk;

/// Bytes of two files that are compared at once.
const PIECE: usize = 64 * 1024;

/// What came or went as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    /// Files and their bytes.
    pub(crate) of: (u64, u64),
    /// Whether all of it could be looked at.
    pub(crate) is_whole: bool,
}

/// Counts the files and bytes of what came or went as a whole.
pub(crate) fn count(path: &Path, attributes: &Attributes) -> Count {
    if attributes.kind != FileKind::Folder {
        return Count { of: (1, attributes.size), is_whole: true };
    }
    let (mut files, mut bytes) = (0_u64, 0_u64);
    let is_whole = walk::all(path, |below| match Attributes::from_metadata(below.meta).kind {
        FileKind::Folder | FileKind::Whiteout => {}
        FileKind::File | FileKind::Link | FileKind::Special => {
            files += 1;
            bytes = bytes.saturating_add(below.meta.len());
        }
    });
    Count { of: (files, bytes), is_whole }
}

/// Compares contents; read only where size and kind are equal.
pub(crate) fn is_same_content(a: &Path, a_is: &Attributes, b: &Path, b_is: &Attributes) -> io::Result<bool> {
    if a_is.kind != b_is.kind || a_is.size != b_is.size {
        return Ok(false);
    }
    if a_is.kind == FileKind::Link {
        return Ok(fs::read_link(a)? == fs::read_link(b)?);
    }
    let (mut a, mut b) = match (attributes::open(a), attributes::open(b)) {
        (Ok(a), Ok(b)) => (a, b),
        // What cannot be read is told as changed.
        (Err(_), _) | (_, Err(_)) => return Ok(false),
    };
    // One byte more than the file, so that its end is seen at once.
    let piece = usize::try_from(a_is.size).unwrap_or(PIECE).saturating_add(1).min(PIECE);
    let (mut left, mut right) = (vec![0; piece], vec![0; piece]);
    loop {
        let read = a.read(&mut left)?;
        if read == 0 {
            return Ok(b.read(&mut right)? == 0);
        }
        let (Some(left), Some(right)) = (left.get(..read), right.get_mut(..read)) else { return Ok(false) };
        if b.read_exact(right).is_err() || left != right {
            return Ok(false);
        }
    }
}
