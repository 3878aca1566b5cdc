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

use super::normalize::repair::{self, Found};
use super::normalize::{Normalizer, failure};
use super::process;
use super::silence::Silence;

/// The longest message, in bytes; a longer one fails what is waited for.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// The longest message over several lines, in bytes.
const MAX_SPREAD: usize = 1024 * 1024;
/// How often a server that has written nothing yet gets the time of the probe again.
const MAX_EXTENSIONS: u32 = 3;
/// The most lines that are no messages, of a server that has sent none.
const MAX_STRAY_LINES: usize = 10_000;
/// Messages that wait for a server that does not read.
const QUEUE: usize = 64;

/// What is said of a server that fell silent at the probe: it is started again, and not probed.
pub(super) const MUTE: &str = "no answer since server/discover";
/// What is said of a server that takes what it is asked and is silent.
pub(super) const DEAF: &str = "the server does not answer";
/// What a server that closed its output is given to end by itself.
const DYING: Duration = Duration::from_millis(300);

/// How long what is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The answer to the probe of the newest protocol.
    pub(super) probe_timeout: Duration,
    /// The whole greeting.
    pub(super) connect_timeout: Duration,
    /// A program that has taken a request and does nothing.
    pub(super) stuck_after: Option<Duration>,
}

/// How a server ended, for whoever reports it.
pub(super) type ExitReason = Arc<Mutex<Option<String>>>;

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
    bounds: Bounds,
    /// Whether the probe was not answered in its time, which may be all that is wrong.
    unanswered: bool,
    /// When it is given up after such a probe, where nothing tells whether it is stuck.
    mute_at: Option<Instant>,
    /// Whether it has written anything.
    heard: bool,
    /// How often the probe was given more time.
    extensions: u32,
    /// Whether it has sent a message.
    spoke: bool,
    /// The first line that was no message, and how many there were.
    stray_lines: (Option<String>, usize),
    /// Tells a server that is stuck from one that is at work.
    silence: Silence,
    exit_reason: ExitReason,
}

impl ProcessTransport {
    pub(super) fn new(mut server: Server, bounds: Bounds, exit_reason: ExitReason) -> io::Result<Self> {
        let missing = || io::Error::other("the server's streams are taken");
        let stdin = server.take_stdin().ok_or_else(missing)?;
        let stdout = server.take_stdout().ok_or_else(missing)?;
        let (out, rx) = mpsc::channel(QUEUE);
        let silence = Silence::new(server.pid(), &stdin, bounds.stuck_after);
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
            bounds,
            unanswered: false,
            mute_at: None,
            heard: false,
            extensions: 0,
            spoke: false,
            stray_lines: (None, 0),
            silence,
            exit_reason,
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
        if !messages.is_empty() {
            self.spoke = true;
            self.silence.heard();
        }
        messages.iter().for_each(|message| self.settle(message));
        self.push(messages);
    }

    /// Takes a line, which may be messages, a part of one, or what a server prints beside its messages.
    fn accept(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
        let text = text.split(|byte| *byte != 0).next().map_or(text, |zeros| text.get(zeros.len()..).unwrap_or(text));
        let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
        let text = text.get(..end).unwrap_or(text).trim_ascii();
        if text.is_empty() {
            return;
        }
        if self.spread.is_empty() && !matches!(text.first(), Some(b'{' | b'[' | b'"')) {
            return match repair::embedded(text) {
                Some(value) => self.accept_value(value),
                None => self.chat(text),
            };
        }
        let alone = repair::values(text);
        let goes_on = !self.spread.is_empty();
        match alone {
            // A part of a message may be whole in itself.
            Found::Values(values) | Found::Other(values)
                if !values.is_empty() && (!goes_on || values.iter().any(repair::is_message)) =>
            {
                self.spread.clear();
                values.into_iter().for_each(|value| self.accept_value(value));
                return;
            }
            Found::Values(_) | Found::Other(_) if !goes_on => {
                self.fail_broken(text);
                return self.chat(text);
            }
            Found::Values(_) | Found::Other(_) | Found::Unfinished => {}
        }
        self.spread.extend_from_slice(text);
        self.spread.push(b'\n');
        match repair::values(&self.spread) {
            Found::Values(values) => {
                self.spread.clear();
                values.into_iter().for_each(|value| self.accept_value(value));
            }
            Found::Unfinished if self.spread.len() <= MAX_SPREAD => {}
            Found::Unfinished | Found::Other(_) => self.spread.clear(),
        }
    }

    /// Fails the request whose answer a line was meant to be that cannot be read.
    fn fail_broken(&mut self, text: &[u8]) {
        let id = repair::id_of_broken(text);
        if let Some(id) = id.filter(|id| self.normalizer.forget(*id)) {
            let failed = failure(id, -32000, "the server's answer is no valid JSON");
            self.settle(&failed);
            self.push(vec![failed]);
        }
    }

