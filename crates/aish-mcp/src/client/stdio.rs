//! JSON-RPC over the standard streams of a server's process, as the client reads and writes it.

mod messages;
mod probe;
mod streams;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use aish_process::Server;
use aish_types::lines::Line;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::time::Instant;

use super::health::{Ended, Health};
use super::normalize::failure;
use super::process;
use super::silence::Silence;
use messages::{Complaint, Messages};
use probe::{Overdue, Probe, Sent};
use streams::{Input, Output};

/// The longest message, in bytes; a longer one fails what is waited for.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// The longest message over several lines, in bytes.
const MAX_SPREAD: usize = 1024 * 1024;
/// How long a server that closed its output, or its input, may take to exit by itself.
const DYING: Duration = Duration::from_millis(300);

/// How long each part of a greeting may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The answer to the probe of the newest protocol.
    pub(super) probe_timeout: Duration,
    /// The whole greeting.
    pub(super) connect_timeout: Duration,
    /// A program that has taken a request and does nothing.
    pub(super) stuck_after: Option<Duration>,
}

/// One server's process.
pub(super) struct ProcessTransport {
    server: Option<Server>,
    input: Input,
    output: Output,
    messages: Messages,
    probe: Probe,
    /// Tells a server that is stuck from one that is at work.
    silence: Silence,
    health: Health,
}

impl ProcessTransport {
    pub(super) fn new(mut server: Server, bounds: Bounds, health: Health) -> io::Result<Self> {
        let missing = || io::Error::other("the server's streams are taken");
        let stdin = server.take_stdin().ok_or_else(missing)?;
        let stdout = server.take_stdout().ok_or_else(missing)?;
        Ok(Self {
            silence: Silence::new(server.pid(), &stdin, bounds.stuck_after),
            server: Some(server),
            input: Input::new(stdin),
            output: Output::new(stdout),
            messages: Messages::default(),
            probe: Probe::new(bounds),
            health,
        })
    }

    /// Takes one line of the server.
    async fn accept(&mut self, line: &[u8]) {
        let messages = self.messages.accept(line);
        if !messages.is_empty() {
            self.silence.heard();
        }
        self.deliver(messages);
        if self.messages.is_only_noise() {
            self.give_up().await;
        }
    }

    fn deliver(&mut self, messages: Vec<Value>) {
        messages.iter().for_each(|message| self.probe.settle(message));
        self.messages.push(messages);
    }

    /// Fails the open requests of a server that does not answer. It may answer later ones.
    async fn give_up(&mut self) {
        // One that took the probe and was silent would not answer a greeting in the same run either.
        if self.probe.is_unanswered && !self.messages.has_any && self.silence.has_read() {
            return self.end_mute().await;
        }
        self.silence.give_up();
        let complaint = self.messages.complaint();
        if complaint == Complaint::Silent {
            self.health.note_unanswered();
        }
        self.messages.fail_all(&complaint.to_string());
    }

    /// Closes its input and waits for its end, for as long as `patience` before it is killed.
    async fn stop(&mut self, patience: Duration) -> Option<Ended> {
        self.input.close().await;
        self.silence.close();
        Some(process::end(self.server.take()?, patience).await)
    }

    /// Ends a server that closed its output.
    async fn end(&mut self) {
        if let Some(ended) = self.stop(self.silence.patience().min(DYING)).await {
            self.health.end(ended);
        }
    }

    /// Ends a server that closed its input: it would run on, and nothing could be asked of it.
    async fn end_deaf(&mut self) {
        self.stop(DYING).await;
        self.health.end(Ended::Stream("the server closed its input".to_owned()));
    }

    /// Ends a server that was silent at the probe and does nothing.
    async fn end_mute(&mut self) {
        self.silence.give_up();
        self.stop(Duration::ZERO).await;
        self.health.end(Ended::Mute);
    }

    /// Goes on after a probe that was not answered in its time.
    async fn pass_over_probe(&mut self, id: i64) {
        let is_silent = !self.output.has_written;
        let silence = &mut self.silence;
        let sent = if self.messages.has_any { Sent::Messages } else { Sent::Nothing };
        match self.probe.overdue(id, sent, || is_silent && silence.is_starting()) {
            Overdue::Prolonged => return,
            Overdue::Unanswered if self.probe.bounds.stuck_after.is_some() && self.silence.is_idle() => {
                return self.end_mute().await;
            }
            Overdue::Unanswered | Overdue::Passed => {}
        }
        if self.messages.forget(id) {
            self.messages.push(vec![failure(id, -32601, "no answer to server/discover")]);
        }
    }
}

/// Waits until a time; forever if there is none.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

impl Transport<RoleClient> for ProcessTransport {
    type Error = io::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let queue = self.input.queue.clone();
        let normalizer = Arc::clone(&self.messages.normalizer);
        let probe = self.probe.starter();
        self.silence.asked();
        async move {
            let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "the server is gone");
            let value = serde_json::to_value(&item).map_err(io::Error::other)?;
            normalizer.sent(&value);
            probe.sent(&value);
            let mut line = value.to_string().into_bytes();
            line.push(b'\n');
            queue.ok_or_else(gone)?.send(line).await.map_err(|_| gone())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.messages.next() {
                return Some(message);
            }
            self.server.as_ref()?;
            let probe = self.probe.pending();
            let mute_at = self.probe.mute_at;
            let watched = self.silence.is_watched() && probe.is_none() && self.messages.expects_soon();
            let line = tokio::select! {
                biased;
                line = self.output.line() => line,
                () = self.input.refused(DYING) => {
                    self.end_deaf().await;
                    continue;
                }
                () = tokio::time::sleep(Silence::LOOK), if watched => {
                    if self.silence.is_stuck() {
                        self.give_up().await;
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
                    self.probe.forget_mute();
                    if !self.messages.has_any && self.silence.is_idle() {
                        self.end_mute().await;
                    }
                    continue;
                }
            };
            match line {
                Ok(Some(Line::Whole(line))) => self.accept(&line).await,
                Ok(Some(Line::TooLong)) => {
                    self.messages.fail_all("the server sent a message of more than 16 MiB");
                }
                Ok(None) => self.end().await,
                Err(why) => {
                    tracing::debug!(%why, "the server's output cannot be read");
                    self.end().await;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        if let Some(ended) = self.stop(self.silence.patience()).await {
            self.health.end(ended);
        }
        Ok(())
    }
}
