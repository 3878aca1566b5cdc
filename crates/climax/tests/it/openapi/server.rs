//! A server that writes down what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// Method and target.
    pub(super) line: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A server on a free port of loopback; it answers a request's target with what `answer` says.
pub(super) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Starts one; an answer is status, headers and body.
    pub(super) fn start(answer: impl Fn(&Seen) -> (u16, Vec<String>, String) + Send + 'static) -> Self {
        Self::serve(move |seen| {
            let (status, headers, body) = answer(seen);
            (status, headers, body.into_bytes())
        })
    }

    /// Starts one whose answers are bytes.
    pub(super) fn start_bytes(answer: impl Fn(&Seen) -> (Vec<String>, Vec<u8>) + Send + 'static) -> Self {
        Self::serve(move |seen| {
            let (headers, body) = answer(seen);
            (200, headers, body)
        })
    }

    fn serve(answer: impl Fn(&Seen) -> (u16, Vec<String>, Vec<u8>) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(request) = read(&stream) {
                    let (status, headers, body) = answer(&request);
                    kept.lock().unwrap().push(request);
                    let mut head =
                        format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
                    headers.iter().for_each(|header| head.push_str(&format!("{header}\r\n")));
                    // A client that has read enough is gone.
                    let _ = (&stream).write_all(&[head.as_bytes(), b"\r\n", &body].concat());
                }
            }
        });
        Self { address, seen }
    }

    /// Starts one that says yes to everything.
    pub(super) fn friendly() -> Self {
        Self::start(|_| (200, vec!["Content-Type: application/json".into()], r#"{"ok":true}"#.into()))
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The last request.
    pub(super) fn last(&self) -> Seen {
        self.seen().pop().unwrap()
    }
}

fn read(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let line = line.rsplit_once(' ')?.0.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { line, headers, body: String::from_utf8_lossy(&body).into_owned() })
}
