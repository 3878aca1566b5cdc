//! The stream of events of the HTTP transport of 2024-11-05.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::http::Shared;

/// Hands messages to the stream that is open, or to the first that opens.
#[derive(Default)]
pub(super) struct Stream(Mutex<Outlet>);

#[derive(Default)]
struct Outlet {
    open: Option<Sender<String>>,
    /// What was sent before a stream was open: a client may ask while it still opens one.
    early: Vec<String>,
}

impl Stream {
    /// Names the address for messages, and writes what is sent until the client has gone.
    pub(super) fn hold(&self, server: &Shared, mut stream: &TcpStream) {
        let (send, sent) = channel();
        let mut outlet = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        outlet.early.drain(..).for_each(|message| drop(send.send(message)));
        outlet.open = Some(send);
        drop(outlet);
        let endpoint = server.script.events_endpoint.as_deref().unwrap_or("/messages?session=1");
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        let first = if server.script.events { format!("event: endpoint\ndata: {endpoint}\n\n") } else { String::new() };
        let mut text = server.script.events_begin.clone().unwrap_or_else(|| format!("{head}: hello\n\n{first}"));
        while stream.write_all(text.as_bytes()).is_ok() && !server.stopped.load(Ordering::SeqCst) {
            text = match sent.recv_timeout(Duration::from_millis(50)) {
                Ok(message) => format!("event: message\ndata: {message}\n\n"),
                Err(RecvTimeoutError::Timeout) => ": ping\n\n".to_owned(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
        }
    }

    /// Sends messages over the stream that is open, else over the next.
    pub(super) fn send(&self, messages: &[String]) {
        let mut outlet = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &outlet.open {
            Some(stream) => messages.iter().for_each(|message| drop(stream.send(message.clone()))),
            None => outlet.early.extend_from_slice(messages),
        }
    }
}
