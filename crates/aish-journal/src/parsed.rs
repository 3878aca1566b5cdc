//! A whole file as it was parsed, held while the file is the same: ours are replaced and never written in place, so that another
//! content is another inode.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::replace::read_if_there;

/// What tells one content from another: device, inode, bytes, and the time of the last change in seconds and nanoseconds.
type Stamp = (u64, u64, u64, i64, i64);

/// The last content.
#[derive(Debug)]
pub(crate) struct Parsed<T> {
    last: Mutex<Option<(Stamp, Arc<T>)>>,
}

impl<T> Default for Parsed<T> {
    fn default() -> Self {
        Self { last: Mutex::new(None) }
    }
}

impl<T> Parsed<T> {
    /// Returns what a file holds now; `parse` gets its bytes, none for a missing file.
    ///
    /// # Errors
    /// When it cannot be read, or `parse` says so; nothing is held then.
    pub(crate) fn of<E: From<io::Error>>(
        &self,
        path: &Path,
        parse: impl FnOnce(Option<&[u8]>) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Before it is read: of what comes between the two, the next look sees another stamp.
        let stamp = stamp(path);
        if let (Some((held, content)), Some(stamp)) = (&*last, stamp)
            && *held == stamp
        {
            return Ok(Arc::clone(content));
        }
        *last = None;
        let content = Arc::new(parse(read_if_there(path)?.as_deref())?);
        *last = stamp.map(|stamp| (stamp, Arc::clone(&content)));
        Ok(content)
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino(), meta.len(), meta.ctime(), meta.ctime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_parsed_again_when_it_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let parsed = Parsed::<String>::default();
        let count = std::cell::Cell::new(0);
        let get = || {
            let of = |bytes: Option<&[u8]>| {
                count.set(count.get() + 1);
                match bytes {
                    Some(b"bad") => Err(io::Error::other("bad")),
                    other => Ok(String::from_utf8_lossy(other.unwrap_or(b"none")).into_owned()),
                }
            };
            parsed.of(&path, of).map(|content| content.to_string()).unwrap_or_else(|error| error.to_string())
        };
        assert_eq!((get(), get(), count.get()), ("none".into(), "none".into(), 2));
        for text in ["one", "two", "bad", "two"] {
            crate::replace(&path, text.as_bytes()).unwrap();
            let before = count.get();
            assert_eq!((get(), get()), (text.to_owned(), text.to_owned()));
            assert_eq!(count.get() - before, if text == "bad" { 2 } else { 1 });
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(get(), "none");
    }
}
