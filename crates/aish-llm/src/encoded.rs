//! Replies that a server or a proxy compressed although nobody asked for it.

use std::io::Write;

use bytes::Bytes;
use flate2::write::{GzDecoder, ZlibDecoder};
use futures_util::{StreamExt, stream};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::event::ChatError;
use crate::sse::{Body, BodyError};

/// How a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Not at all.
    Plain,
    /// gzip (RFC 1952).
    Gzip,
    /// `deflate`, which is zlib (RFC 9110, 8.4.1.2).
    Zlib,
}

impl Coding {
    /// Reads the headers.
    ///
    /// # Errors
    /// [`ChatError::Unreadable`] for a coding that is not known here; asking again would bring the same.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, ChatError> {
        let coding = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match coding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Self::Plain),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            "deflate" => Ok(Self::Zlib),
            other => Err(ChatError::Unreadable(format!("it is compressed with {other}, which nobody asked for"))),
        }
    }
}

enum Decoder {
    Gzip(GzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
}

impl Decoder {
    fn decode(&mut self, part: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Gzip(decoder) => {
                decoder.write_all(part)?;
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Self::Zlib(decoder) => {
                decoder.write_all(part)?;
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }
}

/// Returns the body as it was before it was compressed, part by part as it comes.
pub(crate) fn decoded(body: Body, coding: Coding) -> Body {
    let decoder = match coding {
        Coding::Plain => return body,
        Coding::Gzip => Decoder::Gzip(GzDecoder::new(Vec::new())),
        Coding::Zlib => Decoder::Zlib(ZlibDecoder::new(Vec::new())),
    };
    stream::unfold(Some((body, decoder)), |state| async move {
        let (mut body, mut decoder) = state?;
        match body.next().await? {
            Err(error) => Some((Err(error), None)),
            Ok(part) => match decoder.decode(&part) {
                Ok(plain) => Some((Ok(Bytes::from(plain)), Some((body, decoder)))),
                Err(error) => Some((Err(BodyError(format!("the compressed reply is broken: {error}"))), None)),
            },
        }
    })
    .boxed()
}
