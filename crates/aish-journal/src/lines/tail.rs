//! The end of a file whose last writer died: whole lines stay, a torn one is set aside.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const BLOCK: u64 = 64 * 1024;

/// A torn last line that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Its size in bytes.
    pub bytes: u64,
    /// The file that it was added to.
    pub kept_in: PathBuf,
}

/// Sets a torn last line aside; a whole one that only lacks its end gets it. The caller holds the lock.
pub(crate) fn mend(file: &File, path: &Path) -> io::Result<Option<Torn>> {
    let length = file.metadata()?.len();
    let Some(last) = length.checked_sub(1) else { return Ok(None) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    if byte == *b"\n" {
        return Ok(None);
    }
    let start = start_of_last_line(file, length)?;
    let mut tail = vec![0; usize::try_from(length - start).map_err(io::Error::other)?];
    file.read_exact_at(&mut tail, start)?;
    if serde_json::from_slice::<serde::de::IgnoredAny>(&tail).is_ok_and(|_| tail.first() == Some(&b'{')) {
        (&*file).write_all(b"\n")?;
        return Ok(None);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".torn");
    let kept_in = PathBuf::from(name);
    let mut aside = OpenOptions::new().append(true).create(true).mode(0o600).open(&kept_in)?;
    aside.write_all(&tail)?;
    aside.write_all(b"\n")?;
    aside.sync_data()?;
    file.set_len(start)?;
    tracing::warn!(path = %path.display(), bytes = tail.len(), "a torn last line was set aside");
    Ok(Some(Torn { bytes: length - start, kept_in }))
}

fn start_of_last_line(file: &File, length: u64) -> io::Result<u64> {
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = vec![0; usize::try_from(end - start).map_err(io::Error::other)?];
        file.read_exact_at(&mut block, start)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
