//! Requests out, events in, each to the one who asked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aish_types::embedded::{Event, PROTOCOL, Request};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// The two pipes of a child.
#[derive(Debug)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    lines: UnboundedSender<Vec<u8>>,
    next: AtomicU64,
    tasks: [JoinHandle<()>; 2],
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<HashMap<u64, UnboundedSender<Event>>>,
    closed: AtomicBool,
    complaint: Mutex<Option<String>>,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, UnboundedSender<Event>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection for all who wait.
    fn close(&self, complaint: Option<String>) {
        let mut kept = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = kept.take().or(complaint);
        drop(kept);
        self.closed.store(true, Ordering::Release);
        self.waiting().clear();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Connection {
    /// Takes the pipes over. The tasks that serve them end with the connection.
    pub(crate) fn open(
        input: impl AsyncWrite + Send + Unpin + 'static,
        output: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        let shared = Arc::new(Shared::default());
        let (lines, receiver) = unbounded_channel();
        let writer = tokio::spawn(write(input, receiver));
        let reader = tokio::spawn(read(output, Arc::clone(&shared)));
        Self { shared, lines, next: AtomicU64::new(1), tasks: [writer, reader] }
    }

    /// Returns whether the child still answers.
    pub(crate) fn is_open(&self) -> bool {
        !self.shared.closed.load(Ordering::Acquire)
    }

    /// Returns what the child said of itself as a whole before the connection ended.
    pub(crate) fn complaint(&self) -> Option<String> {
        self.shared.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends the request that is made with the next number. Dropping the listener cancels it.
    pub(crate) fn ask(&self, request: impl FnOnce(u64) -> Request) -> Listener {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, events) = unbounded_channel();
        // Under the lock, so that a connection that ends right now still ends this one.
        {
            let mut waiting = self.shared.waiting();
            if self.is_open() {
                waiting.insert(id, sender);
            }
        }
        send(&self.lines, &request(id));
        Listener { id, events, lines: self.lines.clone(), over: false }
    }
}

fn send(lines: &UnboundedSender<Vec<u8>>, request: &Request) {
    if let Ok(mut line) = serde_json::to_vec(request) {
        line.push(b'\n');
        // A writer that is gone has ended the connection already.
        drop(lines.send(line));
    }
}

/// The events that answer one request.
#[derive(Debug)]
pub(crate) struct Listener {
    id: u64,
    events: UnboundedReceiver<Event>,
    lines: UnboundedSender<Vec<u8>>,
    over: bool,
}

impl Listener {
    /// Waits for the next event; none when the connection has ended, or after the last one. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let event = self.events.recv().await;
        self.over |= event.as_ref().is_none_or(Event::is_last);
        event
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if !self.over {
            send(&self.lines, &Request::Cancel { id: self.id });
        }
    }
}

async fn write(mut input: impl AsyncWrite + Unpin, mut lines: UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        // The reader notices that the child is gone.
        if input.write_all(&line).await.is_err() || input.flush().await.is_err() {
            return;
        }
    }
}

async fn read(output: impl AsyncRead + Unpin, shared: Arc<Shared>) {
    let mut lines = BufReader::new(output).lines();
    let complaint = loop {
        let line = match lines.next_line().await {
            Ok(Some(line)) => line,
            Ok(None) => break None,
            Err(error) => break Some(format!("its answers cannot be read: {error}")),
        };
        let event: Event = match serde_json::from_str(&line) {
            Ok(event) => event,
            Err(error) => break Some(format!("it speaks another language (is it of another version?): {error}")),
        };
        match (&event, event.id()) {
            (Event::Hello { protocol }, _) if *protocol != PROTOCOL => {
                break Some(format!(
                    "it speaks version {protocol} of the protocol, and {PROTOCOL} is wanted; build both anew"
                ));
            }
            (Event::Error { message, .. }, None) => break Some(message.clone()),
            (_, None) => {}
            (_, Some(id)) => {
                let mut waiting = shared.waiting();
                let last = event.is_last();
                // Nobody waits any more when the request was cancelled.
                if let Some(sender) = waiting.get(&id) {
                    drop(sender.send(event));
                }
                if last {
                    waiting.remove(&id);
                }
            }
        }
    };
    shared.close(complaint);
}
