//! JSON-RPC over the standard streams of a server's process, as the client reads and writes it.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_process::Server;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::normalize::{Normalizer, failure};
use super::process;

/// The longest message, in bytes; a longer one fails what is waited for.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// The longest message over several lines, in bytes.
const MAX_SPREAD: usize = 1024 * 1024;
/// How often a server that has written nothing yet gets the time of the probe again.
const MAX_EXTENSIONS: u32 = 3;
/// Messages that wait for a server that does not read.
const QUEUE: usize = 64;

/// How a server ended, for whoever reports it.
pub(super) type Obituary = Arc<Mutex<Option<String>>>;

/// The probe of the newest protocol: its request, and until when it is waited for.
type Probe = Arc<Mutex<Option<(i64, Instant)>>>;

pub(super) struct ProcessTransport {
    server: Option<Server>,
    reader: BufReader<pipe::Receiver>,
    line: Vec<u8>,
    skipping: bool,
    /// The lines so far of a message that is spread over several.
    spread: Vec<u8>,
    ready: VecDeque<ServerJsonRpcMessage>,
    normalizer: Arc<Normalizer>,
    out: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    probe: Probe,
    probe_timeout: Duration,
    /// Whether it has written anything.
    heard: bool,
    /// How often the probe was given more time.
    extensions: u32,
    obituary: Obituary,
}

impl ProcessTransport {
    pub(super) fn new(mut server: Server, probe_timeout: Duration, obituary: Obituary) -> io::Result<Self> {
        let missing = || io::Error::other("the server's streams are taken");
        let stdin = server.take_stdin().ok_or_else(missing)?;
        let stdout = server.take_stdout().ok_or_else(missing)?;
        let (out, rx) = mpsc::channel(QUEUE);
        Ok(Self {
            server: Some(server),
            reader: BufReader::new(stdout),
            line: Vec::new(),
            skipping: false,
            spread: Vec::new(),
            ready: VecDeque::new(),
            normalizer: Arc::default(),
            out: Some(out),
            writer: Some(tokio::spawn(write_all(stdin, rx))),
            probe: Probe::default(),
            probe_timeout,
            heard: false,
            extensions: 0,
            obituary,
        })
    }

    fn push(&mut self, messages: Vec<Value>) {
        for message in messages {
            match serde_json::from_value(message) {
                Ok(message) => self.ready.push_back(message),
                Err(why) => tracing::debug!(%why, "a message of the server cannot be understood"),
            }
        }
    }

    fn settle(&self, value: &Value) {
        let mut probe = self.probe.lock().unwrap_or_else(PoisonError::into_inner);
        if probe.is_some_and(|(id, _)| value.get("id").and_then(Value::as_i64) == Some(id)) {
            *probe = None;
        }
    }

    fn accept_value(&mut self, value: Value) {
        let messages = self.normalizer.received(value);
        messages.iter().for_each(|message| self.settle(message));
        self.push(messages);
    }

    /// Takes a line, which may be a message, a part of one, or what a server prints beside its messages.
    fn accept(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
        if text.is_empty() {
            return;
        }
        if self.spread.is_empty() && !matches!(text.first(), Some(b'{' | b'[')) {
            match embedded(text) {
                Some(value) => self.accept_value(value),
                None => {
                    tracing::debug!(line = %String::from_utf8_lossy(text), "the server printed a line that is no message");
                }
            }
            return;
        }
        if let Some(value) = first_value(text) {
            self.spread.clear();
            self.accept_value(value);
            return;
        }
        if self.spread.is_empty() && !unfinished(text) {
            tracing::debug!("the server printed a line that is no message");
            return;
        }
        self.spread.extend_from_slice(text);
        self.spread.push(b'\n');
        if let Some(value) = first_value(&self.spread) {
            self.spread.clear();
            self.accept_value(value);
        } else if self.spread.len() > MAX_SPREAD || !unfinished(&self.spread) {
            self.spread.clear();
        }
    }

