//! Prints lines above the prompt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A handle that takes lines to be printed above the prompt. While no line is read they wait for the next prompt.
#[derive(Debug, Clone)]
pub struct Printer {
    queue: Arc<Mutex<Vec<String>>>,
    /// Set to make the engine return, so that the thread can print, ask or stop.
    knock: Arc<AtomicBool>,
    color: bool,
}

impl Printer {
    pub(super) fn new(color: bool) -> Self {
        Self { queue: Arc::default(), knock: Arc::default(), color }
    }

    /// Prints text, its lines above the prompt. It must be clean already; styles in it are for the caller to leave out
    /// where [`Printer::color`] says so.
    pub fn print(&self, text: &str) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push(text.trim_end_matches('\n').to_owned());
        self.knock();
    }

    /// Says whether styles may be used.
    pub fn color(&self) -> bool {
        self.color
    }

    /// Takes what waits, for a caller that prints it itself, between two reads.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.queue.lock().unwrap_or_else(PoisonError::into_inner))
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
