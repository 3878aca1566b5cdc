//! The two wires of the client: lines over pipes, and messages over streamable HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A way for messages.
pub(crate) enum Wire {
    Pipes(Pipes),
    Http(Http),
}

/// Standard input and output of the server.
pub(crate) struct Pipes {
    to: ChildStdin,
    inbox: Receiver<Value>,
}

/// Requests to the server, each on a connection of its own.
pub(crate) struct Http {
    port: u16,
    session: Arc<Mutex<Option<String>>>,
    inbox: Receiver<Value>,
    arrived: Sender<Value>,
}

impl Wire {
    pub(crate) fn send(&mut self, message: &Value) {
        match self {
            Self::Pipes(pipes) => {
                writeln!(pipes.to, "{message}").unwrap();
                pipes.to.flush().unwrap();
            }
            Self::Http(http) => http.post(message),
        }
    }

    /// Waits for the next message of the server.
    pub(crate) fn read(&mut self) -> Value {
        let inbox = match self {
            Self::Pipes(pipes) => &pipes.inbox,
            Self::Http(http) => &http.inbox,
        };
        inbox.recv().expect("the server has gone")
    }

    /// Opens the stream of the server's own messages, where there is one beside the answers.
    pub(crate) fn listen(&self) {
        if let Self::Http(http) = self {
            let head = format!("GET /mcp HTTP/1.1\r\nAccept: text/event-stream\r\n{}", http.headers());
            http.exchange(head, String::new());
        }
    }

    pub(crate) fn close(self) {
        if let Self::Http(http) = self {
            let head = format!("DELETE /mcp HTTP/1.1\r\n{}", http.headers());
            http.exchange(head, String::new());
        }
    }
}

impl Pipes {
    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
        self.to.flush().unwrap();
    }

    pub(crate) fn read(&self) -> Value {
        self.inbox.recv().expect("the server has gone")
    }

    pub(crate) fn of(child: &mut Child) -> Self {
        let (arrived, inbox) = channel();
        let from = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in from.lines() {
                let message = serde_json::from_str(&line.unwrap()).expect("only messages stand on standard output");
                if arrived.send(message).is_err() {
                    break;
                }
            }
        });
        Self { to: child.stdin.take().unwrap(), inbox }
    }
}

impl Http {
    /// Reads the port from what the server tells.
    pub(crate) fn of(child: &mut Child) -> Self {
        let (arrived, inbox) = channel();
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
        let port = told.by_ref().map(Result::unwrap).find_map(|line| {
            let address = line.strip_prefix("Serving MCP on http://127.0.0.1:")?;
            address.strip_suffix("/mcp")?.parse().ok()
        });
        // It must never wait for somebody to read.
        std::thread::spawn(move || told.for_each(drop));
        Self { port: port.expect("the port is told"), session: Arc::default(), inbox, arrived }
    }

    fn headers(&self) -> String {
        let session = self.session.lock().unwrap();
        let session =
            session.as_ref().map(|id| format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-06-18\r\n"));
        format!("Host: 127.0.0.1:{}\r\nConnection: close\r\n{}", self.port, session.unwrap_or_default())
    }

    fn post(&self, message: &Value) {
        let body = message.to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n{}",
            body.len(),
            self.headers()
        );
        let sent = self.exchange(head, body);
        // What has no answer is through when it was taken; the order of messages is kept.
        if message.get("id").is_none() || message.get("method").is_none() {
            sent.join().unwrap();
        }
    }

    /// Sends a request, and passes the messages of its answer on as they come.
    fn exchange(&self, head: String, body: String) -> std::thread::JoinHandle<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "{head}\r\n{body}").unwrap();
        let (session, arrived) = (Arc::clone(&self.session), self.arrived.clone());
        std::thread::spawn(move || {
            let mut from = BufReader::new(stream);
            let mut chunked = false;
            let mut line = String::new();
            while from.read_line(&mut line).is_ok_and(|read| read > 2) {
                let lower = line.to_lowercase();
                if let Some(id) = lower.strip_prefix("mcp-session-id:") {
                    *session.lock().unwrap() = Some(id.trim().to_owned());
                }
                chunked |= lower.starts_with("transfer-encoding:") && lower.contains("chunked");
                line.clear();
            }
            let body: Box<dyn Read> = if chunked { Box::new(Chunks { from, left: 0 }) } else { Box::new(from) };
            for line in BufReader::new(body).lines().map_while(Result::ok) {
                let text = line.strip_prefix("data:").unwrap_or(&line).trim();
                if let Ok(message @ Value::Object(_)) = serde_json::from_str(text) {
                    let _ = arrived.send(message);
                }
            }
        })
    }
}

/// A body in chunks.
struct Chunks<R> {
    from: R,
    left: usize,
}

impl<R: BufRead> Read for Chunks<R> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            let mut line = String::new();
            while line.trim().is_empty() {
                if self.from.read_line(&mut line)? == 0 {
                    return Ok(0);
                }
            }
            self.left = usize::from_str_radix(line.trim(), 16).map_err(std::io::Error::other)?;
            if self.left == 0 {
                return Ok(0);
            }
        }
        let end = room.len().min(self.left);
        let read = self.from.read(&mut room[..end])?;
        self.left -= read;
        Ok(read)
    }
}
