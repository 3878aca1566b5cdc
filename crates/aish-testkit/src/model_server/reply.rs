//! What is answered: head, pieces of the body, where they are split, and how the connection ends.

use std::time::Duration;

use serde_json::Value;

/// How the end of the body is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `Transfer-Encoding: chunked`, a chunk a write.
    Chunked,
    /// `Content-Length` of all pieces.
    Length,
    /// Neither: the body ends with the connection.
    Close,
    /// No head at all: the pieces are all that is sent.
    Raw,
}

/// Where the bytes of the body are split; each part is a write of its own, and a chunk of its own when chunked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// As the pieces are, all that has no delay between in one write.
    Pieces,
    /// After every so many bytes (1 to any).
    Every(usize),
    /// Into parts of 1 to 40 bytes, by a seed.
    Seeded(u64),
}

/// One piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Bytes.
    Bytes(Vec<u8>),
    /// A pause.
    Pause(Duration),
}

/// How a reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Well: the last chunk is sent, and the connection stays open for the next request where the framing allows it.
    Clean,
    /// The connection is closed without the body's end.
    Cut,
    /// The connection is reset (RST).
    Reset,
    /// Our direction is closed, and the other is read until the client goes.
    HalfClose,
    /// Nothing more comes; the socket stays open until the client goes.
    Hang,
}

/// One reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers beside those of the framing.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub pieces: Vec<Piece>,
    /// How its end is marked.
    pub framing: Framing,
    /// Where it is split.
    pub split: Split,
    /// How it ends.
    pub end: End,
    /// Waits so long before the head.
    pub before: Duration,
    /// Sends the head; false leaves the client waiting for it.
    pub head: bool,
}

impl Reply {
    /// Makes a reply of one body with its length.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".into(), content_type.into())],
            pieces: vec![Piece::Bytes(body.into())],
            framing: Framing::Length,
            split: Split::Pieces,
            end: End::Clean,
            before: Duration::ZERO,
            head: true,
        }
    }

    /// Makes a JSON reply.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    /// Makes a page of HTML, as a proxy in between answers.
    pub fn html(status: u16, body: &str) -> Self {
        Self::new(status, "text/html; charset=utf-8", body)
    }

    /// Makes an error in the OpenAI format.
    pub fn error(status: u16, message: &str) -> Self {
        Self::json(status, &serde_json::json!({"error": {"message": message, "type": "error", "code": status}}))
    }

    /// Makes an event stream of these events, chunked.
    pub fn stream(events: Vec<Vec<u8>>) -> Self {
        let pieces = events.into_iter().map(Piece::Bytes).collect();
        Self { framing: Framing::Chunked, pieces, ..Self::new(200, "text/event-stream", Vec::new()) }
    }

    /// Sends these bytes and no head: garbage on the wire.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { framing: Framing::Raw, end: End::Cut, ..Self::new(200, "", bytes) }
    }

    /// Accepts the request and never answers.
    pub fn silence() -> Self {
        Self { head: false, end: End::Hang, ..Self::new(200, "", Vec::new()) }
    }

    /// Sets the status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header, or replaces it.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the framing.
    #[must_use]
    pub fn framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Sets where the body is split.
    #[must_use]
    pub fn split(mut self, split: Split) -> Self {
        self.split = split;
        self
    }

    /// Sets the end.
    #[must_use]
    pub fn end(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Waits before the head.
    #[must_use]
    pub fn before(mut self, time: Duration) -> Self {
        self.before = time;
        self
    }

    /// Pauses between any two pieces.
    #[must_use]
    pub fn pause_between(mut self, time: Duration) -> Self {
        let mut pieces = Vec::with_capacity(self.pieces.len() * 2);
        for piece in self.pieces {
            if !pieces.is_empty() {
                pieces.push(Piece::Pause(time));
            }
            pieces.push(piece);
        }
        self.pieces = pieces;
        self
    }

    /// Keeps the first `count` bytes of the body.
    #[must_use]
    pub fn truncate(mut self, count: usize) -> Self {
        let mut left = count;
        self.pieces.retain_mut(|piece| match piece {
            Piece::Pause(_) => left > 0,
            Piece::Bytes(bytes) => {
                bytes.truncate(left);
                left -= bytes.len();
                !bytes.is_empty()
            }
        });
        self
    }

    /// Adds bytes to the end of the body.
    #[must_use]
    pub fn then(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.pieces.push(Piece::Bytes(bytes.into()));
        self
    }

    /// Adds a pause to the end of the body.
    #[must_use]
    pub fn then_pause(mut self, time: Duration) -> Self {
        self.pieces.push(Piece::Pause(time));
        self
    }

    /// Returns all bytes of the body.
    pub fn body(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Bytes(bytes) => all.extend_from_slice(bytes),
                Piece::Pause(_) => {}
            }
        }
        all
    }
}

impl Split {
    /// Splits bytes; a part is never empty.
    pub(super) fn parts(self, bytes: &[u8]) -> Vec<&[u8]> {
        match self {
            Self::Pieces if bytes.is_empty() => Vec::new(),
            Self::Pieces => vec![bytes],
            Self::Every(size) => bytes.chunks(size.max(1)).collect(),
            Self::Seeded(seed) => {
                let mut state = seed;
                let mut rest = bytes;
                let mut parts = Vec::new();
                while !rest.is_empty() {
                    // SplitMix64 (Steele, Lea, Flood 2014): enough to scatter the cuts, the same for the same seed.
                    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                    let size = usize::try_from((mixed >> 32) % 40).unwrap_or(0) + 1;
                    let (part, after) = rest.split_at(size.min(rest.len()));
                    parts.push(part);
                    rest = after;
                }
                parts
            }
        }
    }
}
