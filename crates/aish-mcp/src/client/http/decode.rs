//! Bodies that a server compressed though nobody asked it to.

use std::io::Write;

use bytes::Bytes;
use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};

/// How a body is decoded; known at its first bytes.
enum Decoder {
    Unknown(Claim),
    Plain,
    Gzip(GzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Deflate(DeflateDecoder<Vec<u8>>),
    /// What came was broken.
    Ended,
}

/// What a server says of a body, where that is needed to read it.
#[derive(Clone, Copy)]
enum Claim {
    Deflate,
    Other,
}

/// Decodes a body by how it begins: one that only claims to be compressed is read as it is.
pub(super) fn stream(
    body: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
    encoding: Option<&str>,
) -> BoxStream<'static, reqwest::Result<Bytes>> {
    let says_deflate = encoding.is_some_and(|encoding| encoding.trim().eq_ignore_ascii_case("deflate"));
    let mut decoder = Decoder::Unknown(if says_deflate { Claim::Deflate } else { Claim::Other });
    body.map(move |chunk| chunk.map(|chunk| decoder.decode(chunk))).boxed()
}

/// Writes a text in UTF-8 that begins with the byte order mark of UTF-16.
pub(super) fn text(body: Vec<u8>) -> Vec<u8> {
    let unit: fn([u8; 2]) -> u16 = match body.get(..2) {
        Some([0xFF, 0xFE]) => u16::from_le_bytes,
        Some([0xFE, 0xFF]) => u16::from_be_bytes,
        Some(_) | None => return body,
    };
    let units = body.chunks_exact(2).skip(1).filter_map(|pair| pair.try_into().ok()).map(unit);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into_bytes()
}

impl Decoder {
    fn decode(&mut self, chunk: Bytes) -> Bytes {
        if let (Self::Unknown(claim), Some(first)) = (&*self, chunk.first()) {
            *self = match (claim, first) {
                // No text begins like this.
                (_, 0x1F) => Self::Gzip(GzDecoder::new(Vec::new())),
                (Claim::Deflate, 0x78) => Self::Zlib(ZlibDecoder::new(Vec::new())),
                (Claim::Deflate, byte) if !is_text(*byte) => Self::Deflate(DeflateDecoder::new(Vec::new())),
                (Claim::Deflate | Claim::Other, _) => Self::Plain,
            };
        }
        let (written, decoded) = match self {
            Self::Unknown(_) | Self::Plain => return chunk,
            Self::Ended => return Bytes::new(),
            Self::Gzip(gzip) => (gzip.write_all(&chunk).and_then(|()| gzip.flush()), std::mem::take(gzip.get_mut())),
            Self::Zlib(zlib) => (zlib.write_all(&chunk).and_then(|()| zlib.flush()), std::mem::take(zlib.get_mut())),
            Self::Deflate(raw) => (raw.write_all(&chunk).and_then(|()| raw.flush()), std::mem::take(raw.get_mut())),
        };
        if let Err(why) = written {
            tracing::debug!(%why, "a compressed body is broken");
            *self = Self::Ended;
        }
        decoded.into()
    }
}

/// Returns whether JSON or an event may begin with a byte.
fn is_text(byte: u8) -> bool {
    // The last four begin the fields of an event.
    byte.is_ascii_whitespace()
        || matches!(byte, b'{' | b'[' | b'"' | b':' | 0xEF | 0xFE | 0xFF | b'd' | b'e' | b'i' | b'r')
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    #[test]
    fn utf_16_is_read() {
        let units: Vec<u16> = "\u{feff}{\"a\":\"ü\"}".encode_utf16().collect();
        let little = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(text(little), "{\"a\":\"ü\"}".as_bytes());
        assert_eq!(text(big), "{\"a\":\"ü\"}".as_bytes());
        assert_eq!(text(b"{}".to_vec()), b"{}");
    }

    const TEXT: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

    async fn decoded(bytes: &[u8], encoding: Option<&str>, size: usize) -> Vec<u8> {
        let chunks: Vec<_> = bytes.chunks(size).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let all: Vec<_> = stream(futures_util::stream::iter(chunks), encoding).collect().await;
        all.into_iter().flat_map(Result::unwrap).collect()
    }

    #[tokio::test]
    async fn what_is_compressed_is_decoded_and_what_only_claims_to_be_is_not() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(TEXT).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(TEXT).unwrap();
        let zlib = zlib.finish().unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(TEXT).unwrap();
        let raw = raw.finish().unwrap();
        for size in [1, 7, 1000] {
            assert_eq!(decoded(&raw, Some("deflate"), size).await, TEXT);
            assert_eq!(decoded(&gzip, Some("gzip"), size).await, TEXT);
            assert_eq!(decoded(&gzip, None, size).await, TEXT);
            assert_eq!(decoded(&zlib, Some("deflate"), size).await, TEXT);
            assert_eq!(decoded(TEXT, Some("gzip"), size).await, TEXT);
        }
        let cut = gzip.get(..gzip.len() / 2).unwrap();
        assert!(decoded(cut, Some("gzip"), 5).await.len() < TEXT.len());
    }
}
