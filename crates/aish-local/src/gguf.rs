//! What is taken for a model's file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Why a file is no model.
#[derive(Debug, thiserror::Error)]
pub enum NoGguf {
    /// It cannot be read.
    #[error("{path} cannot be read")]
    Unreadable {
        /// The file that was to be read.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// It does not begin as a GGUF file does.
    #[error("{path} is no GGUF file (it does not begin with GGUF and a version of 2 or 3)")]
    Other {
        /// The file that was to be read.
        path: String,
    },
}

/// Checks the first eight bytes of a file: `GGUF` and its version, 2 or 3, as the format's description says.
///
/// # Errors
/// When the file cannot be read or begins otherwise.
pub fn check(file: &Path) -> Result<(), NoGguf> {
    let path = || file.display().to_string();
    let mut head = Vec::with_capacity(8);
    File::open(file)
        .and_then(|opened| opened.take(8).read_to_end(&mut head))
        .map_err(|source| NoGguf::Unreadable { path: path(), source })?;
    match head.as_slice() {
        [b'G', b'G', b'U', b'F', 2 | 3, 0, 0, 0] => Ok(()),
        _ => Err(NoGguf::Other { path: path() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_gguf_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model.gguf");
        for (bytes, good) in [
            (b"GGUF\x03\0\0\0rest".as_slice(), true),
            (b"GGUF\x02\0\0\0", true),
            (b"GGUF\x01\0\0\0", false),
            (b"GGUF\x03", false),
            (b"<html>404", false),
            (b"", false),
        ] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(check(&file).is_ok(), good, "{bytes:?}");
        }
        assert!(matches!(check(&folder.path().join("none")), Err(NoGguf::Unreadable { .. })));
    }
}
