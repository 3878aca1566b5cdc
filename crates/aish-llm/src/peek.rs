//! What a reply is by its first bytes: labels are wrong often enough.

use bytes::Bytes;
use futures_util::{StreamExt, stream};

use crate::encoded::{Coding, decoded};
use crate::sse::{Body, BodyError};

/// What a reply's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Server-sent events.
    Events,
    /// One JSON document.
    Document,
    /// A page, or words.
    Page,
    /// Nothing at all.
    Empty,
}

/// How many bytes are looked at for something that is no white space.
const LOOK: usize = 64 * 1024;

/// Reads until the body shows what it is; returns that and the whole body. `label` is the media type.
pub(crate) async fn peek(label: &str, body: Body) -> Result<(Kind, Body), BodyError> {
    let (first, body) = first_bytes(body).await?;
    let (first, body) = match first.as_slice() {
        // A gzip member without a word of it in the head.
        [0x1f, 0x8b, ..] => first_bytes(decoded(body, Coding::Gzip)).await?,
        _ => (first, body),
    };
    let kind = match first.first() {
        None => Kind::Empty,
        Some(b'{' | b'[') => Kind::Document,
        Some(b'<') => Kind::Page,
        Some(b':') => Kind::Events,
        Some(_) if is_field(&first) => Kind::Events,
        Some(_) if label.ends_with("/json") => Kind::Document,
        Some(_) if label.ends_with("/html") || label.ends_with("xml") => Kind::Page,
        Some(_) => Kind::Events,
    };
    Ok((kind, body))
}

/// Returns whether a line begins with a field of an event stream.
fn is_field(first: &[u8]) -> bool {
    ["data:", "event:", "id:", "retry:"].iter().any(|field| {
        let shared = field.len().min(first.len());
        first.get(..shared) == field.as_bytes().get(..shared)
    })
}

/// Reads until something but white space came; returns up to 8 bytes from there, and the whole body.
async fn first_bytes(mut body: Body) -> Result<(Vec<u8>, Body), BodyError> {
    let mut read: Vec<Bytes> = Vec::new();
    let mut seen: Vec<u8> = Vec::new();
    while seen.len() <= LOOK && begun(&seen).len() < 2 {
        match body.next().await {
            None => break,
            Some(Err(error)) if begun(&seen).is_empty() => return Err(error),
            Some(Err(error)) => {
                let rest = stream::iter(read.into_iter().map(Ok).chain([Err(error)]));
                return Ok((begun(&seen).to_vec(), rest.boxed()));
            }
            Some(Ok(part)) => {
                seen.extend_from_slice(part.get(..part.len().min(LOOK)).unwrap_or_default());
                read.push(part);
            }
        }
    }
    let first = begun(&seen).to_vec();
    Ok((first, stream::iter(read.into_iter().map(Ok)).chain(body).boxed()))
}

/// Returns up to 8 bytes behind a byte order mark and white space.
fn begun(seen: &[u8]) -> &[u8] {
    let seen = seen.strip_prefix(b"\xef\xbb\xbf").unwrap_or(seen);
    let start = seen.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(seen.len());
    let rest = seen.get(start..).unwrap_or_default();
    rest.get(..rest.len().min(8)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(label: &str, parts: &[&'static [u8]], expected: Kind) {
        let body = stream::iter(parts.iter().map(|part| Ok(Bytes::from_static(part))).collect::<Vec<_>>()).boxed();
        let (kind, body) = peek(label, body).await.unwrap();
        assert_eq!(kind, expected, "{label} {parts:?}");
        let whole: Vec<u8> = body.map(|part| part.unwrap().to_vec()).collect::<Vec<_>>().await.concat();
        assert_eq!(whole, parts.concat(), "nothing is lost");
    }

    #[tokio::test]
    async fn the_first_bytes_tell_whatever_the_label_says() {
        check("application/json", &[b"\n", b"data", b": {}\n\n"], Kind::Events).await;
        check("text/event-stream", &[b"  {\"a\"", b":1}"], Kind::Document).await;
        check("text/event-stream", &[b"\xef\xbb\xbf[", b"]"], Kind::Document).await;
        check("text/event-stream", &[b"<html>"], Kind::Page).await;
        check("", &[b": alive\n\n"], Kind::Events).await;
        check("text/html", &[b"Bad gateway"], Kind::Page).await;
        check("application/json", &[b"oops"], Kind::Document).await;
        check("text/event-stream", &[b" \n", b""], Kind::Empty).await;
    }
}
