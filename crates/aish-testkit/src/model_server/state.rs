//! What the server's threads share: the script that is left, the log, and the sockets that a stop closes.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::reply::Reply;
use super::request::RecordedRequest;
use super::script::{Remaining, Script};

/// What has happened so far.
pub(super) struct Log {
    pub(super) requests: Vec<RecordedRequest>,
    asides: Vec<RecordedRequest>,
    pub(super) disconnects: usize,
    connections: usize,
    unexpected: Vec<String>,
    refusals: Vec<String>,
    remaining: Remaining,
    open: HashMap<usize, TcpStream>,
    stopping: bool,
}

/// The shared state and the signal that it changed.
pub(super) struct Shared {
    log: Mutex<Log>,
    changed: Condvar,
}

impl Shared {
    pub(super) fn new(script: Script) -> Self {
        let log = Log {
            requests: Vec::new(),
            asides: Vec::new(),
            disconnects: 0,
            connections: 0,
            unexpected: Vec::new(),
            refusals: Vec::new(),
            remaining: Remaining::new(script),
            open: HashMap::new(),
            stopping: false,
        };
        Self { log: Mutex::new(log), changed: Condvar::new() }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        self.log().requests.clone()
    }

    pub(super) fn asides(&self) -> Vec<RecordedRequest> {
        self.log().asides.clone()
    }

    pub(super) fn refusals(&self) -> Vec<String> {
        self.log().refusals.clone()
    }

    pub(super) fn connections(&self) -> usize {
        self.log().connections
    }

    pub(super) fn stopping(&self) -> bool {
        self.log().stopping
    }

    /// Keeps a connection, so that a stop can close it; returns its number.
    pub(super) fn opened(&self, stream: &TcpStream) -> usize {
        let mut log = self.log();
        log.connections += 1;
        let id = log.connections;
        if let Ok(handle) = stream.try_clone() {
            log.open.insert(id, handle);
        }
        id
    }

    pub(super) fn closed(&self, id: usize) {
        self.log().open.remove(&id);
    }

    pub(super) fn disconnected(&self) {
        let mut log = self.log();
        if !log.stopping {
            log.disconnects += 1;
        }
        drop(log);
        self.changed.notify_all();
    }

    /// Records a request and takes the reply that the script has for it; none when it is unexpected.
    pub(super) fn answer(&self, request: RecordedRequest) -> Option<Reply> {
        let mut log = self.log();
        if log.remaining.is_aside(&request) {
            log.asides.push(request);
            drop(log);
            self.changed.notify_all();
            return Some(Reply::error(404, "this server does not tell what its model can do"));
        }
        let refusal = log.remaining.refusal(&request);
        log.refusals.extend(refusal.as_ref().map(|refusal| String::from_utf8_lossy(&refusal.body()).into_owned()));
        let reply = match refusal.map_or_else(|| log.remaining.take(&request), Ok) {
            Ok(reply) => Some(reply),
            Err(reason) => {
                let line = format!("unexpected {} {}: {reason}", request.method, request.path);
                log.unexpected.push(line);
                None
            }
        };
        log.requests.push(request);
        drop(log);
        self.changed.notify_all();
        reply
    }

    /// Notes bytes that are not an HTTP request.
    pub(super) fn unreadable(&self, reason: String) {
        let mut log = self.log();
        if !log.stopping {
            log.unexpected.push(reason);
        }
    }

    pub(super) fn violations(&self) -> Vec<String> {
        let log = self.log();
        let refused = log.remaining.refused_otherwise(&log.refusals);
        log.unexpected.iter().cloned().chain(refused).chain(log.remaining.left_over()).collect()
    }

    pub(super) fn wait_for(&self, limit: Duration, reached: impl Fn(&Log) -> bool) -> bool {
        let result = self.changed.wait_timeout_while(self.log(), limit, |log| !reached(log));
        let (log, _) = result.unwrap_or_else(PoisonError::into_inner);
        reached(&log)
    }

    /// Waits, but not beyond a stop; returns whether the server still runs.
    pub(super) fn pause(&self, time: Duration) -> bool {
        let result = self.changed.wait_timeout_while(self.log(), time, |log| !log.stopping);
        let (log, _) = result.unwrap_or_else(PoisonError::into_inner);
        !log.stopping
    }

    pub(super) fn stop(&self) {
        let mut log = self.log();
        log.stopping = true;
        for stream in log.open.values() {
            // A connection that is gone already needs no closing.
            drop(stream.shutdown(Shutdown::Both));
        }
        drop(log);
        self.changed.notify_all();
    }
}
