//! Prints lines above the prompt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::message::{self, MARK};

/// A handle that takes lines to be printed above the prompt. While no line is read they wait for the next prompt.
#[derive(Debug, Clone, Default)]
pub struct Printer {
    queue: Arc<Mutex<Queue>>,
    /// Set to make the engine return, so that the thread can print, ask or stop.
    knock: Arc<AtomicBool>,
}

/// Bytes that wait at most; what comes then is counted and left out.
const MOST: usize = 1024 * 1024;

#[derive(Debug, Default)]
struct Queue {
    texts: Vec<String>,
    bytes: usize,
    left_out: usize,
}

/// Returns a status line as the terminal shows it.
pub(super) fn said(text: &str) -> String {
    message::text(&format!("{MARK}{}", aish_types::sanitize(text)), message::columns_of(std::io::stderr()))
}

impl Printer {
    /// Prints text, its lines above the prompt. It must be clean already.
    pub fn print(&self, text: &str) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.bytes + text.len() > MOST {
            queue.left_out += text.lines().count();
        } else {
            queue.bytes += text.len();
            queue.texts.push(text.strip_suffix('\n').unwrap_or(text).to_owned());
        }
        drop(queue);
        self.knock();
    }

    /// Prints something that aish itself says.
    pub fn say(&self, text: &str) {
        self.print(&said(text));
    }

    /// Takes what waits, for a caller that prints it itself, between two reads.
    pub fn take(&self) -> Vec<String> {
        let waiting = std::mem::take(&mut *self.queue.lock().unwrap_or_else(PoisonError::into_inner));
        let mut texts = waiting.texts;
        if waiting.left_out > 0 {
            texts.push(said(&format!("{} more lines were left out", waiting.left_out)));
        }
        texts
    }

    pub(super) fn knock(&self) {
        self.knock.store(true, Ordering::Relaxed);
    }

    pub(super) fn quiet(&self) {
        self.knock.store(false, Ordering::Relaxed);
    }

    pub(super) fn signal(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.knock)
    }
}
