//! JSON-RPC over lines, as the server reads and writes it.
//!
//! What rmcp's own line transport does not do: a request that cannot be understood is answered under its own id, a
//! batch is answered as a batch, and notifications and answers that come before `initialize` do not end the server.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use aish_types::lines::Line;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::lines::LineReader;

/// The longest line that is read, in bytes; a longer one is answered with an error.
const MAX_LINE: usize = 16 * 1024 * 1024;
/// Messages that wait for a client that does not read.
const QUEUE: usize = 64;

/// A batch whose answers are not complete yet.
struct Batch {
    open: usize,
    answers: Vec<Value>,
}

/// Which batch a request's answer belongs to.
type Batches = Arc<Mutex<HashMap<String, Arc<Mutex<Batch>>>>>;

pub(super) struct LineTransport<R> {
    lines: LineReader<R>,
    began: bool,
    ready: VecDeque<ClientJsonRpcMessage>,
    batches: Batches,
    out: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    ended: CancellationToken,
}

impl<R: AsyncRead + Send + Unpin> LineTransport<R> {
    /// `ended` fires when the reader comes to its end or the writer cannot write any more.
    pub(super) fn new<W: AsyncWrite + Send + Unpin + 'static>(read: R, write: W, ended: CancellationToken) -> Self {
        let (out, rx) = mpsc::channel(QUEUE);
        let writer = tokio::spawn(write_lines(write, rx, ended.clone()));
        Self {
            lines: LineReader::new(read, MAX_LINE),
            began: false,
            ready: VecDeque::new(),
            batches: Batches::default(),
            out: Some(out),
            writer: Some(writer),
            ended,
        }
    }

    fn reply(&self, value: &Value) {
        let Some(out) = &self.out else { return };
        if out.try_send(encode(value)).is_err() {
            tracing::warn!("an error reply was dropped: the client does not read");
        }
    }

    /// Splits one line into messages for rmcp, and answers a line that holds no message.
    fn accept(&mut self, line: &[u8]) {
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
        if text.is_empty() {
            return;
        }
        match serde_json::from_slice(text) {
            Ok(Value::Array(items)) if items.is_empty() => self.reply(&error(Value::Null, -32600, "Invalid Request")),
            Ok(Value::Array(items)) => self.accept_batch(items),
            Ok(value) => match self.decode(value) {
                Decoded::Message(message) => self.ready.push_back(*message),
                Decoded::Answer(answer) => self.reply(&answer),
                Decoded::Nothing => {}
            },
            Err(why) => {
                tracing::debug!(%why, "a line is no JSON");
                // An answer to a line that is not meant as JSON could start an endless exchange of errors.
                if matches!(text.first(), Some(b'{' | b'[')) {
                    self.reply(&error(super::broken::id_of(text), -32700, &format!("Parse error: {why}")));
                }
            }
        }
    }

    fn accept_batch(&mut self, items: Vec<Value>) {
        let batch = Arc::new(Mutex::new(Batch { open: 0, answers: Vec::new() }));
        let mut messages = Vec::new();
        for item in items {
            let key = item.get("method").and(item.get("id")).map(Value::to_string);
            match self.decode(item) {
                Decoded::Message(message) => {
                    if let Some(key) = key {
                        batch.lock().unwrap_or_else(PoisonError::into_inner).open += 1;
                        self.batches.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&batch));
                    }
                    messages.push(*message);
                }
                Decoded::Answer(answer) => batch.lock().unwrap_or_else(PoisonError::into_inner).answers.push(answer),
                Decoded::Nothing => {}
            }
        }
        let batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
        if batch.open == 0 && !batch.answers.is_empty() {
            self.reply(&Value::Array(batch.answers.clone()));
        }
        self.ready.extend(messages);
    }

    fn decode(&mut self, mut value: Value) -> Decoded {
        let id = value.get("id").cloned();
        let is_request = value.get("method").is_some();
        if !value.is_object() || value.get("method").is_some_and(|method| !method.is_string()) {
            return Decoded::Answer(error(Value::Null, -32600, "Invalid Request"));
        }
        if !is_request {
            // An answer of the client to one of our requests; before it is greeted there are none.
            if !self.began {
                return Decoded::Nothing;
            }
            return serde_json::from_value(value)
                .map_or(Decoded::Nothing, |message| Decoded::Message(Box::new(message)));
        }
        if id.as_ref().is_some_and(|id| !(id.is_i64() || id.is_string())) {
            return Decoded::Answer(error(
                Value::Null,
                -32600,
                "Invalid Request: the id must be a string or an integer",
            ));
        }
        if let Value::Object(map) = &mut value {
            repair(map);
        }
        if id.is_none() && !self.began {
            return Decoded::Nothing;
        }
        let begins = begins(&value);
        match (serde_json::from_value::<ClientJsonRpcMessage>(value), id) {
            // What rmcp cannot read as the method that it names, it takes for one that it does not know.
            (Ok(ClientJsonRpcMessage::Request(request)), Some(id)) if matches!(&request.request, ClientRequest::CustomRequest(custom) if known(&custom.method)) => {
                Decoded::Answer(error(id, -32602, "Invalid params"))
            }
            (Ok(message), id) => {
                self.began |= id.is_some() && begins;
                Decoded::Message(Box::new(message))
            }
            (Err(why), Some(id)) => Decoded::Answer(error(id, -32602, &format!("Invalid params: {why}"))),
            (Err(why), None) => {
                tracing::debug!(%why, "a notification cannot be understood");
                Decoded::Nothing
            }
        }
    }
}

