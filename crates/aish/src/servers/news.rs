//! What servers have to say, a line each: at the prompt, or while a call runs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_mcp::client::{Status, StatusSink};
use tokio::sync::Notify;

/// The shortest time between two lines of progress of one server.
const PROGRESS: Duration = Duration::from_millis(500);
/// The most lines that wait to be shown.
const WAITING: usize = 50;

/// The lines of servers while calls run; whoever runs the calls shows them.
#[derive(Debug, Default)]
pub struct CallNews {
    calls: AtomicUsize,
    lines: Mutex<VecDeque<String>>,
    told: Notify,
}

impl CallNews {
    /// Takes a line, if a call runs; gives it back otherwise.
    fn tell(&self, line: String) -> Option<String> {
        if self.calls.load(Ordering::SeqCst) == 0 {
            return Some(line);
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < WAITING {
            lines.push_back(line);
        }
        drop(lines);
        self.told.notify_one();
        None
    }

    /// Collects lines until what is returned is dropped.
    pub fn listen(self: &Arc<Self>) -> Listening {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Listening(Arc::clone(self))
    }
}

/// Collects lines while calls run.
#[derive(Debug)]
pub struct Listening(Arc<CallNews>);

impl Listening {
    /// Returns the next line; waits for it. Safe to drop.
    pub async fn next(&self) -> String {
        loop {
            if let Some(line) = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                return line;
            }
            self.0.told.notified().await;
        }
    }

    /// Returns what still waits.
    pub fn rest(&self) -> Vec<String> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Hands what happens to servers on as lines: to whoever runs a call, or to a closure.
pub struct News<F> {
    calls: Arc<CallNews>,
    print: F,
    progress: Mutex<BTreeMap<String, Instant>>,
}

impl<F: Fn(String) + Send + Sync> News<F> {
    /// Makes a sink over a closure that shows a line when no call runs.
    pub fn new(calls: Arc<CallNews>, print: F) -> Self {
        Self { calls, print, progress: Mutex::default() }
    }

    fn tell_or_print(&self, line: String) {
        if let Some(line) = self.calls.tell(line) {
            (self.print)(line);
        }
    }

    fn is_due(&self, alias: &str) -> bool {
        let mut shown = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let due = shown.get(alias).is_none_or(|last| last.elapsed() >= PROGRESS);
        if due {
            shown.insert(alias.to_owned(), Instant::now());
        }
        due
    }
}

impl<F: Fn(String) + Send + Sync> StatusSink for News<F> {
    fn status(&self, alias: &str, status: Status) {
        let line = format!("mcp: {alias}: {status}");
        match status {
            // Where it is shown at all, it is part of a list.
            Status::Connected { .. } => {}
            // These are about a call; without one they would only disturb.
            Status::Progress { .. } => {
                if self.is_due(alias) {
                    let _ = self.calls.tell(line);
                }
            }
            Status::Log { level, .. } => match level.as_str() {
                "debug" => {}
                "info" | "notice" => drop(self.calls.tell(line)),
                _ => self.tell_or_print(line),
            },
            Status::Failed(_)
            | Status::Lost { .. }
            | Status::Refused { .. }
            | Status::Changed { .. }
            | Status::PlainToken
            | Status::SignIn(_) => self.tell_or_print(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn progress_and_logs_are_shown_while_a_call_runs_and_only_warnings_otherwise() {
        let calls: Arc<CallNews> = Arc::default();
        let printed: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&printed);
        let news = News::new(Arc::clone(&calls), move |line| sink.lock().unwrap().push(line));
        let say = || {
            let log = |level: &str| Status::Log { level: level.into(), text: "x".into() };
            news.status("a", Status::Progress { done: "50 %".into(), text: "half".into() });
            news.status("a", log("debug"));
            news.status("a", log("info"));
            news.status("a", log("error"));
        };
        {
            let listening = calls.listen();
            say();
            news.status("a", Status::Progress { done: "51 %".into(), text: String::new() });
            assert_eq!(listening.next().await, "mcp: a: 50 % half");
            assert_eq!(listening.rest(), ["mcp: a: info: x", "mcp: a: error: x"]);
        }
        assert!(printed.lock().unwrap().is_empty());
        say();
        assert_eq!(*printed.lock().unwrap(), ["mcp: a: error: x"]);
    }
}
