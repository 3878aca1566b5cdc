//! Images that a person attaches to a question.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use aish_types::Block;
use base64::Engine as _;

/// The largest image in bytes; providers take 5 to 20 MB.
pub const LARGEST: u64 = 20 * 1024 * 1024;

/// Why a file cannot be attached.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// It is too large.
    #[error("{} has {bytes} bytes; an image may have {LARGEST}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// It is none of the known kinds.
    #[error("{} is no PNG, JPEG, GIF or WebP image", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
    },
}

/// Reads an image.
///
/// # Errors
/// When the file cannot be read, is over 20 MiB, or is no PNG, JPEG, GIF or WebP by its first bytes.
pub fn read(path: &Path) -> Result<Block, ImageError> {
    let failed = |cause| ImageError::Read { path: path.to_owned(), cause };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(ImageError::Unknown { path: path.to_owned() });
    }
    if metadata.len() > LARGEST {
        return Err(ImageError::TooLarge { path: path.to_owned(), bytes: metadata.len() });
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let media_type = media_type(&bytes).ok_or_else(|| ImageError::Unknown { path: path.to_owned() })?;
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    Ok(Block::Image { media_type: media_type.to_owned(), data })
}

/// Puts the kind of an image that came from a tool right, by its bytes; false where it is none that models take. Servers
/// refuse a conversation with such a one, and so every later request of its session.
pub fn settle(media_type: &mut String, data: &mut String) -> bool {
    if let Cow::Owned(base64) = plain_base64(data) {
        *data = base64;
    }
    let is_large = data.len() as u64 / 4 * 3 > LARGEST;
    let bytes = if is_large { None } else { base64::engine::general_purpose::STANDARD.decode(&*data).ok() };
    let Some(kind) = bytes.and_then(|bytes| self::media_type(&bytes)) else { return false };
    if media_type != kind {
        kind.clone_into(media_type);
    }
    true
}

/// Returns the base64 of what may be broken into lines, or be a `data:` URL.
pub fn plain_base64(data: &str) -> Cow<'_, str> {
    let behind = data.strip_prefix("data:").and_then(|url| url.split_once(";base64,")).map(|(_, behind)| behind);
    if behind.is_none() && !data.contains(|c: char| c.is_ascii_whitespace()) {
        return Cow::Borrowed(data);
    }
    Cow::Owned(behind.unwrap_or(data).split_ascii_whitespace().collect())
}

/// Names an image's kind by its first bytes.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_the_bytes_and_not_by_the_name() {
        for (bytes, kind) in [
            (b"\x89PNG\r\n\x1a\n....".as_slice(), Some("image/png")),
            (b"\xff\xd8\xff\xe0..", Some("image/jpeg")),
            (b"GIF89a..", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"<svg/>", None),
            (b"", None),
        ] {
            assert_eq!(media_type(bytes), kind);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dot.png");
        std::fs::write(&path, "GIF89a").unwrap();
        let block = Block::Image { media_type: "image/gif".into(), data: "R0lGODlh".into() };
        assert_eq!(read(&path).unwrap(), block);
        assert!(matches!(read(folder.path()), Err(ImageError::Unknown { .. })));
        assert!(matches!(read(&folder.path().join("none")), Err(ImageError::Read { .. })));
    }
}
