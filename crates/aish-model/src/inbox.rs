//! Standard input: requests in a queue, cancellations ahead of it.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{process, thread};

use aish_types::embedded::Request;

/// How long the work in hand may go on after standard input has ended.
const GRACE: Duration = Duration::from_secs(2);

/// One line of standard input.
#[derive(Debug)]
pub(crate) enum Letter {
    /// A request.
    Request(Request),
    /// A line that is not a request, with the reason.
    Unreadable(String),
}

/// What overtakes the queue.
#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    closed: AtomicBool,
    cancelled: Mutex<BTreeSet<u64>>,
}

impl Interrupts {
    /// Returns whether a request should stop.
    pub(crate) fn stops(&self, id: u64) -> bool {
        self.closed.load(Ordering::Relaxed)
            || self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }

    /// Forgets the cancellations of a request and of all before it; ids grow.
    pub(crate) fn forget_until(&self, id: u64) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).retain(|cancelled| *cancelled > id);
    }

    fn cancel(&self, id: u64) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }
}

/// Reads an input on a thread of its own. The queue ends with the input; whoever does not notice within the grace
/// period is ended with the process, so that nothing computes on for a shell that is gone.
pub(crate) fn open(input: impl BufRead + Send + 'static) -> (Receiver<Letter>, Arc<Interrupts>) {
    let (sender, receiver) = channel();
    let interrupts = Arc::new(Interrupts::default());
    let shared = Arc::clone(&interrupts);
    thread::spawn(move || {
        for line in input.lines() {
            let Ok(line) = line else { break };
            if line.trim().is_empty() {
                continue;
            }
            let letter = match serde_json::from_str(&line) {
                Ok(Request::Cancel { id }) => {
                    shared.cancel(id);
                    continue;
                }
                Ok(request) => Letter::Request(request),
                Err(error) => Letter::Unreadable(error.to_string()),
            };
            if sender.send(letter).is_err() {
                break;
            }
        }
        shared.close();
        drop(sender);
        thread::sleep(GRACE);
        process::exit(0);
    });
    (receiver, interrupts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn cancellations_overtake_and_are_forgotten() {
        let lines = "{\"op\":\"count\",\"id\":1,\"text\":\"a\"}\n\n{\"op\":\"cancel\",\"id\":7}\nnonsense\n";
        let (letters, interrupts) = open(Cursor::new(lines));
        assert!(matches!(letters.recv(), Ok(Letter::Request(Request::Count { id: 1, .. }))));
        assert!(matches!(letters.recv(), Ok(Letter::Unreadable(_))));
        assert!(letters.recv().is_err(), "the queue ends with the input");
        assert!(interrupts.stops(7));
        assert!(interrupts.stops(8), "everything stops when the input has ended");
    }

    #[test]
    fn a_cancellation_is_for_one_request() {
        let interrupts = Interrupts::default();
        interrupts.cancel(7);
        assert!(interrupts.stops(7) && !interrupts.stops(8));
        interrupts.forget_until(7);
        assert!(!interrupts.stops(7));
    }
}
