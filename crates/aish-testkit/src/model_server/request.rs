//! One HTTP request, read from a socket and kept for inspection.

use std::io::{self, BufRead, Read};

use serde_json::Value;

/// The longest head that is read, in bytes.
const MAX_HEAD: u64 = 256 * 1024;
/// The longest body that is read, in bytes.
const MAX_BODY: u64 = 256 * 1024 * 1024;

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// The HTTP method, in upper case.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// What follows the question mark.
    pub query: Option<String>,
    /// Names and values in the order of the wire.
    pub headers: Vec<(String, String)>,
    /// The body's bytes, decoded from their transfer encoding.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// Returns a header's value; names compare without case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON, where it is some.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Returns the body as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Reads one request; none at the end of the connection.
    pub(super) fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut head = reader.take(MAX_HEAD);
        let Some(first) = line(&mut head)? else { return Ok(None) };
        let mut words = first.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(invalid(format!("{first:?} is no request line")));
        };
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
            None => (target.to_owned(), None),
        };
        let mut request = Self { method: method.into(), path, query, headers: Vec::new(), body: Vec::new() };
        loop {
            let Some(text) = line(&mut head)? else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            if text.is_empty() {
                break;
            }
            let Some((name, value)) = text.split_once(':') else {
                return Err(invalid(format!("{text:?} is no header")));
            };
            request.headers.push((name.into(), value.trim().into()));
        }
        request.body = request.read_body(reader)?;
        Ok(Some(request))
    }

    fn read_body(&self, reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if self.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            loop {
                let size = line(&mut reader.take(MAX_HEAD))?.unwrap_or_default();
                let size = u64::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)
                    .map_err(|_| invalid(format!("{size:?} is no chunk size")))?;
                read_exactly(reader, size, &mut body)?;
                line(&mut reader.take(MAX_HEAD))?;
                if size == 0 {
                    return Ok(body);
                }
            }
        }
        let length = match self.header("content-length") {
            Some(text) => text.parse().map_err(|_| invalid(format!("{text:?} is no length")))?,
            None => 0,
        };
        read_exactly(reader, length, &mut body)?;
        Ok(body)
    }
}

fn read_exactly(reader: &mut impl BufRead, length: u64, into: &mut Vec<u8>) -> io::Result<()> {
    if length > MAX_BODY {
        return Err(invalid(format!("a body of {length} bytes is too long")));
    }
    let read = reader.take(length).read_to_end(into)?;
    if u64::try_from(read).is_ok_and(|read| read == length) { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Reads a line without its end; none at the end of the input.
fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
