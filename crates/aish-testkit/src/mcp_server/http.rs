//! The fake server over raw HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::answer::{Answer, Memory, answer};
use super::script::{Demand, Framing, GetReply, McpScript};
use super::stream::Stream;

/// One request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `POST`, `GET` or `DELETE`.
    pub verb: String,
    /// The path and the query.
    pub path: String,
    /// The headers, names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The lines of the headers as they came.
    pub lines: Vec<String>,
    /// The body.
    pub body: String,
}

impl HttpRequest {
    /// Returns a header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

pub(super) struct Shared {
    pub(super) script: McpScript,
    pub(super) memory: Memory,
    seen: Mutex<Vec<HttpRequest>>,
    pub(super) stopped: AtomicBool,
    /// The stream of events of the transport of 2024-11-05.
    pub(super) stream: Stream,
    requests: AtomicUsize,
    session: AtomicUsize,
}

/// A fake server that listens on a free port of loopback until it is dropped.
pub struct HttpServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl HttpServer {
    /// Starts a server.
    ///
    /// # Errors
    /// When no port can be taken.
    pub fn start(script: McpScript) -> std::io::Result<Self> {
        Self::start_on(script, TcpListener::bind("127.0.0.1:0")?)
    }

    /// Starts a server on a listener.
    ///
    /// # Errors
    /// When the listener has no address.
    pub fn start_on(script: McpScript, listener: TcpListener) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script,
            memory: Memory::default(),
            stream: Stream::default(),
            seen: Mutex::default(),
            stopped: AtomicBool::new(false),
            requests: AtomicUsize::new(0),
            session: AtomicUsize::new(1),
        });
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if server.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let server = Arc::clone(&server);
                std::thread::spawn(move || serve(&server, &stream));
            }
        });
        Ok(Self { address, shared })
    }

    /// The URL of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The requests that came, in order.
    pub fn seen(&self) -> Vec<HttpRequest> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(server: &Shared, stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        server.seen.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        if server.stopped.load(Ordering::SeqCst) {
            return;
        }
        if (server.script.events || server.script.answers_on_stream) && request.verb == "GET" {
            return server.stream.hold(server, stream);
        }
        let Some((reply, close)) = reply(server, &request) else { return };
        let step = if server.script.chunk == 0 { reply.len().max(1) } else { server.script.chunk };
        let mut writer = stream;
        for chunk in reply.chunks(step) {
            if writer.write_all(chunk).and_then(|()| writer.flush()).is_err() {
                return;
            }
        }
        if request.verb == "POST" && reply_is_held(&server.script, &request) {
            hang(server);
            return;
        }
        if server.script.framing == Framing::SseOpen && request.verb == "POST" {
            return keep_alive(server, stream);
        }
        if close || server.script.close_silently {
            return;
        }
    }
}

/// Writes comments until the client has gone.
fn keep_alive(server: &Shared, mut stream: &TcpStream) {
    while !server.stopped.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(20));
        if stream.write_all(b": still here\n\n").is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<HttpRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (verb, path) = (words.next()?, words.next()?);
    let (mut headers, mut lines) = (Vec::new(), Vec::new());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_lowercase(), value.trim().to_owned()));
        lines.push(line.to_owned());
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(HttpRequest { verb, path, headers, lines, body: String::from_utf8_lossy(&body).into_owned() })
}

/// The bytes of a reply and whether the connection ends after it; none ends it at once.
fn reply(server: &Shared, request: &HttpRequest) -> Option<(Vec<u8>, bool)> {
    if let Some(refusal) = refusal(&server.script, request) {
        return Some((refusal, false));
    }
    match request.verb.as_str() {
        "GET" => get(server),
        "DELETE" if server.script.delete_hang => hang(server),
        "DELETE" => Some((response(200, &[], None, b""), false)),
        _ => post(server, request),
    }
}

/// Refuses a request before its message is read.
fn refusal(script: &McpScript, request: &HttpRequest) -> Option<Vec<u8>> {
    if let Some(token) = &script.token
        && request.header("authorization") != Some(&format!("Bearer {token}"))
    {
        return Some(response(401, &["WWW-Authenticate: Bearer".into()], None, b""));
    }
    if script.events && !request.path.starts_with("/messages") {
        return Some(response(405, &[], Some("text/plain"), b"Method Not Allowed"));
    }
    let status = script.redirect.filter(|_| request.verb == "POST" && !request.path.ends_with('/'))?;
    let place = script.redirect_to.as_deref().unwrap_or("/mcp/");
    Some(response(status, &[format!("Location: {place}")], None, b""))
}

