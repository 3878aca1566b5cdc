//! Images among files, by their first bytes.

use aish_types::Block;
use base64::Engine as _;

/// The most bytes of an image that is sent.
const MOST: usize = 5 * 1024 * 1024;

/// Returns an image as content; none where the bytes are none, or too many.
pub(super) fn block(bytes: &[u8]) -> Option<Block> {
    let kind = match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return None,
    };
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    (bytes.len() <= MOST).then(|| Block::Image { media_type: kind.into(), data })
}
