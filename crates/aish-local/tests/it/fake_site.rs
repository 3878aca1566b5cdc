//! A server on this machine that speaks Hugging Face's API, Ollama's registry, or whatever a test makes of it.

use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Path and query.
    pub(crate) path: String,
    /// What the token's header said.
    pub(crate) token: Option<String>,
    /// The first byte of the range.
    pub(crate) from: Option<usize>,
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Bytes of the body after which the connection ends.
    cut: Option<usize>,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), cut: None }
    }

    /// The bytes of a file from where they are wanted.
    pub(crate) fn file(bytes: &[u8], asked: &Asked) -> Self {
        let from = asked.from.unwrap_or(0).min(bytes.len());
        let mut answer = Self::new(if from > 0 { 206 } else { 200 }, &bytes[from..]);
        if from > 0 {
            let range = format!("bytes {from}-{}/{}", bytes.len().saturating_sub(1), bytes.len());
            answer = answer.with("Content-Range", &range);
        }
        answer
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::new(302, "").with("Location", to)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn cut(mut self, after: usize) -> Self {
        self.cut = Some(after);
        self
    }
}

/// A running server.
#[derive(Debug)]
pub(crate) struct FakeSite {
    /// Its address.
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl FakeSite {
    /// Answers until the test ends.
    pub(crate) async fn serve(mut answer: impl FnMut(&Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = BufReader::new(stream);
                let Some(asked) = read(&mut stream).await else { continue };
                log.lock().unwrap().push(asked.clone());
                write(stream.into_inner(), answer(&asked)).await;
            }
        });
        Self { url, asked }
    }

    /// Returns the requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut asked = Asked { path: String::new(), token: None, from: None };
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return None;
        }
        let line = line.trim_end();
        match line.split_once(": ") {
            _ if line.starts_with("GET ") => asked.path = line.split(' ').nth(1)?.to_owned(),
            _ if line.is_empty() => return Some(asked),
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => asked.token = Some(value.to_owned()),
            Some((name, value)) if name.eq_ignore_ascii_case("range") => {
                asked.from = value.strip_prefix("bytes=")?.trim_end_matches('-').parse().ok();
            }
            _ => {}
        }
    }
}

async fn write(mut stream: TcpStream, answer: Answer) {
    let length = answer.body.len();
    let mut reply = format!("HTTP/1.1 {} X\r\nContent-Length: {length}\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        reply.push_str(&format!("{name}: {value}\r\n"));
    }
    reply.push_str("\r\n");
    let body = &answer.body[..answer.cut.unwrap_or(answer.body.len()).min(answer.body.len())];
    stream.write_all(&[reply.as_bytes(), body].concat()).await.ok();
    stream.shutdown().await.ok();
}

/// What stands in for a model.
pub(crate) fn gguf(size: usize) -> Vec<u8> {
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend((0..size - bytes.len()).map(|at| (at % 251) as u8));
    bytes
}

/// The sum of some bytes, in hexadecimal.
pub(crate) fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