    /// Reads until a line is there. Safe to drop between polls.
    async fn read_line(&mut self) -> io::Result<Read> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(if self.line.is_empty() || self.skipping { Read::End } else { Read::Line });
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            self.heard = true;
            if !self.skipping {
                self.line.extend_from_slice(available.get(..taken).unwrap_or_default());
            }
            self.reader.consume(taken);
            if self.line.len() > MAX_MESSAGE {
                self.line.clear();
                self.skipping = true;
                return Ok(Read::TooLong);
            }
            if newline.is_some() {
                if std::mem::take(&mut self.skipping) {
                    continue;
                }
                return Ok(Read::Line);
            }
            // A server that forgets the end of its line has said all when the braces are closed.
            if self.line.len() < MAX_SPREAD && self.line.ends_with(b"}") && whole_message(&self.line) {
                return Ok(Read::Line);
            }
        }
    }

    async fn die(&mut self, reason: &str) {
        let how = match self.server.take() {
            Some(server) => process::end(server).await,
            None => reason.to_owned(),
        };
        let text = format!("the server {how}");
        *self.obituary.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.clone());
        let failed = self.normalizer.fail_all(&text);
        self.push(failed);
    }
}

enum Read {
    Line,
    TooLong,
    End,
}

fn first_value(text: &[u8]) -> Option<Value> {
    serde_json::Deserializer::from_slice(text)
        .into_iter::<Value>()
        .next()?
        .ok()
        .filter(|value| value.is_object() || value.is_array())
}

fn whole_message(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii_start();
    text.first() == Some(&b'{') && serde_json::from_slice::<Value>(text).is_ok()
}

fn unfinished(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'['))
        && serde_json::from_slice::<Value>(text).is_err_and(|error| error.is_eof())
}

/// Finds a message after a text on the same line.
fn embedded(text: &[u8]) -> Option<Value> {
    let starts = text.windows(2).enumerate().filter(|(_, window)| *window == b"{\"").map(|(at, _)| at).take(8);
    starts
        .filter_map(|at| first_value(text.get(at..)?))
        .find(|value| value.get("jsonrpc").is_some() && (value.get("id").is_some() || value.get("method").is_some()))
}

async fn write_all(mut stdin: pipe::Sender, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if let Err(why) = stdin.write_all(&line).await {
            tracing::debug!(%why, "the server does not take messages any more");
            return;
        }
    }
}

impl Transport<RoleClient> for ProcessTransport {
    type Error = io::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        let normalizer = Arc::clone(&self.normalizer);
        let probe = Arc::clone(&self.probe);
        let deadline = Instant::now() + self.probe_timeout;
        async move {
            let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "the server is gone");
            let value = serde_json::to_value(&item).map_err(io::Error::other)?;
            normalizer.sent(&value);
            if value.get("method").and_then(Value::as_str) == Some("server/discover")
                && let Some(id) = value.get("id").and_then(Value::as_i64)
            {
                *probe.lock().unwrap_or_else(PoisonError::into_inner) = Some((id, deadline));
            }
            let mut line = value.to_string().into_bytes();
            line.push(b'\n');
            out.ok_or_else(gone)?.send(line).await.map_err(|_| gone())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            self.server.as_ref()?;
            let probe = *self.probe.lock().unwrap_or_else(PoisonError::into_inner);
            let expired = async {
                match probe {
                    Some((id, deadline)) => {
                        tokio::time::sleep_until(deadline).await;
                        id
                    }
                    None => std::future::pending().await,
                }
            };
            let read = tokio::select! {
                biased;
                read = self.read_line() => read,
                id = expired => {
                    if !self.heard && self.extensions < MAX_EXTENSIONS {
                        // It is still starting: an interpreter takes its time.
                        self.extensions += 1;
                        *self.probe.lock().unwrap_or_else(PoisonError::into_inner) =
                            Some((id, Instant::now() + self.probe_timeout));
                        continue;
                    }
                    *self.probe.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    if self.normalizer.forget(id) {
                        self.push(vec![failure(id, -32601, "no answer to server/discover")]);
                    }
                    continue;
                }
            };
            match read {
                Ok(Read::Line) => self.accept(),
                Ok(Read::TooLong) => {
                    let failed = self.normalizer.fail_all("the server sent a message of more than 16 MiB");
                    self.push(failed);
                }
                Ok(Read::End) => self.die("closed its output").await,
                Err(why) => self.die(&format!("cannot be read: {why}")).await,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out = None;
        if let Some(writer) = self.writer.take() {
            // A server that does not read keeps the writer waiting: dropping it closes the server's input.
            writer.abort();
            let _ = writer.await;
        }
        if let Some(server) = self.server.take() {
            let how = process::end(server).await;
            *self.obituary.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("the server {how}"));
        }
        Ok(())
    }
}
