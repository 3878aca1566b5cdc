//! Whether a file is a GGUF, told before llama.cpp sees it, so that the reason can be said in words.
//!
//! The format: `ggml/docs/gguf.md` of the ggml project. Magic `GGUF`, then the version as a little-endian u32.

use std::fs::File;
use std::io::{ErrorKind as IoKind, Read};
use std::path::Path;

use aish_types::embedded::ErrorKind;
use llama_cpp_2::gguf::GgufContext;

/// Why a file is not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    /// It cannot be opened or read.
    #[error("{path} cannot be read: {cause}")]
    Unreadable { path: String, cause: std::io::Error },
    /// It is something else.
    #[error("{path} is no GGUF file: it begins with {found}")]
    NoMagic { path: String, found: String },
    /// Its version is not one that this program reads.
    #[error("{path} is a GGUF file of version {version}; versions 2 and 3 can be read")]
    Version { path: String, version: u32 },
    /// Its head cannot be read to its end.
    #[error("{path} is a broken GGUF file: its head cannot be read (an incomplete download?)")]
    Head { path: String },
}

impl CheckError {
    /// Returns the word of the protocol.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable { .. } => ErrorKind::NoFile,
            Self::NoMagic { .. } | Self::Version { .. } | Self::Head { .. } => ErrorKind::NotGguf,
        }
    }
}

/// Checks magic, version and head.
pub(crate) fn check(file: &Path) -> Result<(), CheckError> {
    let path = || file.display().to_string();
    let mut head = [0_u8; 8];
    let mut opened = File::open(file).map_err(|cause| CheckError::Unreadable { path: path(), cause })?;
    match opened.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == IoKind::UnexpectedEof => {
            return Err(CheckError::NoMagic { path: path(), found: "fewer than eight bytes".into() });
        }
        Err(cause) => return Err(CheckError::Unreadable { path: path(), cause }),
    }
    let [a, b, c, d, version @ ..] = head;
    if [a, b, c, d] != *b"GGUF" {
        let found = [a, b, c, d].escape_ascii().to_string();
        return Err(CheckError::NoMagic { path: path(), found: format!("\"{found}\"") });
    }
    let version = u32::from_le_bytes(version);
    if !(2..=3).contains(&version) {
        return Err(CheckError::Version { path: path(), version });
    }
    GgufContext::from_file(file).map(|_| ()).ok_or_else(|| CheckError::Head { path: path() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: &[u8]) -> String {
        let name = format!("aish-model-gguf-{}-{}", std::process::id(), bytes.len());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, bytes).unwrap();
        let error = check(&file).unwrap_err();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(error.kind(), ErrorKind::NotGguf);
        error.to_string().replace(file.to_str().unwrap(), "FILE")
    }

    #[test]
    fn what_is_no_gguf_is_named() {
        assert_eq!(message(b""), "FILE is no GGUF file: it begins with fewer than eight bytes");
        assert_eq!(message(b"PK\x03\x04 zip"), "FILE is no GGUF file: it begins with \"PK\\x03\\x04\"");
        assert_eq!(message(b"GGUF\x01\0\0\0."), "FILE is a GGUF file of version 1; versions 2 and 3 can be read");
        let cut = b"GGUF\x03\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0 cut here";
        assert!(message(cut).contains("incomplete download"));
    }

    #[test]
    fn a_missing_file_is_another_matter() {
        assert_eq!(check(Path::new("/nonexistent/model.gguf")).unwrap_err().kind(), ErrorKind::NoFile);
    }
}