fn get(server: &Shared) -> Option<(Vec<u8>, bool)> {
    if let Some(answer) = &server.script.get_answer {
        return Some((answer.clone().into_bytes(), true));
    }
    match server.script.get {
        GetReply::NotAllowed => Some((response(405, &[], None, b""), false)),
        GetReply::Hang => hang(server),
        GetReply::Endpoint => {
            let event = b"event: endpoint\ndata: /mcp\n\n";
            Some((response(200, &["Connection: close".into()], Some("text/event-stream"), event), true))
        }
    }
}

fn post(server: &Shared, request: &HttpRequest) -> Option<(Vec<u8>, bool)> {
    let script = &server.script;
    let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    let mut headers = script.headers.get(method).cloned().unwrap_or_default();
    if script.close {
        headers.push("Connection: close".into());
    }
    if let Some(status) = refused_status(server, request, method) {
        if status == 0 {
            return None;
        }
        return Some((response(status, &headers, Some("text/plain"), b"not now"), script.close));
    }
    let version = message.pointer("/params/protocolVersion").and_then(Value::as_str).unwrap_or_default();
    if script.versions_by_status && method == "initialize" && !script.versions.iter().any(|known| known == version) {
        let text =
            format!("Bad Request: Unsupported protocol version (supported versions: {})", script.versions.join(", "));
        return Some((response(400, &headers, Some("text/plain"), text.as_bytes()), script.close));
    }
    if script.refuses_sessions && request.header("mcp-session-id").is_some() {
        return Some((response(404, &headers, None, b"no such session"), script.close));
    }
    let number = server.requests.fetch_add(1, Ordering::SeqCst) + 1;
    if script.session {
        let before = format!("s{}", server.session.load(Ordering::SeqCst));
        if script.forget_session_after == Some(number) || script.rolling_sessions {
            server.session.fetch_add(1, Ordering::SeqCst);
        }
        let session = format!("s{}", server.session.load(Ordering::SeqCst));
        let expected = if script.rolling_sessions { &before } else { &session };
        if method == "initialize" || script.rolling_sessions {
            headers.push(format!("Mcp-Session-Id: {session}"));
        }
        if !matches!(method, "initialize" | "server/discover") && request.header("mcp-session-id") != Some(expected) {
            let status = script.lost_session_status.unwrap_or(404);
            return Some((response(status, &headers, None, b"no such session"), script.close));
        }
    }
    match answer(script, &server.memory, &message) {
        Answer::Nothing if script.notice_hang => hang(server),
        Answer::Nothing => {
            let kind = (!script.notice_body.is_empty()).then_some("text/plain");
            let status = script.notice_status.unwrap_or(202);
            Some((response(status, &headers, kind, script.notice_body.as_bytes()), script.close))
        }
        Answer::Hang | Answer::Block => hang(server),
        Answer::Exit => None,
        Answer::Broken => Some((response(500, &headers, Some("text/html"), b"<h1>Oops</h1>"), script.close)),
        Answer::Messages(messages) if script.events || script.answers_on_stream && method != "initialize" => {
            server.stream.send(&messages);
            Some((response(202, &headers, Some("text/plain"), b"Accepted"), script.close))
        }
        Answer::Messages(messages) => Some(framed(script, method, headers, &messages)),
    }
}

/// The status of a request that lacks what is demanded, or is one of the first, of which some fail.
fn refused_status(server: &Shared, request: &HttpRequest, method: &str) -> Option<u16> {
    let script = &server.script;
    let lacks = |demand: &&Demand| {
        !demand.except.iter().any(|exempt| exempt == method)
            && !request.lines.iter().any(|line| match demand.line.strip_suffix('$') {
                Some(whole) => line == whole,
                None => line.starts_with(&demand.line),
            })
    };
    if let Some(demand) = script.demands.iter().find(lacks) {
        return Some(demand.status);
    }
    let statuses = script.first_status.get(method)?;
    let count = server.memory.count(&format!("status of {method}"));
    statuses.get(count - 1).copied()
}