    /// Notes a line that is no message. A server that prints nothing else is none.
    fn chat(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        tracing::debug!(line = %text, "the server printed a line that is no message");
        self.stray_lines.1 += 1;
        if self.stray_lines.0.is_none() {
            self.stray_lines.0 = Some(aish_types::sanitize(&text).chars().take(120).collect());
        }
        if !self.spoke && self.stray_lines.1 > MAX_STRAY_LINES {
            self.give_up();
        }
    }

    /// Ends what is waited for with what is known of a server that does not answer.
    fn give_up(&mut self) {
        let words = match &self.stray_lines.0 {
            // One that has not even taken the probe would not take a greeting either.
            _ if self.unanswered && !self.spoke && self.silence.has_read() => MUTE.to_owned(),
            _ if self.normalizer.repeats() => "the server only sends back what it is sent".to_owned(),
            Some(line) if !self.spoke => format!("what the server prints is no MCP message: {line}"),
            Some(_) | None => DEAF.to_owned(),
        };
        self.silence.give_up();
        let failed = self.normalizer.fail_all(&words);
        self.push(failed);
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
            if self.line.len() < MAX_SPREAD && ends_a_message(&self.line) {
                return Ok(Read::Line);
            }
        }
    }

    /// Closes its input.
    async fn close_input(&mut self) {
        self.out = None;
        if let Some(writer) = self.writer.take() {
            // A server that does not read keeps the writer waiting: dropping it closes the server's input.
            writer.abort();
            let _ = writer.await;
        }
        self.silence.close();
    }

    /// Ends it and says how it ended, or why where that is known already.
    async fn end(&mut self, reason: &str) -> String {
        self.close_input().await;
        match self.server.take() {
            Some(server) => process::end(server, self.silence.patience().min(DYING)).await,
            None => reason.to_owned(),
        }
    }

    async fn die(&mut self, reason: &str) {
        let how = self.end(reason).await;
        self.end_with(format!("the server {how}"));
    }

    /// Ends a server that was silent at the probe and does nothing.
    async fn end_mute(&mut self) {
        self.silence.give_up();
        self.end("was ended").await;
        self.end_with(MUTE.to_owned());
    }

    /// Ends what is waited for.
    fn end_with(&mut self, text: String) {
        *self.exit_reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.clone());
        let failed = self.normalizer.fail_all(&text);
        self.push(failed);
    }

    /// Goes on after a probe that was not answered in its time.
    async fn pass_over_probe(&mut self, id: i64) {
        if !self.heard && self.extensions < MAX_EXTENSIONS && self.silence.is_starting() {
            // It is still starting: an interpreter takes its time.
            self.extensions += 1;
            *self.probe.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((id, Instant::now() + self.bounds.probe_timeout));
            return;
        }
        *self.probe.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.unanswered = !self.spoke;
        if self.unanswered && self.bounds.stuck_after.is_some() && self.silence.is_idle() {
            return self.end_mute().await;
        }
        self.mute_at = self.unanswered.then(|| Instant::now() + self.bounds.connect_timeout / 2);
        if self.normalizer.forget(id) {
            self.push(vec![failure(id, -32601, "no answer to server/discover")]);
        }
    }
}

/// Waits until a time, or for ever.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

enum Read {
    Line,
    TooLong,
    End,
}

fn ends_a_message(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let end = line.iter().rposition(|byte| !matches!(byte, 0 | b'\r' | b' ')).map_or(0, |at| at + 1);
    let text = line.get(..end).unwrap_or(line).trim_ascii_start();
    text.first() == Some(&b'{') && text.last() == Some(&b'}') && repair::is_whole(text)
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
        self.silence.asked();
        let deadline = Instant::now() + self.bounds.probe_timeout;
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
            let mute_at = self.mute_at;
            let watched = self.silence.is_watched() && probe.is_none() && self.normalizer.expects_soon();
            let read = tokio::select! {
                biased;
                read = self.read_line() => read,
                () = tokio::time::sleep(Silence::LOOK), if watched => {
                    if self.silence.is_stuck() {
                        self.give_up();
                    }
                    continue;
                }
                () = until(probe.map(|(_, deadline)| deadline)) => {
                    if let Some((id, _)) = probe {
                        self.pass_over_probe(id).await;
                    }
                    continue;
                }
                () = until(mute_at) => {
                    self.mute_at = None;
                    if !self.spoke && self.silence.is_idle() {
                        self.end_mute().await;
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
        self.close_input().await;
        if let Some(server) = self.server.take() {
            let how = process::end(server, self.silence.patience()).await;
            *self.exit_reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("the server {how}"));
        }
        Ok(())
    }
}