/// Says whether a request begins a session: `initialize`, or any that says of itself in what version it is. Others are answered before.
fn begins(request: &Value) -> bool {
    match request.get("method").and_then(Value::as_str) {
        Some("initialize") => true,
        Some("ping" | "server/discover") | None => false,
        Some(_) => {
            let meta = request.pointer("/params/_meta").and_then(Value::as_object);
            meta.is_some_and(|meta| meta.keys().any(|key| key.ends_with("/protocolVersion")))
        }
    }
}

fn known(method: &str) -> bool {
    [
        "tools/call",
        "tools/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "server/discover",
        "subscriptions/listen",
    ]
    .contains(&method)
}

/// Fills in what clients leave out.
fn repair(request: &mut Map<String, Value>) {
    request.entry("jsonrpc").or_insert_with(|| json!("2.0"));
    if request.get("params").is_some_and(Value::is_null) {
        request.remove("params");
    }
    match request.get("method").and_then(Value::as_str) {
        Some("initialize") => {
            let params = request.entry("params").or_insert_with(|| json!({}));
            let Some(params) = params.as_object_mut() else { return };
            default(params, "protocolVersion", Value::is_string, json!("2025-03-26"));
            default(params, "capabilities", Value::is_object, json!({}));
            default(params, "clientInfo", Value::is_object, json!({}));
            if let Some(info) = params.get_mut("clientInfo").and_then(Value::as_object_mut) {
                default(info, "name", Value::is_string, json!("unknown"));
                default(info, "version", Value::is_string, json!("unknown"));
            }
        }
        Some("tools/call") => {
            if let Some(params) = request.get_mut("params").and_then(Value::as_object_mut)
                && params.get("arguments").is_some_and(Value::is_null)
            {
                params.remove("arguments");
            }
        }
        _ => {}
    }
}

fn default(map: &mut Map<String, Value>, key: &str, fits: fn(&Value) -> bool, value: Value) {
    if !map.get(key).is_some_and(fits) {
        map.insert(key.to_owned(), value);
    }
}

enum Decoded {
    Message(Box<ClientJsonRpcMessage>),
    Answer(Value),
    Nothing,
}

fn error(id: Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// Writes whole lines until there are no more, or the client is gone.
async fn write_lines<W: AsyncWrite + Unpin>(
    mut write: W,
    mut lines: mpsc::Receiver<Vec<u8>>,
    ended: CancellationToken,
) {
    while let Some(line) = lines.recv().await {
        let sent = async {
            write.write_all(&line).await?;
            write.flush().await
        };
        if let Err(why) = sent.await {
            tracing::debug!(%why, "the client does not take answers any more");
            ended.cancel();
            return;
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        let batches = Arc::clone(&self.batches);
        async move {
            let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "the client is gone");
            let value = serde_json::to_value(&item).map_err(io::Error::other)?;
            let key = value.get("method").is_none().then(|| value.get("id").map(Value::to_string)).flatten();
            let batch = key.and_then(|key| batches.lock().unwrap_or_else(PoisonError::into_inner).remove(&key));
            let line = match batch {
                None => encode(&value),
                Some(batch) => {
                    let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
                    batch.open = batch.open.saturating_sub(1);
                    batch.answers.push(value);
                    if batch.open > 0 {
                        return Ok(());
                    }
                    encode(&Value::Array(std::mem::take(&mut batch.answers)))
                }
            };
            out.ok_or_else(gone)?.send(line).await.map_err(|_| gone())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            let ended = self.ended.clone();
            let read = tokio::select! {
                biased;
                () = ended.cancelled() => return None,
                read = self.lines.line() => read,
            };
            match read {
                Ok(Some(Line::Whole(line))) => self.accept(&line),
                Ok(Some(Line::TooLong)) => {
                    self.reply(&error(Value::Null, -32600, "Invalid Request: the line is too long"))
                }
                Ok(None) => {
                    self.ended.cancel();
                    return None;
                }
                Err(why) => {
                    tracing::debug!(%why, "the input cannot be read");
                    self.ended.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out = None;
        if let Some(writer) = self.writer.take() {
            let abort = writer.abort_handle();
            if tokio::time::timeout(std::time::Duration::from_secs(1), writer).await.is_err() {
                abort.abort();
            }
        }
        Ok(())
    }
}