/// Whether the connection stays open after the answer.
fn reply_is_held(script: &McpScript, request: &HttpRequest) -> bool {
    let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    script.http.get(method).or_else(|| script.http.get("*")).is_some_and(|whole| whole.ends_with("$HOLD"))
        && message.get("id").is_some()
}

/// Writes messages in the script's framing.
fn framed(script: &McpScript, method: &str, mut headers: Vec<String>, messages: &[String]) -> (Vec<u8>, bool) {
    let status = script.status.get(method).copied().unwrap_or(200);
    let events = events(script.framing, messages);
    let kind = match script.content_type.as_deref() {
        Some("") => None,
        Some(kind) => Some(kind),
        None if events.is_some() => Some("text/event-stream"),
        None => Some("application/json"),
    };
    let body = events.filter(|_| method != "server/discover").unwrap_or_else(|| messages.join("\n"));
    if let Some(whole) = script.http.get(method).or_else(|| script.http.get("*")) {
        let bytes = body.len().to_string();
        let characters = body.chars().count().to_string();
        let text = whole.replace("$BYTES", &bytes).replace("$CHARS", &characters).replace("$BODY", &body);
        return (text.replace("$HOLD", "").into_bytes(), text.contains("Connection: close"));
    }
    match script.framing {
        Framing::SseOpen => (unbounded(status, &headers, kind, &body), true),
        Framing::Utf16 => {
            let bytes: Vec<u8> = format!("\u{feff}{body}").encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
            (response(status, &headers, kind, &bytes), script.close)
        }
        Framing::Cut => {
            headers.push("Connection: close".into());
            let whole = response(status, &headers, kind, format!("{body}          ").as_bytes());
            (whole.get(..whole.len() - 10).unwrap_or_default().to_vec(), true)
        }
        Framing::ChunksCut => {
            headers.push("Transfer-Encoding: chunked".into());
            let chunk = format!("{:x}\r\n{body}\r\n", body.len());
            (unbounded(status, &headers, kind, &chunk), true)
        }
        Framing::Plain
        | Framing::Pretty
        | Framing::Batch
        | Framing::Bom
        | Framing::Prefixed
        | Framing::NoNewline
        | Framing::Crlf
        | Framing::Length
        | Framing::Coloured
        | Framing::Sse
        | Framing::SseJunk
        | Framing::SseCut
        | Framing::SseTight => (response(status, &headers, kind, body.as_bytes()), script.close),
    }
}

/// Writes messages as server-sent events, where they are to be that.
fn events(framing: Framing, messages: &[String]) -> Option<String> {
    let one: fn(&str) -> String = match framing {
        Framing::SseJunk => |message| {
            format!(
                ": ping\n\nretry: soon\nevent: a\nevent: b\njunk without colon\ndata: not json\n\nid: 1\nid: 2\n\
                 data: [DONE]\n\nevent: message\ndata: {message}\n\ntrailing junk\n"
            )
        },
        Framing::SseCut => |_| ": ping\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n".to_owned(),
        Framing::SseTight => |message| {
            let lines: String = message.lines().map(|line| format!("data:{line}\r\n")).collect();
            format!("event:message\r\n{lines}")
        },
        Framing::Sse | Framing::SseOpen => |message| format!("event: message\ndata: {message}\n\n"),
        Framing::Plain
        | Framing::Pretty
        | Framing::Batch
        | Framing::Bom
        | Framing::Prefixed
        | Framing::NoNewline
        | Framing::Crlf
        | Framing::Length
        | Framing::Coloured
        | Framing::Utf16
        | Framing::Cut
        | Framing::ChunksCut => return None,
    };
    Some(messages.iter().map(|message| one(message)).collect())
}

fn hang(server: &Shared) -> Option<(Vec<u8>, bool)> {
    while !server.stopped.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

/// An answer whose end is the connection's.
fn unbounded(status: u16, headers: &[String], kind: Option<&str>, body: &str) -> Vec<u8> {
    let whole = response(status, headers, kind, body.as_bytes());
    let text = String::from_utf8_lossy(&whole);
    text.replacen(&format!("Content-Length: {}\r\n", body.len()), "", 1).into_bytes()
}

fn response(status: u16, headers: &[String], kind: Option<&str>, body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", body.len());
    if let Some(kind) = kind {
        head.push_str(&format!("Content-Type: {kind}\r\n"));
    }
    for line in headers {
        head.push_str(line);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}
